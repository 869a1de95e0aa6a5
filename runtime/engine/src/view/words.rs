//! The words a run is refused with while its view is not ready or stopped.

use super::state::{Phase, Stall, StallKind, View};
use playbook_model::ending::{Kind, Reason, Rejection};

/// How far a view is behind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Behind {
    /// In milliseconds.
    pub milliseconds: i64,
}

impl std::fmt::Display for Behind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let seconds = self.milliseconds / 1000;
        let (count, unit) = match seconds {
            ..1 => return f.write_str("less than a second"),
            1..60 => (seconds, "second"),
            60..3_600 => (seconds / 60, "minute"),
            3_600..86_400 => (seconds / 3_600, "hour"),
            _ => (seconds / 86_400, "day"),
        };
        write!(f, "{count} {unit}{}", if count == 1 { "" } else { "s" })
    }
}

/// The refusal of a run whose view cannot be read: `unavailable`, `rebuilding`, or `conflict`, `stalled`.
///
/// `None` for a live view. `view` is `None` when not even a row of it is kept yet.
#[must_use]
pub fn not_ready(name: &str, version: u32, view: Option<&View>, behind: Behind) -> Option<Rejection> {
    let rebuilding = |detail: String| Some(Rejection::new(Reason::Unavailable, detail).kind(Kind::Rebuilding));
    let Some(view) = view.filter(|view| view.version == version) else {
        return rebuilding(format!(
            "The view of version {version} of the recall function {name} waits for its turn to be built; try again later"
        ));
    };
    match view.phase {
        Phase::Live => None,
        Phase::Waiting => rebuilding(format!(
            "The view of version {version} of the recall function {name} waits for the views saved before it to be built; try again later"
        )),
        Phase::Rebuilding => {
            let events = if view.folded == 1 { "1 event".to_owned() } else { format!("{} events", view.folded) };
            rebuilding(format!(
                "The view of version {version} of the recall function {name} is being built: it has folded {events} and is {behind} behind; try again later"
            ))
        }
        Phase::Stalled => {
            let detail = view.stalled.as_ref().map_or_else(
                || format!("The view of the recall function {name} stopped; save a corrected version"),
                |stall| stalled_words(name, stall),
            );
            Some(Rejection::new(Reason::Conflict, detail).kind(Kind::Stalled))
        }
    }
}

/// What went wrong with a stalled view, in fixed words: never the event's id, the fold's own message or a value.
#[must_use]
pub fn stalled_words(name: &str, stall: &Stall) -> String {
    let line = stall.line.map(|line| format!(" on line {line}")).unwrap_or_default();
    let who = if stall.filter { "a filter's expression" } else { "the fold" };
    let what = match stall.kind {
        StallKind::Raised => format!("{who} raised an error{line}"),
        StallKind::Work => format!("{who} did more than its work{line}"),
        StallKind::Memory => format!("{who} used more memory than its sandbox has{line}"),
        StallKind::Unfit => "the fold returned what JSON cannot carry, or a value nested too deep".into(),
        StallKind::Size => "the fold returned a view larger than 512 KiB".into(),
        StallKind::Schema => "the fold returned a view that view.schema refuses".into(),
        StallKind::Refused => format!("the module does not load{line}"),
        StallKind::Time => format!("{who} ran out of its 10 seconds twenty times{line}"),
        StallKind::Crash => "the worker folding it crashed twenty times".into(),
    };
    format!(
        "The view of the recall function {name} stopped at an event of the type {} of {}: {what}. Save a corrected version, and the view is built again from the start",
        stall.event_type, stall.time
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn behind_is_said_in_the_largest_whole_unit() {
        let said = |milliseconds| Behind { milliseconds }.to_string();
        assert_eq!(said(999), "less than a second");
        assert_eq!(said(1_000), "1 second");
        assert_eq!(said(59_999), "59 seconds");
        assert_eq!(said(60_000), "1 minute");
        assert_eq!(said(7_200_000), "2 hours");
        assert_eq!(said(86_400_000 * 3), "3 days");
    }

    #[test]
    fn each_phase_has_its_refusal() {
        let mut view = View::new("mine", 2, 1, &json!(null));
        let refused =
            |view: Option<&View>| not_ready("mine", 2, view, Behind { milliseconds: 0 }).map(|r| (r.reason, r.kind));
        let rebuilding = Some((Reason::Unavailable, Some(Kind::Rebuilding)));
        assert_eq!(refused(None), rebuilding);
        assert_eq!(refused(Some(&view)), rebuilding);
        view.phase = Phase::Rebuilding;
        assert_eq!(refused(Some(&view)), rebuilding);
        view.phase = Phase::Live;
        assert_eq!(refused(Some(&view)), None);
        view.phase = Phase::Stalled;
        assert_eq!(refused(Some(&view)), Some((Reason::Conflict, Some(Kind::Stalled))));
        view.version = 1;
        assert_eq!(refused(Some(&view)), rebuilding);
    }
}
