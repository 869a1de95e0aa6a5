//! Runs and pages in worker processes: what they give, and what a lost worker leaves.
#![allow(clippy::unwrap_used, missing_docs)]

use playbook_model::limits;
use playbook_model::time::Moment;
use playbook_sandbox::{Bounds, Program, Stop};
use playbook_worker::{
    Haste, PageDone, PageEvent, PageJob, PageLost, PageStop, Pool, RunJob, RunStop, Step, Trace, WorkerProgram,
    name_hash,
};
use serde_json::json;
use std::path::PathBuf;
use std::time::{Duration, Instant};

fn worker() -> WorkerProgram {
    WorkerProgram { path: env!("CARGO_BIN_EXE_playbook-worker").into(), arguments: Vec::new() }
}

fn pool(size: usize) -> Pool {
    Pool::new(worker(), size)
}

const NOW: Moment = Moment(1_791_045_605_000);

fn run(body: &str, milliseconds: u64) -> RunJob {
    RunJob {
        program: Program { text: format!("export default function (input) {{ {body} }}"), first_line: 1 },
        export: "default".into(),
        arguments: vec!["{\"n\":20}".into()],
        clock: NOW,
        bounds: Bounds {
            work: u32::MAX,
            memory: limits::RUN_MEMORY,
            milliseconds,
            levels: limits::VALUE_LEVELS,
            bytes: limits::COMPUTATION_OUTPUT_BYTES,
        },
        deadline: Instant::now() + Duration::from_millis(milliseconds),
    }
}

/// Counts, and does at its event what the event's data says.
const COUNTS: &str = "export function fold(view, event) {
  const n = (view.n ?? 0) + 1;
  switch (event.data) {
    case 'loop': for (;;);
    case 'native': for (;;) 'x'.repeat(3e7);
    case 'throw': throw new Error(`stop at ${n}`);
    case 'allocate': { const a = []; for (;;) a.push('x'.repeat(1e6) + a.length); }
    case 'large': return { n, big: 'x'.repeat(600000) };
    case 'map': return new Map();
    case 'text': return { n: String(n) };
    case 'slow': for (let i = 0; i < 2e6; i++); return { n };
    default: return { n };
  }
}";

fn page(view: &str, data: &[&str]) -> PageJob {
    PageJob {
        key: 7,
        program: Program { text: COUNTS.into(), first_line: 1 },
        filters: vec!["$data !== 'pass'".into(), "(() => { for (;;); })()".into()],
        schema: None,
        view: view.into(),
        events: data
            .iter()
            .map(|data| PageEvent { json: json!({ "id": "1", "data": data }).to_string(), clock: NOW, ask: Vec::new() })
            .collect(),
        page_milliseconds: limits::PAGE_MILLISECONDS,
        fold_milliseconds: limits::FOLD_MILLISECONDS,
        work: limits::FOLD_WORK,
        filter_work: limits::FILTER_WORK,
        memory: limits::FOLD_MEMORY,
        trace: Trace::Nothing,
    }
}

fn folded(done: &PageDone) -> usize {
    done.steps.iter().filter(|step| matches!(step, Step::Folded { .. })).count()
}

#[tokio::test]
async fn a_run_gives_its_output_and_work() {
    let pool = pool(2);
    let returned =
        pool.run(run("for (let i = 0; i < 50000; i++); return { twice: input.n * 2, at: Date.now() };", 10_000)).await;
    let returned = returned.unwrap();
    assert_eq!(returned.json, format!("{{\"twice\":40,\"at\":{}}}", NOW.0));
    assert_eq!(returned.work, 10);
}

