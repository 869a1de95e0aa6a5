//! The worker's side: jobs in over standard input, replies out over standard output, one job at a time.
//!
//! Input is read on a thread of its own, so that a worker whose parent is gone ends at once, whatever it is doing.

use crate::frame::{Reply, Request, Telling, read, write};
use crate::page::Pages;
use std::io;
use std::process::exit;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// The code of a worker that ends since its own program broke down.
const BROKEN: i32 = 70;
/// How often a worker tells which event it is at, when that changed.
const TELL_EVERY: Duration = Duration::from_millis(20);
/// At no event.
const NOWHERE: u64 = u64::MAX;
/// The number of the page above, the event of it that is being folded below.
static AT: AtomicU64 = AtomicU64::new(NOWHERE);

/// Serves jobs until the input ends, then ends the process.
pub fn serve() {
    let (sender, receiver) = channel::<Request>();
    let worker = std::thread::Builder::new()
        .name("sandbox".into())
        .stack_size(playbook_sandbox::STACK)
        .spawn(move || work(&receiver));
    let teller = std::thread::Builder::new().name("telling".into()).stack_size(64 * 1024).spawn(tell);
    if worker.is_err() || teller.is_err() {
        exit(BROKEN);
    }
    let mut input = io::stdin().lock();
    loop {
        match read(&mut input) {
            Ok(Some(request)) => {
                if sender.send(request).is_err() {
                    exit(BROKEN);
                }
            }
            // The parent is done, or gone.
            Ok(None) => exit(0),
            Err(_) => exit(BROKEN),
        }
    }
}

/// Ends the process when the thread that works ends by a panic: nobody else would notice.
struct Ending;

impl Drop for Ending {
    fn drop(&mut self) {
        if std::thread::panicking() {
            exit(BROKEN);
        }
    }
}

fn work(requests: &Receiver<Request>) {
    let _ending = Ending;
    let mut pages = Pages::default();
    let mut page = 0_u32;
    let mut expressions = playbook_sandbox::Expressions::new(playbook_model::limits::EXPRESSION_MEMORY);
    for request in requests {
        let reply = match request {
            Request::Run { program, export, arguments, clock, bounds } => {
                let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
                Reply::Run(playbook_sandbox::run(&program, &export, &arguments, clock, &bounds))
            }
            Request::Evaluate { text, names, values, clock, bounds } => {
                let names: Vec<&str> = names.iter().map(String::as_str).collect();
                let values: Vec<&str> = values.iter().map(String::as_str).collect();
                Reply::Run(expressions.evaluate(&text, &names, &values, clock, &bounds))
            }
            Request::Page(job, telling) => {
                page = page.wrapping_add(1);
                let done = pages.fold(*job, |at| match telling {
                    Telling::Now => AT.store(u64::from(page) << 32 | u64::from(at), Ordering::Relaxed),
                    Telling::Each => say(&Reply::At { page, at }),
                });
                AT.store(NOWHERE, Ordering::Relaxed);
                done.map_or_else(Reply::Broken, Reply::Page)
            }
        };
        say(&reply);
    }
}

/// Tells, beside the thread that works, which event it is at: that thread may be held by one for seconds.
///
/// What is told may be an event behind, and may follow the reply to its page: the parent tells by the page's number.
fn tell() {
    let mut told = NOWHERE;
    loop {
        std::thread::sleep(TELL_EVERY);
        let at = AT.load(Ordering::Relaxed);
        if at != told && at != NOWHERE {
            #[allow(clippy::cast_possible_truncation, reason = "the two halves of the number")]
            say(&Reply::At { page: (at >> 32) as u32, at: at as u32 });
        }
        told = at;
    }
}

/// Says something to the parent; without one there is nothing left to do.
fn say(reply: &Reply) {
    // One message at a time, whole: two threads speak.
    if write(&mut io::stdout().lock(), reply).is_err() {
        exit(0);
    }
}
