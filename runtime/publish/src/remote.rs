//! The server as a client sees it: reads playbook and definitions, sends a definition, tells every failure apart.
//!
//! Never logs and never shows the key.

use crate::plan::{Beside, Theirs};
use playbook_model::definition::{DefinitionKey, DefinitionType};
use playbook_model::id::{DefinitionName, OrgId, PlaybookId};
use playbook_model::json;
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue, RETRY_AFTER};
use reqwest::{Method, StatusCode, Url};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

/// Definitions read at once.
const READS_AT_ONCE: usize = 4;
/// The largest answer that is read: a definition's document is 64 KiB, its schemas no more.
const ANSWER_BYTES: usize = 8 * 1024 * 1024;
/// Levels of an answer's JSON.
const ANSWER_LEVELS: usize = 600;

/// A playbook on a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    origin: Url,
    /// The org.
    pub org: OrgId,
    /// The playbook.
    pub playbook: PlaybookId,
}

impl Target {
    /// A playbook at an origin such as `https://playbooks.example`.
    ///
    /// # Errors
    /// [`RemoteError::Address`] for anything but an http or https origin without a path, a user or a query.
    pub fn new(origin: &str, org: OrgId, playbook: PlaybookId) -> Result<Self, RemoteError> {
        let wrong =
            || RemoteError::Address("A server's address is its origin, such as https://playbooks.example.".into());
        let origin = Url::parse(origin).map_err(|_| wrong())?;
        let plain = matches!(origin.scheme(), "http" | "https")
            && origin.has_host()
            && origin.path() == "/"
            && origin.query().is_none()
            && origin.fragment().is_none()
            && origin.username().is_empty()
            && origin.password().is_none();
        if plain { Ok(Self { origin, org, playbook }) } else { Err(wrong()) }
    }

    /// The origin, without a slash at its end.
    #[must_use]
    pub fn origin(&self) -> String {
        self.origin.as_str().trim_end_matches('/').to_owned()
    }

    /// A word that names this playbook on this server, the same each time, fit for a file's name.
    #[must_use]
    pub fn id(&self) -> String {
        let port = self.origin.port_or_known_default().unwrap_or_default();
        let host = self.origin.host_str().unwrap_or_default().replace([':', '[', ']'], "-");
        format!("{host}-{port}-{}-{}", self.org, self.playbook)
    }

    fn is_loopback(&self) -> bool {
        let host = self.origin.host_str().unwrap_or_default();
        let address = host.trim_start_matches('[').trim_end_matches(']').parse::<std::net::IpAddr>();
        host == "localhost" || address.is_ok_and(|address| address.is_loopback())
    }
}

/// A key. It shows itself to nobody but the server.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Takes a key's text; blanks around it, as in a file, do not belong to it.
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self(text.trim().to_owned())
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret")
    }
}

/// Why the server could not be asked, or what it refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RemoteError {
    /// The address or the key cannot be used: change it.
    #[error("{0}")]
    Address(String),
    /// Nothing reached the server: try again later.
    #[error("The server at {0} cannot be reached.")]
    Unreachable(String),
    /// The server may have got the request and did not answer: read before sending again.
    #[error("The server at {0} did not answer in time.")]
    Silent(String),
    /// Something else answers at this address.
    #[error("What answers at {0} is not a playbook server.")]
    Strange(String),
    /// The server answered with a refusal.
    #[error("{}", .0.sentence())]
    Refused(Box<Refused>),
}

/// A refusal, read from its problem document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// The HTTP status.
    pub status: u16,
    /// The reason's word, empty where the answer was no problem document.
    pub reason: String,
    /// The kind's word.
    pub kind: Option<String>,
    /// The sentence.
    pub detail: String,
    /// The issues: sentences with their pointers.
    pub errors: Vec<(String, String)>,
    /// Seconds to wait before the same may succeed.
    pub retry_after: Option<u64>,
}

impl Refused {
    fn sentence(&self) -> String {
        match self.status {
            401 => "The server does not take this key: choose another.".into(),
            403 if self.reason == "forbidden" => {
                "The key does not allow this: it needs playbook:read and playbook:write for this playbook and org."
                    .into()
            }
            _ if self.detail.is_empty() => format!("The server refused with status {}.", self.status),
            _ if self.detail.ends_with('.') => self.detail.clone(),
            _ => format!("{}.", self.detail),
        }
    }
}

/// The playbook as the server holds it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PlaybookSeen {
    pub(crate) name: String,
    pub(crate) retired: bool,
}

