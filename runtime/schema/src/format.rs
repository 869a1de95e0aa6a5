//! The six formats, as "Answers that are JSON" defines each.

/// A format the runtime checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// A full date of RFC 3339.
    Date,
    /// A date and time of RFC 3339.
    DateTime,
    /// A full time of RFC 3339.
    Time,
    /// A valid email address of the HTML standard.
    Email,
    /// An absolute URI of RFC 3986.
    Uri,
    /// A UUID in the form of RFC 4122.
    Uuid,
}

impl Format {
    /// The format of a name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "date" => Self::Date,
            "date-time" => Self::DateTime,
            "time" => Self::Time,
            "email" => Self::Email,
            "uri" => Self::Uri,
            "uuid" => Self::Uuid,
            _ => return None,
        })
    }

    /// The format's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Date => "date",
            Self::DateTime => "date-time",
            Self::Time => "time",
            Self::Email => "email",
            Self::Uri => "uri",
            Self::Uuid => "uuid",
        }
    }

    /// What a person calls it, with its article.
    #[must_use]
    pub fn noun(self) -> &'static str {
        match self {
            Self::Date => "a date",
            Self::DateTime => "a date and time",
            Self::Time => "a time",
            Self::Email => "an email address",
            Self::Uri => "an absolute URI",
            Self::Uuid => "a UUID",
        }
    }

    /// The format's example.
    #[must_use]
    pub fn example(self) -> &'static str {
        match self {
            Self::Date => "2026-04-01",
            Self::DateTime => "2026-04-01T09:30:00Z",
            Self::Time => "09:30:00Z",
            Self::Email => "name@example.com",
            Self::Uri => "https://example.com",
            Self::Uuid => "0f8fad5b-d9cb-469f-a165-70867728950e",
        }
    }

    /// Whether a text is of the format.
    #[must_use]
    pub fn fits(self, text: &str) -> bool {
        match self {
            Self::Date => date(text),
            Self::DateTime => match text.split_once(['T', 't']) {
                Some((day, hour)) => date(day) && time(hour),
                None => false,
            },
            Self::Time => time(text),
            Self::Email => email(text),
            Self::Uri => uri(text),
            Self::Uuid => uuid(text),
        }
    }
}

/// Exactly `width` ASCII digits as a number.
fn digits(text: &str, width: usize) -> Option<u32> {
    if text.len() == width && text.bytes().all(|b| b.is_ascii_digit()) { text.parse().ok() } else { None }
}

fn date(text: &str) -> bool {
    let mut parts = text.split('-');
    let (Some(year), Some(month), Some(day), None) = (
        parts.next().and_then(|p| digits(p, 4)),
        parts.next().and_then(|p| digits(p, 2)),
        parts.next().and_then(|p| digits(p, 2)),
        parts.next(),
    ) else {
        return false;
    };
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let days = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        _ => return false,
    };
    (1..=days).contains(&day)
}

/// `hh:mm:ss`, an optional fraction, and `Z` or a signed offset; second 60 only in a minute that ends a day in UTC.
fn time(text: &str) -> bool {
    if !text.is_ascii() || text.len() < 9 {
        return false;
    }
    let (clock, rest) = text.split_at(8);
    let Some([hour, minute, second]) = colons::<3>(clock) else {
        return false;
    };
    let rest = match rest.strip_prefix('.') {
        Some(fraction) => {
            let end = fraction.bytes().take_while(u8::is_ascii_digit).count();
            if end == 0 {
                return false;
            }
            &fraction[end..]
        }
        None => rest,
    };
    let offset: i64 = if matches!(rest, "Z" | "z") {
        0
    } else {
        let (sign, numbers) = match (rest.strip_prefix('+'), rest.strip_prefix('-')) {
            (Some(numbers), _) => (1, numbers),
            (_, Some(numbers)) => (-1, numbers),
            _ => return false,
        };
        match colons::<2>(numbers) {
            Some([hours, minutes]) if hours < 24 && minutes < 60 => sign * i64::from(hours * 60 + minutes),
            _ => return false,
        }
    };
    if hour > 23 || minute > 59 || second > 60 {
        return false;
    }
    second < 60 || (i64::from(hour * 60 + minute) - offset).rem_euclid(24 * 60) == 23 * 60 + 59
}

