//! What the streams of playbooks and definitions say, kept in memory as this process writes them.
//!
//! One process writes a log, so what was read once and moved along with each append is never behind.

use crate::runtime::{Runtime, Views, incident};
use playbook_engine::definition::{At, Definitions};
use playbook_engine::playbook::Playbooks;
use playbook_history::{AppendError, NewRecord, Record, Stream};
use playbook_model::definition::DefinitionType;
use playbook_model::ending::{Reason, Rejection};
use playbook_model::id::{OrgId, PlaybookKey};
use playbook_model::record::{Context, Fact};
use playbook_model::refusal::Refusal;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

/// The playbooks of an org with the newest position of its stream.
#[derive(Debug, Clone, Default)]
pub(crate) struct OrgState {
    pub(crate) playbooks: Playbooks,
    pub(crate) position: u64,
}

type Kept<K, V> = Mutex<HashMap<K, Arc<V>>>;

#[derive(Default)]
pub(crate) struct Index {
    orgs: Kept<OrgId, OrgState>,
    definitions: Kept<(PlaybookKey, DefinitionType), Definitions>,
}

/// Why an append was not made.
pub(crate) enum Unappended {
    /// The stream moved: read it and decide again.
    Moved,
    /// It cannot be made; the refusal for the caller.
    Refused(Refusal),
}

impl Runtime {
    /// Appends facts to a stream at the position they were decided on.
    pub(crate) async fn append(
        &self,
        stream: &Stream,
        expected: u64,
        facts: Vec<(Fact, Context)>,
    ) -> Result<Vec<Record>, Unappended> {
        let records = facts
            .into_iter()
            .map(|(fact, context)| NewRecord { kind: fact.kind().into(), data: fact.data(), context })
            .collect();
        let now = self.0.clock.now();
        let appended = self.0.history.append_async(stream, expected, records, now).await;
        if appended.is_ok() {
            self.0.views.recorded(stream.owner());
            self.0.followers.recorded(stream.owner());
        }
        appended.map_err(|why| match why {
            AppendError::Conflict { .. } => Unappended::Moved,
            AppendError::NoSpace | AppendError::Gone { .. } => {
                Unappended::Refused(Rejection::new(Reason::Unavailable, why.to_string()).into())
            }
            AppendError::Closed => Unappended::Refused(crate::runtime::stopping()),
            other => Unappended::Refused(incident(&format!("an append failed: {other}"))),
        })
    }

    /// Says that something was recorded in a playbook.
    pub(crate) fn recorded(&self, playbook: &PlaybookKey) {
        let owner = playbook.text();
        self.0.views.recorded(&owner);
        self.0.followers.recorded(&owner);
    }

    /// The playbooks of an org.
    pub(crate) async fn org(&self, org: &OrgId) -> Result<Arc<OrgState>, Refusal> {
        if let Some(kept) = self.0.index.orgs.lock().expect("no holder panics").get(org) {
            return Ok(kept.clone());
        }
        let stream = Stream::org(org);
        let records = self.read(move |history| history.stream(&stream, 0)).await?;
        let mut state = OrgState::default();
        for record in records {
            state.take(record);
        }
        let state = Arc::new(state);
        self.keep_org(org, &state);
        Ok(state)
    }

    fn keep_org(&self, org: &OrgId, state: &Arc<OrgState>) {
        let mut orgs = self.0.index.orgs.lock().expect("no holder panics");
        let kept = orgs.entry(org.clone()).or_insert_with(|| state.clone());
        if state.position > kept.position {
            *kept = state.clone();
        }
    }

    /// Records a fact about an org's playbooks and moves what is kept along.
    pub(crate) async fn append_org(
        &self,
        org: &OrgId,
        state: &OrgState,
        fact: Fact,
        context: Context,
    ) -> Result<Arc<OrgState>, Unappended> {
        let done = self.append(&Stream::org(org), state.position, vec![(fact, context)]).await;
        if let Err(Unappended::Moved) = done {
            self.0.index.orgs.lock().expect("no holder panics").remove(org);
        }
        let mut next = state.clone();
        for record in done? {
            next.take(record);
        }
        let next = Arc::new(next);
        self.keep_org(org, &next);
        Ok(next)
    }

    /// The definitions of one type of a playbook.
    pub(crate) async fn definitions(
        &self,
        playbook: &PlaybookKey,
        kind: DefinitionType,
    ) -> Result<Arc<Definitions>, Refusal> {
        let key = (playbook.clone(), kind);
        if let Some(kept) = self.0.index.definitions.lock().expect("no holder panics").get(&key) {
            return Ok(kept.clone());
        }
        let stream = Stream::definitions(playbook, kind);
        let records = self.read(move |history| history.stream(&stream, 0)).await?;
        let mut state = Definitions::default();
        for record in records {
            take_definition(&mut state, record);
        }
        self.0.settings.stand_ins.add_to(kind, &mut state);
        let state = Arc::new(state);
        self.keep_definitions(key, &state);
        Ok(state)
    }

    fn keep_definitions(&self, key: (PlaybookKey, DefinitionType), state: &Arc<Definitions>) {
        let mut all = self.0.index.definitions.lock().expect("no holder panics");
        let kept = all.entry(key).or_insert_with(|| state.clone());
        if state.position > kept.position {
            *kept = state.clone();
        }
    }

    /// Records a fact about a definition and moves what is kept along.
    pub(crate) async fn append_definition(
        &self,
        playbook: &PlaybookKey,
        kind: DefinitionType,
        state: &Definitions,
        fact: Fact,
        context: Context,
    ) -> Result<Arc<Definitions>, Unappended> {
        let key = (playbook.clone(), kind);
        let done = self.append(&Stream::definitions(playbook, kind), state.position, vec![(fact, context)]).await;
        if let Err(Unappended::Moved) = done {
            self.0.index.definitions.lock().expect("no holder panics").remove(&key);
        }
        let mut next = state.clone();
        for record in done? {
            take_definition(&mut next, record);
        }
        let next = Arc::new(next);
        self.keep_definitions(key, &next);
        if kind == DefinitionType::Workflow && self.0.settings.views == Views::Kept {
            self.follow_reacting(playbook);
        }
        Ok(next)
    }
}

impl OrgState {
    fn take(&mut self, record: Record) {
        self.position = record.position;
        match Fact::read(&record.kind, record.data) {
            Ok(fact) => self.playbooks.apply(&fact, &record.context),
            Err(why) => tracing::warn!(%why, "passed over"),
        }
    }
}

fn take_definition(state: &mut Definitions, record: Record) {
    let id = record.id.to_string();
    let at = At { id: &id, position: record.position, global: record.global };
    match Fact::read(&record.kind, record.data) {
        Ok(fact) => state.apply(at, &fact, &record.context),
        Err(why) => {
            state.position = record.position;
            tracing::warn!(%why, "passed over");
        }
    }
}
