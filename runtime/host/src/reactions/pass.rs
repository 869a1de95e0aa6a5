//! One pass: the next events of the playbook, the times that are due, the matches that wait.

use super::filters::{FilterKey, Said};
use super::follow::{Following, Next};
use crate::runtime::{Runtime, incident};
use crate::workflows::refused;
use playbook_definition::Details;
use playbook_definition::workflow::Trigger;
use playbook_engine::event::{Seen, seen};
use playbook_engine::trigger::{Matching, Waiting, matching};
use playbook_history::{Content, Expected, NewCommit, NewRecord, PageQuery, Part, Record, Stream, WaitChange, Wanted};
use playbook_model::definition::DefinitionType;
use playbook_model::id::{DefinitionName, RunId};
use playbook_model::record::{Context, DEFINITION_FACTS, DefinitionRef, Fact, RECORDED_TYPES};
use playbook_model::refusal::Refusal;
use playbook_model::time::Moment;
use serde_json::Value;

/// Records a pass reads.
const PAGE: usize = 500;
/// Positions that may pass before how far a follower got is written although nothing matched.
const WRITE_AFTER: u64 = 10_000;

/// What one event came to.
enum Matched {
    /// It was dealt with.
    Done,
    /// It was dealt with, and other types are to be read from here on.
    Changed,
    /// A filter was stopped: the event waits.
    Later,
}

impl Runtime {
    pub(super) async fn react_pass(&self, following: &mut Following) -> Result<Next, Refusal> {
        let playbook = following.playbook.clone();
        // In this order: whoever listens since a position up to the end is among those heard, so no event up to the
        // end is passed over that somebody waited for already. What came meanwhile is for the next pass.
        let (end, heard) = self
            .read(move |history| {
                let end = history.newest(&playbook)?.map_or(0, |(global, _)| global);
                Ok((end, history.heard(&playbook)?))
            })
            .await?;
        let wanted = wanted(following, &heard);
        let (key, after) = (following.playbook.clone(), following.checkpoint);
        let page = self
            .read(move |history| {
                history.page(&PageQuery {
                    playbook: &key,
                    after,
                    limit: PAGE,
                    only: Some(&wanted),
                    content: Content::Joined,
                })
            })
            .await?;
        let mut next = if page.more { Next::Now } else { Next::Wait };
        let mut read_to = page.read_to.min(end.max(after));
        if page.records.iter().any(|record| record.global > end) {
            next = Next::Now;
        }
        for record in page.records.into_iter().filter(|record| record.global <= end) {
            let position = record.global;
            match self.take(following, record).await? {
                Matched::Done => following.checkpoint = position,
                Matched::Changed => {
                    // The page was read for the filters there were before.
                    following.checkpoint = position;
                    read_to = position;
                    next = Next::Now;
                    break;
                }
                Matched::Later => {
                    read_to = following.checkpoint;
                    next = Next::Sweep;
                    break;
                }
            }
        }
        following.checkpoint = following.checkpoint.max(read_to);
        self.start_due(following).await?;
        if self.start_waiting(following).await? {
            next = match next {
                Next::Wait => Next::Sweep,
                other => other,
            };
        }
        self.tell_refusals(following).await?;
        self.write_following(following).await?;
        Ok(next)
    }

    /// Takes one record of the playbook.
    async fn take(&self, following: &mut Following, record: Record) -> Result<Matched, Refusal> {
        let id = record.id.to_string();
        let fact = match Fact::read(&record.kind, record.data) {
            Ok(fact) => fact,
            Err(why) => {
                tracing::warn!(%why, "passed over");
                return Ok(Matched::Done);
            }
        };
        // What a save changes counts for what is recorded from the saving on, itself the first.
        let about = record.context.definition.as_ref();
        let mut changed = false;
        if let Some(about) = about.filter(|about| about.kind == DefinitionType::Workflow) {
            match &fact {
                Fact::DefinitionCreated(saved) | Fact::DefinitionUpdated(saved) => {
                    changed = true;
                    let triggers = triggers_of(&saved.details);
                    let at = record.context.at;
                    following.reactions.save(&about.name, about.version, &triggers, at, record.global, &id);
                }
                Fact::DefinitionRetired => following.reactions.retire(&about.name),
                _ => {}
            }
        }
        let Ok(seen) = seen(&id, &fact, &record.context) else { return Ok(Matched::Done) };
        let heard = self.offer(following, &seen, &record.context, record.global, &id).await?;
        let started = self.match_triggers(following, &seen, &record.context, record.global).await?;
        Ok(match (heard, started) {
            (true, Matched::Done) if changed => Matched::Changed,
            (true, Matched::Done) => Matched::Done,
            _ => Matched::Later,
        })
    }

