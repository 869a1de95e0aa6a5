//! Which events a recall function's filters take, their expressions asked: "Filters".

use super::recall::Recall;
use super::scratch::{Pace, Scratch, Terms};
use super::source::Planned;
use playbook_engine::event::Seen;
use playbook_model::refusal::Refusal;
use playbook_worker::{Step, Trace};

/// The events that the filters take; those left need no expression asked again.
///
/// An event whose expression is stopped counts as taken: it is where a view would stall.
pub(crate) async fn taken(scratch: &Scratch, recall: &Recall, events: Vec<Planned>) -> Result<Vec<Planned>, Refusal> {
    let asked: Vec<(&Seen, &[usize])> =
        events.iter().filter(|event| !event.ask.is_empty()).map(|event| (&*event.seen, event.ask.as_slice())).collect();
    let mut takes = Vec::with_capacity(asked.len());
    if !asked.is_empty() {
        let sieve = recall.sieve();
        let terms = Terms { key: Scratch::key(), recall: &sieve, pace: Pace::AtOnce, trace: Trace::Nothing };
        while takes.len() < asked.len() {
            let portion = scratch.fold(terms, "null".into(), &asked[takes.len()..]).await?;
            takes.extend(portion.steps.iter().map(|step| matches!(step, Step::Folded { .. })));
            if portion.halt.is_some() || portion.steps.is_empty() {
                takes.push(true);
            }
        }
    }
    let mut takes = takes.into_iter();
    let kept = events.into_iter().filter(|event| event.ask.is_empty() || takes.next().unwrap_or(true));
    Ok(kept.map(|event| Planned { ask: Vec::new(), ..event }).collect())
}
