//! How quickly views are built from a log, what that takes of memory, and how far a live view falls behind meanwhile.

use super::folds::output;
use super::host::{perform, with};
use super::{Figure, sample};
use anyhow::{Context, Result, bail};
use playbook_history::{History, NewAppend, NewRecord, Stream};
use playbook_host::{Clock, Place, Runtime, Settings};
use playbook_model::definition::DefinitionType;
use playbook_model::event::CloudEvent;
use playbook_model::id::{OrgId, PlaybookId, PlaybookKey, RunId};
use playbook_model::record::{self, DefinitionRef, Fact, PublishedEvent, RunStarted};
use playbook_model::time::Moment;
use playbook_typescript::Compiler;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use uuid::Uuid;

/// Events of each kind; `PLAYBOOK_BENCH_EVENTS` says another number.
const EVENTS: usize = if cfg!(debug_assertions) { 2_000 } else { 100_000 };
const CAMPAIGNS: usize = 100;
/// Runs or events written to the log together.
const TOGETHER: usize = 500;

/// A small view: the last fifty entries of about a hundred bytes.
const SMALL: &str = "---
language: typescript
source:
  events:
    - type: com.example.beat
view:
  initial: []
  schema:
    type: array
    maxItems: 50
    items: { type: object, required: [at, from, note], properties: { at: { type: string }, from: { type: string }, note: { type: string, maxLength: 40 } } }
---
export function fold(view: View, event: Event): View {
  return [...view, { at: event.time ?? '', from: event.source.slice(0, 40), note: event.id.slice(0, 40) }].slice(-50);
}
";

/// A view that follows while another is built.
const LIVE: &str = "---
language: typescript
source:
  events:
    - type: com.example.tick
view:
  initial: 0
  schema: { type: integer }
---
export function fold(view: View, event: Event): View {
  return event.type === '' ? view : view + 1;
}
";

pub(super) async fn measure(root: &Path, compiler: Arc<Compiler>) -> Result<Vec<Figure>> {
    let events = number_of_events()?;
    let folder = tempfile::tempdir_in(root.join("target")).or_else(|_| tempfile::tempdir()).context("a folder")?;
    let place = Place::Data(folder.path().to_owned());
    let open = || Runtime::open_with(place.clone(), Settings::default(), compiler.clone(), Clock::system());
    let runtime = open().await?;
    perform(&runtime, "create_playbook", json!({ "org": "local", "playbook": "bench", "name": "Bench" })).await?;
    runtime.stop().await;
    let (log, key) = (place.log(), key()?);
    let written = Instant::now();
    let writing = key.clone();
    tokio::task::spawn_blocking(move || fill(&log, &writing, events)).await??;
    let written = written.elapsed();

    let runtime = open().await?;
    let mut figures = vec![Figure::a_second(
        format!("{events} runs and {events} events written to the log, three records each pair"),
        events * 3,
        written,
    )];
    save(&runtime, "live", LIVE).await?;
    live(&runtime, &key, "live").await?;
    let ticking = tokio::spawn(tick(runtime.clone(), key.clone()));
    let watching = tokio::spawn(watch_memory(runtime.clone(), events));

    let built = build(&runtime, &key, "campaign-reviews", &sample(root, "recall/campaign-reviews.md")?).await?;
    figures.push(Figure::a_second(format!("the seed's example built from {events} runs in the log"), events, built));
    let (early, most) = watching.await??;
    ticking.abort();
    let lags = lags();
    figures.extend(lags);
    figures.push(Figure::megabytes("  memory of the process and its workers, a tenth of the way", early));
    figures.push(Figure::megabytes("  the same at its most", most));
    let built = build(&runtime, &key, "beats", SMALL).await?;
    figures.push(Figure::a_second(
        format!("a view of 50 entries built from {events} events in the log"),
        events,
        built,
    ));
    runtime.stop().await;
    Ok(figures)
}

pub(super) fn number_of_events() -> Result<usize> {
    match std::env::var("PLAYBOOK_BENCH_EVENTS") {
        Ok(number) => number.parse().context("PLAYBOOK_BENCH_EVENTS is a number"),
        Err(_) => Ok(EVENTS),
    }
}

pub(super) fn key() -> Result<PlaybookKey> {
    Ok(PlaybookKey { org: OrgId::local(), playbook: PlaybookId::new("bench").map_err(|why| anyhow::anyhow!("{why}"))? })
}

/// Writes runs of `review-brief` and published events, in turn.
pub(super) fn fill(log: &Path, key: &PlaybookKey, events: usize) -> Result<()> {
    let history = History::open(log)?;
    let at = |number: usize| Moment(1_790_000_000_000 + i64::try_from(number).unwrap_or(i64::MAX) * 1_000);
    for from in (0..events).step_by(TOGETHER) {
        let appends = (from..events.min(from + TOGETHER))
            .flat_map(|number| [run(key, number, at(number)), beat(key, number, at(number))]);
        for appended in history.append_each(appends.collect(), at(from)) {
            appended.context("the log takes a record")?;
        }
    }
    history.close();
    Ok(())
}

fn run(key: &PlaybookKey, number: usize, at: Moment) -> NewAppend {
    let id = Uuid::from_u128(0x0199_a3c4_7d2e_7c1a_8b3f_0000_0000_0000 + number as u128).to_string();
    let mut context = record::Context::new(at, "local");
    context.run_id = Some(id.clone());
    context.correlation_id = Some(id.clone());
    context.definition =
        Some(DefinitionRef { kind: DefinitionType::Computation, name: "review-brief".into(), version: 1 });
    let of = |fact: Fact| NewRecord { kind: fact.kind().into(), data: fact.data(), context: context.clone() };
    let began = Fact::RunStarted(RunStarted { input: json!({}), calls_tools: false, finishes_later: false });
    let ended = Fact::RunSucceeded { output: output(number, CAMPAIGNS), record: json!({ "work": 0 }) };
    let run = RunId::parse(&id).expect("a UUID of version 7");
    NewAppend { stream: Stream::run(key, run), expected: 0, records: vec![of(began), of(ended)] }
}

