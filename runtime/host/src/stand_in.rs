//! Stand-ins: what runs in place of a definition, where a test supplies it. There are none otherwise.
//!
//! A run of a stand-in is started, recorded and told as any run of a function. Only a program that makes its own
//! [`crate::Settings`] can give one: no command and no request does, nor anything in a release. The window takes outputs
//! for its own tests from the environment, in a build with debug assertions.

use playbook_engine::definition::{Definition, Definitions};
use playbook_model::definition::{DefinitionKey, DefinitionType};
use playbook_model::ending::Ending;
use playbook_model::id::DefinitionName;
use playbook_model::record::SavedDefinition;
use playbook_model::time::Moment;
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::sync::Arc;

pub(crate) type Ends = Arc<dyn Fn(&Value) -> Ending + Send + Sync>;

/// What runs in place of which definitions.
#[derive(Clone, Default)]
pub struct StandIns(HashMap<DefinitionKey, Ends>);

impl StandIns {
    /// One more: `ends` is given the input of each run of a function, and tells how the run ends. It stands in for a
    /// function that is saved, and for one that this program cannot save as if it were.
    #[must_use]
    pub fn with(mut self, key: DefinitionKey, ends: impl Fn(&Value) -> Ending + Send + Sync + 'static) -> Self {
        assert!(key.kind != DefinitionType::Workflow, "a stand-in ends within its call, and a workflow does not");
        self.0.insert(key, Arc::new(ends));
        self
    }

    /// One for each member of a JSON object, as `TYPE/NAME`, that always ends with the member's value as its output.
    ///
    /// # Errors
    /// What is wrong with the text, for the author of a test.
    pub fn of_outputs(text: &str) -> Result<Self, String> {
        let outputs: Map<String, Value> = serde_json::from_str(text).map_err(|why| why.to_string())?;
        outputs.into_iter().try_fold(Self::default(), |all, (key, output)| {
            let (kind, name) = key.split_once('/').ok_or_else(|| format!("{key} is not TYPE/NAME"))?;
            let kind = DefinitionType::parse(kind).filter(|kind| *kind != DefinitionType::Workflow);
            let kind = kind.ok_or_else(|| format!("{key} is of no type of a function"))?;
            let name = DefinitionName::new(name).map_err(|why| format!("{key}: {why}"))?;
            let ends = move |_: &Value| Ending::Succeeded { output: output.clone(), record: Value::Object(Map::new()) };
            Ok(all.with(DefinitionKey { kind, name }, ends))
        })
    }

    /// What stands in for a definition.
    pub(crate) fn of(&self, key: &DefinitionKey) -> Option<Ends> {
        self.0.get(key).cloned()
    }

    /// Adds those of a type that are not saved, each as a first version without a document.
    pub(crate) fn add_to(&self, kind: DefinitionType, definitions: &mut Definitions) {
        for key in self.0.keys().filter(|key| key.kind == kind) {
            definitions.by_name.entry(key.name.to_string()).or_insert_with(unsaved);
        }
    }
}

impl std::fmt::Debug for StandIns {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

/// The same functions, not functions that do the same.
impl PartialEq for StandIns {
    fn eq(&self, other: &Self) -> bool {
        self.0.len() == other.0.len()
            && self.0.iter().all(|(key, ends)| other.0.get(key).is_some_and(|other| Arc::ptr_eq(ends, other)))
    }
}

impl Eq for StandIns {}

fn unsaved() -> Definition {
    Definition {
        saved: Arc::new(SavedDefinition {
            source: String::new(),
            description: None,
            input_schema: None,
            output_schema: None,
            warnings: Vec::new(),
            overview: String::new(),
            author_overview: None,
            author_diagram: None,
            details: Value::Null,
            stripped: None,
        }),
        version: 1,
        saved_position: 0,
        saved_id: String::new(),
        created_at: Moment(0),
        created_by: String::new(),
        updated_at: Moment(0),
        updated_by: String::new(),
        retired_at: None,
    }
}
