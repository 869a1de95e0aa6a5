//! One page over one view: which of the records it folds, and where the view stands after it.

use super::filter::{Taking, taking};
use super::state::{LastEvent, Phase, Stall, StallKind, View};
use crate::event::Seen;
use playbook_definition::Filter;
use playbook_model::definition::DefinitionType;
use playbook_model::time::Moment;
use std::sync::Arc;

/// One record of a page, as an event.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedEvent {
    /// The record's position in the log.
    pub position: u64,
    /// When it was recorded.
    pub recorded_at: Moment,
    /// The event.
    pub seen: Arc<Seen>,
    /// The filters whose expression decides; empty when the event is taken as it is.
    pub ask: Vec<usize>,
}

/// What of a page goes to a view's fold.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Plan {
    /// In the order recorded.
    pub events: Vec<PlannedEvent>,
}

/// Picks the events of a page that a recall function's filters can take.
pub fn plan<'a>(
    name: &str,
    filters: &[Filter],
    events: impl IntoIterator<Item = (u64, Moment, &'a Arc<Seen>)>,
) -> Plan {
    let own = format!("{}/{name}", DefinitionType::Recall);
    let events = events
        .into_iter()
        .filter(|(_, _, seen)| seen.run_of.as_deref() != Some(own.as_str()))
        .filter_map(|(position, recorded_at, seen)| {
            let ask = match taking(filters, &seen.event) {
                Taking::No => return None,
                Taking::Yes => Vec::new(),
                Taking::Ask(ask) => ask,
            };
            Some(PlannedEvent { position, recorded_at, seen: seen.clone(), ask })
        })
        .collect();
    Plan { events }
}

/// What held the page up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Halt {
    /// The kind it would be as a stall.
    pub kind: StallKind,
    /// The fold's own error, or what was found.
    pub error: String,
    /// The line in the document.
    pub line: Option<u32>,
    /// Whether a filter's expression was at fault.
    pub filter: bool,
}

/// What a worker did with a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folded {
    /// The view after the last step, as JSON text.
    pub view: String,
    /// For each event that was read, whether it was folded.
    pub steps: Vec<bool>,
    /// What held up the event after them.
    pub halt: Option<Halt>,
}

impl View {
    /// Takes what a worker did with a plan over a page that reads up to `read_to`.
    ///
    /// A page whose folding time ran out leaves the rest for the next page.
    pub fn after_page(&mut self, plan: &Plan, folded: Folded, read_to: u64, read_to_at: Option<Moment>) {
        let read = folded.steps.len().min(plan.events.len());
        if read > 0 {
            self.tries = super::state::Tries::default();
        }
        for (event, step) in plan.events.iter().zip(&folded.steps) {
            if *step {
                self.folded += 1;
                self.last_event = Some(LastEvent {
                    id: event.seen.event.id.clone(),
                    time: event.seen.event.time.clone().unwrap_or_default(),
                });
            }
        }
        self.view = folded.view;
        if let Some(last) = read.checked_sub(1).and_then(|at| plan.events.get(at)) {
            self.checkpoint = last.position;
            self.checkpoint_at = Some(last.recorded_at);
        }
        match folded.halt {
            None if read == plan.events.len() => {
                self.checkpoint = read_to.max(self.checkpoint);
                self.checkpoint_at = read_to_at.or(self.checkpoint_at);
            }
            None => {}
            Some(halt) => {
                if let Some(event) = plan.events.get(read) {
                    self.held(event, halt);
                }
            }
        }
    }

    /// Takes a page that was lost at one of its events: the worker crashed, or had to be killed for being late.
    ///
    /// The view stands as before the page; only the tries at that event count.
    pub fn lost_at(&mut self, event: &PlannedEvent, halt: Halt) {
        self.held(event, halt);
    }