fn beat(key: &PlaybookKey, number: usize, at: Moment) -> NewAppend {
    let event = CloudEvent {
        specversion: "1.0".into(),
        id: format!("beat-{number}"),
        kind: "com.example.beat".into(),
        source: "/hearts/left".into(),
        subject: None,
        time: Some(at.iso()),
        datacontenttype: None,
        dataschema: None,
        extensions: serde_json::Map::new(),
        data: Some(json!({ "rate": number % 90 })),
    };
    let fact = Fact::EventPublished(Box::new(PublishedEvent { event, filled: Vec::new(), imported: false }));
    let record = NewRecord { kind: fact.kind().into(), data: fact.data(), context: record::Context::new(at, "local") };
    NewAppend { stream: Stream::event(key, Uuid::from_u128(number as u128)), expected: 0, records: vec![record] }
}

async fn save(runtime: &Runtime, name: &str, source: &str) -> Result<()> {
    perform(runtime, "create_definition", with(json!({ "type": "recall", "name": name, "source": source }))).await?;
    Ok(())
}

/// Saves a recall function and waits until its view is live.
async fn build(runtime: &Runtime, key: &PlaybookKey, name: &str, source: &str) -> Result<Duration> {
    let began = Instant::now();
    save(runtime, name, source).await?;
    live(runtime, key, name).await?;
    Ok(began.elapsed())
}

async fn live(runtime: &Runtime, key: &PlaybookKey, name: &str) -> Result<()> {
    let mut moves = runtime.view_moves();
    loop {
        let asked = with(json!({ "type": "recall", "name": name }));
        let standing = perform(runtime, "get_definition", asked).await?;
        match standing["standing"]["state"].as_str() {
            Some("live") if runtime.view_read_to(key, name).is_some() => return Ok(()),
            Some("stalled") => bail!("the view of {name} stalled: {}", standing["standing"]),
            _ => moves.changed().await?,
        }
    }
}

/// How long after each answer the live view had read the event.
static LAGS: std::sync::Mutex<Vec<Duration>> = std::sync::Mutex::new(Vec::new());

/// Publishes an event now and then, and notes when the live view has it.
async fn tick(runtime: Runtime, key: PlaybookKey) -> Result<()> {
    let follow = runtime.follow();
    for number in 0.. {
        let event = json!({ "type": "com.example.tick", "source": "/clock", "id": format!("tick-{number}") });
        perform(&runtime, "publish_event", with(json!({ "event": event }))).await?;
        let (answered, position) = (Instant::now(), *follow.borrow());
        let mut moves = runtime.view_moves();
        while runtime.view_read_to(&key, "live").is_none_or(|read| read < position) {
            moves.changed().await?;
        }
        LAGS.lock().expect("no holder panics").push(answered.elapsed());
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    Ok(())
}

fn lags() -> Vec<Figure> {
    let mut lags = std::mem::take(&mut *LAGS.lock().expect("no holder panics"));
    lags.sort_unstable();
    let Some(most) = lags.last().copied() else { return vec![Figure::note("  no event was published meanwhile")] };
    let at = |part: usize| lags[(lags.len() * part / 100).min(lags.len() - 1)];
    vec![
        Figure::milliseconds(format!("  lag of a live view meanwhile, over {} events (median)", lags.len()), at(50)),
        Figure::milliseconds("  the same (p99)", at(99)),
        Figure::milliseconds("  the same (most)", most),
    ]
}

/// The memory of this process and its workers a tenth of the way into the build, and the most of it until the end.
async fn watch_memory(runtime: Runtime, events: usize) -> Result<(u64, u64)> {
    let (mut early, mut most) = (None, 0);
    loop {
        let used = memory();
        most = most.max(used);
        let folded =
            perform(&runtime, "get_definition", with(json!({ "type": "recall", "name": "campaign-reviews" }))).await;
        let standing = folded.map_or(Value::Null, |definition| definition["standing"].clone());
        let folded = standing["folded"].as_u64().unwrap_or(0);
        if early.is_none() && folded >= events as u64 / 10 {
            early = Some(most);
        }
        if standing["state"] == "live" || runtime.stopping() {
            return Ok((early.unwrap_or(most), most));
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// Resident bytes of this process and its children; 0 where the system does not say.
pub(super) fn memory() -> u64 {
    let own = std::process::id();
    let resident = |id: u32| -> u64 {
        let statm = std::fs::read_to_string(format!("/proc/{id}/statm")).unwrap_or_default();
        statm.split(' ').nth(1).and_then(|pages| pages.parse::<u64>().ok()).map_or(0, |pages| pages * 4_096)
    };
    let children = std::fs::read_dir("/proc").into_iter().flatten().flatten().filter_map(|entry| {
        let id: u32 = entry.file_name().to_str()?.parse().ok()?;
        let stat = std::fs::read_to_string(entry.path().join("stat")).ok()?;
        let parent: u32 = stat.rsplit_once(") ")?.1.split(' ').nth(1)?.parse().ok()?;
        (parent == own).then_some(id)
    });
    resident(own) + children.map(resident).sum::<u64>()
}
