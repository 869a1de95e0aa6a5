//! Looking at triggers: what each waits for, what it did not start, and what its filters would have matched.

use super::filters::{FilterKey, for_good};
use crate::runtime::{Runtime, incident};
use crate::workflows::evaluate_once;
use playbook_definition::Data;
use playbook_definition::workflow::{Trigger, TriggerFilter};
use playbook_engine::event::{Seen, seen};
use playbook_engine::trigger::{Armed, Matching, Reacting, Reactions, Timing, matching, next_times};
use playbook_engine::workflow::Stopped;
use playbook_history::{Content, FeedQuery, Order, Record};
use playbook_model::ending::{Reason, Rejection};
use playbook_model::id::{PlaybookKey, RunId};
use playbook_model::record::{Context, Fact};
use playbook_model::refusal::Refusal;
use playbook_model::{duration, json, limits};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, HashMap};
use std::time::{Duration, Instant};

/// Times of a schedule that are foretold.
const TIMES: usize = 5;
/// Refusals of the playbook's triggers among which each workflow's last is looked for.
const REFUSALS: usize = 200;
/// The newest events that filters are tried on.
const EVENTS: usize = 1_000;
/// Rows of the feed that are passed over at most while so many events are looked for.
const ROWS: usize = 20_000;
/// Rows read at once.
const PAGE: usize = 500;
/// How long filters are tried at most.
const PATIENCE: Duration = Duration::from_secs(5);

/// The last that was told of a workflow's triggers.
struct Told {
    count: u64,
    reason: String,
    at: String,
}

impl Runtime {
    /// Every trigger of the playbook's workflows: what it waits for, when it is due next, what it did not start.
    ///
    /// # Errors
    /// [`Refusal`]: the log cannot be read.
    pub async fn triggers(&self, playbook: &PlaybookKey) -> Result<Value, Refusal> {
        let reactions = self.reactions(playbook).await?;
        let told = self.told(playbook).await?;
        let mut rows = Vec::new();
        for (workflow, reacting) in &reactions.workflows {
            for armed in &reacting.triggers {
                rows.push(self.trigger(playbook, workflow, reacting, armed, told.get(workflow)).await?);
            }
        }
        Ok(Value::Array(rows))
    }

    /// As far as the follower of the playbook wrote it.
    pub(crate) async fn reactions(&self, playbook: &PlaybookKey) -> Result<Reactions, Refusal> {
        let key = playbook.clone();
        match self.read(move |history| history.reactions(&key)).await? {
            Some((_, state)) if !state.is_empty() => serde_json::from_str(&state)
                .map_err(|why| incident(&format!("what triggers wait for cannot be read: {why}"))),
            _ => Ok(Reactions::default()),
        }
    }

    async fn trigger(
        &self,
        playbook: &PlaybookKey,
        workflow: &str,
        reacting: &Reacting,
        armed: &Armed,
        told: Option<&Told>,
    ) -> Result<Value, Refusal> {
        let now = self.now();
        let mut row = Map::new();
        row.insert("workflow".into(), workflow.into());
        row.insert("version".into(), reacting.version.into());
        row.insert("kind".into(), armed.trigger.kind().into());
        row.insert("reference".into(), armed.trigger.reference().into());
        row.insert("sentence".into(), sentence(&armed.trigger).into());
        row.insert("since".into(), armed.since.iso().into());
        let next = Timing::of(&armed.trigger, armed.since)
            .map(|timing| next_times(&timing, now.max(armed.last.unwrap_or(armed.since)), TIMES))
            .unwrap_or_default();
        row.insert("next".into(), next.iter().map(|at| at.iso()).collect());
        match &armed.trigger {
            Trigger::Event { filters } => {
                row.insert("filters".into(), filters.iter().map(filter_view).collect());
                row.insert("waiting".into(), reacting.waiting.len().into());
                let stopped = self.0.followers.stopped(&playbook.text());
                let mut stopped: Vec<_> = stopped
                    .iter()
                    .filter(|key| key.workflow == workflow && key.version == reacting.version)
                    .filter(|key| filters.iter().any(|filter| filter.reference == key.reference))
                    .collect();
                stopped.sort_by_key(|key| key.filter);
                if !stopped.is_empty() {
                    let told = |key: &&FilterKey| json!({ "reference": key.reference, "why": sentence_of(key) });
                    row.insert("stopped".into(), stopped.iter().map(told).collect());
                }
            }
            Trigger::Cron { expression } => {
                row.insert("expression".into(), expression.clone().into());
            }
            Trigger::Every { milliseconds } => {
                row.insert("milliseconds".into(), (*milliseconds).into());
            }
        }
        if let Some(run) = armed.running.as_deref().and_then(|run| RunId::parse(run).ok())
            && self.goes(playbook, run).await?
        {
            row.insert("running".into(), run.to_string().into());
        }
        if let Some(told) = told {
            row.insert("refused".into(), json!({ "count": told.count, "reason": told.reason, "at": told.at }));
        }
        Ok(Value::Object(row))
    }

