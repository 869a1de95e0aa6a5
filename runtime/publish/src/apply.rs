//! Sends what was chosen: read again, send, read back, compare the bytes; only then is a thing published.
//!
//! A thing that moved stops alone, with what depends on it; the rest goes on.
//! Nothing that changed there is ever overwritten but by the word overwrite.

use crate::base::{Base, Published};
use crate::plan::{Action, Item, Mine, Plan, PlaybookThere, State, Theirs, compare};
use crate::remote::{Refused, Remote, RemoteError};
use crate::words::{LineProblem, line_problem};
use playbook_model::definition::DefinitionKey;
use playbook_model::time::Moment;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::time::{SystemTime, UNIX_EPOCH};

/// What to do about one definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Chosen {
    /// Send mine, where that overwrites nothing.
    Publish,
    /// Take theirs.
    Pull,
    /// Send mine over theirs.
    Overwrite,
    /// Leave it.
    Skip,
}

/// One choice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choice {
    /// Which definition.
    #[serde(flatten)]
    pub key: DefinitionKey,
    /// What to do.
    pub action: Chosen,
}

/// How one definition ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum OutcomeWord {
    /// Sent, read back, and equal.
    Published,
    /// Theirs is here now.
    Pulled,
    /// The server refused it.
    Refused,
    /// It is not there any more as the plan read it.
    Moved,
    /// It was sent, and nobody knows whether it arrived.
    Unsure,
    /// Left alone.
    Skipped,
    /// Not sent, since something before it failed.
    NotTried,
}

/// How one definition ended, with its times.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Outcome {
    /// Which.
    #[serde(flatten)]
    pub key: DefinitionKey,
    /// How.
    pub outcome: OutcomeWord,
    /// The version there, where it was published or pulled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<u32>,
    /// The sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// What the server found in the document.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<LineProblem>,
    /// When it was read again, ISO 8601.
    pub checked_at: Option<String>,
    /// When it was sent.
    pub sent_at: Option<String>,
    /// When it was read back.
    pub read_back_at: Option<String>,
}

/// The folder that publishes: keeps what was published, and takes what is pulled.
pub trait Folder: Send {
    /// Keeps a definition as published.
    ///
    /// # Errors
    /// A sentence.
    fn published(&mut self, key: &DefinitionKey, base: Base) -> Result<(), String>;

    /// Writes a definition's file with the text from there, and keeps it as its base.
    ///
    /// # Errors
    /// A sentence; nothing was written.
    fn pulled(&mut self, key: &DefinitionKey, base: Base) -> Result<(), String>;

    /// Notes that there is nothing more to do about a definition, though nothing was sent.
    fn left(&mut self, key: &DefinitionKey);
}

/// Reads the server and compares: nothing is sent.
///
/// `id` names the plan; `name` and `description` are the folder's playbook's.
///
/// # Errors
/// [`RemoteError`].
pub async fn read_plan(
    remote: &Remote,
    id: String,
    name: &str,
    description: &str,
    mine: &[Mine],
    published: &Published,
) -> Result<Plan, RemoteError> {
    let there = remote.playbook().await?;
    if there.as_ref().is_some_and(|there| there.retired) {
        let words = "The playbook is retired on this server, and an id is never given back: choose another.";
        return Err(RemoteError::Address(words.into()));
    }
    let theirs = if there.is_some() { remote.definitions().await? } else { Vec::new() };
    let mut items = compare(mine, &published.bases(), &theirs);
    let asks = |item: &Item| matches!(item.state, State::ChangedThere | State::ChangedBoth) && item.by_there.is_none();
    if items.iter().any(asks) {
        // Who it was is a help and no more: a plan without it is still a plan.
        let savers = remote.savers().await.unwrap_or_default();
        for item in items.iter_mut().filter(|item| asks(item)) {
            let version = item.version_there.unwrap_or_default();
            item.by_there = savers.get(&(item.key.clone(), version)).cloned();
        }
    }
    Ok(Plan {
        id,
        server: remote.target().id(),
        read_at: now(),
        playbook: PlaybookThere {
            exists: there.is_some(),
            name: there.map_or_else(|| name.to_owned(), |there| there.name),
            description: description.to_owned(),
        },
        items,
    })
}

