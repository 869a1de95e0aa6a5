//! A checked workflow as it runs: tasks and lists by number, expressions without their types.
//!
//! Stored with the version, so that a run parses nothing. Numbers follow the order of the document.

use super::flat::Part;
use crate::Data;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What running a workflow needs.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct WorkflowDetails {
    /// The document as JSON: `$workflow.definition`; a part of it is `$task.definition`.
    pub document: Value,
    /// `input.from` of the document.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub input_from: Option<Template>,
    /// `output.as` of the document.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub output_as: Option<Template>,
    /// `output.shape`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub shape: Option<Shape>,
    /// `timeout` of the document.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub timeout: Option<Duration>,
    /// What starts it on its own.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub triggers: Vec<Trigger>,
    /// Every task, in the order of the document.
    pub tasks: Vec<Task>,
    /// Every task list; the first is the document's `do`.
    pub lists: Vec<List>,
    /// Every expression.
    pub expressions: Vec<Expression>,
}

/// A task's place in [`WorkflowDetails::tasks`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TaskId(pub u32);

/// A list's place in [`WorkflowDetails::lists`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ListId(pub u32);

/// An expression's place in [`WorkflowDetails::expressions`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ExpressionId(pub u32);

/// An output shape. "Document fields".
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Shape {
    /// Lines of points.
    Series,
    /// Names with a number each.
    Categories,
    /// Columns and rows.
    Table,
    /// Markdown.
    Text,
}

/// One TypeScript expression.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Expression {
    /// Where it stands in the document, as a JSON Pointer.
    pub pointer: String,
    /// As it is written, without `${` and `}`.
    pub text: String,
    /// Without its types, ready to run.
    pub stripped: String,
    /// Those names of its place that its text mentions, each with its `$`, such as `$data` or `$line`.
    pub names: Vec<String>,
}

/// A value in which strings may be expressions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(into = "Vec<Part>", try_from = "Vec<Part>")]
pub enum Template {
    /// Holds no expression.
    Value(Value),
    /// The expression's value.
    Expression(ExpressionId),
    /// Each item for itself.
    List(Vec<Template>),
    /// Each member for itself, in the order of the document.
    Object(Vec<(String, Template)>),
}

/// A duration. "Durations".
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Duration {
    /// Written out, in milliseconds; a fraction of one is rounded up.
    Milliseconds(u64),
    /// Computed when the task runs: an expression, or a mapping with one in it. Its value is ISO 8601 text or a
    /// mapping.
    Computed(Template),
}

/// A list of tasks.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct List {
    /// The tasks in the order written.
    pub tasks: Vec<TaskId>,
}

/// A task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Task {
    /// Its name.
    pub name: String,
    /// Its JSON Pointer in the document, such as `/do/0/review`: what an error's `instance` names.
    pub reference: String,
    /// What every task accepts.
    #[serde(flatten)]
    pub fields: Fields,
    /// What it does.
    pub kind: Kind,
}

/// What every task accepts. "Tasks".
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Fields {
    /// `if`.
    #[serde(rename = "if", skip_serializing_if = "Option::is_none", default)]
    pub condition: Option<ExpressionId>,
    /// `input.from`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub input_from: Option<Template>,
    /// `output.as`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub output_as: Option<Template>,
    /// `export.as`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub export_as: Option<Template>,
    /// `timeout`, a name of `use.timeouts` already looked up.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub timeout: Option<Duration>,
    /// `then`; `Continue` when left out.
    #[serde(skip_serializing_if = "Directive::is_continue", default)]
    pub then: Directive,
}

/// What runs next. "Flow".
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Directive {
    /// The next task of the list.
    #[default]
    Continue,
    /// Leaves the list.
    Exit,
    /// Ends the run.
    End,
    /// The task at this place of the same list, from 0.
    Jump(u32),
}

impl Directive {
    #[allow(clippy::trivially_copy_pass_by_ref, reason = "the signature serde asks for")]
    fn is_continue(&self) -> bool {
        *self == Self::Continue
    }
}

/// What a task does. "Tasks".
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// `call: run_definition`.
    Call(Target),
    /// `set`.
    Set(Template),
    /// `do`.
    Do(ListId),
    /// `switch`.
    Switch(Vec<Case>),
    /// `for`.
    For {
        /// `for.in`.
        #[serde(rename = "in")]
        items: ExpressionId,
        /// The name of the item, without `$`; `item` when left out.
        each: String,
        /// The name of its position, without `$`; `index` when left out.
        at: String,
        /// `while`.
        #[serde(rename = "while", skip_serializing_if = "Option::is_none", default)]
        condition: Option<ExpressionId>,
        /// `do`.
        list: ListId,
    },
    /// `fork`.
    Fork {
        /// Each branch is one task.
        branches: Vec<TaskId>,
        /// Which branches count.
        branching: Branching,
    },
    /// `try`.
    Try {
        /// The `try` list.
        list: ListId,
        /// `catch`.
        catch: Box<Catch>,
    },
    /// `raise`.
    Raise(Raised),
    /// `wait`.
    Wait(Duration),
    /// `listen`.
    Listen(Listening),
    /// `emit`: the event's attributes as written, each a template.
    Emit(Vec<(String, Template)>),
}

/// Whether the first branch to finish wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Branching {
    /// Every branch's output, in the order written.
    All,
    /// `compete: true`: the output of the first to finish without an error.
    Compete,
}