    /// The last that was told of each workflow's triggers.
    async fn told(&self, playbook: &PlaybookKey) -> Result<HashMap<String, Told>, Refusal> {
        let key = playbook.clone();
        let page = self.read(move |history| history.feed(&newest(&key, Some("reaction_refused"), REFUSALS, None)));
        let mut told = HashMap::new();
        for record in page.await?.records {
            let Some(about) = record.context.definition else { continue };
            if let Ok(Fact::ReactionRefused { count, reason, .. }) = Fact::read(&record.kind, record.data) {
                told.entry(about.name).or_insert(Told { count, reason, at: record.context.at.iso() });
            }
        }
        Ok(told)
    }

    /// What the filters of a workflow's triggers say of the newest 1,000 events, each with why it missed the others.
    /// Starts nothing.
    ///
    /// # Errors
    /// [`Refusal`]: the workflow has no event trigger, or the log cannot be read.
    pub async fn try_triggers(&self, playbook: &PlaybookKey, workflow: &str) -> Result<Value, Refusal> {
        let reactions = self.reactions(playbook).await?;
        let triggers = reactions.workflows.get(workflow).map(|reacting| reacting.triggers.as_slice());
        let filters: Vec<TriggerFilter> = triggers
            .unwrap_or_default()
            .iter()
            .filter_map(|armed| match &armed.trigger {
                Trigger::Event { filters } => Some(filters.clone()),
                _ => None,
            })
            .flatten()
            .collect();
        if filters.is_empty() {
            let words = format!("The workflow {workflow} has no trigger that waits for events");
            return Err(Rejection::new(Reason::NotFound, words).into());
        }
        let events = self.newest_events(playbook).await?;
        let began = Instant::now();
        let mut tried: Vec<Tried> = filters.into_iter().map(Tried::of).collect();
        let mut examined = 0;
        for (seen, context) in &events {
            if began.elapsed() > PATIENCE {
                break;
            }
            examined += 1;
            let own = self.is_own(playbook, workflow, context, &mut None).await?;
            for one in &mut tried {
                match self.miss(&one.filter, seen, own).await? {
                    None => one.matched.push(event_view(seen)),
                    Some(why) => *one.missed.entry(why).or_default() += 1,
                }
            }
        }
        Ok(json!({ "filters": tried.iter().map(|one| one.view(examined)).collect::<Vec<_>>() }))
    }

    /// Why a filter does not match an event; `None` when it does.
    async fn miss(&self, filter: &TriggerFilter, seen: &Seen, own: bool) -> Result<Option<String>, Refusal> {
        let event = &seen.event;
        if event.kind != filter.kind {
            return Ok(Some("it is of another type".into()));
        }
        if own {
            return Ok(Some("a run of this workflow caused it, and a workflow never starts for those".into()));
        }
        let unlike = filter.attributes.iter().find_map(|(name, wanted)| match event.attribute(name) {
            Some(held) if json::same(wanted, &held) => None,
            Some(held) => Some(format!("its {name} is {held}, not {wanted}")),
            None => Some(format!("it has no {name}")),
        });
        if unlike.is_some() {
            return Ok(unlike);
        }
        let expression = match matching(filter, event) {
            Matching::Yes => return Ok(None),
            Matching::No => return Ok(Some("its data is not the same".into())),
            Matching::Ask(expression) => expression.to_owned(),
        };
        let data = event.data.clone().unwrap_or(Value::Null);
        let variables = vec![("$data".to_owned(), data.to_string())];
        match evaluate_once(&self.pool(), expression, variables, seen.time).await {
            Ok(evaluated) if !matches!(evaluated.value, Value::Null | Value::Bool(false)) => Ok(None),
            Ok(_) => Ok(Some("the expression on its data does not hold".into())),
            Err(Stopped::Lost(why)) => Err(incident(&why)),
            Err(stopped) => Ok(Some(format!("the expression on its data {}", words(&stopped)))),
        }
    }

    /// The newest events of the playbook, the newest first.
    async fn newest_events(&self, playbook: &PlaybookKey) -> Result<Vec<(Seen, Context)>, Refusal> {
        let (mut events, mut passed, mut cursor) = (Vec::new(), 0, None);
        loop {
            let (key, from): (_, Option<String>) = (playbook.clone(), cursor);
            let page = self.read(move |history| history.feed(&newest(&key, None, PAGE, from.as_deref()))).await?;
            passed += page.records.len();
            for Record { id, kind, data, context, .. } in page.records {
                let id = id.to_string();
                let Some(seen) = Fact::read(&kind, data).ok().and_then(|fact| seen(&id, &fact, &context).ok()) else {
                    continue;
                };
                events.push((seen, context));
            }
            cursor = page.next;
            if events.len() >= EVENTS || passed >= ROWS || cursor.is_none() {
                events.truncate(EVENTS);
                return Ok(events);
            }
        }
    }
}