#[tokio::test]
async fn stops_cross_the_process() {
    let pool = pool(2);
    for (body, expected) in [
        ("throw new Error('no');", Stop::Raised { message: "Error: no".into(), line: Some(1) }),
        ("return new Map();", Stop::Unfit { found: "a Map".into(), path: "$".into() }),
        ("return 'x'.repeat(2e6);", Stop::TooLarge { bytes: 2_000_002 }),
        ("let v = 1; for (let i = 0; i < 600; i++) v = [v]; return v;", Stop::TooDeep),
        ("const a = []; for (;;) a.push('x'.repeat(1e6) + a.length);", Stop::Memory { work: 0 }),
        (
            "return 1 +;",
            Stop::Refused { message: "SyntaxError: unexpected token in expression: ';'".into(), line: Some(1) },
        ),
    ] {
        assert_eq!(pool.run(run(body, 60_000)).await, Err(RunStop::Program(expected)), "{body}");
    }
    assert_eq!(pool.run(run("return 1;", 10_000)).await.unwrap().json, "1");
}

#[tokio::test]
async fn a_run_past_its_deadline_ends_in_time() {
    let pool = pool(1);
    for body in ["for (;;);", "for (;;) 'x'.repeat(3e7);"] {
        let started = Instant::now();
        let stop = pool.run(run(body, 400)).await;
        assert_eq!(stop, Err(RunStop::Program(Stop::Time { milliseconds: 400 })), "{body}");
        assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
    }
    assert_eq!(pool.run(run("return 1;", 10_000)).await.unwrap().json, "1");
}

#[tokio::test]
async fn a_run_without_a_turn_is_told_so() {
    let pool = pool(1);
    let long = tokio::spawn({
        let pool = pool.clone();
        async move { pool.run(run("for (;;);", 1_500)).await }
    });
    while pool_is_free(&pool).await {
        tokio::task::yield_now().await;
    }
    assert_eq!(pool.run(run("return 1;", 200)).await, Err(RunStop::Busy { milliseconds: 200, at_once: 1 }));
    assert_eq!(long.await.unwrap(), Err(RunStop::Program(Stop::Time { milliseconds: 1_500 })));
}

/// Whether a short run finds a turn at once.
async fn pool_is_free(pool: &Pool) -> bool {
    !matches!(pool.run(run("return 1;", 50)).await, Err(RunStop::Busy { .. }))
}

#[tokio::test]
async fn a_page_never_starves_runs() {
    let pool = pool(1);
    let mut job = page("{}", &["native"]);
    job.fold_milliseconds = 3_000;
    let folding = tokio::spawn({
        let pool = pool.clone();
        async move { pool.page(job, Haste::Live).await }
    });
    for _ in 0..3 {
        assert_eq!(pool.run(run("return 1;", 10_000)).await.unwrap().json, "1");
    }
    folding.abort();
}

#[tokio::test]
async fn a_page_folds_and_goes_on_in_its_sandbox() {
    let pool = pool(1);
    let mut view = "{}".to_owned();
    for round in 1..=4 {
        let mut job = page(&view, &["", "", ""]);
        job.events[1].ask = vec![0];
        job.events[2] = PageEvent { json: json!({ "id": "1", "data": "pass" }).to_string(), clock: NOW, ask: vec![0] };
        let done = pool.page(job, Haste::Live).await.unwrap();
        assert_eq!(done.steps, [Step::Folded { work: 0, bytes: 7 }, Step::Folded { work: 0, bytes: 7 }, Step::Passed]);
        assert_eq!((done.view.as_str(), done.stop), (format!("{{\"n\":{}}}", round * 2).as_str(), None));
        view = done.view;
    }
    // Another text under the same key: the sandbox that was kept is not the view's.
    let done = pool.page(page("{\"n\":100}", &[""]), Haste::Live).await.unwrap();
    assert_eq!(done.view, "{\"n\":101}");
    let done = pool.page(page(&done.view, &[]), Haste::Live).await.unwrap();
    assert_eq!((done.view.as_str(), done.steps.len()), ("{\"n\":101}", 0));
}

