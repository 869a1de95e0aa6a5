//! What a fold of the seed's example costs, and of what: in an engine alone, and beside other ways to keep a view.

use super::check::checked;
use super::{Figure, sample};
use anyhow::{Context, Result, bail};
use playbook_definition::{Details, RecallDetails};
use playbook_model::definition::DefinitionType;
use playbook_model::limits;
use playbook_model::time::Moment;
use playbook_sandbox::{Bounds, Folder, Program};
use playbook_schema::Schema;
use playbook_typescript::Compiler;
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// "Bounds": the seed's own measure folds this many events over runs of this many campaigns.
/// A debug build, whose figures say little, folds fewer.
const EVENTS: usize = if cfg!(debug_assertions) { 3_000 } else { 100_000 };
/// For the ways that take longer.
const FEWER: usize = EVENTS / 10;

const BOUNDS: Bounds = Bounds {
    work: limits::FOLD_WORK,
    memory: limits::FOLD_MEMORY,
    milliseconds: limits::FOLD_MILLISECONDS,
    levels: limits::VALUE_LEVELS,
    bytes: limits::VIEW_BYTES,
};

/// Events over the campaigns of an example, and how many there are before it is measured.
struct Example {
    name: &'static str,
    campaigns: usize,
    before: usize,
    events: usize,
}

const EXAMPLES: [Example; 2] = [
    Example { name: "100 campaigns", campaigns: 100, before: 0, events: EVENTS },
    Example { name: "a full view, 50 campaigns of 20 reviews", campaigns: 50, before: 1_000, events: EVENTS / 5 },
];

pub(super) fn measure(root: &Path, compiler: &Compiler) -> Result<Vec<Figure>> {
    let text = sample(root, "recall/campaign-reviews.md")?;
    let definition = checked(DefinitionType::Recall, "campaign-reviews", &text, compiler)?;
    let Details::Recall(details) = definition.details else { bail!("campaign-reviews is no recall function") };
    let program = Program { text: definition.stripped, first_line: details.first_line };
    let mut figures = Vec::new();
    for example in &EXAMPLES {
        let done = playbook_sandbox::with_stack(|| one(root, example, &program, &details));
        figures.extend(done?);
    }
    Ok(figures)
}

fn one(root: &Path, example: &Example, program: &Program, details: &RecallDetails) -> Result<Vec<Figure>> {
    let schema = details.view_schema.as_ref().map(Schema::compile).transpose();
    let Ok(schema) = schema else { bail!("view.schema does not compile") };
    let events = |from: usize, count: usize| (from..from + count).map(|at| event(at, example.campaigns));
    let micro = |what: &str, time: Duration, count: usize| {
        Figure::microseconds(format!("{what} ({})", example.name), time / u32::try_from(count).unwrap_or(u32::MAX))
    };

    // The events before the measure fill the view.
    let mut folder = load(program, "{}", schema.clone())?;
    fold(&mut folder, events(0, example.before))?;
    let view = folder.view().map_err(|stop| anyhow::anyhow!("{stop:?}"))?;

    let mut folder = load(program, &view, schema)?;
    folder.measure();
    let (took, bytes) = fold(&mut folder, events(example.before, example.events))?;
    let split = folder.split().context("it was measured")?;
    let mut bare = load(program, &view, None)?;
    bare.measure();
    fold(&mut bare, events(example.before, FEWER))?;
    let walk = bare.split().context("it was measured")?.walk / u32::try_from(FEWER)?;
    let each = |time: Duration| time / u32::try_from(example.events).unwrap_or(u32::MAX);
    let own = split.call;
    let all = split.walk;
    let mut figures = vec![
        micro(&format!("a fold, its view of {bytes} bytes checked after it"), took, example.events),
        micro("  the fold's own program", own, example.events),
        micro("  everything beside it", took.saturating_sub(own), example.events),
        Figure::microseconds("    walking the view: JSON, levels, bytes", walk),
        Figure::microseconds("    its schema, in the same walk", each(all).saturating_sub(walk)),
        micro("    reading the event", split.event, example.events),
        micro(
            "    the rest: clock, counts, the view as text every 512 folds",
            took.saturating_sub(own + all + split.event),
            example.events,
        ),
    ];

    // The same engine with the view as text before and after each fold.
    let round = Program { text: in_text(&program.text), first_line: program.first_line };
    let quoted = serde_json::to_string(&view)?;
    let mut text = load(&round, &quoted, None)?;
    let (took, _) = fold(&mut text, events(example.before, FEWER))?;
    figures.push(micro("the same engine, JSON.parse and JSON.stringify around each fold", took, FEWER));

    let compared: Vec<String> = events(example.before, FEWER / 2).map(|(json, _)| json).collect();
    let mut same = load(program, &view, None)?;
    fold(&mut same, events(example.before, FEWER / 2))?;
    match emscripten(root, &program.text, &view, &compared)? {
        None => figures.push(Figure::note("quickjs-emscripten is not installed: make bench installs it")),
        Some((time, there)) => {
            let here = same.view().map_err(|stop| anyhow::anyhow!("{stop:?}"))?;
            if here != there {
                bail!("quickjs-emscripten folded another view");
            }
            figures.push(micro(
                "quickjs-emscripten 0.32, the view as text in and out",
                time * u32::try_from(FEWER / 2)?,
                FEWER / 2,
            ));
        }
    }
    Ok(figures)
}