/// Does what was chosen, in the plan's order, and says how each ended.
pub async fn apply(remote: &Remote, plan: &Plan, choices: &[Choice], folder: &mut dyn Folder) -> Vec<Outcome> {
    let mut outcomes = Vec::new();
    let mut failed: BTreeSet<DefinitionKey> = BTreeSet::new();
    let mut halted: Option<String> = None;
    let mut playbook_is_there = plan.playbook.exists;
    for choice in choices.iter().filter(|choice| !plan.items.iter().any(|item| item.key == choice.key)) {
        outcomes.push(Outcome::of(&choice.key, OutcomeWord::Skipped, "The plan does not have it."));
    }
    for item in &plan.items {
        let Some(choice) = choices.iter().find(|choice| choice.key == item.key) else { continue };
        if let Some(outcome) = left_alone(item, choice.action) {
            folder.left(&item.key);
            outcomes.push(outcome);
            continue;
        }
        let sends = choice.action != Chosen::Pull;
        let broken = item.uses.iter().find(|used| sends && failed.contains(used));
        let outcome = if let Some(why) = &halted {
            Outcome::of(&item.key, OutcomeWord::NotTried, why)
        } else if let Some(used) = broken {
            Outcome::of(&item.key, OutcomeWord::NotTried, &format!("It uses {used}, which was not published."))
        } else {
            if sends && !playbook_is_there {
                match remote.create_playbook(&plan.playbook.name, &plan.playbook.description).await {
                    Ok(()) => playbook_is_there = true,
                    Err(error) => halted = Some(error.to_string()),
                }
            }
            match &halted {
                Some(why) => Outcome::of(&item.key, OutcomeWord::NotTried, why),
                None => one(remote, item, choice.action, folder, &mut halted).await,
            }
        };
        if !matches!(outcome.outcome, OutcomeWord::Published | OutcomeWord::Pulled) {
            failed.insert(item.key.clone());
        }
        outcomes.push(outcome);
    }
    outcomes
}

/// What is not touched: by choice, or since the choice does not fit how it stands.
fn left_alone(item: &Item, chosen: Chosen) -> Option<Outcome> {
    let skipped = |words: &str| Some(Outcome::of(&item.key, OutcomeWord::Skipped, words));
    match (chosen, item.state) {
        (Chosen::Skip, _) => skipped("It was left out."),
        (_, State::Same) => skipped("It is the same here and there."),
        (Chosen::Publish | Chosen::Overwrite, State::Blocked | State::RetiredThere) => {
            skipped(item.blocked.as_deref().unwrap_or("It cannot be published as things stand."))
        }
        (Chosen::Publish, State::ChangedThere | State::ChangedBoth) => {
            skipped("It changed on the server too: take theirs, or overwrite it by name.")
        }
        (Chosen::Publish | Chosen::Overwrite, _) if item.mine.is_none() => skipped("There is no file of it here."),
        (Chosen::Pull, _) if item.theirs.is_none() => skipped("There is nothing of it on the server."),
        (Chosen::Publish | Chosen::Overwrite | Chosen::Pull, _) => None,
    }
}

async fn one(
    remote: &Remote,
    item: &Item,
    chosen: Chosen,
    folder: &mut dyn Folder,
    halted: &mut Option<String>,
) -> Outcome {
    let checked_at = Some(now());
    let there = match remote.definition(&item.key).await {
        Ok(there) => there,
        Err(error) => {
            *halted = Some(error.to_string());
            return Outcome { checked_at, ..Outcome::of(&item.key, OutcomeWord::NotTried, &error.to_string()) };
        }
    };
    let outcome = if chosen == Chosen::Pull {
        pull(item, there, folder)
    } else {
        publish(remote, item, there, folder, halted).await
    };
    Outcome { checked_at, ..outcome }
}

/// Whether the server still has what the plan read.
fn is_as_planned(item: &Item, there: Option<&Theirs>) -> bool {
    match there {
        None => item.version_there.is_none(),
        Some(there) => {
            !there.retired && item.version_there == Some(there.version) && item.theirs.as_deref() == Some(&there.text)
        }
    }
}

fn moved(item: &Item, there: Option<&Theirs>) -> Outcome {
    let words = match there {
        None => "It is not on the server any more: read the plan again.".to_owned(),
        Some(there) if there.retired => {
            "It was retired on the server meanwhile, and its name is never given back.".into()
        }
        Some(there) => format!("On the server it is version {} by now: read the plan again.", there.version),
    };
    Outcome::of(&item.key, OutcomeWord::Moved, &words)
}

fn pull(item: &Item, there: Option<Theirs>, folder: &mut dyn Folder) -> Outcome {
    let there = match there {
        Some(there) if is_as_planned(item, Some(&there)) => there,
        other => return moved(item, other.as_ref()),
    };
    match folder.pulled(&item.key, Base::new(there.text, there.version)) {
        Ok(()) => Outcome { version: Some(there.version), ..Outcome::plain(&item.key, OutcomeWord::Pulled) },
        Err(words) => Outcome::of(&item.key, OutcomeWord::Refused, &words),
    }
}