/// A client of one playbook on one server.
#[derive(Debug, Clone)]
pub struct Remote {
    client: reqwest::Client,
    target: Target,
    authorization: Option<HeaderValue>,
    longest_wait: Duration,
}

impl Remote {
    /// A client, with a key where the server needs one.
    ///
    /// # Errors
    /// [`RemoteError::Address`] when the key is no header text, or would cross a network in the clear.
    pub fn new(target: Target, key: Option<&Secret>) -> Result<Self, RemoteError> {
        let address = |words: &str| RemoteError::Address(words.into());
        if key.is_some() && target.origin.scheme() == "http" && !target.is_loopback() {
            return Err(address(
                "A key is sent to an https address only, or to this machine: anyone between could read it.",
            ));
        }
        let authorization = key.map(|key| HeaderValue::from_str(&format!("Bearer {}", key.0))).transpose();
        let mut authorization = authorization.map_err(|_| address("The key holds characters that no key has."))?;
        if let Some(value) = &mut authorization {
            value.set_sensitive(true);
        }
        let mut client = reqwest::Client::builder()
            .connect_timeout(Duration::from_secs(10))
            .timeout(Duration::from_secs(30))
            // A redirect would carry the key elsewhere.
            .redirect(reqwest::redirect::Policy::none())
            .user_agent(concat!("playbook/", env!("CARGO_PKG_VERSION")));
        if target.is_loopback() {
            client = client.no_proxy();
        }
        let client = client.build().map_err(|_| address("This machine cannot make safe connections."))?;
        Ok(Self { client, target, authorization, longest_wait: Duration::from_secs(10) })
    }

    /// The same, waiting at most so long when the server asks to send again later.
    #[must_use]
    pub fn waiting_at_most(mut self, longest: Duration) -> Self {
        self.longest_wait = longest;
        self
    }

    /// The playbook it speaks to.
    #[must_use]
    pub fn target(&self) -> &Target {
        &self.target
    }

    fn url(&self, parts: &[&str]) -> Url {
        let mut url = self.target.origin.clone();
        if let Ok(mut path) = url.path_segments_mut() {
            path.clear().extend(["v1", "orgs", self.target.org.as_str(), "playbooks"]).extend(parts);
        }
        url
    }

    fn of_playbook(&self, parts: &[&str]) -> Url {
        let mut all = vec![self.target.playbook.as_str()];
        all.extend(parts);
        self.url(&all)
    }

