//! The program itself, started in a folder and a home of its own.
#![allow(dead_code, unreachable_pub, reason = "each test file uses its part")]

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use tempfile::TempDir;

/// A folder to work in.
pub struct Place {
    place: TempDir,
}

/// What a command said.
#[derive(Debug)]
pub struct Said {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Said {
    /// The output as JSON.
    #[track_caller]
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.out).unwrap_or_else(|why| panic!("{why}: {self:?}"))
    }

    /// Expects a code.
    #[track_caller]
    pub fn ended(self, code: i32) -> Self {
        assert_eq!(self.code, code, "{self:?}");
        assert!(!self.err.contains("panicked"), "{self:?}");
        self
    }
}

impl Place {
    pub fn new() -> Self {
        Self { place: tempfile::tempdir().expect("a folder") }
    }

    /// A place with the sample playbook in `sample`.
    pub fn with_sample() -> Self {
        let place = Self::new();
        place.run(&["init", "sample", "--sample"]).ended(0);
        place
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.place.path().join(name)
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).expect("a file")
    }

    pub fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        std::fs::write(path, text).expect("a file");
    }

    /// Replaces a text within a file, which must hold it.
    #[track_caller]
    pub fn replace(&self, name: &str, old: &str, new: &str) {
        let text = self.read(name);
        assert!(text.contains(old), "{name} does not hold {old}");
        self.write(name, text.replace(old, new));
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_playbook"));
        command.args(arguments).current_dir(self.place.path());
        for name in
            ["API_KEYS", "LOCAL_MODE", "CONFIG_FILE", "HOST", "PORT", "LEDGER_FILE", "RUST_LOG", "ALLOWED_ORIGINS"]
        {
            command.env_remove(name);
        }
        let home = self.place.path().join("home");
        command.env("HOME", &home).env("XDG_DATA_HOME", home.join("data")).env("XDG_CONFIG_HOME", home.join("config"));
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Said {
        said(self.command(arguments).stdin(Stdio::null()))
    }

    pub fn run_with_input(&self, arguments: &[&str], input: &str) -> Said {
        let mut command = self.command(arguments);
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
        child.stdin.take().expect("piped").write_all(input.as_bytes()).expect("it reads");
        heard(child.wait_with_output().expect("it ends"))
    }

    /// Starts a server, and reads the one line that says where it listens.
    pub fn serve(&self, arguments: &[&str], settings: &[(&str, &str)]) -> Serving {
        let mut command = self.command(&["serve", "--listen", "127.0.0.1:0"]);
        command.args(arguments).envs(settings.iter().copied());
        let mut child =
            command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("it starts");
        let mut out = BufReader::new(child.stdout.take().expect("piped"));
        let mut line = String::new();
        out.read_line(&mut line).expect("it speaks");
        let address = line.strip_prefix("Playbook listens on ").unwrap_or_else(|| panic!("it said {line:?}"));
        let address = address.trim_end().to_owned();
        Serving { child, out, address }
    }
}

pub fn said(command: &mut Command) -> Said {
    heard(command.output().expect("it starts"))
}

fn heard(output: std::process::Output) -> Said {
    Said {
        code: output.status.code().unwrap_or(-1),
        out: String::from_utf8(output.stdout).expect("text"),
        err: String::from_utf8(output.stderr).expect("text"),
    }
}

/// A server that runs.
pub struct Serving {
    child: Child,
    out: BufReader<std::process::ChildStdout>,
    /// `http://127.0.0.1:PORT`.
    pub address: String,
}

impl Serving {
    /// Asks it to end; gives its code and whatever else it wrote.
    pub fn stop(mut self) -> (i32, String) {
        let asked = Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status().expect("kill is there");
        assert!(asked.success());
        let code = self.child.wait().expect("it ends").code().unwrap_or(-1);
        let mut rest = String::new();
        std::io::Read::read_to_string(&mut self.out, &mut rest).expect("text");
        (code, rest)
    }

    /// A GET, by hand: the status and the body.
    pub fn get(&self, path: &str) -> (u16, String) {
        use std::io::Read as _;
        let authority = self.address.strip_prefix("http://").expect("an address");
        let mut stream = std::net::TcpStream::connect(authority).expect("it listens");
        let request = format!(
            "GET {path} HTTP/1.1\r\nHost: {authority}\r\nAccept: text/html, application/json\r\nConnection: close\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).expect("it reads");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("text");
        let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
        (status, answer.split_once("\r\n\r\n").map(|(_, body)| body.to_owned()).unwrap_or_default())
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        // One that was asked to end has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The words of a path, with slashes of this system.
pub fn joined(folder: &str, file: &str) -> String {
    Path::new(folder).join(file).display().to_string()
}
