//! Durable appends a second, with one caller and with many at once.
//!
//! `cargo run --release -p playbook-history --example append -- [folder]`

#![allow(clippy::print_stdout, missing_docs)]

use playbook_history::{Content, History, NewRecord, PageQuery, Stream};
use playbook_model::id::{OrgId, PlaybookId, PlaybookKey, RunId};
use playbook_model::record::Context;
use playbook_model::time::Moment;
use std::error::Error;
use std::time::{Duration, Instant};
use uuid::Uuid;

const FOR: Duration = Duration::from_secs(3);

fn main() -> Result<(), Box<dyn Error>> {
    let folder = match std::env::args_os().nth(1) {
        Some(given) => tempfile::tempdir_in(given)?,
        None => tempfile::tempdir_in(".")?,
    };
    let history = History::open(&folder.path().join("log.sqlite"))?;
    let playbook = PlaybookKey { org: OrgId::local(), playbook: PlaybookId::new("campaigns")? };
    for callers in [1, 8, 64, 256] {
        let (appends, mut waits) = run(&history, &playbook, callers);
        waits.sort_unstable();
        let at = |part: usize| waits.get((waits.len() * part / 100).min(waits.len().saturating_sub(1)));
        println!(
            "{callers:>4} callers: {:>7.0} durable appends a second; waited {:?} at half, {:?} at 99 of 100",
            appends as f64 / FOR.as_secs_f64(),
            at(50).copied().unwrap_or_default(),
            at(99).copied().unwrap_or_default(),
        );
    }
    let began = Instant::now();
    let (mut after, mut read) = (0, 0);
    loop {
        let query = PageQuery { playbook: &playbook, after, limit: 1000, only: None, content: Content::Joined };
        let page = history.page(&query)?;
        read += page.records.len();
        after = page.read_to;
        if !page.more {
            break;
        }
    }
    println!("{read} records read in pages of 1,000: {:.0} a second", read as f64 / began.elapsed().as_secs_f64());
    println!("{:?}", history.sizes()?);
    Ok(())
}

/// How many appends so many callers made, and how long each waited.
fn run(history: &History, playbook: &PlaybookKey, callers: u128) -> (usize, Vec<Duration>) {
    let until = Instant::now() + FOR;
    let waits: Vec<Duration> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..callers)
            .map(|caller| {
                scope.spawn(move || {
                    let stream = Stream::run(playbook, RunId(Uuid::from_u128(callers << 32 | caller)));
                    let mut waits = Vec::new();
                    while Instant::now() < until {
                        let began = Instant::now();
                        let data = serde_json::json!({ "event": { "type": "order.placed", "data": "x".repeat(300) } });
                        let context = Context::new(Moment(0), "local");
                        let record = NewRecord { kind: "event_published".into(), data, context };
                        match history.append(&stream, waits.len() as u64, vec![record], Moment(0)) {
                            Ok(_) => waits.push(began.elapsed()),
                            Err(why) => {
                                println!("{why}");
                                break;
                            }
                        }
                    }
                    waits
                })
            })
            .collect();
        threads.into_iter().filter_map(|thread| thread.join().ok()).flatten().collect()
    });
    (waits.len(), waits)
}