    /// Asks once.
    async fn once(&self, method: Method, url: Url, body: Option<&Value>) -> Result<Value, RemoteError> {
        let origin = || self.target.origin();
        let mut request = self.client.request(method, url);
        if let Some(authorization) = &self.authorization {
            request = request.header(AUTHORIZATION, authorization.clone());
        }
        if let Some(body) = body {
            request = request.header(CONTENT_TYPE, "application/json").body(body.to_string());
        }
        let mut response = request.send().await.map_err(|error| {
            if error.is_connect() { RemoteError::Unreachable(origin()) } else { RemoteError::Silent(origin()) }
        })?;
        let status = response.status();
        let retry_after = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.parse().ok());
        let mut bytes = Vec::new();
        while let Some(part) = response.chunk().await.map_err(|_| RemoteError::Silent(origin()))? {
            bytes.extend_from_slice(&part);
            if bytes.len() > ANSWER_BYTES {
                return Err(RemoteError::Strange(origin()));
            }
        }
        let text = String::from_utf8(bytes).map_err(|_| RemoteError::Strange(origin()))?;
        let value = json::parse(&text, ANSWER_LEVELS).ok().filter(Value::is_object);
        if status.is_success() {
            return value.ok_or_else(|| RemoteError::Strange(origin()));
        }
        Err(refused(status, value.as_ref(), retry_after).ok_or_else(|| RemoteError::Strange(origin()))?)
    }

    /// Asks, and asks again while the server says that the same will succeed later.
    async fn ask(&self, method: Method, url: Url, body: Option<&Value>) -> Result<Value, RemoteError> {
        for _ in 0..3 {
            let answer = self.once(method.clone(), url.clone(), body).await;
            let wait = match &answer {
                Err(RemoteError::Refused(refused)) if refused.status == 503 => refused.retry_after,
                _ => None,
            };
            let Some(seconds) = wait else { return answer };
            tokio::time::sleep(Duration::from_secs(seconds).min(self.longest_wait)).await;
        }
        self.once(method, url, body).await
    }

    /// Reads the playbook; none where the server has none of its id.
    pub(crate) async fn playbook(&self) -> Result<Option<PlaybookSeen>, RemoteError> {
        let seen = match self.ask(Method::GET, self.of_playbook(&[]), None).await {
            Err(RemoteError::Refused(refused)) if is_missing(&refused) => return Ok(None),
            other => other?,
        };
        let name = seen.get("name").and_then(Value::as_str).unwrap_or(self.target.playbook.as_str()).to_owned();
        Ok(Some(PlaybookSeen { name, retired: seen.get("status").and_then(Value::as_str) == Some("retired") }))
    }

    /// Makes the playbook.
    pub(crate) async fn create_playbook(&self, name: &str, description: &str) -> Result<(), RemoteError> {
        let mut body = json!({"playbook": self.target.playbook, "name": name});
        if !description.is_empty() {
            body["description"] = description.into();
        }
        self.ask(Method::POST, self.url(&[]), Some(&body)).await.map(|_| ())
    }

    /// Reads every definition, retired ones without their documents.
    pub(crate) async fn definitions(&self) -> Result<Vec<Theirs>, RemoteError> {
        let mut found = Vec::new();
        for kind in DefinitionType::ALL {
            let mut url = self.of_playbook(&["definitions", kind.word()]);
            url.set_query(Some("include_retired=true"));
            let listed = match self.ask(Method::GET, url, None).await {
                // A server that does not run a type has no definitions of it.
                Err(RemoteError::Refused(refused)) if refused.errors.iter().any(|(_, at)| at == "/type") => continue,
                other => other?,
            };
            let rows = listed.get("definitions").and_then(Value::as_array);
            let rows = rows.ok_or_else(|| RemoteError::Strange(self.target.origin()))?;
            found.extend(rows.iter().filter_map(|row| read(kind, row)));
        }
        let room = Arc::new(Semaphore::new(READS_AT_ONCE));
        let mut reading = JoinSet::new();
        let mut whole = Vec::new();
        for theirs in found {
            if theirs.retired {
                whole.push(theirs);
                continue;
            }
            let (remote, room) = (self.clone(), Arc::clone(&room));
            reading.spawn(async move {
                let _turn = room.acquire_owned().await;
                remote.definition(&theirs.key).await
            });
        }
        while let Some(read) = reading.join_next().await {
            // One that was removed between the two reads is simply not there.
            whole.extend(read.map_err(|_| RemoteError::Silent(self.target.origin()))??);
        }
        whole.sort_by(|a, b| a.key.cmp(&b.key));
        Ok(whole)
    }

    /// Reads one definition with its document; none where the server has none of its name.
    pub(crate) async fn definition(&self, key: &DefinitionKey) -> Result<Option<Theirs>, RemoteError> {
        let url = self.of_playbook(&["definitions", key.kind.word(), key.name.as_str()]);
        match self.ask(Method::GET, url, None).await {
            Err(RemoteError::Refused(refused)) if is_missing(&refused) => Ok(None),
            Err(error) => Err(error),
            Ok(value) => match read(key.kind, &value) {
                Some(theirs) if theirs.key == *key && value.get("source").is_some_and(Value::is_string) => {
                    Ok(Some(theirs))
                }
                _ => Err(RemoteError::Strange(self.target.origin())),
            },
        }
    }

    /// Who saved which version, as far as the newest hundred saves tell.
    pub(crate) async fn savers(&self) -> Result<BTreeMap<(DefinitionKey, u32), String>, RemoteError> {
        let mut url = self.of_playbook(&["events"]);
        url.set_query(Some("type=definition_updated&limit=100"));
        let page = self.ask(Method::GET, url, None).await?;
        let rows = page.get("events").and_then(Value::as_array).cloned().unwrap_or_default();
        let saver = |row: &Value| {
            let metadata = row.get("metadata")?;
            let definition = metadata.get("definition")?;
            let kind = DefinitionType::parse(definition.get("type")?.as_str()?)?;
            let name = DefinitionName::new(definition.get("name")?.as_str()?).ok()?;
            let version = u32::try_from(definition.get("version")?.as_u64()?).ok()?;
            Some(((DefinitionKey { kind, name }, version), metadata.get("by")?.as_str()?.to_owned()))
        };
        Ok(rows.iter().filter_map(saver).collect())
    }

    /// Saves the first version of a definition.
    pub(crate) async fn create(&self, key: &DefinitionKey, text: &str, beside: &Beside) -> Result<(), RemoteError> {
        let mut body = with_beside(text, beside);
        body.insert("name".into(), key.name.as_str().into());
        let url = self.of_playbook(&["definitions", key.kind.word()]);
        self.ask(Method::POST, url, Some(&Value::Object(body))).await.map(|_| ())
    }

    /// Saves a new version of a definition.
    pub(crate) async fn update(&self, key: &DefinitionKey, text: &str, beside: &Beside) -> Result<(), RemoteError> {
        let body = with_beside(text, beside);
        let url = self.of_playbook(&["definitions", key.kind.word(), key.name.as_str()]);
        self.ask(Method::PUT, url, Some(&Value::Object(body))).await.map(|_| ())
    }
}

