//! A worker that crashes while it folds an event with a certain text: the real one, ended from outside.
//!
//! Used where a test has to see what becomes of a view whose fold takes its worker along, which no fold can do.

use playbook_tests::CRASH;
use std::io::{self, Read, Write};
use std::process::{Command, Stdio, exit};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// The worker was given an event that ends it.
static CRASHES: AtomicBool = AtomicBool::new(false);

fn main() -> io::Result<()> {
    let real = std::env::current_exe()?.with_file_name(format!("playbook-worker{}", std::env::consts::EXE_SUFFIX));
    let mut worker = Command::new(real).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let missing = || io::Error::other("the worker has no pipes");
    let to = worker.stdin.take().ok_or_else(missing)?;
    let mut from = worker.stdout.take().ok_or_else(missing)?;
    std::thread::spawn(move || pass_on(to));
    let (sender, said) = channel::<Vec<u8>>();
    std::thread::spawn(move || {
        let mut part = [0; 65_536];
        while let Ok(length @ 1..) = from.read(&mut part) {
            if sender.send(part[..length].to_vec()).is_err() {
                return;
            }
        }
    });
    let mut spoke = false;
    loop {
        match said.recv_timeout(Duration::from_millis(200)) {
            Ok(part) => {
                spoke = true;
                io::stdout().write_all(&part)?;
                io::stdout().flush()?;
            }
            // It said which event it is at, and says nothing more: it is within the fold that takes seconds.
            Err(RecvTimeoutError::Timeout) if spoke && CRASHES.load(Ordering::SeqCst) => {
                worker.kill()?;
                worker.wait()?;
                exit(139);
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                worker.wait()?;
                exit(0);
            }
        }
    }
}

/// Passes the parent's frames on, until the parent is done: then the worker's input ends too.
fn pass_on(mut to: impl Write) {
    let mut from = io::stdin().lock();
    let mut frame = Vec::new();
    let mut head = [0; 4];
    while from.read_exact(&mut head).is_ok() {
        frame.resize(u32::from_le_bytes(head) as usize, 0);
        if from.read_exact(&mut frame).is_err() {
            return;
        }
        if frame.windows(CRASH.len()).any(|part| part == CRASH.as_bytes()) {
            CRASHES.store(true, Ordering::SeqCst);
        }
        if to.write_all(&head).and_then(|()| to.write_all(&frame)).and_then(|()| to.flush()).is_err() {
            return;
        }
    }
}
