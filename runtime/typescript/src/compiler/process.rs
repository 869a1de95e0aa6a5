//! One compiler process: started, spoken to, and ended.
//!
//! A thread of its own holds the conversation, since the compiler asks back while it works
//! and a pipe to a process that hangs may block for ever.
//! Whoever asked waits on a channel with a clock and ends the process when time is up.

use super::files::{self, Files};
use super::wire::{self, Kind};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::io::{self, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

/// How often a wait looks at the process's memory.
const LOOK: Duration = Duration::from_millis(20);
/// Memory a compiler may hold: ten times what the largest module takes. A type that never ends takes any amount.
const MEMORY_BYTES: u64 = 1024 * 1024 * 1024;
/// Processor time a process may use over its life; only one that nobody watches any more comes near.
#[cfg(unix)]
const PROCESSOR_SECONDS: u64 = 600;

/// One diagnostic, as the compiler gives it.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Raw {
    /// UTF-16 offset of the first unit.
    #[serde(default)]
    pub(super) pos: usize,
    /// UTF-16 offset of the unit after the last.
    #[serde(default)]
    pub(super) end: usize,
    pub(super) code: u32,
    #[serde(default)]
    pub(super) category: u8,
    pub(super) text: String,
    /// The words that explain it, nested.
    #[serde(default)]
    pub(super) message_chain: Option<Vec<Raw>>,
}

/// The diagnostics of one check.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// Of the module's syntax; where there are any, nothing else was asked for.
    pub(super) syntax: Vec<Raw>,
    /// Of the module's names and types.
    pub(super) module: Vec<Raw>,
    /// Of the contract.
    pub(super) contract: Vec<Raw>,
}

/// Why a process gave nothing.
#[derive(Debug)]
pub(super) enum Failure {
    /// The time or the memory was used up; the process was ended.
    OutOfTime,
    /// It ended by itself or spoke nonsense.
    Broken(String),
}

/// A running compiler.
#[derive(Debug)]
pub(super) struct Process {
    child: Child,
    jobs: Sender<Job>,
}

struct Job {
    files: Files,
    answer: Sender<io::Result<Found>>,
}

impl Process {
    /// Starts a compiler and has it read the library; ends it when that takes too long.
    pub(super) fn start(program: &Path, within: Duration) -> Result<Self, Failure> {
        let deadline = Instant::now() + within;
        let (jobs, inbox) = channel::<Job>();
        let (started, starting) = channel();
        let program = program.to_owned();
        // The thread also starts the process: on Linux a child may be bound to the thread that made it.
        std::thread::Builder::new()
            .name("typescript compiler".into())
            .spawn(move || converse(&program, &started, &inbox))
            .map_err(|error| Failure::Broken(error.to_string()))?;
        let child = match starting.recv() {
            Ok(child) => child.map_err(|error| Failure::Broken(error.to_string()))?,
            Err(_) => return Err(Failure::Broken("it could not be started".into())),
        };
        let mut process = Self { child, jobs };
        process.check(Files::default(), deadline.saturating_duration_since(Instant::now()))?;
        Ok(process)
    }

    /// Checks the files; ends the process when that takes too long.
    pub(super) fn check(&mut self, files: Files, within: Duration) -> Result<Found, Failure> {
        let deadline = Instant::now() + within;
        let (answer, answers) = channel();
        let gone = || Failure::Broken("it ended".into());
        self.jobs.send(Job { files, answer }).map_err(|_| gone())?;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match answers.recv_timeout(left.min(LOOK)) {
                Ok(Ok(found)) => return Ok(found),
                Ok(Err(error)) => return Err(Failure::Broken(error.to_string())),
                Err(RecvTimeoutError::Disconnected) => return Err(gone()),
                Err(RecvTimeoutError::Timeout) => {
                    if left.is_zero() || self.memory().is_some_and(|bytes| bytes > MEMORY_BYTES) {
                        self.end();
                        return Err(Failure::OutOfTime);
                    }
                }
            }
        }
    }

    /// The memory the process holds now; `None` where the system does not say in a file.
    fn memory(&self) -> Option<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).ok()?;
        let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
        let kilobytes: u64 = resident.split_whitespace().next()?.parse().ok()?;
        Some(kilobytes * 1024)
    }

    #[cfg(test)]
    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }

    #[cfg(test)]
    pub(super) fn kill_for_test(&mut self) {
        self.child.kill().expect("it runs");
    }

    fn end(&mut self) {
        // It ignores a polite signal; `kill` is the other one.
        if let Err(error) = self.child.kill() {
            tracing::warn!(%error, "the TypeScript compiler could not be ended");
        }
        if let Err(error) = self.child.wait() {
            tracing::warn!(%error, "the TypeScript compiler was not waited for");
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.end();
    }
}

fn converse(program: &Path, started: &Sender<io::Result<Child>>, inbox: &Receiver<Job>) {
    let (child, pipes) = match spawn(program) {
        Ok(spawned) => spawned,
        Err(error) => {
            // Nobody to tell when the one who asked is gone.
            let _ = started.send(Err(error));
            return;
        }
    };
    if let Err(std::sync::mpsc::SendError(child)) = started.send(Ok(child)) {
        if let Ok(mut child) = child {
            let _ = child.kill();
            let _ = child.wait();
        }
        return;
    }
    let mut talk = Talk { to: pipes.0, from: BufReader::new(pipes.1), project: None, snapshot: None };
    while let Ok(job) = inbox.recv() {
        let found = talk.check(&job.files);
        let broken = found.is_err();
        // The one who asked may have given up; the process is ended then, and the next message tells.
        let _ = job.answer.send(found);
        if broken {
            return;
        }
    }
}

