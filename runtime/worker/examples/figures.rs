//! Prints how long the parts of the sandbox take on this machine: `cargo run --release -p playbook-worker --example figures`.
#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::cast_precision_loss)]

use playbook_model::limits;
use playbook_model::time::Moment;
use playbook_sandbox::{Bounds, Folder, Program, run, with_stack};
use playbook_worker::{Haste, PageEvent, PageJob, Pool, Trace, WorkerProgram, main_if_worker};
use std::time::{Duration, Instant};

const REVIEWS: &str = include_str!("../../sandbox/tests/fixtures/campaign-reviews.js");
const EVENTS: usize = 20_000;

fn main() {
    main_if_worker();
    with_stack(in_process);
    tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap().block_on(in_workers());
}

fn bounds() -> Bounds {
    Bounds {
        work: limits::FOLD_WORK,
        memory: limits::FOLD_MEMORY,
        milliseconds: limits::FOLD_MILLISECONDS,
        levels: limits::VALUE_LEVELS,
        bytes: limits::VIEW_BYTES,
    }
}

fn program() -> Program {
    Program { text: REVIEWS.into(), first_line: 1 }
}

/// Microseconds of one of the least of many batches, so that what else the machine does hardly counts.
fn least(batches: u32, times: u32, mut work: impl FnMut()) -> f64 {
    (0..batches)
        .map(|_| {
            let begun = Instant::now();
            for _ in 0..times {
                work();
            }
            begun.elapsed().as_secs_f64() * 1e6 / f64::from(times)
        })
        .fold(f64::INFINITY, f64::min)
}

fn events() -> Vec<(String, Moment)> {
    (0..EVENTS)
        .map(|at| {
            let clock = Moment(1_790_000_000_000 + at as i64 * 1_000);
            let json = format!(
                "{{\"specversion\":\"1.0\",\"id\":\"{at}\",\"type\":\"run_succeeded\",\"source\":\"/runs/0199a3c4-7d2e-7c1a-9b3f-{at:012}\",\
                 \"subject\":\"reasoning/review-brief\",\"time\":\"{clock}\",\"data\":{{\"output\":{{\"campaign\":\"campaign-{}\",\
                 \"verdict\":\"approve, the brief states budget and dates\"}}}}}}",
                at * 7_919 % 100
            );
            (json, clock)
        })
        .collect()
}

fn in_process() {
    let (program, bounds, now) = (program(), bounds(), Moment(0));
    let later = || Instant::now() + Duration::from_secs(10);
    let load = |program: &Program, view: &str| {
        let filters = ["$data.output.campaign === 'campaign-1'".to_owned()];
        Folder::load(program, &filters, view, None, &bounds, limits::FILTER_WORK).unwrap()
    };
    let tell = |what: &str, microseconds: f64| println!("{what:<48} {microseconds:>9.1} µs");
    tell("load a module into a fresh, frozen sandbox", least(100, 1, || drop(load(&program, "{}"))));
    println!("{:<48} {:>9}", "objects frozen", load(&program, "{}").frozen().unwrap());
    let identity = Program { text: "export default function (input) { return input; }".into(), first_line: 1 };
    let call = || drop(run(&identity, "default", &["1"], now, &bounds).unwrap());
    tell("a run: compile, fresh sandbox, call", least(200, 1, call));
    let mut folder = load(&program, "{}");
    let events = events();
    let mut folds = events.iter();
    let mut bytes = 0;
    let fold = least(40, 500, || {
        let (json, clock) = folds.next().unwrap();
        bytes = folder.fold(json, *clock, later()).unwrap().bytes;
    });
    tell(&format!("a fold of the format's example, {bytes} bytes"), fold);
    let (event, clock) = &events[0];
    tell("a filter's expression", least(100, 200, || assert!(!folder.holds(0, event, *clock, later()).unwrap())));
    tell("the view as a tree", least(100, 50, || drop(folder.value().unwrap())));
    let view = folder.view().unwrap();
    let same = Program { text: "export function fold(view, event) { return view; }".into(), first_line: 1 };
    let mut idle = load(&same, &view);
    let one = least(100, 50, || assert!(idle.fold(event, *clock, later()).is_ok()));
    tell("a fold that does nothing, the same view", one);
    let both = least(100, 50, || {
        idle.fold(event, *clock, later()).unwrap();
        drop(idle.view().unwrap());
    });
    tell("the view as JSON, and read again", both - one);
}

async fn in_workers() {
    let pool = Pool::new(WorkerProgram::find().unwrap(), 1);
    for schema in [
        None,
        Some(
            serde_json::json!({ "type": "object", "maxProperties": 50, "additionalProperties": { "type": "array", "maxItems": 20,
        "items": { "type": "object", "required": ["at", "verdict", "run"] } } }),
        ),
    ] {
        let mut view = "{}".to_owned();
        let begun = Instant::now();
        for page in events().chunks(limits::PAGE_RECORDS) {
            let job = PageJob {
                key: 1,
                program: program(),
                filters: Vec::new(),
                schema: schema.clone(),
                view,
                events: page
                    .iter()
                    .map(|(json, clock)| PageEvent { json: json.clone(), clock: *clock, ask: Vec::new() })
                    .collect(),
                page_milliseconds: 60_000,
                fold_milliseconds: limits::FOLD_MILLISECONDS,
                work: limits::FOLD_WORK,
                filter_work: limits::FILTER_WORK,
                memory: limits::FOLD_MEMORY,
                trace: Trace::Nothing,
            };
            let done = pool.page(job, Haste::Live).await.unwrap();
            assert!(done.stop.is_none() && done.steps.len() == page.len());
            view = done.view;
        }
        let each = begun.elapsed().as_secs_f64() * 1e6 / EVENTS as f64;
        let with = if schema.is_some() { "with its schema" } else { "without schema " };
        println!("{:<48} {each:>9.1} µs ({:.0} a second)", format!("a fold in a worker's page, {with}"), 1e6 / each);
    }
    pool.stop().await;
}
