//! The settings of a server: from the environment and from the file that `CONFIG_FILE` names.
//!
//! Spec "Configuration keys".
//! The environment wins, key by key and whole.
//! A mistake names the setting and never its value.

use crate::keys::{Key, read_keys};
use crate::origin::Origins;
use playbook_model::{duration, json, limits};
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};

/// How the log is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogFormat {
    /// One JSON object a line.
    Json,
    /// Lines for people.
    Pretty,
}

/// What a server is told before it starts.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// `PORT`; 0 picks a free one.
    pub port: Option<u16>,
    /// `HOST`: a name or an address.
    pub host: Option<String>,
    /// `LOCAL_MODE`, where it is said.
    pub local_mode: Option<bool>,
    /// `API_KEYS`, or `api_keys` of the file.
    pub keys: Vec<Key>,
    /// `ALLOWED_ORIGINS`, or `allowed_origins` of the file.
    pub origins: Origins,
    /// `LEDGER_FILE`: the log.
    pub ledger_file: Option<PathBuf>,
    /// `LOG_FORMAT`.
    pub log_format: LogFormat,
    /// `COMPUTATION_WORKERS`, 1 to 64.
    pub computation_workers: usize,
    /// `RECALL_MAX_FUNCTIONS`, 1 to 1000.
    pub recall_max_functions: usize,
    /// `RECALL_MAX_REBUILDS`, 1 to 64.
    pub recall_max_rebuilds: usize,
    /// `RECALL_PLAYBOOKS_AT_ONCE`, 1 to 64.
    pub recall_playbooks_at_once: usize,
    /// `INTERACTION_OPEN_REQUESTS`, 1 to 1,000,000.
    pub interaction_open_requests: usize,
    /// `WORKFLOW_MAX_DURATION`, PT2H to P365D, in milliseconds.
    pub workflow_max_milliseconds: u64,
    /// `WORKFLOW_MAX_OPEN_CALLS`, 1 to 9,999.
    pub workflow_max_open_calls: usize,
    /// `WORKFLOW_NESTED_RUNS`, 1 to 1,000.
    pub workflow_nested_runs: usize,
}

/// Why a server does not start: every setting that is wrong, a sentence each.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", .0.join("\n"))]
pub struct SettingsError(pub Vec<String>);

/// Reads the settings.
///
/// `environment` gives a variable's text, `file` the text of a file.
///
/// # Errors
/// [`SettingsError`] with every mistake.
pub fn read(
    environment: &dyn Fn(&str) -> Option<String>,
    file: &dyn Fn(&Path) -> std::io::Result<String>,
) -> Result<Settings, SettingsError> {
    let mut reader = Reader { environment, wrong: Vec::new() };
    let lists = reader.lists(file);
    let settings = Settings {
        port: reader.whole("PORT", 0, 65_535).and_then(|port| u16::try_from(port).ok()),
        host: reader.host(),
        local_mode: reader.flag("LOCAL_MODE"),
        keys: reader.keys(lists.get("api_keys")),
        origins: reader.origins(lists.get("allowed_origins")),
        ledger_file: reader.text("LEDGER_FILE").map(PathBuf::from),
        log_format: reader.log_format(),
        computation_workers: reader.count("COMPUTATION_WORKERS", limits::COMPUTATION_WORKERS, 64),
        recall_max_functions: reader.count("RECALL_MAX_FUNCTIONS", limits::RECALL_FUNCTIONS, 1_000),
        recall_max_rebuilds: reader.count("RECALL_MAX_REBUILDS", limits::RECALL_REBUILDS, 64),
        recall_playbooks_at_once: reader.count("RECALL_PLAYBOOKS_AT_ONCE", limits::RECALL_PLAYBOOKS_AT_ONCE, 64),
        interaction_open_requests: reader.count(
            "INTERACTION_OPEN_REQUESTS",
            limits::INTERACTION_OPEN_REQUESTS,
            1_000_000,
        ),
        workflow_max_milliseconds: reader.duration(
            "WORKFLOW_MAX_DURATION",
            limits::WORKFLOW_MILLISECONDS,
            ("PT2H", "P365D"),
        ),
        workflow_max_open_calls: reader.count("WORKFLOW_MAX_OPEN_CALLS", limits::OPEN_CALLS, 9_999),
        workflow_nested_runs: reader.count("WORKFLOW_NESTED_RUNS", limits::NESTED_RUNS, 1_000),
    };
    if reader.text("DATABASE_URL").is_some() {
        reader.wrong("DATABASE_URL", "names a database, and this server keeps its log in a file: use LEDGER_FILE");
    }
    if reader.wrong.is_empty() { Ok(settings) } else { Err(SettingsError(reader.wrong)) }
}