/// Why a filter is not evaluated again, as a sentence.
fn sentence_of(key: &FilterKey) -> String {
    let why = for_good(key);
    let mut letters = why.chars();
    letters.next().map(|first| format!("{}{}.", first.to_uppercase(), letters.as_str())).unwrap_or_default()
}

/// What a filter says of the events it was tried on.
struct Tried {
    filter: TriggerFilter,
    matched: Vec<Value>,
    missed: BTreeMap<String, u64>,
}

impl Tried {
    fn of(filter: TriggerFilter) -> Self {
        Self { filter, matched: Vec::new(), missed: BTreeMap::new() }
    }

    fn view(&self, examined: usize) -> Value {
        let mut missed: Vec<(&String, &u64)> = self.missed.iter().collect();
        missed.sort_by(|one, other| other.1.cmp(one.1));
        json!({
            "reference": self.filter.reference,
            "sentence": self.filter.sentence,
            "examined": examined,
            "matched": self.matched,
            "missed": missed.iter().map(|(why, count)| json!({ "why": why, "count": count })).collect::<Vec<_>>(),
        })
    }
}

fn newest<'a>(
    playbook: &'a PlaybookKey,
    kind: Option<&'a str>,
    limit: usize,
    cursor: Option<&'a str>,
) -> FeedQuery<'a> {
    let (since, run, order, content) = (None, None, Order::NewestFirst, Content::Joined);
    FeedQuery { playbook, kind, since, run, order, limit, cursor, content }
}

/// What starts runs, in words; Markdown.
fn sentence(trigger: &Trigger) -> String {
    match trigger {
        Trigger::Event { filters } => {
            filters.iter().map(|filter| filter.sentence.as_str()).collect::<Vec<_>>().join(", or ")
        }
        Trigger::Cron { expression } => format!("at the times of `{expression}`, in UTC"),
        Trigger::Every { milliseconds } => format!("every {}", duration::words(*milliseconds)),
    }
}

/// Whether a saved workflow has triggers.
pub(crate) fn has_triggers(details: &Value) -> bool {
    details.get("triggers").and_then(Value::as_array).is_some_and(|triggers| !triggers.is_empty())
}

/// The triggers of a saved workflow, as its definition shows them. "Triggers".
pub(crate) fn triggers_view(details: &Value) -> Vec<Value> {
    let Some(triggers) = details.get("triggers").filter(|triggers| triggers.is_array()) else { return Vec::new() };
    let triggers: Vec<Trigger> = match serde_json::from_value(triggers.clone()) {
        Ok(triggers) => triggers,
        Err(why) => {
            tracing::error!(%why, "a workflow's triggers cannot be read");
            return Vec::new();
        }
    };
    let view = |trigger: &Trigger| {
        let (kind, reference) = (trigger.kind(), trigger.reference());
        match trigger {
            Trigger::Event { filters } => {
                let filters: Vec<Value> = filters.iter().map(filter_of).collect();
                json!({ "kind": kind, "reference": reference, "filters": filters })
            }
            Trigger::Cron { expression } => json!({ "kind": kind, "reference": reference, "expression": expression }),
            Trigger::Every { milliseconds } => {
                json!({ "kind": kind, "reference": reference, "milliseconds": milliseconds })
            }
        }
    };
    triggers.iter().map(view).collect()
}

/// A filter as it is written.
fn filter_of(filter: &TriggerFilter) -> Value {
    let attributes: Map<String, Value> = filter.attributes.iter().cloned().collect();
    let mut view = json!({ "reference": filter.reference, "type": filter.kind, "attributes": attributes });
    match &filter.data {
        Data::None => {}
        Data::Equal(value) => view["data"] = value.clone(),
        Data::Expression { text, .. } => view["data"] = format!("${{ {} }}", text.trim()).into(),
    }
    view
}

fn filter_view(filter: &TriggerFilter) -> Value {
    let attributes: Map<String, Value> = filter.attributes.iter().cloned().collect();
    json!({ "type": filter.kind, "attributes": attributes, "sentence": filter.sentence })
}

fn event_view(seen: &Seen) -> Value {
    let event = &seen.event;
    json!({ "id": event.id, "type": event.kind, "time": seen.time.iso(), "source": event.source })
}

fn words(stopped: &Stopped) -> String {
    match stopped {
        Stopped::Raised(message) => format!("raises {message}"),
        Stopped::Unfit(found) => format!("gives {found}"),
        Stopped::Work => format!("does more than {} checkpoints of work", limits::EXPRESSION_WORK),
        Stopped::Time => "takes too long".into(),
        Stopped::Memory => "uses too much memory".into(),
        Stopped::TooLarge => "gives more than a run may hold".into(),
        Stopped::Lost(why) => why.clone(),
    }
}
