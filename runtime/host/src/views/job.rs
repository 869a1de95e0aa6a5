//! A page as a worker takes it, and what the worker did with it as the engine takes it.

use super::pass::Ready;
use crate::runtime::Runtime;
use playbook_definition::{Data, RecallDetails};
use playbook_engine::view::{Folded, Halt, Plan, StallKind, View};
use playbook_model::id::PlaybookKey;
use playbook_model::limits;
use playbook_sandbox::Stop;
use playbook_worker::{PageDone, PageEvent, PageJob, PageStop, Step, Trace};
use std::hash::{DefaultHasher, Hash, Hasher};

impl Runtime {
    /// The page as a worker takes it. The key names the view and its version, so that a kept sandbox is only used for both.
    pub(super) fn job(&self, playbook: &PlaybookKey, view: &View, ready: &Ready, plan: &Plan) -> PageJob {
        let mut key = DefaultHasher::new();
        (playbook, &view.name, view.version).hash(&mut key);
        PageJob {
            key: key.finish(),
            program: ready.program.clone(),
            filters: expressions(&ready.details),
            schema: ready.details.view_schema.clone(),
            view: view.view.clone(),
            events: plan
                .events
                .iter()
                .map(|event| PageEvent {
                    json: serde_json::to_string(&event.seen.event).expect("an event holds nothing JSON cannot"),
                    clock: event.seen.time,
                    ask: event.ask.clone(),
                })
                .collect(),
            page_milliseconds: limits::PAGE_MILLISECONDS,
            fold_milliseconds: self.0.settings.fold_milliseconds,
            work: limits::FOLD_WORK,
            filter_work: limits::FILTER_WORK,
            memory: limits::FOLD_MEMORY,
            trace: Trace::Nothing,
        }
    }
}

/// The expressions of a function's filters, each in its filter's place.
pub(crate) fn expressions(details: &RecallDetails) -> Vec<String> {
    details.filters.iter().map(|filter| expression(&filter.data)).collect()
}

/// The expression a worker keeps in a filter's place; one without holds for everything, and is never asked.
fn expression(data: &Data) -> String {
    match data {
        Data::Expression { stripped, .. } => stripped.clone(),
        Data::None | Data::Equal(_) => "true".into(),
    }
}

pub(super) fn folded(done: PageDone) -> Folded {
    Folded {
        view: done.view,
        steps: done.steps.iter().map(|step| matches!(step, Step::Folded { .. })).collect(),
        halt: done.stop.map(halt),
    }
}

/// What a worker stopped at, as the kind of stall it is.
pub(crate) fn halt(stop: PageStop) -> Halt {
    let (stop, filter) = match stop {
        PageStop::Schema { pointer, detail } => {
            let place = if pointer.is_empty() { "The view itself".to_owned() } else { pointer };
            return Halt { kind: StallKind::Schema, error: format!("{place}: {detail}"), line: None, filter: false };
        }
        PageStop::Fold(stop) => (stop, false),
        PageStop::Filter(stop) => (stop, true),
    };
    let (kind, error, line) = match stop {
        Stop::Raised { message, line } => (StallKind::Raised, message, line),
        Stop::Work { budget } => (StallKind::Work, format!("It did more than {budget} checkpoints"), None),
        Stop::Memory { work } => (StallKind::Memory, format!("Its sandbox was full after {work} checkpoints"), None),
        Stop::Unfit { found, path } => (StallKind::Unfit, format!("It returned {found} at {path}"), None),
        Stop::TooDeep => {
            (StallKind::Unfit, format!("It returned a value deeper than {} levels", limits::VALUE_LEVELS), None)
        }
        Stop::TooLarge { bytes } => (StallKind::Size, format!("It returned a view of {bytes} bytes or more"), None),
        Stop::Time { milliseconds } => {
            (StallKind::Time, format!("It ran longer than {milliseconds} milliseconds"), None)
        }
        Stop::Refused { message, line } => (StallKind::Refused, message, line),
    };
    Halt { kind, error, line, filter }
}
