//! A moment as the playbook records it.
//!
//! Knows no clock: a moment always comes in as a value.

use serde::{Deserialize, Serialize};

/// Milliseconds since 1970-01-01T00:00:00Z.
///
/// Shown as ISO 8601 in UTC with exactly three fraction digits, such as `2026-10-03T16:40:05.000Z`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Moment(pub i64);

impl Moment {
    /// The moment as ISO 8601 text in UTC with milliseconds.
    #[must_use]
    pub fn iso(self) -> String {
        let timestamp = jiff::Timestamp::from_millisecond(self.0.clamp(-62_135_596_800_000, 253_402_300_799_999))
            .expect("clamped to the years 1 to 9999");
        format!("{timestamp:.3}")
    }

    /// The whole second this moment lies in, as a moment.
    #[must_use]
    pub fn second(self) -> Self {
        Self(self.0.div_euclid(1000) * 1000)
    }

    /// Reads ISO 8601 text with an offset; `None` for anything else.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let timestamp: jiff::Timestamp = text.parse().ok()?;
        Some(Self(timestamp.as_millisecond()))
    }
}

impl std::fmt::Display for Moment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.iso())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_three_fraction_digits() {
        assert_eq!(Moment(1_791_045_605_000).iso(), "2026-10-03T16:40:05.000Z");
        assert_eq!(Moment(0).iso(), "1970-01-01T00:00:00.000Z");
        assert_eq!(Moment(1).iso(), "1970-01-01T00:00:00.001Z");
    }

    #[test]
    fn reads_what_it_shows() {
        assert_eq!(Moment::parse("2026-10-03T16:40:05.000Z"), Some(Moment(1_791_045_605_000)));
        assert_eq!(Moment::parse("2026-10-03T18:40:05+02:00"), Some(Moment(1_791_045_605_000)));
        assert_eq!(Moment::parse("2026-10-03T16:40:05"), None);
    }
}