fn load(program: &Program, view: &str, schema: Option<Schema>) -> Result<Folder> {
    Folder::load(program, &[], view, schema, &BOUNDS, limits::FILTER_WORK).map_err(|stop| anyhow::anyhow!("{stop:?}"))
}

/// Folds, and says how long that took and how large the view is.
fn fold(folder: &mut Folder, events: impl Iterator<Item = (String, Moment)>) -> Result<(Duration, usize)> {
    let events: Vec<_> = events.collect();
    let mut bytes = 0;
    let began = Instant::now();
    for (json, clock) in &events {
        let folded = folder.fold(json, *clock, Instant::now() + Duration::from_secs(10));
        match folded {
            Ok(folded) if folded.fits => bytes = folded.bytes,
            other => bail!("the seed's fold stopped: {other:?}"),
        }
    }
    Ok((began.elapsed(), bytes))
}

/// The module with its fold behind texts.
fn in_text(module: &str) -> String {
    let inner = module.replace("export function fold(", "export function folded(");
    format!(
        "{inner}\nexport function fold(view, event) {{ return JSON.stringify(folded(JSON.parse(view), event)); }}\n"
    )
}

/// The microseconds of a fold in the WebAssembly engine, and its last view; `None` where it is not installed.
fn emscripten(root: &Path, program: &str, view: &str, events: &[String]) -> Result<Option<(Duration, String)>> {
    let folder = root.join("tests/bench");
    if !folder.join("node_modules").exists() {
        return Ok(None);
    }
    let given = tempfile::NamedTempFile::new()?;
    std::fs::write(given.path(), json!({ "program": program, "view": view, "events": events }).to_string())?;
    let ran = Command::new("node").arg(folder.join("emscripten.mjs")).arg(given.path()).output().context("node")?;
    if !ran.status.success() {
        bail!("the comparison failed: {}", String::from_utf8_lossy(&ran.stderr));
    }
    let said: Value = serde_json::from_slice(&ran.stdout)?;
    let microseconds = said["microseconds"].as_f64().context("a figure")?;
    let there = said["view"].as_str().context("a view")?.to_owned();
    Ok(Some((Duration::from_secs_f64(microseconds / 1_000_000.0), there)))
}

/// The end of a run of `review-brief`, as the fold sees it.
pub(super) fn event(number: usize, campaigns: usize) -> (String, Moment) {
    let clock = Moment(1_790_000_000_000 + i64::try_from(number).unwrap_or(i64::MAX) * 1_000);
    let id = format!("{number:08x}-0000-7000-8000-000000000000");
    let json = json!({
        "specversion": "1.0",
        "id": id,
        "type": "run_succeeded",
        "source": format!("/runs/{id}"),
        "subject": "computation/review-brief",
        "time": clock.iso(),
        "data": { "output": output(number, campaigns) },
    });
    (json.to_string(), clock)
}

/// What a run of `review-brief` returns.
pub(super) fn output(number: usize, campaigns: usize) -> Value {
    let verdict = if number.is_multiple_of(3) { "reject: the budget is not stated" } else { "approve" };
    // Campaigns as they come in life: in no order, some twice in a row.
    let mixed = (number as u64 ^ 0x5bd1_e995).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33;
    json!({ "campaign": format!("campaign-{}", mixed % campaigns as u64), "verdict": verdict })
}
