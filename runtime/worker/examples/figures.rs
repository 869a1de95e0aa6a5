//! Prints how long the parts of the sandbox take on this machine: `cargo run --release -p playbook-worker --example figures`.
#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::cast_precision_loss)]

use playbook_model::limits;
use playbook_model::time::Moment;
use playbook_sandbox::{Bounds, Folder, Program, run, with_stack};
use playbook_worker::{PageEvent, PageJob, Pool, WorkerProgram, main_if_worker};
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

fn median(mut work: impl FnMut()) -> f64 {
    let mut times: Vec<f64> = (0..101)
        .map(|_| {
            let begun = Instant::now();
            work();
            begun.elapsed().as_secs_f64() * 1e6
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[50]
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
    let load = || Folder::load(&program, &[], "{}", &bounds, 500).unwrap();
    println!("load a module into a fresh, frozen sandbox  {:>9.1} µs", median(|| drop(load())));
    println!("objects frozen                              {:>9}", load().frozen().unwrap());
    let identity = Program { text: "export default function (input) { return input; }".into(), first_line: 1 };
    println!(
        "a run: compile, fresh sandbox, call         {:>9.1} µs",
        median(|| drop(run(&identity, "default", &["1"], now, &bounds).unwrap()))
    );
    let filters = ["$data.output.campaign === 'campaign-1'".to_owned()];
    let mut folder = Folder::load(&program, &filters, "{}", &bounds, 500).unwrap();
    let events = events();
    println!(
        "a filter's expression                       {:>9.1} µs",
        median(|| assert!(!folder.holds(0, &events[0].0, now, later()).unwrap()))
    );
    let begun = Instant::now();
    let mut bytes = 0;
    for (json, clock) in &events {
        bytes = folder.fold(json, *clock, later()).unwrap().bytes;
    }
    let each = begun.elapsed().as_secs_f64() * 1e6 / EVENTS as f64;
    println!("a fold of the format's example              {each:>9.1} µs ({EVENTS} events, view of {bytes} bytes)");
    println!("the view as JSON, read again                {:>9.1} µs", {
        let (json, clock) = &events[0];
        let fold = median(|| assert!(folder.fold(json, *clock, later()).is_ok()));
        let both = median(|| {
            folder.fold(json, *clock, later()).unwrap();
            drop(folder.view().unwrap());
        });
        both - fold
    });
    println!("the view as a tree                          {:>9.1} µs", median(|| drop(folder.value().unwrap())));
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
            };
            let done = pool.page(job).await.unwrap();
            assert!(done.stop.is_none() && done.steps.len() == page.len());
            view = done.view;
        }
        let each = begun.elapsed().as_secs_f64() * 1e6 / EVENTS as f64;
        let with = if schema.is_some() { "with its schema" } else { "without schema " };
        println!("a fold in a worker's page, {with}  {each:>9.1} µs ({:.0} a second)", 1e6 / each);
    }
    pool.stop().await;
}