#[tokio::test]
async fn a_page_tells_which_members_its_folds_added_when_it_is_asked() {
    const KEEPS: &str = "export function fold(view, event) {
      if (event.data === 'list') return [1];
      const kept = Object.entries(Array.isArray(view) ? {} : view).slice(-2);
      return Object.fromEntries([...kept, [event.data, 1]]);
    }";
    let pool = pool(1);
    let mut job = page("{\"a\":1}", &["b", "a", "c", "list", "a", "0", "__proto__", "\u{e9}"]);
    job.program.text = KEEPS.into();
    let quiet = pool.page(job.clone(), Haste::Live).await.unwrap();
    assert!(quiet.added.is_empty());
    job.trace = Trace::Added;
    let done = pool.page(job, Haste::Live).await.unwrap();
    assert_eq!((&done.view, &done.steps, &done.stop), (&quiet.view, &quiet.steps, &quiet.stop));
    let added: Vec<(u32, u64)> = done.added.iter().map(|added| (added.step, added.name)).collect();
    let told = [(0, "b"), (2, "c"), (4, "a"), (5, "0"), (6, "__proto__"), (7, "\u{e9}")];
    assert_eq!(added, told.map(|(step, name)| (step, name_hash(name.as_bytes()))));
}

#[tokio::test]
async fn a_page_stops_at_its_event_with_the_view_before() {
    let pool = pool(1);
    for (how, kind) in
        [("throw", "Raised"), ("loop", "Work"), ("allocate", "Memory"), ("large", "TooLarge"), ("map", "Unfit")]
    {
        for before in [0, 2, 70] {
            let mut data = vec![""; before];
            data.extend([how, "", ""]);
            let done = pool.page(page("{}", &data), Haste::Live).await.unwrap();
            assert_eq!(folded(&done), before, "{how}");
            let view = if before == 0 { "{}".to_owned() } else { format!("{{\"n\":{before}}}") };
            assert_eq!(done.view, view, "{how}");
            match done.stop {
                Some(PageStop::Fold(stop)) => assert!(format!("{stop:?}").starts_with(kind), "{how}: {stop:?}"),
                other => panic!("{how}: {other:?}"),
            }
        }
    }
    let mut job = page("{}", &["", "x"]);
    job.events[1].ask = vec![1];
    let done = pool.page(job, Haste::Live).await.unwrap();
    assert_eq!(done.stop, Some(PageStop::Filter(Stop::Work { budget: limits::FILTER_WORK })));
    assert_eq!(done.view, "{\"n\":1}");
}

#[tokio::test]
async fn a_module_that_does_not_load_stops_before_the_first_event() {
    let pool = pool(1);
    for (text, line) in
        [("export function fold(view, event) {\n return 1 +; }", Some(11)), ("export function answer() {}", None)]
    {
        let mut job = page("{\"n\":1}", &[""]);
        job.program = Program { text: text.into(), first_line: 10 };
        let done = pool.page(job, Haste::Live).await.unwrap();
        assert_eq!((done.view.as_str(), done.steps.len()), ("{\"n\":1}", 0));
        assert!(matches!(done.stop, Some(PageStop::Fold(Stop::Refused { line: at, .. })) if at == line));
    }
}

