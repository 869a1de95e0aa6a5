//! How quickly runs of workflows go, each step on the disk before the next, and what runs that wait take.

use super::host::{perform, with};
use super::rebuild::{key, memory};
use super::{Figure, middle_and_most};
use anyhow::{Context, Result, bail};
use playbook_host::{Clock, Place, Runtime, Settings};
use playbook_model::id::RunId;
use playbook_typescript::Compiler;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use tokio::task::JoinSet;

const STEPS: usize = 4_000;
const EACH: usize = 500;
const RUNS: usize = 64;
const EVENTS: usize = 1_000;
const SHORT: usize = if cfg!(debug_assertions) { 200 } else { 4_000 };
const TIMERS: usize = if cfg!(debug_assertions) { 200 } else { 10_000 };
/// Runs that wait; `PLAYBOOK_BENCH_RUNS` says another number.
const WAITING: usize = if cfg!(debug_assertions) { 500 } else { 100_000 };
/// Runs started at once.
const TOGETHER: usize = 64;

const HEAD: &str = "document: { dsl: 1.0.3, namespace: bench, name: bench, version: 1.0.0 }\ndo:\n";

const WORKFLOWS: [(&str, &str); 5] = [
    (
        "row",
        "  - each:
      for: { in: 'Array.from({ length: $data.steps }, (_, i) => i)' }
      do:
        - step: { set: { steps: '${ $data.steps }', n: '${ $item }' } }
",
    ),
    (
        "hears",
        "  - hear: { listen: { to: { one: { with: { type: com.example.beat } } } } }
  - again: { switch: [{ more: { when: '$data[0] > 0', then: hear } }] }
",
    ),
    ("short", "  - one: { set: { n: '${ $data.n + 1 }' } }\n  - two: { set: { n: '${ $data.n + 1 }' } }\n"),
    (
        "timer",
        "  - nap: { wait: '${ ({ milliseconds: Math.max(1, $data.due - Date.now()) }) }' }\n  - done: { set: { done: true } }\n",
    ),
    ("waits", "  - nap: { wait: { days: 20 } }\n"),
];

pub(super) async fn measure(root: &Path, compiler: Arc<Compiler>) -> Result<Vec<Figure>> {
    let folder = tempfile::tempdir_in(root.join("target")).or_else(|_| tempfile::tempdir()).context("a folder")?;
    let place = Place::Data(folder.path().to_owned());
    let open = || Runtime::open_with(place.clone(), Settings::default(), compiler.clone(), Clock::system());
    let runtime = open().await?;
    perform(&runtime, "create_playbook", json!({ "org": "local", "playbook": "bench", "name": "Bench" })).await?;
    for (name, body) in WORKFLOWS {
        let source = format!("{HEAD}{body}");
        perform(&runtime, "create_definition", with(json!({ "type": "workflow", "name": name, "source": source })))
            .await?;
    }
    let mut figures = row(&runtime).await?;
    figures.extend(events(&runtime).await?);
    let began = Instant::now();
    start_many(&runtime, "short", SHORT, json!({ "n": 1 })).await?;
    figures.push(Figure::a_second(format!("runs of two steps, {TOGETHER} at once"), SHORT, began.elapsed()));
    figures.extend(timers(&runtime).await?);

    let waiting = match std::env::var("PLAYBOOK_BENCH_RUNS") {
        Ok(number) => number.parse().context("PLAYBOOK_BENCH_RUNS is a number")?,
        Err(_) => WAITING,
    };
    let began = Instant::now();
    start_many(&runtime, "waits", waiting, json!({})).await?;
    figures.push(Figure::a_second("runs started that then wait for twenty days", waiting, began.elapsed()));
    figures
        .push(Figure::megabytes(format!("  memory of the process and its workers with {waiting} of them"), memory()));
    let due = start(&runtime, "timer", json!({ "due": now()? + 1_500 })).await?;
    runtime.stop().await;
    tokio::time::sleep(Duration::from_secs(2)).await;
    let began = Instant::now();
    let runtime = open().await?;
    let opened = began.elapsed();
    ended(&runtime, &due).await?;
    figures.push(Figure::milliseconds(format!("  opening the log again with {waiting} of them"), opened));
    figures.push(Figure::milliseconds("  until a step that came due meanwhile was done", began.elapsed()));
    figures.push(Figure::megabytes("  memory of the process and its workers then", memory()));
    runtime.stop().await;
    Ok(figures)
}

