//! Definitions of one type: what their stream says of them, and what a save or a retirement leads to.

use playbook_model::definition::{DefinitionKey, DefinitionType};
use playbook_model::ending::{Kind, Reason, Rejection};
use playbook_model::id::DefinitionName;
use playbook_model::record::{Context, Fact, SavedDefinition};
use playbook_model::time::Moment;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A definition as its stream tells it.
#[derive(Debug, Clone, PartialEq)]
pub struct Definition {
    /// The newest version as saved.
    pub saved: Arc<SavedDefinition>,
    /// The newest version's number, from 1.
    pub version: u32,
    /// The log's position of the record that saved the newest version.
    pub saved_position: u64,
    /// The id of the record that saved the newest version.
    pub saved_id: String,
    /// When the first version was saved.
    pub created_at: Moment,
    /// Who saved the first version.
    pub created_by: String,
    /// When the newest version was saved, or the definition retired.
    pub updated_at: Moment,
    /// Who saved the newest version, or retired the definition.
    pub updated_by: String,
    /// When it was retired.
    pub retired_at: Option<Moment>,
}

/// The definitions of one type, by name, with the newest position of their stream.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Definitions {
    /// By name.
    pub by_name: BTreeMap<String, Definition>,
    /// The newest position of the stream, 0 before the first record.
    pub position: u64,
}

/// Where a record stands.
#[derive(Debug, Clone, Copy)]
pub struct At<'a> {
    /// The record's id.
    pub id: &'a str,
    /// Its position in the stream.
    pub position: u64,
    /// Its position in the log.
    pub global: u64,
}

impl Definitions {
    /// Takes one more record of the stream.
    pub fn apply(&mut self, at: At<'_>, fact: &Fact, context: &Context) {
        self.position = at.position;
        let Some(about) = &context.definition else { return };
        match fact {
            Fact::DefinitionCreated(saved) | Fact::DefinitionUpdated(saved) => {
                let before = self.by_name.remove(&about.name);
                let (created_at, created_by) = before
                    .map_or_else(|| (context.at, context.by.clone()), |before| (before.created_at, before.created_by));
                self.by_name.insert(
                    about.name.clone(),
                    Definition {
                        saved: Arc::new((**saved).clone()),
                        version: about.version,
                        saved_position: at.global,
                        saved_id: at.id.to_owned(),
                        created_at,
                        created_by,
                        updated_at: context.at,
                        updated_by: context.by.clone(),
                        retired_at: None,
                    },
                );
            }
            Fact::DefinitionRetired => {
                if let Some(definition) = self.by_name.get_mut(&about.name) {
                    definition.retired_at = Some(context.at);
                    definition.updated_at = context.at;
                    definition.updated_by.clone_from(&context.by);
                }
            }
            _ => {}
        }
    }

    /// The definition of a name, retired or not.
    ///
    /// # Errors
    /// `not_found`.
    pub fn known(&self, kind: DefinitionType, name: &DefinitionName) -> Result<&Definition, Rejection> {
        self.by_name.get(name.as_str()).ok_or_else(|| {
            Rejection::new(Reason::NotFound, format!("There is no {} {name} in this playbook", kind.noun()))
        })
    }

    /// Whether `create_definition` may save the first version of a name.
    ///
    /// # Errors
    /// `conflict` of the kind `taken` or `retired`.
    pub fn may_create(&self, kind: DefinitionType, name: &DefinitionName) -> Result<(), Rejection> {
        let Some(there) = self.by_name.get(name.as_str()) else { return Ok(()) };
        let noun = kind.noun();
        Err(if there.retired_at.is_some() {
            let words = format!("The {noun} {name} is retired, and a name is never given back; choose another");
            Rejection::new(Reason::Conflict, words).kind(Kind::Retired)
        } else {
            let words = format!("There is a {noun} {name} already; update it, or choose another name");
            Rejection::new(Reason::Conflict, words).kind(Kind::Taken)
        })
    }

    /// The definition that `update_definition` would change.
    ///
    /// # Errors
    /// `not_found`, or `conflict` of the kind `retired`.
    pub fn may_update(&self, kind: DefinitionType, name: &DefinitionName) -> Result<&Definition, Rejection> {
        let there = self.known(kind, name)?;
        if there.retired_at.is_some() {
            let words = format!("The {} {name} is retired and changes no more", kind.noun());
            return Err(Rejection::new(Reason::Conflict, words).kind(Kind::Retired));
        }
        Ok(there)
    }

    /// The active definitions, by name.
    pub fn active(&self) -> impl Iterator<Item = (&String, &Definition)> {
        self.by_name.iter().filter(|(_, definition)| definition.retired_at.is_none())
    }
}

/// Whether one more recall function may be created: "Recall functions a playbook keeps".
///
/// # Errors
/// `conflict`, naming the most.
pub fn within_cap(kind: DefinitionType, definitions: &Definitions, most: usize) -> Result<(), Rejection> {
    if kind == DefinitionType::Recall && definitions.active().count() >= most {
        return Err(Rejection::new(
            Reason::Conflict,
            format!("A playbook keeps at most {most} recall functions; retire one first"),
        ));
    }
    Ok(())
}

/// The refusal of a save that another save of the type overtook.
#[must_use]
pub fn changed_meanwhile(key: &DefinitionKey) -> Rejection {
    Rejection::new(
        Reason::Conflict,
        format!("Another {} was saved at the same moment as {}; save again", key.kind.noun(), key.name),
    )
    .kind(Kind::ConcurrentChange)
}
