//! Events from outside, many at once: checked and recorded as `publish_event` does, in batches. "Publishing events".

use crate::runtime::{Runtime, incident, stopping};
use playbook_engine::event::{Published, is_own, publish, same, take_over};
use playbook_history::{AppendError, Content, NewAppend, NewRecord, PageQuery, Stream, Wanted};
use playbook_model::ending::{Issue, Reason, Rejection};
use playbook_model::id::{LEDGER_NAMESPACE, PlaybookKey};
use playbook_model::record::{Context, Fact, PublishedEvent};
use playbook_model::refusal::Refusal;
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use uuid::Uuid;

/// An event as it was given.
#[derive(Debug, Clone, PartialEq)]
pub struct GivenEvent {
    /// The line it begins on, from 1.
    pub line: u64,
    /// The event's members.
    pub event: Map<String, Value>,
}

/// What is taken in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Taking {
    /// Events that anyone may publish.
    Published,
    /// A history: those, and the events that another playbook recorded of itself.
    History,
}

/// Whether anything is recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recording {
    /// What passes is recorded, up to the first event that does not.
    Record,
    /// Every event is checked and none is recorded.
    CheckOnly,
}

/// What became of the events given.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Imported {
    /// Recorded; when only checked, those that would be.
    pub recorded: usize,
    /// Passed over, since the playbook holds them already.
    pub there: usize,
    /// Those that were refused: at most one unless only checked.
    pub refused: Vec<RefusedEvent>,
    /// Why recording stopped, where it was no event's fault.
    pub stopped: Option<Refusal>,
}

/// An event that cannot be taken in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedEvent {
    /// The line it begins on, from 1.
    pub line: u64,
    /// Why, each at its attribute; an empty pointer for the event as a whole.
    pub issues: Vec<Issue>,
}

/// One that passed, on its way to the log.
struct Passed {
    line: u64,
    stream: Stream,
    published: PublishedEvent,
}

impl Runtime {
    /// Whether a playbook has a run of its own in its log. One that has takes in no other's history.
    ///
    /// # Errors
    /// An incident, when the log cannot be read.
    pub async fn has_runs(&self, playbook: &PlaybookKey) -> Result<bool, Refusal> {
        let playbook = playbook.clone();
        let started = [Wanted::Kind("run_started".into())];
        self.read(move |history| {
            let query =
                PageQuery { playbook: &playbook, after: 0, limit: 1, only: Some(&started), content: Content::Sizes };
            Ok(!history.page(&query)?.records.is_empty())
        })
        .await
    }

    /// Takes events in, in the order given, under the rules and the identity of `publish_event`.
    ///
    /// The caller keeps a history out of a playbook that has runs of its own; see [`Self::has_runs`].
    ///
    /// # Errors
    /// A refusal before anything was recorded.
    pub async fn import_events(
        &self,
        playbook: &PlaybookKey,
        given: Vec<GivenEvent>,
        taking: Taking,
        recording: Recording,
    ) -> Result<Imported, Refusal> {
        let at = self.now();
        let mut passed = Vec::with_capacity(given.len());
        let mut refused = Vec::new();
        for GivenEvent { line, event } in given {
            let fill = Published { id: Uuid::now_v7().to_string(), at };
            let own = event.get("type").and_then(Value::as_str).filter(|kind| is_own(kind));
            let read = match (taking, own) {
                (Taking::History, Some(_)) => take_over(&event, &fill),
                // One sentence says more than the rule about each of its attributes.
                (Taking::Published, Some(kind)) => Err(vec![not_published(kind)]),
                (_, None) => publish(&event, &fill),
            };
            match read {
                Ok(published) => {
                    let identity = json!([published.event.source, published.event.id]).to_string();
                    let stream = Stream::event(playbook, Uuid::new_v5(&LEDGER_NAMESPACE, identity.as_bytes()));
                    passed.push(Passed { line, stream, published });
                }
                Err(issues) => {
                    let issues = issues.into_iter().map(of_event).collect();
                    refused.push(RefusedEvent { line, issues });
                    if recording == Recording::Record {
                        break;
                    }
                }
            }
        }
        let (new, mut imported) = self.told_apart(passed, recording).await?;
        if imported.refused.is_empty() || recording == Recording::CheckOnly {
            imported.refused.extend(refused);
            imported.refused.sort_by_key(|refused| refused.line);
        }
        match recording {
            Recording::CheckOnly => imported.recorded = new.len(),
            Recording::Record => self.record_events(new, at, &mut imported).await,
        }
        Ok(imported)
    }

