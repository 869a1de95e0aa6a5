//! A length of time as a document writes it: ISO 8601 in weeks, days, hours, minutes and seconds.
//!
//! Knows no clock and no bound: how long is too long is the caller's rule.

const SECOND: u64 = 1_000;
const MINUTE: u64 = 60 * SECOND;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;
const WEEK: u64 = 7 * DAY;

/// Why a text is no duration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// It is not ISO 8601 in weeks, days, hours, minutes and seconds, such as `PT30M`.
    NotADuration,
    /// It names years or months, whose length varies.
    YearsOrMonths,
}

impl Fault {
    /// What is wrong, as the end of a sentence.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::NotADuration => "it is not an ISO 8601 duration, such as `PT30M` or `P7D`",
            Self::YearsOrMonths => "years and months have no fixed length; write weeks or days, such as `P30D`",
        }
    }
}

/// Reads an ISO 8601 duration as whole milliseconds, a fraction of one rounded up. "Durations".
///
/// Designators are capital letters in their order, each at most once, and only seconds take a fraction.
/// A length past the range of the number is its largest value, so that a caller's bound refuses it.
///
/// # Errors
/// The text is no duration, or one in years or months.
pub fn parse(text: &str) -> Result<u64, Fault> {
    let rest = text.strip_prefix('P').ok_or(Fault::NotADuration)?;
    let (date, time) = match rest.split_once('T') {
        Some((_, "")) => return Err(Fault::NotADuration),
        Some((date, time)) => (date, time),
        None => (rest, ""),
    };
    if date.is_empty() && time.is_empty() {
        return Err(Fault::NotADuration);
    }
    let date = parts(date, &['Y', 'M', 'W', 'D'])?;
    let time = parts(time, &['H', 'M', 'S'])?;
    if date.iter().any(|(designator, _)| matches!(designator, 'Y' | 'M')) {
        return Err(Fault::YearsOrMonths);
    }
    let mut total = 0_u64;
    for (designator, number) in date {
        total = total.saturating_add(whole(number)?.saturating_mul(if designator == 'W' { WEEK } else { DAY }));
    }
    for (designator, number) in time {
        total = total.saturating_add(match designator {
            'H' => whole(number)?.saturating_mul(HOUR),
            'M' => whole(number)?.saturating_mul(MINUTE),
            _ => seconds(number)?,
        });
    }
    Ok(total)
}

/// The numbers of one half, each with its designator.
fn parts<'a>(half: &'a str, order: &[char]) -> Result<Vec<(char, &'a str)>, Fault> {
    let mut found = Vec::new();
    let mut allowed = order;
    let mut rest = half;
    while !rest.is_empty() {
        let end = rest.find(|c: char| !matches!(c, '0'..='9' | '.' | ',')).ok_or(Fault::NotADuration)?;
        let designator = rest[end..].chars().next().ok_or(Fault::NotADuration)?;
        let place = allowed.iter().position(|one| *one == designator).ok_or(Fault::NotADuration)?;
        if end == 0 {
            return Err(Fault::NotADuration);
        }
        allowed = &allowed[place + 1..];
        found.push((designator, &rest[..end]));
        rest = &rest[end + designator.len_utf8()..];
    }
    Ok(found)
}

/// Digits as a number; one past the range is the largest.
fn whole(digits: &str) -> Result<u64, Fault> {
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(Fault::NotADuration);
    }
    Ok(digits.parse().unwrap_or(u64::MAX))
}

/// Seconds with a fraction, as milliseconds.
fn seconds(number: &str) -> Result<u64, Fault> {
    let Some((digits, fraction)) = number.split_once(['.', ',']) else {
        return Ok(whole(number)?.saturating_mul(SECOND));
    };
    whole(fraction)?;
    let thousandths: String = fraction.chars().chain("000".chars()).take(3).collect();
    let more = u64::from(fraction.bytes().skip(3).any(|byte| byte != b'0'));
    Ok(whole(digits)?.saturating_mul(SECOND).saturating_add(whole(&thousandths)? + more))
}

/// A length in words, such as `2 days` or `1 hour and 30 minutes`.
///
/// The largest unit is the day, as people count the time to an answer.
#[must_use]
pub fn words(milliseconds: u64) -> String {
    let units = [
        (milliseconds / DAY, "day"),
        (milliseconds % DAY / HOUR, "hour"),
        (milliseconds % HOUR / MINUTE, "minute"),
        (milliseconds % MINUTE / SECOND, "second"),
        (milliseconds % SECOND, "millisecond"),
    ];
    let said: Vec<String> = units
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, unit)| format!("{count} {unit}{}", if *count == 1 { "" } else { "s" }))
        .collect();
    match said.as_slice() {
        [] => "no time".to_owned(),
        [one] => one.clone(),
        [start @ .., last] => format!("{} and {last}", start.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_weeks_to_seconds() {
        let cases: [(&str, u64); 12] = [
            ("PT30M", 30 * MINUTE),
            ("P7D", 7 * DAY),
            ("P2W", 14 * DAY),
            ("P1W2D", 9 * DAY),
            ("P1DT12H", DAY + 12 * HOUR),
            ("PT1H30M", HOUR + 30 * MINUTE),
            ("PT0S", 0),
            ("PT0.5S", 500),
            ("PT1,25S", 1_250),
            ("PT0.0001S", 1),
            ("PT0.1230S", 123),
            ("P1DT1H1M1.001S", DAY + HOUR + MINUTE + 1_001),
        ];
        for (text, milliseconds) in cases {
            assert_eq!(parse(text), Ok(milliseconds), "{text}");
        }
    }

    #[test]
    fn refuses_what_is_no_duration() {
        for text in [
            "", "P", "PT", "P1", "PT5", "5s", "pt5s", "-PT5S", "+PT5S", "P-1D", "PT1.5M", "P1.5D", "P1DT", "PT1S1M",
            "P1D1W", "PT1M1M", "PT.5S", "PT5.S", "PT1.2.3S", "P1H", "PT1D", "PTS", " PT5S", "PT5S ", "PT5é", "T5S",
        ] {
            assert_eq!(parse(text), Err(Fault::NotADuration), "{text}");
        }
    }

    #[test]
    fn years_and_months_have_their_own_words() {
        for text in ["P1Y", "P1M", "P1Y2M3DT4H", "P1M1D"] {
            assert_eq!(parse(text), Err(Fault::YearsOrMonths), "{text}");
        }
        assert_eq!(parse("PT1M"), Ok(MINUTE));
    }

    #[test]
    fn a_huge_length_is_the_largest() {
        assert_eq!(parse("P99999999999999999999D"), Ok(u64::MAX));
        assert_eq!(parse("PT18446744073709551615S"), Ok(u64::MAX));
        assert_eq!(parse("PT99999999999999999999.5S"), Ok(u64::MAX));
    }

    #[test]
    fn says_a_length_in_words() {
        assert_eq!(words(2 * DAY), "2 days");
        assert_eq!(words(HOUR + 30 * MINUTE), "1 hour and 30 minutes");
        assert_eq!(words(DAY + HOUR + MINUTE), "1 day, 1 hour and 1 minute");
        assert_eq!(words(500), "500 milliseconds");
        assert_eq!(words(0), "no time");
    }
}
