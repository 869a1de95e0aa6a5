//! Streams: what a record belongs to, by full name.

use playbook_model::definition::DefinitionType;
use playbook_model::id::{DefinitionName, OrgId, PlaybookKey, RunId};
use uuid::Uuid;

/// A stream of records, each with a position from 1.
///
/// Its name is part of the ids of its records, so it never changes; see [`playbook_model::id::message_id`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Stream {
    name: String,
    owner: String,
    run: Option<RunId>,
}

impl Stream {
    /// Every version of every definition of one type.
    #[must_use]
    pub fn definitions(playbook: &PlaybookKey, of: DefinitionType) -> Self {
        let owner = playbook.text();
        Self { name: format!("{owner}/definitions/{}", of.word()), owner, run: None }
    }

    /// One run with all its attempts.
    #[must_use]
    pub fn run(playbook: &PlaybookKey, run: RunId) -> Self {
        let owner = playbook.text();
        Self { name: format!("{owner}/runs/{run}"), owner, run: Some(run) }
    }

    /// The inputs applied to one run of a workflow.
    #[must_use]
    pub fn run_log(playbook: &PlaybookKey, run: RunId) -> Self {
        let owner = playbook.text();
        Self { name: format!("{owner}/run-logs/{run}"), owner, run: None }
    }

    /// What became of the events and times that would start one workflow.
    #[must_use]
    pub fn reactions(playbook: &PlaybookKey, workflow: &DefinitionName) -> Self {
        let owner = playbook.text();
        Self { name: format!("{owner}/reactions/{workflow}"), owner, run: None }
    }

    /// One published event, by the id made of its source and its own id.
    #[must_use]
    pub fn event(playbook: &PlaybookKey, event: Uuid) -> Self {
        let owner = playbook.text();
        Self { name: format!("{owner}/events/{}", event.hyphenated()), owner, run: None }
    }

    /// The playbooks of an org: their names, descriptions and ends. Belongs to no playbook.
    #[must_use]
    pub fn org(org: &OrgId) -> Self {
        Self { name: format!("org/{org}/playbooks"), owner: format!("org/{org}"), run: None }
    }

    /// The full name, such as `playbook/local/campaigns/definitions/recall`.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The key that pages and feeds go by: everything before the third slash of a playbook's stream.
    #[must_use]
    pub fn owner(&self) -> &str {
        &self.owner
    }

    /// The run, when the stream is one.
    pub(crate) fn run_id(&self) -> Option<RunId> {
        self.run
    }
}