/// Two-digit numbers with colons between them.
fn colons<const N: usize>(text: &str) -> Option<[u32; N]> {
    let mut found = [0; N];
    let mut parts = text.split(':');
    for slot in &mut found {
        *slot = digits(parts.next()?, 2)?;
    }
    parts.next().is_none().then_some(found)
}

/// The HTML standard's valid email address: one `@`, an atom before it, labels of a host name after it.
fn email(text: &str) -> bool {
    let Some((local, domain)) = text.split_once('@') else {
        return false;
    };
    let atom = |b: u8| b.is_ascii_alphanumeric() || b".!#$%&'*+/=?^_`{|}~-".contains(&b);
    let label = |label: &str| {
        let bytes = label.as_bytes();
        (1..=63).contains(&bytes.len())
            && bytes.iter().all(|b| b.is_ascii_alphanumeric() || *b == b'-')
            && bytes.first() != Some(&b'-')
            && bytes.last() != Some(&b'-')
    };
    !local.is_empty() && local.bytes().all(atom) && domain.split('.').all(label)
}

/// A scheme, a colon and the rest in the characters RFC 3986 allows at each part.
fn uri(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else {
        return false;
    };
    let mut letters = scheme.bytes();
    let scheme_fits = letters.next().is_some_and(|b| b.is_ascii_alphabetic())
        && letters.all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b));
    if !scheme_fits {
        return false;
    }
    let (rest, fragment) = rest.split_once('#').map_or((rest, ""), |(r, f)| (r, f));
    let (hierarchy, query) = rest.split_once('?').map_or((rest, ""), |(r, q)| (r, q));
    let (authority, path) = match hierarchy.strip_prefix("//") {
        Some(after) => {
            let end = after.find('/').unwrap_or(after.len());
            (Some(&after[..end]), &after[end..])
        }
        None => (None, hierarchy),
    };
    let path_fits = path_of(path) && (authority.is_some() || !path.starts_with("//"));
    path_fits && query_of(query) && query_of(fragment) && authority.is_none_or(authority_fits)
}

/// Whether every byte is unreserved, a sub-delimiter, one of `also`, or a `%` with two hexadecimal digits.
fn characters(text: &str, also: &[u8]) -> bool {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let byte = bytes[at];
        if byte == b'%' {
            let hex = bytes.get(at + 1..at + 3);
            if !hex.is_some_and(|hex| hex.iter().all(u8::is_ascii_hexdigit)) {
                return false;
            }
            at += 3;
            continue;
        }
        if !(byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=".contains(&byte) || also.contains(&byte)) {
            return false;
        }
        at += 1;
    }
    true
}

fn path_of(text: &str) -> bool {
    characters(text, b":@/")
}

fn query_of(text: &str) -> bool {
    characters(text, b":@/?")
}

fn authority_fits(authority: &str) -> bool {
    let (user, place) = authority.rsplit_once('@').map_or(("", authority), |(u, p)| (u, p));
    if !characters(user, b":") {
        return false;
    }
    let (host_fits, port) = if let Some(rest) = place.strip_prefix('[') {
        let Some((literal, after)) = rest.split_once(']') else {
            return false;
        };
        let fits = literal.parse::<std::net::Ipv6Addr>().is_ok() || later_address(literal);
        match after.strip_prefix(':') {
            Some(port) => (fits, port),
            None => (fits && after.is_empty(), ""),
        }
    } else {
        let (host, port) = place.split_once(':').map_or((place, ""), |(h, p)| (h, p));
        (characters(host, b""), port)
    };
    host_fits && port.bytes().all(|b| b.is_ascii_digit())
}

/// RFC 3986's form for later kinds of address: `v`, hexadecimal digits, a dot and characters.
fn later_address(literal: &str) -> bool {
    let Some((version, rest)) = literal.strip_prefix(['v', 'V']).and_then(|l| l.split_once('.')) else {
        return false;
    };
    !version.is_empty()
        && version.bytes().all(|b| b.is_ascii_hexdigit())
        && !rest.is_empty()
        && !rest.contains('%')
        && characters(rest, b":")
}

