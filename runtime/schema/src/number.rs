//! Numbers as JSON Schema compares them: by value, whatever way they are written.

use serde_json::Number;
use std::cmp::Ordering;

/// A number as a whole one, when it is whole and fits.
fn whole(number: &Number) -> Option<i128> {
    if let Some(n) = number.as_i64() {
        return Some(n.into());
    }
    if let Some(n) = number.as_u64() {
        return Some(n.into());
    }
    let n = number.as_f64()?;
    // Every double below 2^100 that has no fraction is exact as an i128.
    (n.fract() == 0.0 && n.abs() < 1.0e30).then_some(n as i128)
}

/// Whether a number has no fraction: `1.0` is whole.
pub(crate) fn is_whole(number: &Number) -> bool {
    number.is_i64() || number.is_u64() || number.as_f64().is_some_and(|n| n.fract() == 0.0)
}

/// Compares two numbers by value.
pub(crate) fn compare(a: &Number, b: &Number) -> Ordering {
    match (whole(a), whole(b)) {
        (Some(a), Some(b)) => a.cmp(&b),
        _ => {
            let (a, b) = (a.as_f64().unwrap_or(f64::NAN), b.as_f64().unwrap_or(f64::NAN));
            a.partial_cmp(&b).unwrap_or(Ordering::Equal)
        }
    }
}

/// A number as its shortest decimal: digits and a power of ten.
fn decimal(number: &Number) -> Option<(u128, i32)> {
    if let Some(whole) = whole(number).filter(|n| n.unsigned_abs() < 1 << 64) {
        return Some((whole.unsigned_abs(), 0));
    }
    let text = format!("{:e}", number.as_f64()?.abs());
    let (digits, power) = text.split_once('e')?;
    let power: i32 = power.parse().ok()?;
    let (before, after) = digits.split_once('.').unwrap_or((digits, ""));
    let mantissa: u128 = format!("{before}{after}").parse().ok()?;
    Some((mantissa, power - i32::try_from(after.len()).ok()?))
}

/// Whether a number is a multiple of a positive one, both read as the decimals they are written as.
///
/// So 19.99 is a multiple of 0.01, though the doubles are not.
pub(crate) fn is_multiple(number: &Number, of: &Number) -> bool {
    let (Some((value, value_power)), Some((step, step_power))) = (decimal(number), decimal(of)) else {
        return false;
    };
    if value == 0 {
        return true;
    }
    if step == 0 {
        return false;
    }
    let shift = value_power - step_power;
    if shift >= 0 {
        // value * 10^shift mod step, without ever leaving u128: a step has at most 20 digits.
        let mut rest = value % step;
        for _ in 0..shift {
            if rest == 0 {
                return true;
            }
            rest = rest.checked_mul(10).map_or(1, |r| r % step);
        }
        return rest == 0;
    }
    let mut step = step;
    for _ in 0..-shift {
        match step.checked_mul(10) {
            Some(larger) if larger <= value => step = larger,
            _ => return false,
        }
    }
    value % step == 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn number(value: serde_json::Value) -> Number {
        match value {
            serde_json::Value::Number(number) => number,
            other => panic!("{other} is no number"),
        }
    }

    #[test]
    fn multiples_are_of_decimals() {
        for (value, of, expected) in [
            (json!(19.99), json!(0.01), true),
            (json!(19.995), json!(0.01), false),
            (json!(0), json!(7), true),
            (json!(-9), json!(3), true),
            (json!(1e300), json!(7), false),
            (json!(1e300), json!(0.001), true),
            (json!(1e-300), json!(1e300), false),
            (json!(4.5), json!(1.5), true),
            (json!(18_446_744_073_709_551_615_u64), json!(5), true),
        ] {
            assert_eq!(is_multiple(&number(value.clone()), &number(of.clone())), expected, "{value} of {of}");
        }
    }

    #[test]
    fn large_integers_compare_exactly() {
        assert_eq!(
            compare(&number(json!(9_007_199_254_740_993_u64)), &number(json!(9_007_199_254_740_992_u64))),
            Ordering::Greater
        );
        assert_eq!(compare(&number(json!(1.0)), &number(json!(1))), Ordering::Equal);
        assert_eq!(compare(&number(json!(0.5)), &number(json!(1))), Ordering::Less);
    }
}
