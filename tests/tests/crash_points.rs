//! Kills at every append of random workflows: the run comes to the same as if nothing had happened.
//!
//! `CRASH_PROGRAMS` sets how many workflows are made up, `CRASH_SEED` the first of them, and `CRASH_MINUTES` goes on
//! with further ones for that long. The seed of one that differs is told.

#[path = "crash_points/generate.rs"]
mod generate;
#[path = "crash_points/stage.rs"]
mod stage;

use generate::Making;
use playbook_typescript::Compiler;
use stage::{BEGIN, Outcome, Stage};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Workflows of an ordinary run of the suite.
const PROGRAMS: u64 = 6;
/// No run of one takes as many appends.
const MOST_APPENDS: u64 = 5_000;

fn set(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().unwrap_or_else(|_| panic!("{name} is a whole number")))
}

/// A log of its own, as another stands.
fn copy(of: &Path) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for entry in std::fs::read_dir(of).expect("a folder").flatten() {
        std::fs::copy(entry.path(), folder.path().join(entry.file_name())).expect("a file is copied");
    }
    folder
}

/// The run to its end; none when it was cut off before.
async fn goes(stage: Stage) -> (Option<Outcome>, playbook_model::time::Moment) {
    let done = async {
        stage.start().await?;
        stage.drive().await
    };
    let done = done.await;
    let now = stage.now();
    stage.stop().await;
    (done.ok(), now)
}

/// The run killed after so many appends, and then undisturbed; whether it was killed at all.
async fn killed_once(begun: &Path, compiler: &Arc<Compiler>, appends: u64) -> (Outcome, bool) {
    let folder = copy(begun);
    let (done, now) = goes(Stage::open(folder.path(), compiler, BEGIN, Some(appends)).await).await;
    match done {
        Some(outcome) => (outcome, false),
        None => {
            let (done, _) = goes(Stage::open(folder.path(), compiler, now, None).await).await;
            (done.expect("nothing is cut"), true)
        }
    }
}

/// The run killed again and again, after one append, two or three in turn: a call that is begun again records its
/// start and its ending, so one alone would never do. Gives how often.
async fn killed_often(begun: &Path, compiler: &Arc<Compiler>) -> (Outcome, u64) {
    let folder = copy(begun);
    let mut now = BEGIN;
    for kills in 0..MOST_APPENDS {
        let stage = Stage::open(folder.path(), compiler, now, Some(1 + kills % 3)).await;
        let (done, then) = goes(stage).await;
        now = then;
        if let Some(outcome) = done {
            return (outcome, kills);
        }
    }
    panic!("the run does not come to an end");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_killed_after_any_append_comes_to_the_same() {
    let compiler = Arc::new(Compiler::new());
    let programs = set("CRASH_PROGRAMS").unwrap_or(PROGRAMS);
    let minutes = set("CRASH_MINUTES").map(|minutes| Duration::from_secs(minutes * 60));
    let first = set("CRASH_SEED").unwrap_or(1);
    let began = Instant::now();
    let (mut kinds, mut kills, mut ran, mut seed) = (BTreeSet::new(), 0, 0_u64, first);
    let mut differ = Vec::new();
    while minutes.map_or(ran < programs, |minutes| began.elapsed() < minutes) {
        // What fails is told with the seed before it.
        println!("seed {seed}");
        let mut making = Making::new(seed);
        let document = making.document();
        let folder = tempfile::tempdir().expect("a folder");
        let begun = Stage::begin(folder.path(), &compiler, &document).await;
        begun.unwrap_or_else(|why| panic!("seed {seed}: {why}\n{document}")).stop().await;
        let untouched = copy(folder.path());
        let (wanted, _) = goes(Stage::open(untouched.path(), &compiler, BEGIN, None).await).await;
        let wanted = wanted.expect("nothing is cut");
        let mut hold = |found: Outcome, how: String| {
            if found != wanted {
                differ.push(format!("seed {seed}, {how}: {document}\nundisturbed {wanted:#?}\nkilled {found:#?}"));
            }
        };
        for appends in 1..MOST_APPENDS {
            let (found, killed) = killed_once(folder.path(), &compiler, appends).await;
            hold(found, format!("killed after {appends} appends"));
            kills += u64::from(killed);
            if !killed {
                break;
            }
        }
        let (found, often) = killed_often(folder.path(), &compiler).await;
        hold(found, format!("killed {often} times"));
        kinds.extend(making.kinds);
        kills += often;
        ran += 1;
        seed += 1;
    }
    println!("{ran} workflows from the seed {first} on, {kills} kills, {} kinds: {kinds:?}", kinds.len());
    assert!(differ.is_empty(), "{} differ\n{}", differ.len(), differ.join("\n\n"));
}
