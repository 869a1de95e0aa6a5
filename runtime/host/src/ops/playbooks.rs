//! Playbook operations.

use crate::api::Playbooks;
use crate::call::Asked;
use crate::index::Unappended;
use crate::runtime::{Runtime, kept_changing};
use playbook_engine::playbook::Playbook;
use playbook_model::ending::Rejection;
use playbook_model::id::{PlaybookId, PlaybookKey};
use playbook_model::record::{Context, Fact};
use playbook_model::refusal::Refusal;
use playbook_model::time::Moment;
use serde_json::{Value, json};

/// How often a command is decided again when its stream moved meanwhile.
pub(super) const TRIES: usize = 4;

impl Runtime {
    pub(crate) async fn create_playbook(&self, asked: Asked<'_>) -> Result<Value, Refusal> {
        let id = asked.given.text("playbook").and_then(|id| PlaybookId::new(id).ok());
        let Some(id) = id else { return Err(crate::runtime::incident("a playbook id was decoded and is none")) };
        let name = asked.given.text("name").unwrap_or_default().to_owned();
        let description = asked.given.text("description").unwrap_or_default().to_owned();
        self.change_org(&asked, &id, |org| org.create(&id, &name, &description).map(Some)).await
    }

    pub(crate) async fn list_playbooks(&self, asked: Asked<'_>) -> Result<Value, Refusal> {
        let retired = asked.given.flag("include_retired");
        let state = self.org(&asked.org).await?;
        let seen = |playbook: &&Playbook| match &asked.caller.playbooks {
            Playbooks::All => true,
            Playbooks::These(ids) => ids.iter().any(|id| id.as_str() == playbook.text.playbook),
        };
        let rows: Vec<Value> = state
            .playbooks
            .0
            .values()
            .filter(seen)
            .filter(|playbook| retired || playbook.retired_at.is_none())
            .map(playbook_view)
            .collect();
        Ok(json!({ "playbooks": rows }))
    }

    pub(crate) async fn get_playbook(&self, key: &PlaybookKey) -> Result<Value, Refusal> {
        let state = self.org(&key.org).await?;
        Ok(playbook_view(state.playbooks.known(&key.playbook)?))
    }

    pub(crate) async fn update_playbook(&self, asked: Asked<'_>, key: &PlaybookKey) -> Result<Value, Refusal> {
        let name = asked.given.text("name").unwrap_or_default().to_owned();
        let description = asked.given.text("description").unwrap_or_default().to_owned();
        self.change_org(&asked, &key.playbook, |org| org.change(&key.playbook, &name, &description)).await
    }

    pub(crate) async fn retire_playbook(&self, asked: Asked<'_>, key: &PlaybookKey) -> Result<Value, Refusal> {
        self.change_org(&asked, &key.playbook, |org| org.retire(&key.playbook)).await
    }

    async fn change_org(
        &self,
        asked: &Asked<'_>,
        id: &PlaybookId,
        decide: impl Fn(&playbook_engine::playbook::Playbooks) -> Result<Option<Fact>, Rejection>,
    ) -> Result<Value, Refusal> {
        for _ in 0..TRIES {
            let state = self.org(&asked.org).await?;
            let Some(fact) = decide(&state.playbooks)? else {
                return Ok(playbook_view(state.playbooks.known(id)?));
            };
            let context = Context::new(self.0.clock.now(), asked.caller.id.clone());
            match self.append_org(&asked.org, &state, fact, context).await {
                Ok(next) => return Ok(playbook_view(next.playbooks.known(id)?)),
                Err(Unappended::Moved) => {}
                Err(Unappended::Refused(refusal)) => return Err(refusal),
            }
        }
        Err(kept_changing().into())
    }
}

fn playbook_view(playbook: &Playbook) -> Value {
    let mut view = json!({
        "id": playbook.text.playbook,
        "name": playbook.text.name,
        "description": playbook.text.description,
        "status": if playbook.retired_at.is_some() { "retired" } else { "active" },
        "created_at": playbook.created_at.iso(),
        "created_by": playbook.created_by,
        "updated_at": playbook.updated_at.iso(),
    });
    if let (Some(at), Some(members)) = (playbook.retired_at.map(Moment::iso), view.as_object_mut()) {
        members.insert("retired_at".into(), at.into());
    }
    view
}
