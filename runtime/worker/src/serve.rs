//! The worker's side: jobs in over standard input, replies out over standard output, one job at a time.
//!
//! Input is read on a thread of its own, so that a worker whose parent is gone ends at once, whatever it is doing.

use crate::frame::{Reply, Request, read, write};
use crate::page::Pages;
use std::io::{self, Write};
use std::process::exit;
use std::sync::mpsc::{Receiver, channel};

/// The code of a worker that ends since its own program broke down.
const BROKEN: i32 = 70;

/// Serves jobs until the input ends, then ends the process.
pub fn serve() {
    let (sender, receiver) = channel::<Request>();
    let worker = std::thread::Builder::new()
        .name("sandbox".into())
        .stack_size(playbook_sandbox::STACK)
        .spawn(move || work(&receiver));
    if worker.is_err() {
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
    let mut output = io::stdout().lock();
    let mut pages = Pages::default();
    for request in requests {
        let reply = match request {
            Request::Run { program, export, arguments, clock, bounds } => {
                let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
                Reply::Run(playbook_sandbox::run(&program, &export, &arguments, clock, &bounds))
            }
            Request::Page(job) => {
                let done = pages.fold(*job, |at| say(&mut output, &Reply::At(at)));
                done.map_or_else(Reply::Broken, Reply::Page)
            }
        };
        say(&mut output, &reply);
    }
}

/// Says something to the parent; without one there is nothing left to do.
fn say(output: &mut impl Write, reply: &Reply) {
    if write(output, reply).is_err() {
        exit(0);
    }
}
