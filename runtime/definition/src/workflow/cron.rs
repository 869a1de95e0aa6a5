//! The five fields of `schedule.cron`, and the times they name, in UTC. "Schedules".
//!
//! Knows no clock: a moment comes in, the next due one goes out.

use playbook_model::time::Moment;

const MINUTE: i64 = 60_000;
const DAY: i64 = 86_400_000;
/// A day that every date comes back to, leap days too: 400 years.
const CYCLE: i64 = 146_097;

const FIELDS: [(&str, u8, u8); 5] =
    [("minute", 0, 59), ("hour", 0, 23), ("day of month", 1, 31), ("month", 1, 12), ("day of week", 0, 7)];
const MONTHS: [&str; 12] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const DAYS: [&str; 7] = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

/// Times by the clock and the calendar.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cron {
    /// A bit for each minute, hour, day of month, month and day of week.
    fields: [u64; 5],
    /// Whether day of month and day of week are restricted.
    restricted: [bool; 2],
}

impl Cron {
    /// Reads five fields.
    ///
    /// # Errors
    /// What is wrong, as a sentence.
    pub fn parse(text: &str) -> Result<Self, String> {
        let words: Vec<&str> = text.split_whitespace().collect();
        if words.len() != 5 {
            return Err(format!("schedule.cron has five fields; this one has {}.", words.len()));
        }
        let mut fields = [0; 5];
        for (at, word) in words.iter().enumerate() {
            fields[at] = field(at, word)?;
        }
        // Sunday is 0 and 7.
        if fields[4] & (1 << 7) != 0 {
            fields[4] = fields[4] & !(1 << 7) | 1;
        }
        let restricted = [!words[2].starts_with('*'), !words[4].starts_with('*')];
        let cron = Self { fields, restricted };
        if cron.names_a_day() { Ok(cron) } else { Err("schedule.cron names no time: no month has such a day.".into()) }
    }

    /// The first due moment after one; `None` past the range of time.
    #[must_use]
    pub fn after(&self, moment: Moment) -> Option<Moment> {
        let start = moment.0.div_euclid(MINUTE) + 1;
        let first = (start * MINUTE).div_euclid(DAY);
        for day in first..=first.checked_add(CYCLE)? {
            if self.is_due(day) {
                let from = if day == first { start - day * (DAY / MINUTE) } else { 0 };
                let minute = (from..DAY / MINUTE).find(|minute| self.has(0, minute % 60) && self.has(1, minute / 60));
                if let Some(minute) = minute {
                    return Some(Moment(day.checked_mul(DAY)?.checked_add(minute * MINUTE)?));
                }
            }
        }
        None
    }

    fn has(&self, field: usize, value: i64) -> bool {
        u32::try_from(value).is_ok_and(|value| value < 64 && self.fields[field] & (1 << value) != 0)
    }

    /// Whether a day since 1970 is named.
    fn is_due(&self, day: i64) -> bool {
        let (_, month, date) = calendar(day);
        let by_date = self.has(2, date);
        let by_week = self.has(4, (day + 4).rem_euclid(7));
        let named = match self.restricted {
            [true, true] => by_date || by_week,
            _ => by_date && by_week,
        };
        named && self.has(3, month)
    }

    /// Whether any month has a day that is named.
    fn names_a_day(&self) -> bool {
        let [_, by_week] = self.restricted;
        by_week && self.restricted[0]
            || (1..=12).any(|month| {
                let longest = match month {
                    2 => 29,
                    4 | 6 | 9 | 11 => 30,
                    _ => 31,
                };
                self.has(3, month) && (1..=longest).any(|date| self.has(2, date))
            })
    }

