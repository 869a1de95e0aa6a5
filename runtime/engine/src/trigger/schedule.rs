//! When a schedule is due: `cron` in UTC, and `every` from when it was saved as it is. "Schedules".

use croner::errors::CronError;
use croner::parser::{CronParser, Seconds, Year};
use croner::time::{CivilDateTime, CronDateTime, Resolution, Weekday};
use playbook_definition::workflow::Trigger;
use playbook_model::time::Moment;

/// When a schedule trigger is due.
#[derive(Debug, Clone)]
pub enum Timing {
    /// By its five fields.
    Cron(Box<croner::Cron>),
    /// At each multiple of a period, in milliseconds, after a moment.
    Every {
        /// At least a minute.
        period: i64,
        /// When the trigger was saved as it is.
        since: Moment,
    },
}

impl Timing {
    /// The timing of a schedule trigger; `None` for an event trigger, or a `cron` that names no time.
    #[must_use]
    pub fn of(trigger: &Trigger, since: Moment) -> Option<Self> {
        match trigger {
            Trigger::Event { .. } => None,
            Trigger::Every { milliseconds } => {
                let period = i64::try_from(*milliseconds).ok().filter(|period| *period > 0)?;
                Some(Self::Every { period, since })
            }
            Trigger::Cron { expression } => {
                let parser = CronParser::builder().seconds(Seconds::Disallowed).year(Year::Disallowed).build();
                parser.parse(expression).ok().map(|cron| Self::Cron(Box::new(cron)))
            }
        }
    }
}

/// The first time that a schedule is due after a moment.
#[must_use]
pub fn next_due(timing: &Timing, after: Moment) -> Option<Moment> {
    match timing {
        Timing::Every { period, since } => {
            let passed = (after.0 - since.0).max(0);
            Some(Moment(since.0.checked_add((passed / period + 1).checked_mul(*period)?)?))
        }
        Timing::Cron(cron) => {
            let next = cron.find_next_occurrence(&Second::of(after), false).ok()?;
            Some(next.moment())
        }
    }
}

/// The latest time that a schedule was due after one moment and up to another.
#[must_use]
pub fn latest_due(timing: &Timing, after: Moment, up_to: Moment) -> Option<Moment> {
    let latest = match timing {
        Timing::Every { period, since } => {
            let passed = up_to.0 - since.0;
            if passed < *period {
                return None;
            }
            Moment(since.0 + passed / period * period)
        }
        Timing::Cron(cron) => cron.find_previous_occurrence(&Second::of(up_to), true).ok()?.moment(),
    };
    (latest > after && latest <= up_to).then_some(latest)
}

/// The next times that a schedule is due after a moment, the first so many.
#[must_use]
pub fn next_times(timing: &Timing, after: Moment, count: usize) -> Vec<Moment> {
    std::iter::successors(next_due(timing, after), |last| next_due(timing, *last)).take(count).collect()
}

/// A whole second of UTC, since 1970: what the fields of a `cron` are held against.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Second(i64);

const DAY: i64 = 86_400;

impl Second {
    fn of(moment: Moment) -> Self {
        Self(moment.0.div_euclid(1_000))
    }

    fn moment(self) -> Moment {
        Moment(self.0.saturating_mul(1_000))
    }
}

impl CronDateTime for Second {
    fn to_civil(&self) -> CivilDateTime {
        let iso = self.moment().iso();
        // `2026-10-03T16:40:05.000Z`, of the years 1 to 9999.
        let part = |from: usize, to: usize| iso.get(from..to).and_then(|part| part.parse().ok()).unwrap_or(1);
        let year = iso.get(..4).and_then(|year| year.parse().ok()).unwrap_or(1);
        CivilDateTime::from_ymd_hms_opt(year, part(5, 7), part(8, 10), part(11, 13), part(14, 16), part(17, 19))
            .expect("a moment's own text is a date and a time")
    }

