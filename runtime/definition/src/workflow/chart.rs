//! A flowchart as data: nodes, groups and the ways between them. "The overview".
//!
//! Says nothing of how it is drawn, nor of where it comes from.

use serde::{Deserialize, Serialize};

/// The steps of a workflow and the ways between them.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Flowchart {
    /// Triggers, then tasks in the order of the document, then the end where the flow reaches it.
    pub nodes: Vec<Node>,
    /// Tasks around others, in the order of the document.
    pub groups: Vec<Group>,
    /// Each way once.
    pub edges: Vec<Edge>,
}

/// A step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Node {
    /// Its own word.
    pub id: String,
    /// What it is.
    pub kind: NodeKind,
    /// What stands on it; plain text.
    pub label: String,
    /// Its number, such as `2.1`: the place in each list from 1.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub number: Option<String>,
    /// The task's JSON Pointer, or the trigger's place.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reference: Option<String>,
    /// The group it stands in.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub group: Option<String>,
}

/// What a node is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "each is the task of its name")]
pub enum NodeKind {
    /// What starts a run.
    Trigger,
    Call,
    Switch,
    Raise,
    Set,
    Wait,
    Listen,
    Emit,
    /// The end of the run.
    End,
}

/// A task around others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Group {
    /// Its own word.
    pub id: String,
    /// What it is.
    pub kind: GroupKind,
    /// What stands on it; plain text.
    pub label: String,
    /// Its number.
    pub number: String,
    /// The task's JSON Pointer.
    pub reference: String,
    /// The group it stands in.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub group: Option<String>,
}

/// What a group is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "each is the task of its name")]
pub enum GroupKind {
    For,
    Do,
    Fork,
    Try,
}

/// A way from one node to another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edge {
    /// A node.
    pub from: String,
    /// A node.
    pub to: String,
    /// When it is taken; plain text.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub label: Option<String>,
    /// What kind of way it is.
    pub kind: EdgeKind,
}

/// What kind of way an edge is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EdgeKind {
    /// In the order of the document, or by a `then`.
    Flow,
    /// From a step of a `try` to what its `catch` does.
    Catch,
    /// Back to the first step of a `for`.
    NextItem,
    /// Around a task whose `if` may not hold.
    Skip,
}