    /// The times in words where they read plainly, such as `at 09:00 UTC on working days`.
    #[must_use]
    pub fn words(&self) -> Option<String> {
        let all = |field: usize| {
            let (_, least, most) = FIELDS[field];
            let most = if field == 4 { 6 } else { most };
            (least..=most).all(|value| self.has(field, i64::from(value)))
        };
        let values = |field: usize| (0..60).filter(move |value| self.has(field, *value)).collect::<Vec<_>>();
        let (minutes, hours) = (values(0), values(1));
        let time = match (minutes.as_slice(), hours.as_slice()) {
            _ if all(0) && all(1) => "every minute".to_owned(),
            ([minute], _) if all(1) => {
                if *minute == 0 {
                    "every hour".to_owned()
                } else {
                    format!("every hour at minute {minute}")
                }
            }
            (minutes, _) if all(1) => {
                let step = 60 / i64::try_from(minutes.len()).ok()?.max(1);
                let even = minutes.iter().zip(0..).all(|(minute, at)| *minute == at * step)
                    && step * minutes.len() as i64 == 60;
                if !even {
                    return None;
                }
                format!("every {step} minutes")
            }
            (minutes, hours) if minutes.len() * hours.len() <= 4 => {
                let times: Vec<String> = hours
                    .iter()
                    .flat_map(|hour| minutes.iter().map(move |minute| format!("{hour:02}:{minute:02}")))
                    .collect();
                format!("at {} UTC", playbook_model::word::and(&times))
            }
            _ => return None,
        };
        let week = values(4);
        let days = match week.as_slice() {
            _ if all(4) => None,
            [1, 2, 3, 4, 5] => Some("on working days".to_owned()),
            [0, 6] => Some("on Saturdays and Sundays".to_owned()),
            days => {
                const NAMES: [&str; 7] =
                    ["Sundays", "Mondays", "Tuesdays", "Wednesdays", "Thursdays", "Fridays", "Saturdays"];
                let mut names: Vec<&str> =
                    days.iter().filter_map(|day| NAMES.get(usize::try_from(*day).ok()?)).copied().collect();
                if days.first() == Some(&0) {
                    names.rotate_left(1);
                }
                Some(format!("on {}", playbook_model::word::and(&names)))
            }
        };
        let dates = values(2);
        let dates = match dates.as_slice() {
            _ if all(2) => None,
            [one] => Some(format!("on day {one}")),
            some if some.len() <= 4 => {
                let some: Vec<String> = some.iter().map(ToString::to_string).collect();
                Some(format!("on days {}", playbook_model::word::and(&some)))
            }
            _ => return None,
        };
        let months = values(3);
        let months = match months.as_slice() {
            _ if all(3) => dates.as_ref().map(|_| "of each month".to_owned()),
            some if some.len() <= 4 => {
                const NAMES: [&str; 12] = [
                    "January",
                    "February",
                    "March",
                    "April",
                    "May",
                    "June",
                    "July",
                    "August",
                    "September",
                    "October",
                    "November",
                    "December",
                ];
                let names: Vec<&str> =
                    some.iter().filter_map(|month| NAMES.get(usize::try_from(month - 1).ok()?)).copied().collect();
                Some(format!("{} {}", if dates.is_some() { "of" } else { "in" }, playbook_model::word::and(&names)))
            }
            _ => return None,
        };
        let day = match (dates, days) {
            (Some(_), Some(_)) if months.as_deref() != Some("of each month") => return None,
            (Some(dates), Some(days)) => Some(format!("{dates} of each month and {days}")),
            (Some(dates), None) => Some(format!("{dates} {}", months.unwrap_or_default())),
            (None, Some(days)) => Some(match months {
                Some(months) => format!("{days} {months}"),
                None => days,
            }),
            (None, None) => months,
        };
        Some(match day {
            Some(day) => format!("{time} {day}"),
            None if time.starts_with("at ") => format!("{time} every day"),
            None => time,
        })
    }
}

/// One field as a bit for each of its values.
fn field(at: usize, text: &str) -> Result<u64, String> {
    let (name, least, most) = FIELDS[at];
    let wrong = |part: &str| {
        format!(
            "The {name} of schedule.cron is not a number from {least} to {most}, a range, a list or a step: {part}."
        )
    };
    let number = |word: &str| -> Option<u8> {
        let names: &[&str] = match at {
            3 => &MONTHS,
            4 => &DAYS,
            _ => &[],
        };
        if let Some(found) = names.iter().position(|name| name.eq_ignore_ascii_case(word)) {
            return u8::try_from(found).ok().map(|found| found + least);
        }
        let digits = !word.is_empty() && word.len() <= 2 && word.bytes().all(|b| b.is_ascii_digit());
        word.parse().ok().filter(|value| digits && (least..=most).contains(value))
    };
    let mut bits = 0u64;
    for part in text.split(',') {
        let said = playbook_model::json::cut(part, 40);
        let (range, step) = match part.split_once('/') {
            Some((range, step)) => {
                let digits = step.len() <= 2 && step.bytes().all(|b| b.is_ascii_digit());
                let step = step.parse::<u8>().ok().filter(|step| digits && *step > 0).ok_or_else(|| wrong(&said))?;
                (range, Some(step))
            }
            None => (part, None),
        };
        let (first, last) = match range.split_once('-') {
            _ if range == "*" => (least, most),
            Some((first, last)) => {
                let pair = number(first).zip(number(last)).filter(|(first, last)| first <= last);
                pair.ok_or_else(|| wrong(&said))?
            }
            None => {
                let one = number(range).ok_or_else(|| wrong(&said))?;
                (one, if step.is_some() { most } else { one })
            }
        };
        for value in (first..=last).step_by(usize::from(step.unwrap_or(1))) {
            bits |= 1 << value;
        }
    }
    Ok(bits)
}