    /// Those that are new; those that are there already are counted, those that differ from what is there refused.
    async fn told_apart(&self, passed: Vec<Passed>, recording: Recording) -> Result<(Vec<Passed>, Imported), Refusal> {
        let streams: Vec<Stream> = passed.iter().map(|one| one.stream.clone()).collect();
        let there = self
            .read(move |history| {
                streams
                    .iter()
                    .map(|stream| Ok(history.stream(stream, 0)?.into_iter().next()))
                    .collect::<Result<Vec<_>, _>>()
            })
            .await?;
        let mut imported = Imported::default();
        let mut new: Vec<Passed> = Vec::with_capacity(passed.len());
        let mut places: HashMap<String, usize> = HashMap::new();
        for (one, there) in passed.into_iter().zip(there) {
            let name = one.stream.name().to_owned();
            let known = match there {
                Some(record) => match Fact::read(&record.kind, record.data) {
                    Ok(Fact::EventPublished(there)) => Some(same(&there, &one.published)),
                    Ok(_) => Some(false),
                    Err(why) => return Err(incident(&why.to_string())),
                },
                None => places.get(&name).map(|place| same(&new[*place].published, &one.published)),
            };
            match known {
                Some(true) => imported.there += 1,
                Some(false) => {
                    let detail = "Another event has this source and id; give the event an id of its own".to_owned();
                    let issues = vec![Issue { detail, pointer: String::new() }];
                    imported.refused.push(RefusedEvent { line: one.line, issues });
                    if recording == Recording::Record {
                        break;
                    }
                }
                None => {
                    places.insert(name, new.len());
                    new.push(one);
                }
            }
        }
        Ok((new, imported))
    }

    async fn record_events(&self, new: Vec<Passed>, at: playbook_model::time::Moment, imported: &mut Imported) {
        let owner = new.first().map(|one| one.stream.owner().to_owned());
        let appends = new
            .into_iter()
            .map(|one| {
                let fact = Fact::EventPublished(Box::new(one.published));
                let record =
                    NewRecord { kind: fact.kind().into(), data: fact.data(), context: Context::new(at, "local") };
                NewAppend { stream: one.stream, expected: 0, records: vec![record] }
            })
            .collect();
        let history = self.0.history.clone();
        let done = tokio::task::spawn_blocking(move || history.append_each(appends, at)).await;
        if let Some(owner) = owner {
            self.0.views.recorded(&owner);
        }
        let outcomes = match done {
            Ok(outcomes) => outcomes,
            Err(why) => {
                imported.stopped = Some(incident(&format!("an import broke down: {why}")));
                return;
            }
        };
        for outcome in outcomes {
            match outcome {
                Ok(_) => imported.recorded += 1,
                Err(_) if imported.stopped.is_some() => {}
                Err(why @ (AppendError::NoSpace | AppendError::Gone { .. })) => {
                    imported.stopped = Some(Rejection::new(Reason::Unavailable, why.to_string()).into());
                }
                Err(AppendError::Closed) => imported.stopped = Some(stopping()),
                Err(other) => imported.stopped = Some(incident(&format!("an append failed: {other}"))),
            }
        }
    }
}

fn not_published(kind: &str) -> Issue {
    let detail = format!(
        "Only a playbook records {kind}, of itself, so nobody publishes it; as history it is taken over into a scratch playbook"
    );
    Issue { detail, pointer: "/event/type".into() }
}

/// An issue of an operation's `event` as one of the event itself.
pub(super) fn of_event(issue: Issue) -> Issue {
    let pointer = issue.pointer.strip_prefix("/event").unwrap_or(&issue.pointer).to_owned();
    Issue { pointer, ..issue }
}
