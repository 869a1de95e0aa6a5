//! One operation for one caller: who may, what was given, then the operation itself.

use crate::api::{Caller, Operation, Permission, decode};
use crate::runtime::{Runtime, incident, stopping};
use playbook_model::definition::{DefinitionKey, DefinitionType};
use playbook_model::ending::{Issue, Reason, Rejection};
use playbook_model::id::{DefinitionName, OrgId, PlaybookId, PlaybookKey, RunId};
use playbook_model::refusal::Refusal;
use serde_json::{Map, Value};

/// The fields of an operation, decoded.
pub(crate) struct Given(pub(crate) Map<String, Value>);

impl Given {
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name).and_then(Value::as_str)
    }

    pub(crate) fn flag(&self, name: &str) -> bool {
        self.0.get(name).and_then(Value::as_bool).unwrap_or(false)
    }

    pub(crate) fn limit(&self) -> usize {
        self.0
            .get("limit")
            .and_then(Value::as_u64)
            .and_then(|limit| usize::try_from(limit).ok())
            .unwrap_or(playbook_model::limits::PAGE_ROWS)
    }

    pub(crate) fn kind(&self) -> Option<DefinitionType> {
        self.text("type").and_then(DefinitionType::parse)
    }

    pub(crate) fn name(&self) -> Option<DefinitionName> {
        self.text("name").and_then(|name| DefinitionName::new(name).ok())
    }

    /// The definition a route names; every route that asks for one has both fields, and both were decoded.
    pub(crate) fn definition(&self) -> Result<DefinitionKey, Refusal> {
        match (self.kind(), self.name()) {
            (Some(kind), Some(name)) => Ok(DefinitionKey { kind, name }),
            _ => Err(incident("a route without its definition was called")),
        }
    }

    pub(crate) fn run(&self) -> Option<RunId> {
        self.text("run_id").and_then(|id| RunId::parse(id).ok())
    }
}

/// Who asks for what where.
pub(crate) struct Asked<'a> {
    pub(crate) caller: &'a Caller,
    pub(crate) org: OrgId,
    pub(crate) given: Given,
}

impl Runtime {
    /// Does one operation for one caller. `input` holds the fields by name, wherever they came from.
    ///
    /// # Errors
    /// [`Refusal`]: words the caller can act on, or an incident.
    pub async fn call(
        &self,
        operation: &'static Operation,
        caller: &Caller,
        input: Map<String, Value>,
    ) -> Result<Value, Refusal> {
        if self.stopping() && !operation.is_query() {
            return Err(stopping());
        }
        let org = permitted_org(operation, caller, &input)?;
        let playbook = permitted_playbook(operation, caller, &input)?;
        let state = self.org(&org).await?;
        if let Some(id) = &playbook {
            let found = if operation.is_query() || operation.name == "retire_playbook" {
                state.playbooks.known(id)
            } else {
                state.playbooks.active(id)
            };
            found?;
        }
        let given = decode(operation, input).map_err(invalid)?;
        let asked = Asked { caller, org: org.clone(), given: Given(given) };
        let key = playbook.map(|playbook| PlaybookKey { org, playbook });
        match (operation.name, key) {
            ("create_playbook", _) => self.create_playbook(asked).await,
            ("list_playbooks", _) => self.list_playbooks(asked).await,
            ("get_playbook", Some(key)) => self.get_playbook(&key).await,
            ("update_playbook", Some(key)) => self.update_playbook(asked, &key).await,
            ("retire_playbook", Some(key)) => self.retire_playbook(asked, &key).await,
            ("create_definition", Some(key)) => self.create_definition(asked, &key).await,
            ("list_definitions", Some(key)) => self.list_definitions(asked, &key).await,
            ("get_definition", Some(key)) => self.get_definition(asked, &key).await,
            ("update_definition", Some(key)) => self.update_definition(asked, &key).await,
            ("retire_definition", Some(key)) => self.retire_definition(asked, &key).await,
            ("run_definition", Some(key)) => self.run_definition(asked, &key).await,
            ("get_run", Some(key)) => self.get_run(asked, &key).await,
            ("list_runs", Some(key)) => self.list_runs(asked, &key).await,
            ("cancel_run", Some(key)) => self.cancel_run(asked, &key).await,
            ("list_interactions", Some(key)) => self.list_interactions(asked, &key).await,
            ("answer_interaction", Some(key)) => self.answer_interaction(asked, &key).await,
            ("send_run_event", Some(key)) => self.send_run_event(asked, &key).await,
            ("publish_event", Some(key)) => self.publish_event(asked, &key).await,
            ("list_playbook_events", Some(key)) => self.list_playbook_events(asked, &key).await,
            ("get_event", Some(key)) => self.get_event(asked, &key).await,
            (name, _) => Err(incident(&format!("the operation {name} is in the table and nowhere else"))),
        }
    }
}

pub(crate) fn invalid(issues: Vec<Issue>) -> Refusal {
    let summary = if issues.len() == 1 {
        "The request has one issue".to_owned()
    } else {
        format!("The request has {} issues", issues.len())
    };
    Rejection::new(Reason::InvalidInput, summary).issues(issues).into()
}

/// One issue at one field.
pub(crate) fn invalid_at(pointer: &str, detail: impl Into<String>) -> Refusal {
    invalid(vec![Issue { detail: detail.into(), pointer: pointer.into() }])
}

fn forbidden() -> Refusal {
    Rejection::new(Reason::Forbidden, "The key does not allow this").into()
}

/// Whether a caller may ask for this at all, told from the fields of the path before anything else is read.
///
/// # Errors
/// The same refusal whether or not the thing exists.
pub fn admit(operation: &Operation, caller: &Caller, path: &Map<String, Value>) -> Result<(), Refusal> {
    permitted_org(operation, caller, path)?;
    permitted_playbook(operation, caller, path).map(|_| ())
}

/// The org, when the caller belongs to it and holds the permission: the same refusal whether or not the org exists.
fn permitted_org(operation: &Operation, caller: &Caller, input: &Map<String, Value>) -> Result<OrgId, Refusal> {
    let org = input.get("org").and_then(Value::as_str).and_then(|org| OrgId::new(org).ok());
    let listed = operation.name == "list_playbooks" && caller.permissions.contains(&Permission::PlaybookRead);
    if !listed && !caller.permissions.contains(&operation.permission) {
        return Err(forbidden());
    }
    match (org, &caller.org) {
        (Some(org), None) => Ok(org),
        (Some(org), Some(own)) if org == *own => Ok(org),
        (None, None) => Err(invalid_at("/org", "Expected 1 to 64 letters, digits, underscores and hyphens")),
        _ => Err(forbidden()),
    }
}

/// The playbook of the route, when the caller's key covers it. A malformed id is no playbook.
fn permitted_playbook(
    operation: &Operation,
    caller: &Caller,
    input: &Map<String, Value>,
) -> Result<Option<PlaybookId>, Refusal> {
    let Some(text) = input.get("playbook").and_then(Value::as_str) else { return Ok(None) };
    match PlaybookId::new(text) {
        Ok(id) if caller.sees(&id) => Ok((operation.name != "create_playbook").then_some(id)),
        Ok(_) => Err(forbidden()),
        // The field's own rule says it better when the id is to be made.
        Err(_) if operation.name == "create_playbook" => Ok(None),
        Err(_) => Err(Rejection::new(Reason::NotFound, "There is no such playbook").into()),
    }
}