#[tokio::test]
async fn the_view_is_held_against_its_schema_after_every_fold() {
    let pool = pool(1);
    let schema = json!({ "type": "object", "properties": { "n": { "type": "integer", "maximum": 3 } } });
    for (data, steps) in [(vec!["", "", "", "", ""], 3), (vec!["", "text", ""], 1)] {
        let mut job = page("{}", &data);
        job.schema = Some(schema.clone());
        let done = pool.page(job, Haste::Live).await.unwrap();
        assert_eq!((folded(&done), done.view.clone()), (steps, format!("{{\"n\":{steps}}}")));
        match done.stop {
            Some(PageStop::Schema { pointer, detail }) => {
                assert_eq!(pointer, "/n");
                assert!(!detail.is_empty());
            }
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn a_page_ends_before_its_next_event_once_its_time_passed() {
    let pool = pool(1);
    let mut job = page("{}", &["slow"; 400]);
    job.page_milliseconds = 200;
    let done = pool.page(job, Haste::Live).await.unwrap();
    assert_eq!(done.stop, None);
    assert!((1..400).contains(&done.steps.len()), "{}", done.steps.len());
    assert_eq!(done.view, format!("{{\"n\":{}}}", done.steps.len()));
}

#[tokio::test]
async fn a_fold_out_of_its_own_time_keeps_the_folds_before() {
    let pool = pool(1);
    let mut job = page("{}", &["", "", "native", ""]);
    job.fold_milliseconds = 300;
    let done = pool.page(job, Haste::Live).await.unwrap();
    assert_eq!((folded(&done), done.view.as_str()), (2, "{\"n\":2}"));
    assert_eq!(done.stop, Some(PageStop::Fold(Stop::Time { milliseconds: 300 })));
}

/// "A fold that runs longer than 10 seconds is tried again on later passes, without holding back the other views."
#[tokio::test]
async fn pages_that_take_long_hold_back_no_other() {
    let pool = pool(1);
    let slow: Vec<_> = (0..4)
        .map(|at| {
            let pool = pool.clone();
            let mut job = page("{}", &["", "loop"]);
            (job.key, job.work, job.fold_milliseconds) = (100 + at, u32::MAX, 4_000);
            tokio::spawn(async move { (pool.page(job, Haste::Build).await, Instant::now()) })
        })
        .collect();
    let mut quick = Vec::new();
    for at in 0..6 {
        let done = pool.page(page(&format!("{{\"n\":{at}}}"), &["", ""]), Haste::Live).await.unwrap();
        assert_eq!(done.view, format!("{{\"n\":{}}}", at + 2));
        quick.push(Instant::now());
    }
    for slow in slow {
        let (done, at) = slow.await.unwrap();
        assert_eq!(done.unwrap().stop, Some(PageStop::Fold(Stop::Time { milliseconds: 4_000 })));
        assert!(quick.iter().all(|quick| *quick < at), "every other page came before one that takes long ended");
    }
}

/// The workers this test's process has started, by their parent's id.
#[cfg(target_os = "linux")]
fn children() -> Vec<u32> {
    let own = std::process::id();
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let Some(id) = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else { continue };
        let Ok(stat) = std::fs::read_to_string(entry.path().join("stat")) else { continue };
        let Some((_, rest)) = stat.rsplit_once(") ") else { continue };
        if rest.split(' ').nth(1) == Some(&own.to_string()) {
            found.push(id);
        }
    }
    found
}

/// One test alone looks at processes, in a process of its own, since the others start workers too.
#[cfg(target_os = "linux")]
mod killed {
    use super::*;

    const ALONE: &str = "PLAYBOOK_WORKER_TEST_ALONE";

    fn kill(id: u32) {
        let ended = std::process::Command::new("kill").args(["-9", &id.to_string()]).status().unwrap();
        assert!(ended.success());
    }

    #[test]
    fn a_killed_worker_loses_one_job_and_says_where() {
        if std::env::var_os(ALONE).is_none() {
            let own = std::env::current_exe().unwrap();
            let output = std::process::Command::new(own)
                .args(["--exact", "killed::a_killed_worker_loses_one_job_and_says_where", "--nocapture"])
                .env(ALONE, "1")
                .output()
                .unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            return;
        }
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap().block_on(scene());
    }

    async fn scene() {
        let pool = pool(1);
        let mut job = page("{}", &["", "", "", "native", ""]);
        job.work = u32::MAX;
        job.memory = 1 << 30;
        let folding = tokio::spawn({
            let pool = pool.clone();
            async move { pool.page(job, Haste::Live).await }
        });
        let worker = loop {
            if let [worker] = children()[..] {
                break worker;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        };
        // Long enough to be within the fold that does not end.
        tokio::time::sleep(Duration::from_millis(1_500)).await;
        kill(worker);
        // The page is folded again by a worker that tells each event, so where that one is lost is known.
        let again = loop {
            if let Some(again) = children().into_iter().find(|id| *id != worker) {
                break again;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        };
        tokio::time::sleep(Duration::from_millis(1_500)).await;
        kill(again);
        assert_eq!(folding.await.unwrap(), Err(PageLost::Crashed { at: 3 }));

        let done = pool.page(page("{}", &["", ""]), Haste::Live).await.unwrap();
        assert_eq!(done.view, "{\"n\":2}");
        let [idle] = children()[..] else { panic!("{:?}", children()) };
        kill(idle);
        // Its first thread is a zombie before the others are gone, and only then has the process ended.
        let threads = || std::fs::read_dir(format!("/proc/{idle}/task")).map_or(0, Iterator::count);
        let stands = || std::fs::read_to_string(format!("/proc/{idle}/stat")).is_ok_and(|stat| !stat.contains(") Z "));
        while stands() || threads() > 1 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        let done = pool.page(page(&done.view, &[""]), Haste::Live).await.unwrap();
        assert_eq!(done.view, "{\"n\":3}");

        // Read before the run is asked for: its worker may be there at once.
        let before = children();
        let running = tokio::spawn({
            let pool = pool.clone();
            async move { pool.run(run("for (;;);", 20_000)).await }
        });
        let worker = loop {
            if let Some(new) = children().into_iter().find(|id| !before.contains(id)) {
                break new;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        };
        kill(worker);
        match running.await.unwrap() {
            Err(RunStop::Crashed { why }) => assert!(why.contains("signal"), "{why}"),
            other => panic!("{other:?}"),
        }

        // A caller who goes away takes the worker along.
        let left = tokio::spawn({
            let pool = pool.clone();
            async move { pool.run(run("for (;;);", 20_000)).await }
        });
        tokio::time::sleep(Duration::from_millis(300)).await;
        left.abort();
        let _ = left.await;
        assert_eq!(pool.run(run("return 1;", 10_000)).await.unwrap().json, "1");

        pool.stop().await;
        assert_eq!(pool.run(run("return 1;", 10_000)).await, Err(RunStop::Stopping));
        assert_eq!(pool.page(page("{}", &[""]), Haste::Live).await, Err(PageLost::Stopping));
        let until = Instant::now() + Duration::from_secs(10);
        while !children().is_empty() {
            assert!(Instant::now() < until, "workers are left: {:?}", children());
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
}

#[cfg(unix)]
#[tokio::test]
async fn a_silent_worker_is_killed_at_its_deadline() {
    // A program that reads nothing and answers nothing.
    let program = WorkerProgram { path: "sleep".into(), arguments: vec!["60".into()] };
    let pool = Pool::new(program, 1);
    assert_eq!(pool.run(run("return 1;", 100)).await, Err(RunStop::Program(Stop::Time { milliseconds: 100 })));
    let mut job = page("{}", &[""]);
    (job.page_milliseconds, job.fold_milliseconds) = (50, 50);
    assert_eq!(pool.page(job, Haste::Live).await, Err(PageLost::Late { at: 0 }));
}

#[cfg(unix)]
#[tokio::test]
async fn a_program_that_is_no_worker_is_no_worker() {
    for path in ["/nonexistent/worker", "true", "echo"] {
        let pool = Pool::new(WorkerProgram { path: PathBuf::from(path), arguments: vec!["words".into()] }, 1);
        assert!(matches!(pool.run(run("return 1;", 5_000)).await, Err(RunStop::Crashed { .. })), "{path}");
    }
}

#[tokio::test]
async fn stopping_ends_what_waits_and_what_goes() {
    let pool = pool(1);
    let jobs: Vec<_> = (0..3)
        .map(|_| {
            let pool = pool.clone();
            tokio::spawn(async move { pool.run(run("for (;;);", 20_000)).await })
        })
        .collect();
    while pool_is_free(&pool).await {}
    let started = Instant::now();
    pool.stop().await;
    for job in jobs {
        assert_eq!(job.await.unwrap(), Err(RunStop::Stopping));
    }
    assert!(started.elapsed() < Duration::from_secs(5));
}

#[test]
fn the_worker_is_found_beside_the_tests() {
    let found = WorkerProgram::find().unwrap();
    assert!(found.path.ends_with(format!("playbook-worker{}", std::env::consts::EXE_SUFFIX)), "{found:?}");
    assert!(found.arguments.is_empty());
}
