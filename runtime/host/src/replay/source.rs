//! Where a replay's events come from.

use super::PAGE_EVENTS;
use super::recall::Recall;
use crate::runtime::{Runtime, incident};
use playbook_engine::event::{Seen, Unseen, seen};
use playbook_engine::view::plan;
use playbook_history::{Content, History, PageQuery, Record};
use playbook_model::event::CloudEvent;
use playbook_model::id::PlaybookKey;
use playbook_model::record::{Fact, RUN_FACTS};
use playbook_model::refusal::Refusal;
use playbook_model::time::Moment;
use std::sync::Arc;

/// The events of a replay, in order.
#[derive(Debug)]
pub struct Source(pub(super) Kind);

#[derive(Debug)]
pub(super) enum Kind {
    /// A playbook's log, from its first record.
    Log { history: History, playbook: PlaybookKey },
    /// Given ones; the place of each, from 1, stands for its position.
    Given(Vec<Planned>),
}

/// An event that a filter may take.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Planned {
    /// Its position in the log, or its place among given events, from 1.
    pub(crate) position: u64,
    pub(crate) seen: Arc<Seen>,
    /// The filters whose expression decides; empty when it is taken as it is.
    pub(crate) ask: Vec<usize>,
}

/// A part of a source.
pub(super) struct Read {
    pub(super) events: Vec<Planned>,
    /// How many records, or given events, were read for them.
    pub(super) records: u64,
    /// Up to where the source was read.
    pub(super) read_to: u64,
    /// Whether more is known to follow.
    pub(super) more: bool,
}

impl Source {
    /// The log of a playbook of an open runtime.
    #[must_use]
    pub fn log(runtime: &Runtime, playbook: &PlaybookKey) -> Self {
        Self::history(&runtime.0.history, playbook)
    }

    pub(crate) fn history(history: &History, playbook: &PlaybookKey) -> Self {
        Self(Kind::Log { history: history.clone(), playbook: playbook.clone() })
    }

    /// Given events, as a fold would see them: those the filters do not take are passed over, and so are those of the
    /// function's own runs.
    #[must_use]
    pub fn events(recall: &Recall, events: Vec<CloudEvent>) -> Self {
        let seen: Vec<(u64, Arc<Seen>)> = (1..).zip(events.into_iter().map(|event| Arc::new(as_seen(event)))).collect();
        Self(Kind::Given(planned(recall, &seen)))
    }

    /// Events that are known to be taken.
    pub(crate) fn taken(events: Vec<Planned>) -> Self {
        Self(Kind::Given(events))
    }

    /// Reads on after a position, at most a page.
    pub(super) async fn read(&mut self, recall: &Recall, after: u64) -> Result<Read, Refusal> {
        match &mut self.0 {
            Kind::Given(events) => {
                let events = std::mem::take(events);
                let read_to = events.last().map_or(after, |event| event.position);
                let records = events.len() as u64;
                Ok(Read { events, records, read_to, more: false })
            }
            Kind::Log { history, playbook } => {
                let wanted = recall.wanted();
                let (history, key) = (history.clone(), playbook.clone());
                let read = tokio::task::spawn_blocking(move || {
                    let page = history.page(&PageQuery {
                        playbook: &key,
                        after,
                        limit: PAGE_EVENTS,
                        only: Some(&wanted),
                        content: Content::Joined,
                    })?;
                    let records = page.records.len() as u64;
                    Ok::<_, playbook_history::ReadError>((seen_records(page.records), records, page.read_to, page.more))
                });
                match read.await {
                    Ok(Ok((seen, records, read_to, more))) => {
                        Ok(Read { events: planned(recall, &seen), records, read_to, more })
                    }
                    Ok(Err(playbook_history::ReadError::Closed)) => Err(crate::runtime::stopping()),
                    Ok(Err(why)) => Err(incident(&format!("the log cannot be read: {why}"))),
                    Err(why) => Err(incident(&format!("a reader broke down: {why}"))),
                }
            }
        }
    }
}

/// The events a recall function's filters may take, among those at positions of the log. "Filters".
pub(crate) fn planned(recall: &Recall, seen: &[(u64, Arc<Seen>)]) -> Vec<Planned> {
    let events = seen.iter().map(|(position, seen)| (*position, Moment(0), seen));
    let plan = plan(recall.name.as_str(), &recall.details().filters, events);
    let events = plan.events.into_iter();
    events.map(|event| Planned { position: event.position, seen: event.seen, ask: event.ask }).collect()
}

/// Records as a fold sees them. What no fold can read is passed over; the keeper of the views reports it.
pub(crate) fn seen_records(records: Vec<Record>) -> Vec<(u64, Arc<Seen>)> {
    let events = records.into_iter().filter_map(|record| {
        let id = record.id.to_string();
        let event = Fact::read(&record.kind, record.data)
            .map_err(Unseen::from)
            .and_then(|fact| seen(&id, &fact, &record.context));
        Some((record.global, Arc::new(event.ok()?)))
    });
    events.collect()
}

/// A given event as the log would show it: one a playbook records of a run is that run's.
pub(crate) fn as_seen(event: CloudEvent) -> Seen {
    let time = event.time.as_deref().and_then(Moment::parse).unwrap_or(Moment(0));
    let of_run = RUN_FACTS.contains(&event.kind.as_str());
    let run_of = event.subject.clone().filter(|_| of_run);
    Seen { event, time, run_of }
}