/// Steps in a row, in one run and in many; then the inputs of one looked into again.
async fn row(runtime: &Runtime) -> Result<Vec<Figure>> {
    let began = Instant::now();
    let run = start(runtime, "row", json!({ "steps": STEPS })).await?;
    ended(runtime, &run).await?;
    let mut figures = vec![Figure::a_second("set steps in a row, in one run", STEPS, began.elapsed())];
    let began = Instant::now();
    let mut going = JoinSet::new();
    for _ in 0..RUNS {
        let runtime = runtime.clone();
        going.spawn(async move {
            let run = start(&runtime, "row", json!({ "steps": EACH })).await?;
            ended(&runtime, &run).await
        });
    }
    while let Some(done) = going.join_next().await {
        done??;
    }
    figures.push(Figure::a_second(format!("set steps, {RUNS} runs at once"), RUNS * EACH, began.elapsed()));

    let (playbook, id) = (key()?, RunId::parse(&run).map_err(|why| anyhow::anyhow!("{why}"))?);
    let total = runtime.run_inputs(&playbook, id, 1, 1).await.map_err(refused)?["total"].as_u64().unwrap_or(0);
    let began = Instant::now();
    for position in 1..=total {
        runtime.run_input(&playbook, id, position).await.map_err(refused)?;
    }
    let inputs = usize::try_from(total)?;
    figures.push(Figure::a_second("inputs of 100 steps applied again and shown", inputs, began.elapsed()));
    Ok(figures)
}

/// Events sent to one run one after the other: each is an input of its own.
async fn events(runtime: &Runtime) -> Result<Vec<Figure>> {
    let run = start(runtime, "hears", json!({})).await?;
    let mut times = Vec::new();
    for number in 1..=EVENTS {
        let event = json!({ "type": "com.example.beat", "id": number.to_string(), "data": EVENTS - number });
        let began = Instant::now();
        perform(runtime, "send_run_event", with(json!({ "run_id": run, "event": event }))).await?;
        times.push(began.elapsed());
    }
    ended(runtime, &run).await?;
    let whole: Duration = times.iter().sum();
    times.sort_unstable();
    let p99 = times[times.len() * 99 / 100];
    let (middle, _) = middle_and_most(times);
    Ok(vec![
        Figure::a_second("inputs of one run one after the other", EVENTS, whole),
        Figure::milliseconds("  from one to the next (median)", middle),
        Figure::milliseconds("  the same (p99)", p99),
    ])
}

/// Timers that are due at one moment: how late each was.
async fn timers(runtime: &Runtime) -> Result<Vec<Figure>> {
    let due = now()? + i64::try_from(TIMERS)? * 3 + 2_000;
    start_many(runtime, "timer", TIMERS, json!({ "due": due })).await?;
    let started = now()?;
    let mut late = Vec::new();
    let mut cursor = Value::Null;
    while late.len() < TIMERS {
        let wait = (due - now()?).max(0);
        tokio::time::sleep(Duration::from_millis(u64::try_from(wait)? + 500)).await;
        late.clear();
        loop {
            let mut asked = with(json!({ "type": "workflow", "name": "timer", "status": "succeeded", "limit": 100 }));
            if !cursor.is_null() {
                asked["cursor"] = cursor;
            }
            let mut page = perform(runtime, "list_runs", asked).await?;
            for run in page["runs"].as_array().into_iter().flatten() {
                let finished = run["finished_at"].as_str().and_then(playbook_model::time::Moment::parse);
                let finished = finished.context("a run that succeeded has a time")?;
                late.push(Duration::from_millis(u64::try_from(finished.0 - due).unwrap_or(0)));
            }
            cursor = page["next_cursor"].take();
            if cursor.is_null() {
                break;
            }
        }
    }
    if started > due {
        return Ok(vec![Figure::note("timers: this machine starts runs too slowly for them to be due together")]);
    }
    late.sort_unstable();
    Ok(vec![
        Figure::milliseconds(format!("{TIMERS} timers due at one moment: how late (median)"), late[late.len() / 2]),
        Figure::milliseconds("  the same (p99)", late[late.len() * 99 / 100]),
    ])
}

fn now() -> Result<i64> {
    Ok(i64::try_from(SystemTime::now().duration_since(UNIX_EPOCH)?.as_millis())?)
}

fn refused(refusal: playbook_model::refusal::Refusal) -> anyhow::Error {
    anyhow::anyhow!("{refusal:?}")
}

async fn start(runtime: &Runtime, name: &str, input: Value) -> Result<String> {
    let run =
        perform(runtime, "run_definition", with(json!({ "type": "workflow", "name": name, "input": input }))).await?;
    Ok(run["run_id"].as_str().context("a run has an id")?.to_owned())
}

async fn start_many(runtime: &Runtime, name: &'static str, runs: usize, input: Value) -> Result<()> {
    let mut going = JoinSet::new();
    for lane in 0..TOGETHER {
        let (runtime, input) = (runtime.clone(), input.clone());
        let own = runs / TOGETHER + usize::from(lane < runs % TOGETHER);
        going.spawn(async move {
            for _ in 0..own {
                start(&runtime, name, input.clone()).await?;
            }
            anyhow::Ok(())
        });
    }
    while let Some(done) = going.join_next().await {
        done??;
    }
    Ok(())
}

async fn ended(runtime: &Runtime, run: &str) -> Result<()> {
    let mut moves = runtime.follow();
    loop {
        moves.borrow_and_update();
        let run = perform(runtime, "get_run", with(json!({ "run_id": run }))).await?;
        match run["status"].as_str() {
            Some("succeeded") => return Ok(()),
            Some("started") => {
                // What moved may be another run's.
                let _ = tokio::time::timeout(Duration::from_millis(20), moves.changed()).await;
            }
            _ => bail!("the run did not succeed: {run}"),
        }
    }
}