fn with_beside(text: &str, beside: &Beside) -> Map<String, Value> {
    let mut body = Map::new();
    body.insert("source".into(), text.into());
    for (name, value) in [("overview", &beside.overview), ("diagram", &beside.diagram)] {
        if let Some(value) = value {
            body.insert(name.into(), value.clone().into());
        }
    }
    body
}

fn is_missing(refused: &Refused) -> bool {
    refused.status == 404 && refused.reason == "not_found"
}

/// Reads a problem document; a failure of a proxy between has none, and its status says enough.
fn refused(status: StatusCode, value: Option<&Value>, retry_after: Option<u64>) -> Option<RemoteError> {
    let text = |name: &str| value.and_then(|value| value.get(name)).and_then(Value::as_str).map(str::to_owned);
    let reason = text("reason");
    if reason.is_none() && !status.is_server_error() {
        return None;
    }
    let errors = value.and_then(|value| value.get("errors")).and_then(Value::as_array).cloned().unwrap_or_default();
    let pair = |error: &Value| {
        let pointer = error.get("pointer").and_then(Value::as_str).unwrap_or_default();
        Some((error.get("detail")?.as_str()?.to_owned(), pointer.to_owned()))
    };
    Some(RemoteError::Refused(Box::new(Refused {
        status: status.as_u16(),
        reason: reason.unwrap_or_default(),
        kind: text("kind"),
        detail: text("detail").unwrap_or_default(),
        errors: errors.iter().filter_map(pair).collect(),
        retry_after,
    })))
}

fn read(kind: DefinitionType, row: &Value) -> Option<Theirs> {
    let text = |name: &str| row.get(name).and_then(Value::as_str).map(str::to_owned);
    let version = u32::try_from(row.get("version")?.as_u64()?).ok()?;
    Some(Theirs {
        key: DefinitionKey { kind, name: DefinitionName::new(text("name")?).ok()? },
        version,
        retired: text("status").as_deref() == Some("retired"),
        text: text("source").unwrap_or_default(),
        overview: text("overview"),
        diagram: text("diagram"),
        by: text("created_by").filter(|_| version == 1),
        at: text("updated_at").or_else(|| text("created_at")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(origin: &str) -> Result<Target, RemoteError> {
        let playbook = PlaybookId::new("campaigns").expect("an id");
        Target::new(origin, OrgId::new("acme").expect("an id"), playbook)
    }

    #[test]
    fn an_address_is_an_origin() {
        for good in ["http://127.0.0.1:7700", "https://a.example", "https://a.example/", "http://[::1]:8080"] {
            assert!(target(good).is_ok(), "{good}");
        }
        for bad in [
            "",
            "a.example",
            "ftp://a.example",
            "https://a.example/x",
            "https://u:p@a.example",
            "https://a.example?x",
            "https://",
        ] {
            assert!(target(bad).is_err(), "{bad}");
        }
        assert_eq!(target("https://a.example").expect("good").id(), "a.example-443-acme-campaigns");
    }

    #[test]
    fn a_key_is_not_sent_in_the_clear_and_not_shown() {
        let key = Secret::new(" abk_ci_SECRET\n");
        let remote = |origin: &str| Remote::new(target(origin).expect("an origin"), Some(&key));
        assert!(remote("http://a.example").is_err());
        let local = remote("http://127.0.0.1:1").expect("this machine");
        assert!(remote("https://a.example").is_ok());
        assert!(!format!("{local:?} {key:?}").contains("SECRET"));
        let broken = Remote::new(target("https://a.example").expect("an origin"), Some(&Secret::new("SECRET\nx")));
        assert!(!broken.expect_err("no header").to_string().contains("SECRET"));
    }

    #[tokio::test]
    async fn a_closed_port_is_unreachable() {
        let port = {
            let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
            listener.local_addr().expect("an address").port()
        };
        let remote =
            Remote::new(target(&format!("http://127.0.0.1:{port}")).expect("an origin"), None).expect("a client");
        assert!(matches!(remote.playbook().await, Err(RemoteError::Unreachable(_))));
    }
}
