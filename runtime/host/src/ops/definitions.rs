//! Definition operations.

use super::playbooks::TRIES;
use super::saving::Beside;
use crate::call::Asked;
use crate::index::Unappended;
use crate::reactions::{has_triggers, triggers_view};
use crate::runtime::{Runtime, kept_changing};
use playbook_engine::definition::{Definition, Definitions, changed_meanwhile, within_cap};
use playbook_model::definition::{DefinitionKey, DefinitionType};
use playbook_model::ending::{Reason, Rejection};
use playbook_model::id::PlaybookKey;
use playbook_model::limits;
use playbook_model::record::{Context, DefinitionRef, Fact, SavedDefinition};
use playbook_model::refusal::Refusal;
use playbook_model::time::Moment;
use playbook_model::word::thousands;
use serde_json::{Value, json};

impl Runtime {
    pub(crate) async fn create_definition(&self, asked: Asked<'_>, playbook: &PlaybookKey) -> Result<Value, Refusal> {
        let key = asked.given.definition()?;
        self.definitions(playbook, key.kind).await?.may_create(key.kind, &key.name)?;
        let saved = self.made_ready(&key, asked.given.text("source").unwrap_or_default(), &beside(&asked)).await?;
        for _ in 0..TRIES {
            let state = self.definitions(playbook, key.kind).await?;
            state.may_create(key.kind, &key.name)?;
            within_cap(key.kind, &state, self.0.settings.recall_max_functions)?;
            may_trigger(&key, &state, &saved)?;
            let context = self.about(&asked.caller.id, &key, 1);
            let fact = Fact::DefinitionCreated(Box::new(saved.clone()));
            match self.append_definition(playbook, key.kind, &state, fact, context).await {
                Ok(next) => {
                    self.saved(playbook, key.kind);
                    let definition = next.known(key.kind, &key.name)?;
                    return self.whole(playbook, &key, definition).await;
                }
                Err(Unappended::Moved) => {}
                Err(Unappended::Refused(refusal)) => return Err(refusal),
            }
        }
        Err(changed_meanwhile(&key).into())
    }

    pub(crate) async fn update_definition(&self, asked: Asked<'_>, playbook: &PlaybookKey) -> Result<Value, Refusal> {
        let key = asked.given.definition()?;
        self.definitions(playbook, key.kind).await?.may_update(key.kind, &key.name)?;
        let source = asked.given.text("source").unwrap_or_default();
        let ready = self.made_ready(&key, source, &beside(&asked)).await?;
        for _ in 0..TRIES {
            let state = self.definitions(playbook, key.kind).await?;
            let there = state.may_update(key.kind, &key.name)?;
            let mut saved = ready.clone();
            saved.author_overview = saved.author_overview.or_else(|| there.saved.author_overview.clone());
            saved.author_diagram = saved.author_diagram.or_else(|| there.saved.author_diagram.clone());
            // An identical source changes nothing, unless what was kept of it cannot run: then saving mends it.
            let same = there.saved.source == saved.source
                && there.saved.stripped.is_some()
                && there.saved.author_overview == saved.author_overview
                && there.saved.author_diagram == saved.author_diagram;
            if same {
                return self.whole(playbook, &key, there).await;
            }
            may_trigger(&key, &state, &saved)?;
            let context = self.about(&asked.caller.id, &key, there.version + 1);
            let fact = Fact::DefinitionUpdated(Box::new(saved));
            match self.append_definition(playbook, key.kind, &state, fact, context).await {
                Ok(next) => {
                    self.saved(playbook, key.kind);
                    let definition = next.known(key.kind, &key.name)?;
                    return self.whole(playbook, &key, definition).await;
                }
                Err(Unappended::Moved) => {}
                Err(Unappended::Refused(refusal)) => return Err(refusal),
            }
        }
        Err(changed_meanwhile(&key).into())
    }

    pub(crate) async fn retire_definition(&self, asked: Asked<'_>, playbook: &PlaybookKey) -> Result<Value, Refusal> {
        let key = asked.given.definition()?;
        for _ in 0..TRIES {
            let state = self.definitions(playbook, key.kind).await?;
            let there = state.known(key.kind, &key.name)?;
            if there.retired_at.is_some() {
                return self.whole(playbook, &key, there).await;
            }
            let context = self.about(&asked.caller.id, &key, there.version);
            match self.append_definition(playbook, key.kind, &state, Fact::DefinitionRetired, context).await {
                Ok(next) => {
                    self.saved(playbook, key.kind);
                    let definition = next.known(key.kind, &key.name)?;
                    return self.whole(playbook, &key, definition).await;
                }
                Err(Unappended::Moved) => {}
                Err(Unappended::Refused(refusal)) => return Err(refusal),
            }
        }
        Err(kept_changing().into())
    }

    pub(crate) async fn list_definitions(&self, asked: Asked<'_>, playbook: &PlaybookKey) -> Result<Value, Refusal> {
        let kind = asked.given.kind().unwrap_or(DefinitionType::Computation);
        let retired = asked.given.flag("include_retired");
        let state = self.definitions(playbook, kind).await?;
        let rows: Vec<Value> = state
            .by_name
            .iter()
            .filter(|(_, definition)| retired || definition.retired_at.is_none())
            .map(|(name, definition)| definition_view(kind, name, definition))
            .collect();
        Ok(json!({ "definitions": rows }))
    }

