//! Keeping the event a view stalled at as a test case, made small first.

use super::{checked, name, value};
use crate::folder::{CaseFile, FileError};
use crate::replay::{Pace, Planned, Portion, Recall, Scratch, Shrinker, Terms, planned, seen_records};
use crate::studio::open::{Open, file_refusal};
use crate::studio::{Answer, Input, Studio, StudioRefusal, invalid};
use playbook_definition::case::{Case, CaseName, Folds, RecallCase};
use playbook_engine::event::Seen;
use playbook_engine::view::{Halt, Stall, StallKind};
use playbook_model::definition::{DefinitionKey, DefinitionType};
use playbook_model::ending::{Reason, Rejection};
use playbook_model::event::CloudEvent;
use playbook_model::refusal::Refusal;
use playbook_model::{json, limits};
use playbook_schema::Schema;
use playbook_worker::Trace;
use serde_json::{Map, Value, json};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The most folds to make a case small: of the view first, then of the event.
const FOLDS: usize = 200;
const FOLDS_OF_VIEW: usize = 120;
/// How long making it small may take.
const PATIENCE: Duration = Duration::from_secs(10);
/// The most bytes of a stall's error in a case's description.
const ERROR_BYTES: usize = 300;
/// What of an event is never made smaller: what it is, and when.
const FIXED: [&str; 5] = ["specversion", "id", "type", "source", "time"];

/// What a case is made of.
#[derive(Debug, Clone, PartialEq)]
struct Pair {
    view: Value,
    seen: Arc<Seen>,
}

/// What makes a pair small: the saved version that stalls, and how.
struct Shrink<'a> {
    scratch: &'a Scratch,
    key: u64,
    saved: &'a Recall,
    stall: &'a Stall,
    /// The schemas a view has to match to be one.
    schemas: Vec<Schema>,
    folds: usize,
    until: Instant,
}

impl Studio {
    /// Keeps the stalled pair as a test case of the text on the screen.
    pub(in crate::studio) async fn keep_case(&self, given: &Input) -> Answer {
        let open = self.opened()?;
        let name = name(given)?;
        let case = CaseName::new(given.text("case")?).map_err(|why| invalid("case", why))?;
        let key = DefinitionKey { kind: DefinitionType::Recall, name: name.clone() };
        let file = CaseFile { key, name: case };
        let definitions = open.runtime.definitions(&open.key, DefinitionType::Recall).await?;
        let definition = definitions.known(DefinitionType::Recall, &name)?;
        let kept = open.runtime.view_of(&open.key, name.as_str()).filter(|view| view.version == definition.version);
        let Some((view, stall)) = kept.as_ref().and_then(|view| Some((view, view.stalled.as_ref()?))) else {
            let words = "The view is not stalled; there is no event to keep as a case";
            return Err(Rejection::new(Reason::Conflict, words).into());
        };
        let Some(saved) = Recall::saved(&name, definition) else {
            return Err(crate::runtime::incident("a recall function's details cannot be read").into());
        };
        if there(&open, &file).await? {
            return Err(taken(&file));
        }
        let Ok(text) = checked(self, &name, given.text("text")?).await? else {
            return Err(invalid("text", "The text has problems; a case is kept of one that passes its check".into()));
        };
        let (log, position) = (open.key.clone(), stall.position);
        let seen = open.runtime.read(move |history| Ok(seen_records(history.at(&log, &[position])?))).await?;
        let Some((_, seen)) = seen.into_iter().next() else {
            return Err(crate::runtime::incident("the event of a stall is not in the log").into());
        };
        let whole = Pair { view: value(&view.view), seen };
        let mut shrink = Shrink::new(open.runtime.scratch(), &saved, &text, stall, &whole.view);
        let pair = shrink.pair(whole.clone()).await?;
        let pair = if readable(&pair) { pair } else { whole.clone() };
        let expect = expected(open.runtime.scratch(), &text, &pair).await?;
        let error = json::cut(&stall.error, ERROR_BYTES);
        let made = Case::Recall(RecallCase {
            description: Some(format!(
                "Version {} stalled at this event ({}): {error}",
                view.version,
                stall.kind.word()
            )),
            view: (pair.view != text.details().initial).then(|| pair.view.clone()),
            events: vec![pair.seen.event.clone()],
            expect: Some(expect),
            ask: Vec::new(),
        });
        let path = write(&open, file, made).await?;
        Ok(json!({
            "path": path,
            "folds": shrink.folds,
            "bytes_before": whole.bytes(),
            "bytes_after": pair.bytes(),
            "event": pair.seen.event,
        }))
    }
}

