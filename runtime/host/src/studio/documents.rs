//! Documents of the open folder: rows, texts, saves that never lose an edit.

use super::check::check_view;
use super::open::{Open, file_refusal};
use super::{Answer, Input, Studio, StudioRefusal, invalid};
use crate::folder::{Base, FileError, Folder, Standing, standing};
use playbook_engine::view::{Phase, StallKind};
use playbook_model::definition::{DefinitionKey, DefinitionType};
use playbook_model::ending::{Kind, Reason, Rejection};
use playbook_model::refusal::Refusal;
use playbook_model::{limits, problem};
use serde_json::{Map, Value, json};

impl Studio {
    /// A document as the tree shows it.
    pub(super) async fn row(&self, open: &Open, key: &DefinitionKey) -> Answer {
        let document = open.folder.read(key).map_err(|why| file_refusal(&why));
        let (text, unreadable) = match document {
            Ok(document) => (document.map(|document| document.text), false),
            Err(_) => (None, true),
        };
        let definitions = open.runtime.definitions(&open.key, key.kind).await?;
        let recorded = definitions.by_name.get(key.name.as_str());
        let mut stands = standing(text.as_deref(), recorded);
        let (mut problems, mut warnings) = (usize::from(unreadable), 0);
        if let (Some(text), Standing::Draft | Standing::Saved) = (&text, stands) {
            let quick = playbook_definition::check_without_compiler(key.kind, text);
            problems = problem::errors(&quick.problems).count();
            warnings = quick.problems.len() - problems;
            if stands == Standing::Draft {
                // Drafts are few; the compiler's problems count too.
                let checked = crate::ops::judge(self.0.compiler.clone(), key, text).await?;
                problems = problem::errors(&checked.problems).count();
                warnings = checked.problems.len() - problems;
            }
        }
        if problems > 0 && stands != Standing::Retired {
            stands = Standing::Problems;
        }
        Ok(json!({
            "type": key.kind,
            "name": key.name,
            "path": Folder::relative(key),
            "state": stands.word(),
            "version": recorded.map(|recorded| recorded.version),
            "problems": problems,
            "warnings": warnings,
            "description": recorded.and_then(|recorded| recorded.saved.description.clone()),
            "standing": short_standing(open, key).await?,
        }))
    }

    pub(super) async fn get_document(&self, given: &Input) -> Answer {
        let open = self.opened()?;
        self.document(&open, &given.definition()?).await
    }

    async fn document(&self, open: &Open, key: &DefinitionKey) -> Answer {
        let row = self.row(open, key).await?;
        let document = open.folder.read(key).map_err(|why| file_refusal(&why))?;
        let definitions = open.runtime.definitions(&open.key, key.kind).await?;
        let recorded = definitions.by_name.get(key.name.as_str());
        if document.is_none() && recorded.is_none() {
            let words = format!("There is no file {}", Folder::relative(key));
            return Err(Rejection::new(Reason::NotFound, words).into());
        }
        let (overview, diagram) = open.folder.read_beside(key).map_err(|why| file_refusal(&why))?;
        let text = match (&document, recorded) {
            (Some(document), _) => document.text.clone(),
            (None, Some(recorded)) => recorded.saved.source.clone(),
            (None, None) => String::new(),
        };
        let checked = crate::ops::judge(self.0.compiler.clone(), key, &text).await?;
        let Value::Object(mut view) = row else {
            return Err(crate::runtime::incident("a row is an object").into());
        };
        view.insert("text".into(), text.clone().into());
        view.insert("base".into(), document.map(|document| document.base.0).into());
        view.insert("saved_text".into(), recorded.map(|recorded| recorded.saved.source.clone()).into());
        view.insert("author_overview".into(), overview.into());
        view.insert("author_diagram".into(), diagram.into());
        view.insert("check".into(), check_view(key.kind, &text, checked));
        Ok(Value::Object(view))
    }

    /// Writes a document whose file is still what the author saw, and records it when it passes.
    pub(super) async fn save_document(&self, given: &Input) -> Answer {
        let open = self.opened()?;
        let key = given.definition()?;
        let text = given.text("text")?.to_owned();
        let base = given.maybe("base").map(|base| Base(base.to_owned()));
        self.write_document(&open, &key, &text, base.as_ref())?;
        self.record(&open, &key).await?;
        let document = self.document(&open, &key).await?;
        self.0.changes.add(json!({ "topic": "documents" }));
        Ok(json!({ "document": document }))
    }

    fn write_document(
        &self,
        open: &Open,
        key: &DefinitionKey,
        text: &str,
        base: Option<&Base>,
    ) -> Result<(), StudioRefusal> {
        match open.folder.write(key, text, base) {
            Ok(_) => Ok(()),
            Err(FileError::Changed { path, theirs }) => {
                let words = match theirs {
                    Some(_) => {
                        format!("{} was changed outside since it was opened; nothing was written", path.display())
                    }
                    None => format!("{} was removed outside since it was opened; nothing was written", path.display()),
                };
                let mut extra = Map::new();
                let (text, base) = theirs.map_or((None, None), |(text, base)| (Some(text), Some(base.0)));
                extra.insert("theirs".into(), text.into());
                extra.insert("theirs_base".into(), base.into());
                let refusal = Rejection::new(Reason::Conflict, words).kind(Kind::ConcurrentChange).into();
                Err(StudioRefusal { refusal, extra })
            }
            Err(why) => Err(file_refusal(&why)),
        }
    }