    fn held(&mut self, event: &PlannedEvent, halt: Halt) {
        let again = matches!(halt.kind, StallKind::Time | StallKind::Crash);
        if again && !self.tried(halt.kind) {
            return;
        }
        self.phase = Phase::Stalled;
        self.stalled = Some(Stall {
            id: event.seen.event.id.clone(),
            event_type: event.seen.event.kind.clone(),
            time: event.seen.event.time.clone().unwrap_or_default(),
            position: event.position,
            kind: halt.kind,
            error: halt.error,
            line: halt.line,
            filter: halt.filter,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use playbook_definition::Data;
    use playbook_model::event::CloudEvent;
    use playbook_model::limits;
    use serde_json::{Map, json};

    fn seen(id: &str, kind: &str, run_of: Option<&str>) -> Seen {
        Seen {
            event: CloudEvent {
                specversion: "1.0".into(),
                id: id.into(),
                kind: kind.into(),
                source: "/s".into(),
                subject: None,
                time: Some("2026-01-01T00:00:00Z".into()),
                datacontenttype: None,
                dataschema: None,
                extensions: Map::new(),
                data: None,
            },
            time: Moment(0),
            run_of: run_of.map(str::to_owned),
        }
    }

    fn planned(count: u64) -> Plan {
        let filters = [Filter { kind: "a".into(), attributes: vec![], data: Data::None, sentence: String::new() }];
        let events: Vec<Arc<Seen>> = (1..=count).map(|n| Arc::new(seen(&n.to_string(), "a", None))).collect();
        plan(
            "mine",
            &filters,
            events.iter().enumerate().map(|(at, seen)| (at as u64 + 1, Moment(1000 * at as i64), seen)),
        )
    }

    fn view() -> View {
        View::new("mine", 1, 1, &json!({}))
    }

    #[test]
    fn own_runs_are_never_folded() {
        let filters =
            [Filter { kind: "run_succeeded".into(), attributes: vec![], data: Data::None, sentence: String::new() }];
        let events = [
            Arc::new(seen("1", "run_succeeded", Some("recall/mine"))),
            Arc::new(seen("2", "run_succeeded", Some("recall/other"))),
        ];
        let plan = plan("mine", &filters, events.iter().map(|seen| (1, Moment(0), seen)));
        assert_eq!(plan.events.len(), 1);
        assert_eq!(plan.events[0].seen.event.id, "2");
    }

    #[test]
    fn a_page_read_to_its_end_moves_the_checkpoint_past_it() {
        let mut view = view();
        view.after_page(
            &planned(2),
            Folded { view: "[1]".into(), steps: vec![true, false], halt: None },
            40,
            Some(Moment(9_000)),
        );
        assert_eq!((view.checkpoint, view.checkpoint_at, view.folded), (40, Some(Moment(9_000)), 1));
        assert_eq!(view.last_event.as_ref().map(|e| e.id.as_str()), Some("1"));
        assert_eq!(view.view, "[1]");
    }

    #[test]
    fn a_page_out_of_its_time_stops_at_the_last_event_read() {
        let mut view = view();
        view.after_page(&planned(3), Folded { view: "1".into(), steps: vec![true], halt: None }, 40, None);
        assert_eq!((view.checkpoint, view.phase), (1, Phase::Waiting));
    }

    #[test]
    fn a_fold_that_raises_stalls_at_once_and_keeps_what_was_folded() {
        let mut view = view();
        let halt = Halt { kind: StallKind::Raised, error: "Error: no".into(), line: Some(7), filter: false };
        view.after_page(&planned(3), Folded { view: "1".into(), steps: vec![true], halt: Some(halt) }, 40, None);
        assert_eq!((view.phase, view.checkpoint, view.folded), (Phase::Stalled, 1, 1));
        let stall = view.stalled.expect("stalled");
        assert_eq!((stall.id.as_str(), stall.kind, stall.line, stall.position), ("2", StallKind::Raised, Some(7), 2));
    }

    #[test]
    fn time_and_crash_stall_on_their_twentieth_try() {
        for kind in [StallKind::Time, StallKind::Crash] {
            let mut view = view();
            let halt = Halt { kind, error: String::new(), line: None, filter: false };
            for _ in 1..limits::FOLD_TRIES {
                view.after_page(
                    &planned(1),
                    Folded { view: "{}".into(), steps: vec![], halt: Some(halt.clone()) },
                    9,
                    None,
                );
                assert_eq!(view.stalled, None);
            }
            view.lost_at(&planned(1).events[0], halt);
            assert_eq!(view.stalled.map(|s| s.kind), Some(kind));
        }
    }

    #[test]
    fn an_event_that_folds_ends_the_count_of_tries() {
        let mut view = view();
        let halt = Halt { kind: StallKind::Time, error: String::new(), line: None, filter: false };
        view.after_page(&planned(1), Folded { view: "{}".into(), steps: vec![], halt: Some(halt) }, 9, None);
        assert_eq!(view.tries.time, 1);
        view.after_page(&planned(1), Folded { view: "{}".into(), steps: vec![true], halt: None }, 9, None);
        assert_eq!(view.tries.time, 0);
    }
}
