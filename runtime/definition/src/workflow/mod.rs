//! Workflows: from a YAML document to a program of tasks.

mod program;

pub use program::{
    Attribute, Branching, Case, Catch, Directive, Duration, ErrorTest, Expression, ExpressionId, Fields, Kind, Limit,
    List, ListId, Listening, Match, Raised, Reading, Retry, RetryDelay, Rule, Shape, Takes, Target, Task, TaskId,
    Template, Trigger, TriggerFilter, WorkflowDetails,
};