    pub(crate) async fn get_definition(&self, asked: Asked<'_>, playbook: &PlaybookKey) -> Result<Value, Refusal> {
        let key = asked.given.definition()?;
        let state = self.definitions(playbook, key.kind).await?;
        let definition = state.known(key.kind, &key.name)?;
        self.whole(playbook, &key, definition).await
    }

    /// A definition with its document, its overview, who uses it and, for a recall function, its standing.
    async fn whole(
        &self,
        playbook: &PlaybookKey,
        key: &DefinitionKey,
        definition: &Definition,
    ) -> Result<Value, Refusal> {
        let mut view = definition_view(key.kind, key.name.as_str(), definition);
        let used_by = self.used_by(playbook, key).await?;
        let mut overview =
            definition.saved.author_overview.clone().unwrap_or_else(|| definition.saved.overview.clone());
        if !used_by.is_empty() {
            overview.push_str(&playbook_definition::used_by_section(&used_by));
        }
        let standing = match key.kind {
            DefinitionType::Recall if definition.retired_at.is_none() => {
                Some(self.standing(playbook, key.name.as_str(), definition).await?)
            }
            _ => None,
        };
        if let Some(members) = view.as_object_mut() {
            members.insert("source".into(), definition.saved.source.clone().into());
            members.insert("overview".into(), overview.into());
            if let Some(diagram) = &definition.saved.author_diagram {
                members.insert("diagram".into(), diagram.clone().into());
            }
            let used: Vec<Value> = used_by.iter().map(|u| json!({ "type": u.kind, "name": u.name })).collect();
            members.insert("used_by".into(), used.into());
            if let Some(standing) = standing {
                members.insert("standing".into(), standing);
            }
            if definition.retired_at.is_none() && members.contains_key("triggers") {
                members.insert("triggers_since".into(), definition.saved_id.clone().into());
            }
        }
        Ok(view)
    }

    /// The active definitions that use one, read as they stand now.
    async fn used_by(&self, playbook: &PlaybookKey, key: &DefinitionKey) -> Result<Vec<DefinitionKey>, Refusal> {
        let mut users = Vec::new();
        for kind in DefinitionType::RUN {
            let state = self.definitions(playbook, kind).await?;
            for (name, definition) in state.active() {
                let Ok(name) = playbook_model::id::DefinitionName::new(name.clone()) else { continue };
                let user = DefinitionKey { kind, name };
                let Ok(details) = serde_json::from_value(definition.saved.details.clone()) else { continue };
                if user != *key && playbook_definition::uses(&details).contains(key) {
                    users.push(user);
                }
            }
        }
        Ok(users)
    }

    fn about(&self, by: &str, key: &DefinitionKey, version: u32) -> Context {
        let mut context = Context::new(self.0.clock.now(), by);
        context.definition = Some(DefinitionRef { kind: key.kind, name: key.name.to_string(), version });
        context
    }

    fn saved(&self, playbook: &PlaybookKey, kind: DefinitionType) {
        if kind == DefinitionType::Recall {
            self.0.views.wake(playbook);
        }
    }
}

fn beside(asked: &Asked<'_>) -> Beside {
    Beside {
        overview: asked.given.text("overview").map(str::to_owned),
        diagram: asked.given.text("diagram").map(str::to_owned),
    }
}

/// Refuses a workflow with triggers where as many others of the playbook have some as may.
fn may_trigger(key: &DefinitionKey, state: &Definitions, saved: &SavedDefinition) -> Result<(), Rejection> {
    if key.kind != DefinitionType::Workflow || !has_triggers(&saved.details) {
        return Ok(());
    }
    let triggered = |(name, other): &(&String, &Definition)| {
        name.as_str() != key.name.as_str() && other.retired_at.is_none() && has_triggers(&other.saved.details)
    };
    if state.by_name.iter().filter(triggered).count() < limits::TRIGGERED_WORKFLOWS {
        return Ok(());
    }
    let most = thousands(limits::TRIGGERED_WORKFLOWS as u64);
    let words = format!("The playbook has {most} active workflows with triggers already; retire one first");
    Err(Rejection::new(Reason::Conflict, words))
}

/// A definition as a listing shows it.
pub(crate) fn definition_view(kind: DefinitionType, name: &str, definition: &Definition) -> Value {
    let saved = &definition.saved;
    let mut view = json!({
        "type": kind,
        "name": name,
        "version": definition.version,
        "status": if definition.retired_at.is_some() { "retired" } else { "active" },
        "media_type": kind.media_type(),
    });
    if let Some(members) = view.as_object_mut() {
        let mut add = |name: &str, value: Option<Value>| {
            if let Some(value) = value {
                members.insert(name.into(), value);
            }
        };
        add("description", saved.description.clone().map(Value::String));
        add("input_schema", saved.input_schema.clone());
        add("output_schema", saved.output_schema.clone());
        let triggers = if kind == DefinitionType::Workflow { triggers_view(&saved.details) } else { Vec::new() };
        add("triggers", (!triggers.is_empty()).then(|| triggers.into()));
        add("warnings", Some(saved.warnings.clone().into()));
        add("created_at", Some(definition.created_at.iso().into()));
        add("created_by", Some(definition.created_by.clone().into()));
        add("updated_at", Some(definition.updated_at.iso().into()));
        add("updated_by", Some(definition.updated_by.clone().into()));
        add("retired_at", definition.retired_at.map(Moment::iso).map(Value::String));
    }
    view
}
