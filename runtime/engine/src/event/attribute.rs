//! The rules about one attribute's text: CloudEvents 1.0 as "Publishing events" narrows it.

/// Whether a text holds a character no attribute may: a control character or a noncharacter.
pub(super) fn has_forbidden(text: &str) -> bool {
    text.chars().any(|c| {
        let code = u32::from(c);
        c.is_control() || (0xFDD0..=0xFDEF).contains(&code) || code & 0xFFFE == 0xFFFE
    })
}

/// Whether a text is a URI reference by RFC 3986: only its characters, whole percent escapes, brackets in a host alone.
pub(super) fn is_uri_reference(text: &str) -> bool {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let fits = match byte {
            b'%' => {
                let hex = |i: usize| bytes.get(i).is_some_and(u8::is_ascii_hexdigit);
                if !(hex(at + 1) && hex(at + 2)) {
                    return false;
                }
                at += 2;
                true
            }
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' => true,
            other => b"-._~:/?#[]@!$&'()*+,;=".contains(other),
        };
        if !fits {
            return false;
        }
        at += 1;
    }
    // A first segment with a colon is a scheme, and a scheme starts with a letter.
    let first = text.split(['/', '?', '#']).next().unwrap_or_default();
    match first.split_once(':') {
        Some((scheme, _)) => is_scheme(scheme),
        None => text.matches('#').count() <= 1,
    }
}

fn is_scheme(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
}

/// Whether a text is an absolute URI: a scheme and something after it.
pub(super) fn is_absolute_uri(text: &str) -> bool {
    is_uri_reference(text) && text.split_once(':').is_some_and(|(scheme, rest)| is_scheme(scheme) && !rest.is_empty())
}

/// Whether a text is a media type: `type/subtype` and parameters.
pub(super) fn is_media_type(text: &str) -> bool {
    fn is_token(text: &str) -> bool {
        !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b))
    }
    let mut parts = text.split(';');
    let named = parts.next().unwrap_or_default().trim();
    let types = named.split_once('/').is_some_and(|(kind, sub)| is_token(kind) && is_token(sub));
    types
        && parts.all(|part| {
            part.trim().split_once('=').is_some_and(|(name, value)| {
                let quoted = value.len() >= 2 && value.starts_with('"') && value.ends_with('"');
                is_token(name) && (is_token(value) || quoted)
            })
        })
}

/// The nanoseconds since 1970 of an RFC 3339 time; a leap second is the first second of the next day.
///
/// `None` for anything else: more than nine fraction digits, no offset, a day that does not exist,
/// or a 60th second outside the last minute of a UTC day.
pub(super) fn instant(text: &str) -> Option<i128> {
    let bytes = text.as_bytes();
    let digits = |from: usize, count: usize| -> Option<i64> {
        let part = text.get(from..from + count)?;
        part.bytes().all(|b| b.is_ascii_digit()).then(|| part.parse().ok())?
    };
    let is = |at: usize, wanted: &[u8]| bytes.get(at).is_some_and(|b| wanted.contains(b));
    let (year, month, day) = (digits(0, 4)?, digits(5, 2)?, digits(8, 2)?);
    let (hour, minute, second) = (digits(11, 2)?, digits(14, 2)?, digits(17, 2)?);
    if !(is(4, b"-") && is(7, b"-") && is(10, b"Tt") && is(13, b":") && is(16, b":")) {
        return None;
    }
    let mut at = 19;
    let mut nanoseconds = 0i64;
    if is(at, b".") {
        let count = text[at + 1..].bytes().take_while(u8::is_ascii_digit).count();
        if !(1..=9).contains(&count) {
            return None;
        }
        nanoseconds = digits(at + 1, count)? * 10i64.pow(9 - u32::try_from(count).ok()?);
        at += 1 + count;
    }
    let offset = if is(at, b"Zz") {
        at += 1;
        0
    } else {
        let sign = if is(at, b"+") {
            1
        } else if is(at, b"-") {
            -1
        } else {
            return None;
        };
        let (hours, minutes) = (digits(at + 1, 2)?, digits(at + 4, 2)?);
        if !is(at + 3, b":") || hours > 23 || minutes > 59 {
            return None;
        }
        at += 6;
        sign * (hours * 60 + minutes)
    };
    if at != bytes.len() || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let date =
        jiff::civil::Date::new(i16::try_from(year).ok()?, i8::try_from(month).ok()?, i8::try_from(day).ok()?).ok()?;
    let days = i64::from(date.since(jiff::civil::Date::new(1970, 1, 1).ok()?).ok()?.get_days());
    let minutes_of_day = hour * 60 + minute;
    let utc_minute = (minutes_of_day - offset).rem_euclid(24 * 60);
    if second == 60 && utc_minute != 24 * 60 - 1 {
        return None;
    }
    let seconds = days * 86_400 + (minutes_of_day - offset) * 60 + second;
    Some(i128::from(seconds) * 1_000_000_000 + i128::from(nanoseconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_rfc_3339() {
        let same = instant("2026-10-03T16:40:05Z").expect("a time");
        assert_eq!(instant("2026-10-03T18:40:05.000000000+02:00"), Some(same));
        assert_eq!(instant("1970-01-01T00:00:00.5Z"), Some(500_000_000));
        assert_eq!(instant("2016-12-31T23:59:60Z"), instant("2017-01-01T00:00:00Z"));
        assert_eq!(instant("2017-01-01T00:59:60+01:00"), instant("2017-01-01T00:00:00Z"));
        for bad in [
            "2026-10-03T16:40:05",
            "2026-10-03 16:40:05Z",
            "2026-02-29T00:00:00Z",
            "2026-10-03T24:00:00Z",
            "2026-10-03T16:40:60Z",
            "2026-10-03T16:40:05.Z",
            "2026-10-03T16:40:05.1234567890Z",
            "2026-10-03T16:40:05+2:00",
            "2026-10-03T16:40:05Zé",
            "20é6-10-03T16:40:05Z",
            "",
        ] {
            assert_eq!(instant(bad), None, "{bad}");
        }
    }

    #[test]
    fn sources_are_uri_references() {
        for good in
            ["/a", "a", "https://example.com/x?y#z", "urn:x:y", "../up", "a%20b", "//host/path", "https://[::1]/"]
        {
            assert!(is_uri_reference(good), "{good}");
        }
        for bad in ["a b", "a%2", "1x:y", "é", "<a>", "a#b#c", "\"", "a\\b"] {
            assert!(!is_uri_reference(bad), "{bad}");
        }
        assert!(is_absolute_uri("https://example.com"));
        assert!(!is_absolute_uri("/relative"));
    }

    #[test]
    fn media_types_have_two_parts() {
        for good in ["application/json", "text/plain; charset=utf-8", "a/b;c=\"d e\""] {
            assert!(is_media_type(good), "{good}");
        }
        for bad in ["", "json", "a/", "/b", "a/b c", "a/b; charset"] {
            assert!(!is_media_type(bad), "{bad}");
        }
    }

    #[test]
    fn no_control_characters_and_no_noncharacters() {
        for bad in ["\0", "\u{7f}", "\u{85}", "\u{fdd0}", "\u{fffe}", "\u{1ffff}"] {
            assert!(has_forbidden(bad), "{bad:?}");
        }
        assert!(!has_forbidden("Zoë 😀\u{fffd}"));
    }
}
