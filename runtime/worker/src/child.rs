//! The parent's side of one worker process.

use crate::frame::{Reply, Request, frame, receive};
use crate::program::WorkerProgram;
use std::collections::VecDeque;
use std::io;
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};

/// Views whose sandboxes a worker is thought to keep.
const KEYS: usize = 8;
/// Bytes of a worker's last words.
const WORDS: usize = 2_048;
/// How long a worker that closed its output may take to end.
const END: Duration = Duration::from_millis(500);

/// A worker process. Dropping it kills it.
pub(crate) struct Worker {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    words: Arc<Mutex<VecDeque<u8>>>,
    keys: VecDeque<u64>,
    /// How many pages it was asked for.
    pages: u32,
}

/// Why a worker gave no reply. It is of no further use.
#[derive(Debug)]
pub(crate) enum Lost {
    /// It ended, or broke down.
    Crashed {
        /// For the log.
        why: String,
        /// The place in the page of the event it was at.
        at: usize,
    },
    /// It did not reply in time.
    Late {
        /// The place in the page of the event it was at.
        at: usize,
    },
}

impl Worker {
    /// Starts a worker.
    pub(crate) fn start(program: &WorkerProgram) -> io::Result<Self> {
        let mut command = Command::new(&program.path);
        command
            .args(&program.arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        apart(&mut command);
        let mut child = command.spawn()?;
        let missing = || io::Error::other("the worker has no pipes");
        let input = child.stdin.take().ok_or_else(missing)?;
        let output = BufReader::new(child.stdout.take().ok_or_else(missing)?);
        let words = Arc::default();
        if let Some(stderr) = child.stderr.take() {
            tokio::spawn(keep_words(stderr, Arc::clone(&words)));
        }
        Ok(Self { child, input, output, words, keys: VecDeque::new(), pages: 0 })
    }

    /// Whether its process still goes.
    pub(crate) fn goes(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// Whether it was given a page under this key lately.
    pub(crate) fn knows(&self, key: u64) -> bool {
        self.keys.contains(&key)
    }

    /// Whether the last page it was given was under this key.
    pub(crate) fn did_last(&self, key: u64) -> bool {
        self.keys.back() == Some(&key)
    }

    /// Asks, and waits for the reply until a moment.
    pub(crate) async fn ask(&mut self, request: &Request, until: Instant) -> Result<Reply, Lost> {
        if let Request::Page(job, _) = request {
            self.keys.retain(|key| *key != job.key);
            self.keys.push_back(job.key);
            self.pages = self.pages.wrapping_add(1);
            if self.keys.len() > KEYS {
                self.keys.pop_front();
            }
        }
        let pages = self.pages;
        let mut at = 0;
        let asked = async {
            self.input.write_all(&frame(request)?).await?;
            self.input.flush().await?;
            loop {
                match receive(&mut self.output).await? {
                    // One that was told late is of the page before.
                    Reply::At { page, at: place } if page == pages => at = place as usize,
                    Reply::At { .. } => {}
                    reply => return Ok::<Reply, io::Error>(reply),
                }
            }
        };
        match tokio::time::timeout_at(until.into(), asked).await {
            Err(_) => {
                self.kill().await;
                Err(Lost::Late { at })
            }
            Ok(Ok(Reply::Broken(why))) => {
                self.kill().await;
                Err(Lost::Crashed { why, at })
            }
            Ok(Ok(reply)) => Ok(reply),
            Ok(Err(why)) => Err(Lost::Crashed { why: self.last_words(&why).await, at }),
        }
    }

    /// Ends the process and waits for its end.
    pub(crate) async fn kill(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill().await;
    }

    async fn last_words(&mut self, why: &io::Error) -> String {
        let ended = tokio::time::timeout(END, self.child.wait()).await;
        let how = match ended {
            Ok(Ok(status)) => format!("the worker ended with {status}"),
            _ => format!("the worker could not be spoken to: {why}"),
        };
        self.kill().await;
        let words: Vec<u8> = {
            let words = self.words.lock().unwrap_or_else(PoisonError::into_inner);
            words.iter().copied().collect()
        };
        let words = String::from_utf8_lossy(&words);
        match words.trim() {
            "" => how,
            words => format!("{how}; it said: {words}"),
        }
    }
}

/// Keeps a worker's last words.
async fn keep_words(mut from: ChildStderr, words: Arc<Mutex<VecDeque<u8>>>) {
    let mut part = [0; 1024];
    while let Ok(length @ 1..) = from.read(&mut part).await {
        let mut words = words.lock().unwrap_or_else(PoisonError::into_inner);
        words.extend(&part[..length]);
        let more = words.len().saturating_sub(WORDS);
        words.drain(..more);
    }
}

/// In a process group of its own: an interrupt from the terminal reaches the parent, who decides.
#[cfg(unix)]
fn apart(command: &mut Command) {
    command.process_group(0);
}

/// In a process group of its own, without a window, below normal priority.
#[cfg(windows)]
fn apart(command: &mut Command) {
    const CREATE_NEW_PROCESS_GROUP: u32 = 0x0000_0200;
    const BELOW_NORMAL_PRIORITY_CLASS: u32 = 0x0000_4000;
    const CREATE_NO_WINDOW: u32 = 0x0800_0000;
    command.creation_flags(CREATE_NEW_PROCESS_GROUP | BELOW_NORMAL_PRIORITY_CLASS | CREATE_NO_WINDOW);
}

#[cfg(not(any(unix, windows)))]
fn apart(_: &mut Command) {}