    fn civil_weekday(&self) -> Weekday {
        // 1970-01-01 was a Thursday.
        let day = (self.0.div_euclid(DAY) + 4).rem_euclid(7);
        Weekday::from_days_from_sunday(u32::try_from(day).unwrap_or(0))
    }

    fn resolve_civil(&self, civil: CivilDateTime) -> Result<Resolution<Self>, CronError> {
        let (year, month, day) = (civil.year(), civil.month(), civil.day());
        let (hour, minute, second) = (civil.hour(), civil.minute(), civil.second());
        let text = format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z");
        let moment = Moment::parse(&text).ok_or(CronError::InvalidDate)?;
        Ok(Resolution::Single(Self::of(moment)))
    }

    fn checked_add_seconds(&self, seconds: i64) -> Option<Self> {
        self.0.checked_add(seconds).map(Self)
    }

    fn cmp_instant(&self, other: &Self) -> std::cmp::Ordering {
        self.cmp(other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Moment {
        Moment::parse(text).expect("a moment")
    }

    fn cron(expression: &str) -> Timing {
        Timing::of(&Trigger::Cron { expression: expression.into() }, Moment(0)).expect("a time")
    }

    fn next(expression: &str, after: &str) -> String {
        next_due(&cron(expression), at(after)).expect("a next time").iso()
    }

    #[test]
    fn a_cron_is_due_by_its_fields_in_utc() {
        assert_eq!(next("0 9 * * 1-5", "2026-10-02T09:00:00Z"), "2026-10-05T09:00:00.000Z");
        assert_eq!(next("*/15 * * * *", "2026-10-02T09:07:30Z"), "2026-10-02T09:15:00.000Z");
        assert_eq!(next("0 0 29 2 *", "2026-01-01T00:00:00Z"), "2028-02-29T00:00:00.000Z");
        // Either a day of the month or a day of the week.
        assert_eq!(next("0 0 13 * 5", "2026-10-01T00:00:00Z"), "2026-10-02T00:00:00.000Z");
        assert_eq!(next("0 0 13 * 5", "2026-10-09T00:00:00Z"), "2026-10-13T00:00:00.000Z");
        assert_eq!(next("0 0 * * 7", "2026-10-01T00:00:00Z"), "2026-10-04T00:00:00.000Z");
    }

    #[test]
    fn only_the_latest_of_the_times_that_were_missed_is_due() {
        let timing = cron("0 0 * * *");
        let latest = |after: &str, up_to: &str| latest_due(&timing, at(after), at(up_to)).map(Moment::iso);
        assert_eq!(latest("2026-01-01T12:00:00Z", "2026-01-04T10:00:00Z").as_deref(), Some("2026-01-04T00:00:00.000Z"));
        assert_eq!(latest("2026-01-04T00:00:00Z", "2026-01-04T10:00:00Z"), None);
        assert_eq!(latest("2026-01-03T23:59:00Z", "2026-01-04T00:00:00Z").as_deref(), Some("2026-01-04T00:00:00.000Z"));
        // A clock that was set back makes nothing due again.
        assert_eq!(latest("2026-01-04T00:00:00Z", "2026-01-03T10:00:00Z"), None);
    }

    #[test]
    fn every_counts_from_when_it_was_saved() {
        let since = at("2026-10-02T09:07:30Z");
        let timing = Timing::of(&Trigger::Every { milliseconds: 900_000 }, since).expect("a time");
        assert_eq!(next_due(&timing, since).map(Moment::iso).as_deref(), Some("2026-10-02T09:22:30.000Z"));
        assert_eq!(latest_due(&timing, since, at("2026-10-02T09:22:29Z")), None);
        let late = latest_due(&timing, since, at("2026-10-03T00:00:00Z")).map(Moment::iso);
        assert_eq!(late.as_deref(), Some("2026-10-02T23:52:30.000Z"));
        assert_eq!(next_times(&timing, since, 3).len(), 3);
    }
}