struct Reader<'a> {
    environment: &'a dyn Fn(&str) -> Option<String>,
    wrong: Vec<String>,
}

impl Reader<'_> {
    fn wrong(&mut self, name: &str, words: &str) {
        self.wrong.push(format!("The setting {name} {words}."));
    }

    fn text(&self, name: &str) -> Option<String> {
        (self.environment)(name).filter(|text| !text.trim().is_empty())
    }

    fn whole(&mut self, name: &str, least: u64, most: u64) -> Option<u64> {
        let text = self.text(name)?;
        let number = text.trim().parse().ok().filter(|number| (least..=most).contains(number));
        if number.is_none() {
            self.wrong(name, &format!("is not a whole number from {least} to {most}"));
        }
        number
    }

    fn count(&mut self, name: &str, unless: usize, most: usize) -> usize {
        let number = self.whole(name, 1, most as u64);
        number.and_then(|number| usize::try_from(number).ok()).unwrap_or(unless)
    }

    fn duration(&mut self, name: &str, unless: u64, (least, most): (&str, &str)) -> u64 {
        let Some(text) = self.text(name) else { return unless };
        let bound = |text| duration::parse(text).unwrap_or_default();
        let given = duration::parse(text.trim()).ok().filter(|given| (bound(least)..=bound(most)).contains(given));
        if given.is_none() {
            self.wrong(name, &format!("is not a duration from {least} to {most}"));
        }
        given.unwrap_or(unless)
    }

    fn flag(&mut self, name: &str) -> Option<bool> {
        match self.text(name)?.trim() {
            "true" => Some(true),
            "false" => Some(false),
            _ => {
                self.wrong(name, "is neither true nor false");
                None
            }
        }
    }

    fn host(&mut self) -> Option<String> {
        let host = self.text("HOST")?;
        let fits = host.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b':' | b'-' | b'[' | b']'));
        if !fits {
            self.wrong("HOST", "is not a host name or an address");
        }
        fits.then_some(host)
    }

    fn log_format(&mut self) -> LogFormat {
        match self.text("LOG_FORMAT").as_deref() {
            None | Some("json") => LogFormat::Json,
            Some("pretty") => LogFormat::Pretty,
            Some(_) => {
                self.wrong("LOG_FORMAT", "is neither json nor pretty");
                LogFormat::Json
            }
        }
    }

    fn lists(&mut self, file: &dyn Fn(&Path) -> std::io::Result<String>) -> Map<String, Value> {
        let Some(path) = self.text("CONFIG_FILE") else { return Map::new() };
        let Ok(text) = file(Path::new(&path)) else {
            self.wrong("CONFIG_FILE", "names a file that cannot be read");
            return Map::new();
        };
        let Ok(Value::Object(lists)) = json::parse(&text, 32) else {
            self.wrong("CONFIG_FILE", "names a file that is not one JSON object");
            return Map::new();
        };
        if lists.keys().any(|name| !matches!(name.as_str(), "api_keys" | "allowed_origins")) {
            self.wrong("CONFIG_FILE", "names a file that holds more than api_keys and allowed_origins");
        }
        lists
    }

    fn list(&mut self, name: &str, of_file: Option<&Value>) -> Option<Value> {
        let Some(text) = self.text(name) else { return of_file.cloned() };
        let value = json::parse(&text, 32).ok();
        if value.is_none() {
            self.wrong(name, "is not JSON");
        }
        value
    }

    fn keys(&mut self, of_file: Option<&Value>) -> Vec<Key> {
        let Some(list) = self.list("API_KEYS", of_file) else { return Vec::new() };
        read_keys(&list).unwrap_or_else(|wrong| {
            self.wrong("API_KEYS", &format!("cannot be used: {wrong}"));
            Vec::new()
        })
    }

    /// The variable holds origins between commas, or the same JSON list as the file.
    fn origins(&mut self, of_file: Option<&Value>) -> Origins {
        let list = match self.text("ALLOWED_ORIGINS") {
            Some(text) if !text.trim_start().starts_with('[') => {
                Some(text.split(',').map(str::trim).filter(|part| !part.is_empty()).collect::<Value>())
            }
            _ => self.list("ALLOWED_ORIGINS", of_file),
        };
        let Some(list) = list else { return Origins::default() };
        let texts: Option<Vec<String>> =
            list.as_array().and_then(|list| list.iter().map(|origin| origin.as_str().map(str::to_owned)).collect());
        let read = texts.ok_or_else(|| "it is a list of origins".to_owned()).and_then(Origins::new);
        read.unwrap_or_else(|wrong| {
            self.wrong("ALLOWED_ORIGINS", &format!("cannot be used: {wrong}"));
            Origins::default()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io;

    fn read_from(variables: &[(&str, &str)], file: Option<&str>) -> Result<Settings, SettingsError> {
        let environment =
            |name: &str| variables.iter().find(|(other, _)| *other == name).map(|(_, text)| (*text).to_owned());
        read(&environment, &|_| file.map(str::to_owned).ok_or_else(|| io::Error::other("no file")))
    }

    #[test]
    fn nothing_said_gives_the_defaults() {
        let settings = read_from(&[], None).expect("defaults");
        assert_eq!((settings.port, settings.local_mode, settings.computation_workers), (None, None, 4));
        assert_eq!(settings.recall_max_functions, 32);
        assert!(settings.keys.is_empty());
    }

    #[test]
    fn the_environment_wins_over_the_file() {
        let entry = |id: &str| format!(r#"[{{"id":"{id}","org":"acme","sha256":"{}"}}]"#, "ab".repeat(32));
        let file = format!(r#"{{"api_keys":{},"allowed_origins":["https://a.example"]}}"#, entry("file"));
        let both = read_from(&[("CONFIG_FILE", "x"), ("API_KEYS", &entry("env"))], Some(&file)).expect("read");
        assert_eq!(both.keys.iter().map(Key::id).collect::<Vec<_>>(), ["env"]);
        assert_eq!(both.origins, Origins::new(["https://a.example".into()]).expect("an origin"));
        let file_alone = read_from(&[("CONFIG_FILE", "x")], Some(&file)).expect("read");
        assert_eq!(file_alone.keys.iter().map(Key::id).collect::<Vec<_>>(), ["file"]);
    }

    #[test]
    fn every_mistake_names_its_setting_and_no_value() {
        let wrong = [
            ("PORT", "SECRET"),
            ("HOST", "SECRET SECRET"),
            ("LOCAL_MODE", "SECRET"),
            ("API_KEYS", r#"[{"id":"SECRET"}]"#),
            ("ALLOWED_ORIGINS", "SECRET"),
            ("LOG_FORMAT", "SECRET"),
            ("COMPUTATION_WORKERS", "65"),
            ("RECALL_MAX_FUNCTIONS", "0"),
            ("RECALL_MAX_REBUILDS", "-1"),
            ("RECALL_PLAYBOOKS_AT_ONCE", "1.5"),
            ("DATABASE_URL", "SECRET"),
            ("CONFIG_FILE", "SECRET"),
        ];
        let error = read_from(&wrong, None).expect_err("all wrong");
        assert_eq!(error.0.len(), wrong.len(), "{error}");
        for (name, _) in wrong {
            assert!(error.0.iter().any(|line| line.contains(name)), "{name}");
        }
        assert!(!error.to_string().contains("SECRET"), "{error}");
    }

    #[test]
    fn each_setting_of_workflows_has_its_bounds() {
        let days = |days: u64| days * 24 * 60 * 60 * 1_000;
        let settings = read_from(&[], None).expect("defaults");
        assert_eq!(settings.workflow_max_milliseconds, days(30));
        assert_eq!((settings.workflow_max_open_calls, settings.workflow_nested_runs), (1_000, 32));
        let longest = |text: &str| {
            let read = read_from(&[("WORKFLOW_MAX_DURATION", text)], None);
            read.map(|settings| settings.workflow_max_milliseconds).ok()
        };
        assert_eq!(longest("PT2H"), Some(days(1) / 12));
        assert_eq!(longest("P365D"), Some(days(365)));
        for text in ["PT1H59M59S", "P365DT1S", "P1Y", "30"] {
            assert_eq!(longest(text), None, "{text}");
        }
        let calls = |text: &str| {
            let read = read_from(&[("WORKFLOW_MAX_OPEN_CALLS", text)], None);
            read.map(|settings| settings.workflow_max_open_calls).ok()
        };
        assert_eq!([calls("1"), calls("9999")], [Some(1), Some(9_999)]);
        assert_eq!([calls("0"), calls("10000")], [None, None]);
        let nested = |text: &str| {
            let read = read_from(&[("WORKFLOW_NESTED_RUNS", text)], None);
            read.map(|settings| settings.workflow_nested_runs).ok()
        };
        assert_eq!([nested("1"), nested("1000"), nested("0"), nested("1001")], [Some(1), Some(1_000), None, None]);
    }

    #[test]
    fn the_file_holds_lists_and_nothing_else() {
        for text in ["", "[]", "{\"port\": 1}", "{\"api_keys\": 5}"] {
            assert!(read_from(&[("CONFIG_FILE", "x")], Some(text)).is_err(), "{text}");
        }
    }
}