async fn publish(
    remote: &Remote,
    item: &Item,
    there: Option<Theirs>,
    folder: &mut dyn Folder,
    halted: &mut Option<String>,
) -> Outcome {
    let Some(text) = item.mine.as_deref() else {
        return Outcome::of(&item.key, OutcomeWord::Skipped, "There is no file of it here.");
    };
    if !is_as_planned(item, there.as_ref()) {
        // Sent before, by a publication that was cut off: what is there already need not be sent again.
        return match there {
            Some(there) if !there.retired && there.text == text => settled(item, there, folder),
            other => moved(item, other.as_ref()),
        };
    }
    let sent_at = Some(now());
    let sent = match there {
        None => remote.create(&item.key, text, &item.beside).await,
        Some(_) => remote.update(&item.key, text, &item.beside).await,
    };
    let outcome = match sent {
        Ok(()) => read_back(remote, item, text, folder).await,
        Err(RemoteError::Silent(_) | RemoteError::Strange(_)) => unsure(remote, item, text, folder).await,
        // A server that broke down may have taken it first.
        Err(RemoteError::Refused(refused)) if refused.status >= 500 && refused.status != 503 => {
            unsure(remote, item, text, folder).await
        }
        Err(RemoteError::Refused(refused)) => by_server(item, &refused, halted),
        Err(error) => {
            *halted = Some(error.to_string());
            return Outcome::of(&item.key, OutcomeWord::NotTried, &error.to_string());
        }
    };
    Outcome { sent_at, ..outcome }
}

async fn read_back(remote: &Remote, item: &Item, text: &str, folder: &mut dyn Folder) -> Outcome {
    match remote.definition(&item.key).await {
        Ok(Some(there)) if there.text == text => settled(item, there, folder),
        Ok(there) => {
            let words = match there {
                Some(there) => format!(
                    "It was sent, but what was read back, version {}, is not what was sent: read the plan again.",
                    there.version
                ),
                None => "It was sent, but it could not be found when it was read back: read the plan again.".into(),
            };
            Outcome { read_back_at: Some(now()), ..Outcome::of(&item.key, OutcomeWord::Moved, &words) }
        }
        Err(error) => {
            let words = format!("It was sent and taken, but could not be read back. {error}");
            Outcome::of(&item.key, OutcomeWord::Unsure, &words)
        }
    }
}

/// The server gave no clear answer: what it has now may tell.
async fn unsure(remote: &Remote, item: &Item, text: &str, folder: &mut dyn Folder) -> Outcome {
    match remote.definition(&item.key).await {
        Ok(Some(there)) if there.text == text => settled(item, there, folder),
        Ok(_) => {
            let words =
                "The server gave no clear answer and has not got it so far; it may still arrive. Read the plan again.";
            Outcome { read_back_at: Some(now()), ..Outcome::of(&item.key, OutcomeWord::Unsure, words) }
        }
        Err(_) => {
            let words = "The server gave no clear answer, so it may have arrived or not. Read the plan again.";
            Outcome::of(&item.key, OutcomeWord::Unsure, words)
        }
    }
}

fn settled(item: &Item, there: Theirs, folder: &mut dyn Folder) -> Outcome {
    let version = there.version;
    // It is published whether or not that could be noted here.
    let detail = folder.published(&item.key, Base::new(there.text, version)).err();
    Outcome {
        version: Some(version),
        detail,
        read_back_at: Some(now()),
        ..Outcome::plain(&item.key, OutcomeWord::Published)
    }
}

fn by_server(item: &Item, refused: &Refused, halted: &mut Option<String>) -> Outcome {
    let sentence = RemoteError::Refused(Box::new(refused.clone())).to_string();
    if matches!(refused.status, 401 | 403) {
        *halted = Some(sentence.clone());
    }
    let moved =
        refused.status == 409 && matches!(refused.kind.as_deref(), Some("taken" | "retired" | "concurrent_change"));
    let word = if moved { OutcomeWord::Moved } else { OutcomeWord::Refused };
    let problems = refused.errors.iter().map(|(detail, _)| line_problem(detail)).collect();
    Outcome { problems, ..Outcome::of(&item.key, word, &sentence) }
}

impl Outcome {
    fn plain(key: &DefinitionKey, outcome: OutcomeWord) -> Self {
        Self {
            key: key.clone(),
            outcome,
            version: None,
            detail: None,
            problems: Vec::new(),
            checked_at: None,
            sent_at: None,
            read_back_at: None,
        }
    }

    fn of(key: &DefinitionKey, outcome: OutcomeWord, detail: &str) -> Self {
        Self { detail: Some(detail.to_owned()), ..Self::plain(key, outcome) }
    }
}

/// The choices a plan proposes: what it would publish or pull, and nothing that needs a decision.
impl Plan {
    /// Each item whose proposal is an act, with that act.
    #[must_use]
    pub fn proposed(&self) -> Vec<Choice> {
        let act = |item: &Item| match item.action {
            Action::Publish => Some(Chosen::Publish),
            Action::Pull => Some(Chosen::Pull),
            Action::Stop | Action::Nothing => None,
        };
        let choice = |item: &Item| Some(Choice { key: item.key.clone(), action: act(item)? });
        self.items.iter().filter_map(choice).collect()
    }
}

fn now() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Moment(i64::try_from(since.as_millis()).unwrap_or(i64::MAX)).iso()
}