impl Pair {
    /// Bytes of the view and the event as JSON.
    fn bytes(&self) -> usize {
        json::bytes(&self.view) + event_value(&self.seen.event).map_or(0, |event| json::bytes(&event))
    }

    /// The pair with a smaller event; `None` for one that is none.
    fn with_event(&self, optional: &Value) -> Option<Self> {
        let mut members: Map<String, Value> = event_value(&self.seen.event)?.as_object()?.clone();
        members.retain(|name, _| FIXED.contains(&name.as_str()));
        for (name, value) in optional.as_object()? {
            // An attribute is no empty text, and nothing but a plain value.
            let plain = !matches!(value, Value::Object(_) | Value::Array(_)) && value.as_str() != Some("");
            if name != "data" && !plain {
                return None;
            }
            members.insert(name.clone(), value.clone());
        }
        let event = serde_json::from_value(Value::Object(members)).ok()?;
        let Seen { time, run_of, .. } = &*self.seen;
        Some(Self { view: self.view.clone(), seen: Arc::new(Seen { event, time: *time, run_of: run_of.clone() }) })
    }

    /// What of the event may be made smaller.
    fn optional(&self) -> Value {
        let mut members = event_value(&self.seen.event).unwrap_or(Value::Null);
        if let Some(members) = members.as_object_mut() {
            members.retain(|name, _| !FIXED.contains(&name.as_str()));
        }
        members
    }
}

impl<'a> Shrink<'a> {
    fn new(scratch: &'a Scratch, saved: &'a Recall, text: &Recall, stall: &'a Stall, view: &Value) -> Self {
        let schemas = [saved, text].into_iter().filter_map(|recall| recall.details().view_schema.as_ref());
        let compiled = schemas.filter_map(|schema| Schema::compile(schema).ok());
        // A schema of the text that the view before does not match says nothing of a smaller one.
        let schemas = compiled.filter(|schema| schema.is_valid(view)).collect();
        Self { scratch, key: Scratch::key(), saved, stall, schemas, folds: 0, until: Instant::now() + PATIENCE }
    }

    /// The smallest pair found at which the saved version stalls in the same way.
    async fn pair(&mut self, mut pair: Pair) -> Result<Pair, Refusal> {
        // Each of these takes seconds, or a worker.
        if matches!(self.stall.kind, StallKind::Time | StallKind::Crash) {
            return Ok(pair);
        }
        let mut shrinker = Shrinker::new(pair.view.clone());
        while self.folds < FOLDS_OF_VIEW
            && Instant::now() < self.until
            && let Some(view) = shrinker.next()
        {
            let fits = self.schemas.iter().all(|schema| schema.is_valid(&view));
            let candidate = Pair { view, seen: pair.seen.clone() };
            shrinker.told(fits && self.stalls(&candidate).await?);
        }
        pair.view = shrinker.value().clone();
        let mut shrinker = Shrinker::new(pair.optional());
        while self.folds < FOLDS
            && Instant::now() < self.until
            && let Some(optional) = shrinker.next()
        {
            let holds = match pair.with_event(&optional) {
                Some(candidate) => self.stalls(&candidate).await?,
                None => false,
            };
            shrinker.told(holds);
        }
        Ok(pair.with_event(shrinker.value()).unwrap_or(pair))
    }