/// The year, the month and the day of month of a day since 1970.
fn calendar(day: i64) -> (i64, i64, i64) {
    // Counted from a March, so that a leap day ends its year.
    let day = day + 719_468;
    let era = day.div_euclid(CYCLE);
    let of_era = day.rem_euclid(CYCLE);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * of_year + 2) / 153;
    let date = of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, date)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn next(text: &str, after: &str) -> String {
        let cron = Cron::parse(text).expect(text);
        cron.after(Moment::parse(after).expect("a time")).expect("a next one").iso()
    }

    #[test]
    fn five_fields_name_times() {
        let cases = [
            ("0 9 * * 1-5", "2026-10-02T09:00:00.000Z", "2026-10-05T09:00:00.000Z"),
            ("*/15 * * * *", "2026-10-02T09:14:59.999Z", "2026-10-02T09:15:00.000Z"),
            ("0 0 29 2 *", "2026-01-01T00:00:00.000Z", "2028-02-29T00:00:00.000Z"),
            ("0 0 29 2 *", "2096-03-01T00:00:00.000Z", "2104-02-29T00:00:00.000Z"),
            ("0 0 13 * 5", "2026-10-02T00:00:00.000Z", "2026-10-09T00:00:00.000Z"),
            ("0 0 13 * 5", "2026-10-09T00:00:00.000Z", "2026-10-13T00:00:00.000Z"),
            ("30 23 31 dec SUN", "2026-12-31T23:29:00.000Z", "2026-12-31T23:30:00.000Z"),
            ("0 0 * * 7", "2026-10-02T00:00:00.000Z", "2026-10-04T00:00:00.000Z"),
            ("5/20 4-6/2 * * *", "2026-10-02T04:45:00.000Z", "2026-10-02T06:05:00.000Z"),
            ("0 0 30 2 1", "2026-10-02T00:00:00.000Z", "2027-02-01T00:00:00.000Z"),
        ];
        for (text, after, expected) in cases {
            assert_eq!(next(text, after), expected, "{text}");
        }
    }

    #[test]
    fn what_names_no_time_is_refused() {
        for text in [
            "",
            "* * * *",
            "* * * * * *",
            "60 * * * *",
            "* 24 * * *",
            "* * 0 * *",
            "* * * 13 *",
            "* * * * 8",
            "a * * * *",
            "5-1 * * * *",
            "*/0 * * * *",
            "1,,2 * * * *",
            "-1 * * * *",
            "1- * * * *",
            "@daily",
            "0 0 30 2 *",
            "0 0 31 4,6,9,11 *",
            "0 0 L * *",
            "? * * * *",
            "+1 * * * *",
            "001 * * * *",
        ] {
            assert!(Cron::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn plain_times_have_words() {
        let cases = [
            ("0 9 * * 1-5", Some("at 09:00 UTC on working days")),
            ("*/15 * * * *", Some("every 15 minutes")),
            ("0 0 * * *", Some("at 00:00 UTC every day")),
            ("0 * * * *", Some("every hour")),
            ("5 * * * 0,6", Some("every hour at minute 5 on Saturdays and Sundays")),
            ("30 8,17 1 * *", Some("at 08:30 and 17:30 UTC on day 1 of each month")),
            ("0 8 * 1,7 0,3", Some("at 08:00 UTC on Wednesdays and Sundays in January and July")),
            ("* * * * *", Some("every minute")),
            ("1,2,4 * * * *", None),
            ("*/7 9-17 * * *", None),
        ];
        for (text, expected) in cases {
            assert_eq!(Cron::parse(text).expect(text).words().as_deref(), expected, "{text}");
        }
    }
}
