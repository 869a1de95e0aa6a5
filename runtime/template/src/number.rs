//! Numbers as JavaScript reads, writes and rounds them.

/// A number as JavaScript writes it.
pub(crate) fn text(number: f64) -> String {
    // Negative zero is written as 0.
    ryu_js::Buffer::new().format(if number == 0.0 { 0.0 } else { number }).to_owned()
}

/// Text as JavaScript reads it as a number: white space around it is passed over, nothing is 0, and what is no
/// number is `NaN`.
pub(crate) fn parse(text: &str) -> f64 {
    let text = text.trim();
    if text.is_empty() {
        return 0.0;
    }
    for (prefixes, radix) in [(["0x", "0X"], 16), (["0o", "0O"], 8), (["0b", "0B"], 2)] {
        if let Some(digits) = prefixes.iter().find_map(|prefix| text.strip_prefix(prefix)) {
            if digits.is_empty() || !digits.chars().all(|c| c.is_digit(radix)) {
                return f64::NAN;
            }
            return digits.chars().fold(0.0, |sum, c| {
                sum * f64::from(radix) + f64::from(c.to_digit(radix).expect("every digit was looked at"))
            });
        }
    }
    match text {
        "Infinity" | "+Infinity" => f64::INFINITY,
        "-Infinity" => f64::NEG_INFINITY,
        // Rust also reads names such as `inf`, which JavaScript does not.
        _ if text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-')) => {
            text.parse().unwrap_or(f64::NAN)
        }
        _ => f64::NAN,
    }
}

/// Rounds half away from zero at a decimal place, by the digits the number is written with: 1.005 to two places is
/// 1.01.
pub(crate) fn round(number: f64, places: i32) -> f64 {
    if places <= 0 || !number.is_finite() {
        let scale = 10_f64.powi(-places.min(0));
        return if scale.is_finite() && number.is_finite() { (number / scale).round() * scale } else { number };
    }
    let written = text(number.abs());
    let Some((_, fraction)) = written.split_once('.') else { return number };
    let places = places as usize;
    if fraction.contains('e') || fraction.len() <= places {
        return number;
    }
    let kept = written.len() - (fraction.len() - places);
    let mut rounded: f64 = written[..kept].parse().unwrap_or(f64::NAN);
    if fraction.as_bytes()[places] >= b'5' {
        let digits: String = written[..kept].chars().filter(|c| *c != '.').collect();
        let up = digits.parse::<u128>().map(|n| n + 1).unwrap_or(0).to_string();
        let up = format!("{up:0>width$}", width = places + 1);
        rounded = format!("{}.{}", &up[..up.len() - places], &up[up.len() - places..]).parse().unwrap_or(rounded);
    }
    rounded.copysign(number)
}