/// `with` of a call. "Calling a function".
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Target {
    /// `with.type`: a value is one of the definition types.
    #[serde(rename = "type")]
    pub kind: Template,
    /// `with.name`.
    pub name: Template,
    /// `with.input`; `None` is `{}`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub input: Option<Template>,
}

/// A case of a `switch`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Case {
    /// Its name.
    pub name: String,
    /// `when`; the default case has none.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub when: Option<ExpressionId>,
    /// `then`.
    pub then: Directive,
}

/// `raise.error`, a name of `use.errors` already looked up: its members as written, each a template.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Raised {
    /// `type`, `status`, `title`, `detail`, `kind`, `because`, `issues`, or the whole as one expression.
    pub error: Template,
}

/// `catch`. "Errors, retries and timeouts".
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Catch {
    /// `errors.with`: every field must be equal. `details` is stored as `detail`.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub errors: Vec<ErrorTest>,
    /// The error's name, without `$`; `error` when left out.
    #[serde(rename = "as")]
    pub name: String,
    /// `when`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub when: Option<ExpressionId>,
    /// `exceptWhen`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub except_when: Option<ExpressionId>,
    /// `retry`, a name of `use.retries` already looked up.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub retry: Option<Retry>,
    /// `do`.
    #[serde(rename = "do", skip_serializing_if = "Option::is_none", default)]
    pub list: Option<ListId>,
}

/// A field of `errors.with`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ErrorTest {
    /// `type`, `status`, `instance`, `title`, `detail`, `kind` or `because`.
    pub field: String,
    /// What it must equal; an expression over `$data` and `$input` where the document has one.
    pub value: Template,
}

/// A retry policy.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Retry {
    /// `delay`; none when left out.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub delay: Option<Duration>,
    /// `backoff`.
    #[serde(default)]
    pub backoff: RetryDelay,
    /// `jitter.from` and `jitter.to`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub jitter: Option<(Duration, Duration)>,
    /// `limit`.
    #[serde(default)]
    pub limit: Limit,
    /// `when`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub when: Option<ExpressionId>,
    /// `exceptWhen`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub except_when: Option<ExpressionId>,
}

/// How the delay grows with each retry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RetryDelay {
    /// The same each time.
    #[default]
    Constant,
    /// The delay times the retry's number.
    Linear,
    /// Doubled each time.
    Exponential,
}

/// `limit` of a retry policy.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Limit {
    /// `attempt.count`: retries after the first attempt.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub retries: Option<u64>,
    /// `attempt.duration`: of each attempt.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub attempt: Option<Duration>,
    /// `duration`: since the first attempt.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub duration: Option<Duration>,
}

/// `listen`. "Waiting for events".
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Listening {
    /// How many events: `one` is `any` of one filter.
    pub takes: Takes,
    /// The filters in the order written.
    pub filters: Vec<Match>,
    /// `read`.
    pub read: Reading,
}

/// How many events a `listen` takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Takes {
    /// The first that matches any filter.
    Any,
    /// One for each filter.
    All,
}

/// What a `listen` hands on of each event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Reading {
    /// Its data.
    #[default]
    Data,
    /// The whole event: `envelope` or `raw`.
    Whole,
}

/// A filter of a `listen`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Match {
    /// `type`, where it is written out: only then the playbook's events are heard too.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none", default)]
    pub kind: Option<String>,
    /// Every attribute named, `type` among them.
    pub attributes: Vec<Attribute>,
}

/// One attribute of a filter.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Attribute {
    /// Its name, such as `type`, `source`, `subject` or `data`.
    pub name: String,
    /// What it must be.
    pub rule: Rule,
}

/// What an attribute must be. One that the event lacks is `null`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Rule {
    /// Equal to this, as JSON.
    Equal(Value),
    /// Such that this expression over it as `$data` holds.
    Holds(ExpressionId),
}

/// A trigger. "Triggers".
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Trigger {
    /// `schedule.on`, at `/schedule/on`.
    Event {
        /// 1 to 64 filters.
        filters: Vec<TriggerFilter>,
    },
    /// `schedule.cron`, at `/schedule/cron`.
    Cron {
        /// The five fields as written.
        expression: String,
    },
    /// `schedule.every`, at `/schedule/every`.
    Every {
        /// At least a minute.
        milliseconds: u64,
    },
}

impl Trigger {
    /// `event`, `cron` or `every`.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Event { .. } => "event",
            Self::Cron { .. } => "cron",
            Self::Every { .. } => "every",
        }
    }

    /// Its place in the document.
    #[must_use]
    pub fn reference(&self) -> &'static str {
        match self {
            Self::Event { .. } => "/schedule/on",
            Self::Cron { .. } => "/schedule/cron",
            Self::Every { .. } => "/schedule/every",
        }
    }
}

/// A filter of an event trigger. "Event filters".
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TriggerFilter {
    /// Its place in the document, such as `/schedule/on/any/1`.
    pub reference: String,
    /// Exactly this type.
    #[serde(rename = "type")]
    pub kind: String,
    /// Each other attribute with its exact value: text, or a whole number from 1.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub attributes: Vec<(String, Value)>,
    /// What the event's data must be.
    #[serde(default)]
    pub data: Data,
    /// The filter in words; Markdown.
    pub sentence: String,
}
