//! Workflows: from a YAML document to a program of tasks.

mod attempt;
mod chart;
mod cron;
mod document;
mod doubt;
mod draft;
pub mod edit;
mod events;
mod flat;
mod flowchart;
mod judge;
mod kinds;
mod outline;
pub(crate) mod phrase;
mod program;
mod read;
mod schedule;
mod shape;
mod sight;
mod tasks;
mod value;

#[cfg(test)]
mod tests;

pub use chart::{Edge, EdgeKind, Flowchart, Group, GroupKind, Node, NodeKind};
pub use cron::Cron;
pub use flowchart::flowchart;
pub use outline::{Outline, OutlineTask, outline};
pub use program::{
    Attribute, Branching, Case, Catch, Directive, Duration, ErrorTest, Expression, ExpressionId, Fields, Kind, Limit,
    List, ListId, Listening, Match, Raised, Reading, Retry, RetryDelay, Rule, Shape, Takes, Target, Task, TaskId,
    Template, Trigger, TriggerFilter, WorkflowDetails,
};
pub(crate) use read::{TEXT, read};
pub use shape::{shape_issues, shape_schema};
