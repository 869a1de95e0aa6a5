//! The events of a case folded into its view, by the same workers and filters as the playbook's own.

use crate::runtime::{incident, stopping};
use crate::views::{expressions, halt};
use playbook_definition::RecallDetails;
use playbook_engine::event::{Seen, is_run};
use playbook_engine::view::{Halt, StallKind, plan};
use playbook_model::event::CloudEvent;
use playbook_model::limits;
use playbook_model::record::SavedDefinition;
use playbook_model::refusal::Refusal;
use playbook_model::time::Moment;
use playbook_sandbox::Program;
use playbook_worker::{Haste, PageEvent, PageJob, PageLost, Pool, Step, Trace};
use std::sync::Arc;

/// The key of a page that no kept sandbox may serve.
const NO_KEPT_SANDBOX: u64 = 0;

/// What folding came to.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Folds {
    /// The view after the last event that was folded, as JSON text.
    pub(super) view: String,
    /// How many events were folded.
    pub(super) folded: usize,
    /// What held it up, and the place of the event among those of the case, from 0.
    pub(super) halted: Option<(usize, Halt)>,
}

/// Folds events into a view.
pub(super) async fn fold(
    pool: &Pool,
    name: &str,
    saved: &SavedDefinition,
    details: &RecallDetails,
    view: String,
    events: &[CloudEvent],
) -> Result<Folds, Refusal> {
    let Some(text) = saved.stripped.clone() else {
        return Err(incident("a document that passed its check has no program"));
    };
    let program = Program { text, first_line: details.first_line };
    let seen: Vec<Arc<Seen>> = events.iter().map(|event| Arc::new(as_seen(event))).collect();
    let places = seen.iter().enumerate().map(|(at, seen)| (at as u64, Moment(0), seen));
    let planned = plan(name, &details.filters, places).events;
    let mut folds = Folds { view, folded: 0, halted: None };
    let mut read = 0;
    while read < planned.len() {
        let job = PageJob {
            key: NO_KEPT_SANDBOX,
            program: program.clone(),
            filters: expressions(details),
            schema: details.view_schema.clone(),
            view: folds.view.clone(),
            events: planned[read..]
                .iter()
                .map(|event| PageEvent {
                    json: serde_json::to_string(&event.seen.event).expect("an event holds nothing JSON cannot"),
                    clock: event.seen.time,
                    ask: event.ask.clone(),
                })
                .collect(),
            page_milliseconds: limits::PAGE_MILLISECONDS,
            fold_milliseconds: limits::FOLD_MILLISECONDS,
            work: limits::FOLD_WORK,
            filter_work: limits::FILTER_WORK,
            memory: limits::FOLD_MEMORY,
            trace: Trace::Nothing,
        };
        // Tried once: the twenty tries of a view are for a machine that is busy, and a test may say so at once.
        let lost = |kind, error: &str| Halt { kind, error: error.into(), line: None, filter: false };
        let (steps, stop) = match pool.page(job, Haste::Live).await {
            Ok(done) => {
                folds.view = done.view;
                let folded = done.steps.iter().filter(|step| matches!(step, Step::Folded { .. })).count();
                folds.folded += folded;
                (done.steps.len(), done.stop.map(halt))
            }
            Err(PageLost::Crashed { at }) => (at, Some(lost(StallKind::Crash, "The worker folding it crashed"))),
            Err(PageLost::Late { at }) => (at, Some(lost(StallKind::Time, "The fold ran out of its 10 seconds"))),
            Err(PageLost::Stopping) => return Err(stopping()),
        };
        read += steps;
        if let Some(halt) = stop {
            let at = planned.get(read).map_or(events.len().saturating_sub(1), |event| place(event.position));
            folds.halted = Some((at, halt));
            return Ok(folds);
        }
        if steps == 0 {
            return Err(incident("a page of a case went past no event"));
        }
    }
    Ok(folds)
}

fn place(position: u64) -> usize {
    usize::try_from(position).unwrap_or(usize::MAX)
}

/// An event of a case as the log would show it.
fn as_seen(event: &CloudEvent) -> Seen {
    let time = event.time.as_deref().and_then(Moment::parse).unwrap_or(Moment(0));
    let run_of = event.subject.clone().filter(|_| is_run(&event.kind));
    Seen { event: event.clone(), time, run_of }
}

#[cfg(test)]
mod tests {
    use playbook_definition::case::STALLS;
    use playbook_engine::view::StallKind;

    #[test]
    fn a_case_knows_every_kind_of_stall() {
        assert_eq!(StallKind::ALL.map(StallKind::word), STALLS);
        for kind in StallKind::ALL {
            assert_eq!(serde_json::to_value(kind).expect("a word"), kind.word());
        }
    }
}