fn spawn(program: &Path) -> io::Result<(Child, (ChildStdin, ChildStdout))> {
    let mut command = Command::new(program);
    command
        .args(["--api", "--cwd", files::ROOT, &format!("--callbacks={}", files::CALLBACKS)])
        .env_clear()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    confine(&mut command);
    let mut child = spawn_once_closed(&mut command)?;
    match (child.stdin.take(), child.stdout.take()) {
        (Some(to), Some(from)) => Ok((child, (to, from))),
        _ => Err(io::Error::other("the pipes are missing")),
    }
}

/// Starts the process; waits where another thread's child still holds the program open from when it was written.
fn spawn_once_closed(command: &mut Command) -> io::Result<Child> {
    for _ in 0..50 {
        match command.spawn() {
            Err(error) if error.kind() == io::ErrorKind::ExecutableFileBusy => std::thread::sleep(LOOK),
            result => return result,
        }
    }
    command.spawn()
}

/// Binds the process to ours: it ends by itself when its input does, but not while a type keeps it busy.
#[cfg(unix)]
#[allow(unsafe_code)]
fn confine(command: &mut Command) {
    use std::os::unix::process::CommandExt;
    // SAFETY: between fork and exec only system calls are made that POSIX calls safe there,
    // and nothing is allocated.
    unsafe {
        command.pre_exec(|| {
            let limit = libc::rlimit { rlim_cur: PROCESSOR_SECONDS, rlim_max: PROCESSOR_SECONDS };
            libc::setrlimit(libc::RLIMIT_CPU, &raw const limit);
            #[cfg(target_os = "linux")]
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
            Ok(())
        });
    }
}

/// Without a console window of its own.
#[cfg(windows)]
fn confine(command: &mut Command) {
    use std::os::windows::process::CommandExt;
    const CREATE_NO_WINDOW: u32 = 0x0800_0000;
    command.creation_flags(CREATE_NO_WINDOW);
}

#[cfg(not(any(unix, windows)))]
fn confine(_command: &mut Command) {}

/// A conversation with one process.
struct Talk {
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    project: Option<Value>,
    snapshot: Option<Value>,
}

impl Talk {
    fn check(&mut self, files: &Files) -> io::Result<Found> {
        self.load(files)?;
        let mut found =
            Found { syntax: self.diagnostics("getSyntacticDiagnostics", files::MODULE, files)?, ..Found::default() };
        if found.syntax.is_empty() {
            found.module = self.diagnostics("getBindDiagnostics", files::MODULE, files)?;
            found.module.extend(self.diagnostics("getSemanticDiagnostics", files::MODULE, files)?);
            if !files.contract.is_empty() {
                found.contract = self.diagnostics("getSemanticDiagnostics", files::CONTRACT, files)?;
            }
        }
        Ok(found)
    }

    /// Has the compiler read the files as they are now.
    fn load(&mut self, files: &Files) -> io::Result<()> {
        let loaded: Value = if self.project.is_none() {
            let _: Value = self.request("initialize", &Value::Null, files)?;
            self.request("updateSnapshot", &json!({ "openProjects": [files::config()] }), files)?
        } else {
            let changes = json!({ "fileChanges": { "changed": files::changing() } });
            self.request("updateSnapshot", &changes, files)?
        };
        let project = loaded.pointer("/projects/0/id").cloned().filter(Value::is_string);
        let snapshot = loaded.get("snapshot").cloned().filter(|it| !it.is_null());
        let (Some(project), Some(snapshot)) = (project, snapshot) else {
            return Err(io::Error::other("the compiler did not open the project"));
        };
        self.project = Some(project);
        if let Some(old) = self.snapshot.replace(snapshot) {
            // Kept snapshots would keep every module ever checked in memory.
            let _: Value = self.request("release", &json!({ "snapshot": old }), files)?;
        }
        Ok(())
    }

    fn diagnostics(&mut self, method: &str, file: &str, files: &Files) -> io::Result<Vec<Raw>> {
        let parameters = json!({ "snapshot": self.snapshot, "project": self.project, "file": files::path(file) });
        let found: Option<Vec<Raw>> = self.request(method, &parameters, files)?;
        Ok(found.unwrap_or_default())
    }

    fn request<T: DeserializeOwned>(&mut self, method: &str, parameters: &Value, files: &Files) -> io::Result<T> {
        wire::send(&mut self.to, Kind::Request, method, parameters.to_string().as_bytes())?;
        loop {
            let message = wire::receive(&mut self.from)?;
            match message.kind {
                Kind::Call => {
                    let answer = files
                        .answer(&message.method, &message.payload)
                        .ok_or_else(|| io::Error::other(format!("the compiler asked for {}", message.method)))?;
                    wire::send(&mut self.to, Kind::CallAnswer, &message.method, answer.to_string().as_bytes())?;
                    self.to.flush()?;
                }
                Kind::Response if message.payload.is_empty() => {
                    return serde_json::from_slice(b"null").map_err(io::Error::other);
                }
                Kind::Response => return serde_json::from_slice(&message.payload).map_err(io::Error::other),
                Kind::Error | Kind::Request | Kind::CallAnswer => {
                    let words = String::from_utf8_lossy(&message.payload).into_owned();
                    return Err(io::Error::other(format!("{method}: {words}")));
                }
            }
        }
    }
}
