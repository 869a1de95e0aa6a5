//! Who asks, and what they may.

use playbook_model::id::{OrgId, PlaybookId};
use std::collections::BTreeSet;

/// What a caller may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Permission {
    /// Read what belongs to the org.
    OrgRead,
    /// Change what belongs to the org.
    OrgWrite,
    /// Read a playbook: definitions, runs, history.
    PlaybookRead,
    /// Save, run, publish events.
    PlaybookWrite,
}

impl Permission {
    /// Every permission.
    pub const ALL: [Self; 4] = [Self::OrgRead, Self::OrgWrite, Self::PlaybookRead, Self::PlaybookWrite];

    /// The permission's word, as keys name it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::OrgRead => "org:read",
            Self::OrgWrite => "org:write",
            Self::PlaybookRead => "playbook:read",
            Self::PlaybookWrite => "playbook:write",
        }
    }

    /// Reads the permission's word.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|p| p.word() == word)
    }
}

/// The playbooks a caller may see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Playbooks {
    /// Every playbook of the org.
    All,
    /// These alone.
    These(BTreeSet<PlaybookId>),
}

/// Who asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// A key's id, or `local`.
    pub id: String,
    /// The org the caller belongs to; `None` for the local caller, who belongs to any.
    pub org: Option<OrgId>,
    /// What the caller may do.
    pub permissions: BTreeSet<Permission>,
    /// Which playbooks the caller may see.
    pub playbooks: Playbooks,
}

impl Caller {
    /// The caller of a program in local mode: any org, every permission, every playbook.
    #[must_use]
    pub fn local() -> Self {
        Self {
            id: "local".into(),
            org: None,
            permissions: Permission::ALL.into_iter().collect(),
            playbooks: Playbooks::All,
        }
    }

    /// Whether the caller may see a playbook.
    #[must_use]
    pub fn sees(&self, playbook: &PlaybookId) -> bool {
        match &self.playbooks {
            Playbooks::All => true,
            Playbooks::These(ids) => ids.contains(playbook),
        }
    }
}