    /// Records a document's file; that it has problems is no failure of the save.
    async fn record(&self, open: &Open, key: &DefinitionKey) -> Result<(), StudioRefusal> {
        let recorded = open.runtime.record_file(&open.folder, &open.key, key).await;
        let mut unrecorded = open.unrecorded.lock().expect("no holder panics");
        unrecorded.remove(&key.to_string());
        match recorded.map_err(|why| file_refusal(&why))? {
            Ok(()) => Ok(()),
            Err(Refusal::Rejected(rejection)) => {
                if rejection.reason != Reason::InvalidInput {
                    unrecorded.insert(key.to_string(), rejection.detail);
                }
                Ok(())
            }
            Err(refusal) => Err(refusal.into()),
        }
    }

    pub(super) async fn new_document(&self, given: &Input) -> Answer {
        let open = self.opened()?;
        let key = given.definition()?;
        let text = match given.maybe("text") {
            Some(text) => text.to_owned(),
            None => smallest(key.kind)
                .ok_or_else(|| invalid("type", format!("This version makes no {} yet", key.kind.noun())))?
                .to_owned(),
        };
        let definitions = open.runtime.definitions(&open.key, key.kind).await?;
        definitions.may_create(key.kind, &key.name)?;
        self.write_document(&open, &key, &text, None)?;
        self.record(&open, &key).await?;
        let document = self.document(&open, &key).await?;
        self.0.changes.add(json!({ "topic": "documents" }));
        Ok(json!({ "document": document }))
    }

    pub(super) async fn retire_document(&self, given: &Input) -> Answer {
        let open = self.opened()?;
        let key = given.definition()?;
        let input = json!({
            "org": open.key.org, "playbook": open.key.playbook, "type": key.kind, "name": key.name,
        });
        open.runtime.local("retire_definition", input).await?;
        let document = self.document(&open, &key).await?;
        self.0.changes.add(json!({ "topic": "documents" }));
        Ok(json!({ "document": document }))
    }

    pub(super) async fn delete_document(&self, given: &Input) -> Answer {
        let open = self.opened()?;
        open.folder.delete(&given.definition()?).map_err(|why| file_refusal(&why))?;
        self.0.changes.add(json!({ "topic": "documents" }));
        Ok(json!({}))
    }

    /// The inputs kept in the folder, and those of recent runs.
    pub(super) async fn get_inputs(&self, given: &Input) -> Answer {
        let open = self.opened()?;
        let key = given.definition()?;
        let mut inputs = Vec::new();
        for (name, text) in open.folder.inputs(&key).map_err(|why| file_refusal(&why))? {
            match playbook_model::json::parse(&text, limits::VALUE_LEVELS) {
                Ok(value) => inputs.push(json!({ "name": name, "value": value })),
                Err(why) => {
                    inputs.push(json!({ "name": name, "text": text, "problem": format!("It is no JSON: {why}") }))
                }
            }
        }
        Ok(json!({ "inputs": inputs }))
    }

    pub(super) async fn keep_input(&self, given: &Input) -> Answer {
        let open = self.opened()?;
        let key = DefinitionKey {
            kind: DefinitionType::parse(given.text("type")?)
                .ok_or_else(|| invalid("type", "Expected a type".into()))?,
            name: playbook_model::id::DefinitionName::new(given.text("name")?)
                .map_err(|why| invalid("name", why.to_string()))?,
        };
        let name = playbook_model::id::DefinitionName::new(given.text("input")?)
            .map_err(|why| invalid("input", why.to_string()))?;
        let value = given.0.get("value").cloned().unwrap_or(Value::Null);
        let text = serde_json::to_string_pretty(&value).unwrap_or_default() + "\n";
        open.folder.keep_input(&key, &name, &text).map_err(|why| file_refusal(&why))?;
        Ok(json!({}))
    }
}

async fn short_standing(open: &Open, key: &DefinitionKey) -> Answer {
    if key.kind != DefinitionType::Recall {
        return Ok(Value::Null);
    }
    let newest = open.runtime.newest_recorded(&open.key).await?;
    Ok(match open.runtime.view_of(&open.key, key.name.as_str()) {
        Some(view) => {
            let kind = (view.phase == Phase::Stalled).then(|| view.stalled.as_ref().map(|s| s.kind)).flatten();
            json!({
                "state": view.phase.word(),
                "folded": view.folded,
                "lag_ms": view.lag(newest),
                "kind": kind.map(|kind: StallKind| serde_json::to_value(kind).unwrap_or(Value::Null)),
            })
        }
        None => Value::Null,
    })
}

/// The smallest document of a type that passes.
fn smallest(kind: DefinitionType) -> Option<&'static str> {
    match kind {
        DefinitionType::Computation => Some(include_str!("new-computation.md")),
        DefinitionType::Recall => Some(include_str!("new-recall.md")),
        DefinitionType::Interaction => Some(include_str!("new-interaction.md")),
        DefinitionType::Workflow => Some(include_str!("new-workflow.yaml")),
        DefinitionType::Reasoning | DefinitionType::Prediction => None,
    }
}