fn uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_takes_its_own_example() {
        for name in crate::FORMATS {
            let format = Format::parse(name).expect("a format of the list");
            assert_eq!(format.name(), name);
            assert!(format.fits(format.example()), "{name}");
            assert!(!format.fits(""), "{name}");
        }
    }

    fn judge(format: Format, good: &[&str], bad: &[&str]) {
        for text in good {
            assert!(format.fits(text), "{text:?} is {}", format.noun());
        }
        for text in bad {
            assert!(!format.fits(text), "{text:?} is not {}", format.noun());
        }
    }

    #[test]
    fn dates() {
        judge(
            Format::Date,
            &["2024-02-29", "2000-02-29", "0001-01-01", "9999-12-31"],
            &[
                "2026-02-29",
                "1900-02-29",
                "2026-4-1",
                "2026-13-01",
                "2026-04-31",
                "2026-00-10",
                "2026-01-00",
                "20260401",
                "2026-04-01Z",
                " 2026-04-01",
                "+2026-04-01",
                "２０２６-04-01",
            ],
        );
    }

    #[test]
    fn times() {
        judge(
            Format::Time,
            &[
                "00:00:00Z",
                "23:59:59.999999999z",
                "09:30:00+05:30",
                "09:30:00-00:00",
                "23:59:60Z",
                "01:29:60+01:30",
                "09:30:00.1Z",
            ],
            &[
                "24:00:00Z",
                "09:60:00Z",
                "09:30:00",
                "09:30Z",
                "09:30:00+0530",
                "09:30:00+24:00",
                "12:00:60Z",
                "09:30:00.Z",
                "9:30:00Z",
                "09:30:00 Z",
                "09:30:61Z",
                "09:30:00ZZ",
            ],
        );
    }

    #[test]
    fn dates_and_times() {
        judge(
            Format::DateTime,
            &["2026-04-01t09:30:00z", "2026-04-01T09:30:00.123+02:00"],
            &[
                "2026-04-01",
                "2026-04-01 09:30:00Z",
                "2026-04-01T09:30:00",
                "2026-02-30T09:30:00Z",
                "2026-04-01T25:00:00Z",
                "T",
            ],
        );
    }

    #[test]
    fn emails_follow_the_html_standard() {
        let long = format!("a@{}.com", "b".repeat(64));
        judge(
            Format::Email,
            &["a..b@x.com", ".a@x.com", "a@localhost", "a+b@x-y.example", "!#$%&'*+/=?^_`{|}~-@x.com"],
            &[
                "\"a\"@x.com",
                "name@[127.0.0.1]",
                "@x.com",
                "a@",
                "a@x..com",
                "a@-x.com",
                "a@x-.com",
                "a b@x.com",
                "a@x.com.",
                "a@b@c",
                "é@x.com",
                &long,
            ],
        );
    }

    #[test]
    fn uris_are_absolute() {
        judge(
            Format::Uri,
            &[
                "https://example.com/a%20b?c=d#e",
                "urn:isbn:0451450523",
                "mailto:a@b.c",
                "http://[::1]:80/",
                "http://u:p@h/",
                "a:",
                "file:///tmp",
                "http://[v1.x:y]/",
                "http://h:/",
            ],
            &[
                "/a",
                "example.com",
                "https://a b",
                "http://a/%2",
                "http://a/%zz",
                "1a:b",
                "http://é.com",
                "http://[::1",
                "http://h:8x/",
                "http://a/<b>",
                "a://b##c",
                "http://[gg]/",
                ":a",
                "http://a\\b",
            ],
        );
    }

    #[test]
    fn uuids() {
        judge(
            Format::Uuid,
            &["0F8FAD5B-D9CB-469F-A165-70867728950E", "00000000-0000-0000-0000-000000000000"],
            &[
                "{0f8fad5b-d9cb-469f-a165-70867728950e}",
                "0f8fad5bd9cb469fa16570867728950e",
                "urn:uuid:0f8fad5b-d9cb-469f-a165-70867728950e",
                "0f8fad5b-d9cb-469f-a165-70867728950g",
                "0f8fad5b-d9cb-469f-a16570867728950e-",
            ],
        );
    }
}
