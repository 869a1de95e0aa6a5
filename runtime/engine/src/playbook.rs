//! Playbooks of an org: what its stream says of them, and what a command on one leads to.

use playbook_model::ending::{Kind, Reason, Rejection};
use playbook_model::id::PlaybookId;
use playbook_model::record::{Context, Fact, PlaybookText};
use playbook_model::time::Moment;
use std::collections::BTreeMap;

/// A playbook as its org's stream tells it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Playbook {
    /// Its name, description and id.
    pub text: PlaybookText,
    /// When it was created.
    pub created_at: Moment,
    /// Who created it.
    pub created_by: String,
    /// When it last changed.
    pub updated_at: Moment,
    /// When it was retired.
    pub retired_at: Option<Moment>,
}

/// The playbooks of an org, by id.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Playbooks(pub BTreeMap<String, Playbook>);

impl Playbooks {
    /// Takes one more record of the org's stream.
    pub fn apply(&mut self, fact: &Fact, context: &Context) {
        match fact {
            Fact::PlaybookCreated(text) => {
                self.0.insert(
                    text.playbook.clone(),
                    Playbook {
                        text: text.clone(),
                        created_at: context.at,
                        created_by: context.by.clone(),
                        updated_at: context.at,
                        retired_at: None,
                    },
                );
            }
            Fact::PlaybookChanged(text) => {
                if let Some(playbook) = self.0.get_mut(&text.playbook) {
                    playbook.text = text.clone();
                    playbook.updated_at = context.at;
                }
            }
            Fact::PlaybookRetired { playbook } => {
                if let Some(playbook) = self.0.get_mut(playbook) {
                    playbook.retired_at = Some(context.at);
                    playbook.updated_at = context.at;
                }
            }
            _ => {}
        }
    }

    /// Decides `create_playbook`.
    ///
    /// # Errors
    /// `conflict` for an id that was ever used; `invalid_input` for a blank name.
    pub fn create(&self, id: &PlaybookId, name: &str, description: &str) -> Result<Fact, Rejection> {
        if let Some(there) = self.0.get(id.as_str()) {
            let kind = if there.retired_at.is_some() { Kind::Retired } else { Kind::Taken };
            return Err(Rejection::new(
                Reason::Conflict,
                format!("The playbook id {id} is taken; ids are never given back"),
            )
            .kind(kind));
        }
        Ok(Fact::PlaybookCreated(text(id, name, description)?))
    }

    /// Decides `update_playbook`; `None` when nothing changes.
    ///
    /// # Errors
    /// As the words say: no such playbook, retired, or a blank name.
    pub fn change(&self, id: &PlaybookId, name: &str, description: &str) -> Result<Option<Fact>, Rejection> {
        let there = self.active(id)?;
        let text = text(id, name, description)?;
        Ok((there.text != text).then_some(Fact::PlaybookChanged(text)))
    }

    /// Decides `retire_playbook`; `None` when it is retired already.
    ///
    /// # Errors
    /// `not_found`.
    pub fn retire(&self, id: &PlaybookId) -> Result<Option<Fact>, Rejection> {
        let there = self.known(id)?;
        Ok(there.retired_at.is_none().then(|| Fact::PlaybookRetired { playbook: id.to_string() }))
    }

    /// The playbook of an id.
    ///
    /// # Errors
    /// `not_found`.
    pub fn known(&self, id: &PlaybookId) -> Result<&Playbook, Rejection> {
        self.0.get(id.as_str()).ok_or_else(|| Rejection::new(Reason::NotFound, "There is no such playbook"))
    }

    /// The playbook of an id, to be written to.
    ///
    /// # Errors
    /// `not_found`, or `conflict` of the kind `retired`.
    pub fn active(&self, id: &PlaybookId) -> Result<&Playbook, Rejection> {
        let there = self.known(id)?;
        if there.retired_at.is_some() {
            let words = format!("The playbook {id} is retired; it can be read and nothing else");
            return Err(Rejection::new(Reason::Conflict, words).kind(Kind::Retired));
        }
        Ok(there)
    }
}

fn text(id: &PlaybookId, name: &str, description: &str) -> Result<PlaybookText, Rejection> {
    let name = name.trim();
    if name.is_empty() {
        let issue = playbook_model::ending::Issue {
            detail: "Expected a name that is not blank".into(),
            pointer: "/name".into(),
        };
        return Err(Rejection::new(Reason::InvalidInput, "The playbook needs a name").issues(vec![issue]));
    }
    Ok(PlaybookText { playbook: id.to_string(), name: name.into(), description: description.trim().into() })
}