    async fn match_triggers(
        &self,
        following: &mut Following,
        seen: &Seen,
        context: &Context,
        position: u64,
    ) -> Result<Matched, Refusal> {
        let event = &seen.event;
        let candidates: Vec<(String, u32, Trigger)> = following
            .reactions
            .workflows
            .iter()
            .flat_map(|(name, reacting)| {
                let armed = reacting.triggers.iter().filter(|armed| armed.position <= position);
                armed.map(|armed| (name.clone(), reacting.version, armed.trigger.clone()))
            })
            .collect();
        let mut above: Option<Vec<String>> = None;
        let data = event.data.clone().unwrap_or(Value::Null);
        let mut matched = Matched::Done;
        for (workflow, version, trigger) in candidates {
            let Trigger::Event { filters } = &trigger else { continue };
            let mut matches = false;
            for (place, filter) in filters.iter().enumerate() {
                let expression = match matching(filter, event) {
                    Matching::No => continue,
                    Matching::Yes => {
                        matches = true;
                        break;
                    }
                    Matching::Ask(expression) => expression,
                };
                let key = FilterKey {
                    workflow: workflow.clone(),
                    version,
                    reference: filter.reference.clone(),
                    filter: place,
                };
                match self.filter_holds(&mut following.stops, &key, &[(expression, &data)], seen.time).await {
                    Said::Matches => {
                        matches = true;
                        break;
                    }
                    Said::No => {}
                    Said::Tell(why) => {
                        if let Some(reacting) = following.reactions.workflows.get_mut(&workflow) {
                            reacting.refuse(why);
                        }
                    }
                    Said::Later => matched = Matched::Later,
                }
            }
            if !matches || self.is_own(&following.playbook, &workflow, context, &mut above).await? {
                continue;
            }
            // An event from outside has depth 1; one of a run is one deeper than the run.
            let depth = if context.run_id.is_some() { context.depth.unwrap_or(0) + 1 } else { 1 };
            if let Some(reacting) = following.reactions.workflows.get_mut(&workflow) {
                // An event that waited for another filter is matched again, and starts its runs once.
                if reacting.waiting.iter().any(|waits| waits.position == position) {
                    continue;
                }
                if let Err(why) = reacting.matched(Waiting { position, version, depth, tries: 0 }) {
                    reacting.refuse(why);
                }
            }
        }
        Ok(matched)
    }

    /// Whether a workflow's own runs caused an event: a workflow does not start for those.
    pub(super) async fn is_own(
        &self,
        playbook: &playbook_model::id::PlaybookKey,
        workflow: &str,
        context: &Context,
        above: &mut Option<Vec<String>>,
    ) -> Result<bool, Refusal> {
        let Some(run) = context.run_id.as_deref().and_then(|run| RunId::parse(run).ok()) else { return Ok(false) };
        let own = context
            .definition
            .as_ref()
            .is_some_and(|about| about.kind == DefinitionType::Workflow && about.name == workflow);
        if own {
            return Ok(true);
        }
        if above.is_none() {
            let key = playbook.clone();
            *above = Some(self.read(move |history| history.callers(&key, run)).await?);
        }
        Ok(above.as_ref().is_some_and(|above| above.iter().any(|name| name == workflow)))
    }

    /// Records what was not started, at most once a minute for each workflow.
    async fn tell_refusals(&self, following: &mut Following) -> Result<(), Refusal> {
        let now = self.now();
        let mut told = Vec::new();
        for (workflow, reacting) in &mut following.reactions.workflows {
            if let Some((count, reason, minute)) = reacting.tell(now) {
                told.push((workflow.clone(), reacting.version, count, reason, minute));
            }
        }
        // Each is told once for its version, so that there is no need to count them.
        let minute = Moment(now.0.div_euclid(60_000) * 60_000);
        for (workflow, version, why) in std::mem::take(&mut following.untold) {
            told.push((workflow, version, 1, why, minute));
        }
        for (workflow, version, count, reason, minute) in told {
            let Ok(name) = DefinitionName::new(workflow.clone()) else { continue };
            let mut context = Context::new(now, own_caller(&following.playbook));
            context.definition = Some(DefinitionRef { kind: DefinitionType::Workflow, name: workflow, version });
            let fact = Fact::ReactionRefused { count, reason, minute: minute.iso() };
            let part = Part {
                stream: Stream::reactions(&following.playbook, &name),
                expected: Expected::Any,
                records: vec![NewRecord { kind: fact.kind().into(), data: fact.data(), context }],
            };
            let commit = NewCommit { playbook: following.playbook.clone(), parts: vec![part], waits: Vec::new() };
            self.0.history.commit(commit, now).await.map_err(refused)?;
            // What it tells is recorded in the playbook it follows.
            self.recorded(&following.playbook);
        }
        Ok(())
    }

    /// Writes how far the follower got, when that says something new.
    async fn write_following(&self, following: &mut Following) -> Result<(), Refusal> {
        let state = serde_json::to_string(&following.reactions)
            .map_err(|why| incident(&format!("what triggers wait for cannot be written: {why}")))?;
        let (written, before) = &following.written;
        if *before == state && following.checkpoint < written.saturating_add(WRITE_AFTER) {
            return Ok(());
        }
        let waits = vec![WaitChange::Reactions { checkpoint: following.checkpoint, state: state.clone() }];
        let commit = NewCommit { playbook: following.playbook.clone(), parts: Vec::new(), waits };
        self.0.history.commit(commit, self.now()).await.map_err(refused)?;
        following.written = (following.checkpoint, state);
        Ok(())
    }
}

/// Who acts where the playbook does so by itself.
pub(super) fn own_caller(playbook: &playbook_model::id::PlaybookKey) -> String {
    format!("playbook:{}", playbook.playbook)
}

/// The triggers of a saved workflow.
fn triggers_of(details: &Value) -> Vec<Trigger> {
    match serde_json::from_value::<Details>(details.clone()) {
        Ok(Details::Workflow(workflow)) => workflow.triggers,
        Ok(_) => Vec::new(),
        Err(why) => {
            tracing::error!(%why, "a workflow's details cannot be read");
            Vec::new()
        }
    }
}

/// The records that a pass reads: those of the types that filters name, and what changes the triggers.
fn wanted(following: &Following, heard: &[String]) -> Vec<Wanted> {
    let mut wanted: Vec<Wanted> = DEFINITION_FACTS.iter().map(|kind| Wanted::Kind((*kind).to_owned())).collect();
    let types = following.reactions.types().map(str::to_owned).chain(heard.iter().cloned());
    for kind in types {
        wanted.push(if RECORDED_TYPES.contains(&kind.as_str()) { Wanted::Kind(kind) } else { Wanted::Published(kind) });
    }
    wanted.sort();
    wanted.dedup();
    wanted
}
