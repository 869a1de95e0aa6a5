//! What the tests over the whole program share: the program itself, started and spoken to over HTTP.

pub mod case;

use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A built program of this workspace.
///
/// # Panics
/// When it is not built; `make test` builds it first.
#[must_use]
pub fn program(name: &str) -> PathBuf {
    let given = match name {
        "playbook" => std::env::var_os("PLAYBOOK_BIN").map(PathBuf::from),
        _ => None,
    };
    let beside = || {
        let test = std::env::current_exe().expect("a test has a path");
        let folder = test.parent().and_then(Path::parent).expect("target/debug/deps").to_path_buf();
        folder.join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
    };
    let path = given.unwrap_or_else(beside);
    assert!(path.exists(), "{} is not built; run cargo build -p playbook-cli", path.display());
    path
}

/// The text of an event that takes its worker along where `crashing-worker` is the worker.
pub const CRASH: &str = "take-the-worker-along";

/// A running server in local mode.
#[derive(Debug)]
pub struct Server {
    child: Child,
    client: reqwest::Client,
    /// Its address, such as `http://127.0.0.1:40123`.
    pub address: String,
}

impl Server {
    /// Starts `playbook serve` on a data folder and a free port.
    ///
    /// # Panics
    /// When it does not say its address within half a minute.
    #[must_use]
    pub fn start(data: &Path) -> Self {
        Self::start_with(data, &[])
    }

    /// As [`Server::start`], with more in its environment.
    ///
    /// # Panics
    /// As [`Server::start`].
    #[must_use]
    pub fn start_with(data: &Path, environment: &[(&str, PathBuf)]) -> Self {
        let mut child = Command::new(program("playbook"))
            .envs(environment.iter().map(|(name, value)| (name, value)))
            .args(["serve", "--listen", "127.0.0.1:0", "--data"])
            .arg(data)
            .env("LOCAL_MODE", "true")
            .env_remove("API_KEYS")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program starts");
        let mut line = String::new();
        let out = child.stdout.take().expect("it is piped");
        let mut out = BufReader::new(out);
        out.read_line(&mut line).expect("the program speaks");
        // Whatever it prints later must not fill the pipe.
        std::thread::spawn(move || out.lines().count());
        let address = line.split_whitespace().find(|word| word.starts_with("http://")).map(str::to_owned);
        let address = address.unwrap_or_else(|| panic!("expected an address, and the program said {line:?}"));
        let client = reqwest::Client::builder().timeout(Duration::from_secs(30)).no_proxy().build();
        Self { child, client: client.expect("a client needs nothing"), address }
    }

    /// The id of its process.
    #[must_use]
    pub fn process(&self) -> u32 {
        self.child.id()
    }

    /// Sends a request; gives the status and the JSON answered, or nothing when the connection broke.
    pub async fn send(&self, method: reqwest::Method, path: &str, body: Option<Value>) -> Option<(u16, Value)> {
        let mut request = self.client.request(method, format!("{}{path}", self.address));
        if let Some(body) = body {
            request = request.json(&body);
        }
        let answer = request.send().await.ok()?;
        let status = answer.status().as_u16();
        let text = answer.text().await.ok()?;
        Some((status, serde_json::from_str(&text).unwrap_or(Value::Null)))
    }

    /// Posts, and expects the status given.
    ///
    /// # Panics
    /// When another status is answered.
    pub async fn post(&self, path: &str, body: Value, status: u16) -> Value {
        let (got, answer) = self.send(reqwest::Method::POST, path, Some(body)).await.expect("an answer");
        assert_eq!(got, status, "{path}: {answer:#}");
        answer
    }

    /// Gets, and expects success.
    ///
    /// # Panics
    /// When another status is answered.
    pub async fn get(&self, path: &str) -> Value {
        let (got, answer) = self.send(reqwest::Method::GET, path, None).await.expect("an answer");
        assert_eq!(got, 200, "{path}: {answer:#}");
        answer
    }

    /// Waits until a recall function's view is live and has read everything recorded.
    ///
    /// # Panics
    /// When it is not within two minutes.
    pub async fn caught_up(&self, playbook: &str, name: &str) -> Value {
        let path = format!("{playbook}/definitions/recall/{name}");
        let end = Instant::now() + Duration::from_secs(120);
        let mut before = Value::Null;
        loop {
            let standing = self.get(&path).await["standing"].clone();
            // Live, and twice the same: nothing was left to be read in between.
            if standing["state"] == "live" && standing == before {
                return standing;
            }
            assert!(Instant::now() < end, "{name} did not catch up: {standing:#}");
            before = standing;
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // One that was killed has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A request that creates a definition.
#[must_use]
pub fn definition(name: &str, source: &str) -> Value {
    json!({ "name": name, "source": source })
}