    async fn stalls(&mut self, pair: &Pair) -> Result<bool, Refusal> {
        let Some(event) = planned(self.saved, &[(1, pair.seen.clone())]).pop() else { return Ok(false) };
        self.folds += 1;
        let portion = fold(self.scratch, self.key, self.saved, &pair.view, &event).await?;
        Ok(portion.halt.is_some_and(|halt| same(&halt, self.stall)))
    }
}

/// Whether a fold stops in the same way.
fn same(halt: &Halt, stall: &Stall) -> bool {
    halt.kind == stall.kind && halt.line == stall.line && halt.filter == stall.filter
}

async fn fold(scratch: &Scratch, key: u64, recall: &Recall, view: &Value, event: &Planned) -> Result<Portion, Refusal> {
    let terms = Terms { key, recall, pace: Pace::AtOnce, trace: Trace::Nothing };
    scratch.fold(terms, view.to_string(), &[(&*event.seen, event.ask.as_slice())]).await
}

/// What a text makes of a pair.
async fn expected(scratch: &Scratch, text: &Recall, pair: &Pair) -> Result<Folds, Refusal> {
    let Some(event) = planned(text, &[(1, pair.seen.clone())]).pop() else {
        return Ok(Folds::View(pair.view.clone()));
    };
    let portion = fold(scratch, Scratch::key(), text, &pair.view, &event).await?;
    Ok(match portion.halt {
        Some(halt) => Folds::Stalled { kind: halt.kind.word().into(), line: None },
        None => Folds::View(value(&portion.view)),
    })
}

fn event_value(event: &CloudEvent) -> Option<Value> {
    serde_json::to_value(event).ok()
}

/// Whether a case of the pair can be read back.
fn readable(pair: &Pair) -> bool {
    let case = RecallCase {
        description: None,
        view: Some(pair.view.clone()),
        events: vec![pair.seen.event.clone()],
        expect: Some(Folds::Stalled { kind: StallKind::Raised.word().into(), line: None }),
        ask: Vec::new(),
    };
    let text = playbook_definition::case::write(&Case::Recall(case));
    playbook_definition::case::read(DefinitionType::Recall, &text).problems.is_empty()
}

async fn there(open: &Arc<Open>, file: &CaseFile) -> Result<bool, StudioRefusal> {
    let (open, file) = (open.clone(), file.clone());
    let read = tokio::task::spawn_blocking(move || open.folder.read_case(&file)).await;
    match read {
        Ok(Ok(text)) => Ok(text.is_some()),
        Ok(Err(why)) => Err(file_refusal(&why)),
        Err(why) => Err(crate::runtime::incident(&format!("reading a case broke down: {why}")).into()),
    }
}

async fn write(open: &Arc<Open>, file: CaseFile, case: Case) -> Result<String, StudioRefusal> {
    let (open, at) = (open.clone(), file.clone());
    let written = tokio::task::spawn_blocking(move || {
        if playbook_definition::case::write(&case).len() > limits::CASE_BYTES {
            return None;
        }
        Some(open.folder.keep_case(&at, &case))
    });
    match written.await {
        Ok(Some(Ok(path))) => Ok(path),
        Ok(Some(Err(FileError::There { .. }))) => Err(taken(&file)),
        Ok(Some(Err(why))) => Err(file_refusal(&why)),
        Ok(None) => {
            let words = format!("The case would be larger than the {} bytes a case may have", limits::CASE_BYTES);
            Err(Rejection::new(Reason::Conflict, words).into())
        }
        Err(why) => Err(crate::runtime::incident(&format!("writing a case broke down: {why}")).into()),
    }
}

fn taken(file: &CaseFile) -> StudioRefusal {
    let words = format!("There is a case at {} already; choose another name", file.relative());
    Rejection::new(Reason::Conflict, words).into()
}
