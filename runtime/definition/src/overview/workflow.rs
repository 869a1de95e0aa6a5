//! A workflow in plain words, in the order of "The overview".

use super::text::{code, label, plain};
use super::{fields, sentence};
use crate::details::{Details, uses};
use crate::workflow::phrase::{self, Phrases};
use crate::workflow::{
    Branching, Catch, Directive, EdgeKind, Flowchart, Kind, ListId, NodeKind, Retry, RetryDelay, Shape, Task, TaskId,
    Template, Trigger, WorkflowDetails, flowchart,
};
use playbook_model::word::count;
use serde_json::Value;

/// The most ways a diagram in an overview has; viewers draw no more of them.
const DRAWN: usize = 480;
/// The most steps the list says in words.
const LISTED: usize = 1_000;
/// The longest code a sentence says, in bytes.
const SAID: usize = 200;

/// What it is, what starts it, what it needs and produces, what it does and what it calls.
pub(crate) fn workflow(
    description: Option<&str>,
    details: &WorkflowDetails,
    input: Option<&Value>,
    output: Option<&Value>,
) -> String {
    let mut out = match description.map(plain).filter(|text| !text.is_empty()) {
        Some(text) => format!("{text}\n"),
        None => "This workflow has no description yet.\n".into(),
    };
    out.push_str("\n## What starts it\n\n");
    for trigger in &details.triggers {
        match trigger {
            Trigger::Event { filters } => {
                for filter in filters {
                    out.push_str(&format!("- {}\n", ended(&capital(&filter.sentence))));
                }
            }
            other => {
                let words = phrase::schedule(other).unwrap_or_default();
                out.push_str(&format!("- {}\n", ended(&capital(&plain(&words)))));
            }
        }
    }
    out.push_str("- A call of `run_definition` can always start it.\n");
    out.push_str("\n## What it needs and produces\n\n");
    match input {
        Some(schema) => out.push_str(&fields::with_examples("A run is given", schema)),
        None => out.push_str("A run is given any JSON value.\n"),
    }
    out.push('\n');
    match (details.shape, output) {
        (Some(shape), _) => {
            out.push_str(&format!("It produces {}, the output shape `{}`.\n", phrase::shape(shape), word(shape)))
        }
        (None, Some(schema)) => out.push_str(&fields::with_examples("It produces", schema)),
        (None, None) => out.push_str("It produces any JSON value.\n"),
    }
    out.push_str("\n## What it does\n\n");
    let chart = flowchart(details);
    if chart.edges.len() <= DRAWN {
        mermaid(&chart, &mut out);
    } else {
        let steps = count(details.tasks.len() as u64, "step", "steps");
        out.push_str(&format!("Its flowchart has {steps}, too many to draw here.\n"));
    }
    out.push('\n');
    let said = |text: &str| code(text, SAID);
    let mut words = Words { phrases: Phrases { details, code: &said }, left: LISTED, out };
    match details.lists.first() {
        Some(list) if !list.tasks.is_empty() => words.tasks(&list.tasks, 0, 0),
        _ => words.out.push_str("It has no steps.\n"),
    }
    let mut out = words.out;
    out.push_str("\n## What it calls\n\n");
    out.push_str(&called(details));
    out
}

fn word(shape: Shape) -> &'static str {
    match shape {
        Shape::Series => "series",
        Shape::Categories => "categories",
        Shape::Table => "table",
        Shape::Text => "text",
    }
}

fn called(details: &WorkflowDetails) -> String {
    let mut out = String::new();
    let mut computed: Vec<String> = Vec::new();
    let said = |text: &str| code(text, SAID);
    let phrases = Phrases { details, code: &said };
    for key in uses(&Details::Workflow(Box::new(calls_alone(details)))) {
        out.push_str(&format!("- the {} **{}**\n", key.kind.noun(), key.name));
    }
    for task in &details.tasks {
        if let Kind::Call(target) = &task.kind
            && (!matches!(target.kind, Template::Value(_)) || !matches!(target.name, Template::Value(_)))
        {
            let of = |template: &Template| match template {
                Template::Value(Value::String(text)) => format!("**{}**", plain(text)),
                other => phrases.value(other),
            };
            let line = format!("- a definition of the type {} and the name {}\n", of(&target.kind), of(&target.name));
            if !computed.contains(&line) {
                out.push_str(&line);
                computed.push(line);
            }
        }
    }
    if out.is_empty() { "It calls no definition.\n".into() } else { out }
}

/// The program without its triggers, whose filters name definitions too.
fn calls_alone(details: &WorkflowDetails) -> WorkflowDetails {
    WorkflowDetails { tasks: details.tasks.clone(), ..WorkflowDetails::default() }
}

fn mermaid(chart: &Flowchart, out: &mut String) {
    out.push_str("```mermaid\nflowchart TD\n");
    members(chart, None, 1, out);
    for edge in &chart.edges {
        let arrow = match edge.kind {
            EdgeKind::Catch => "-.->",
            _ => "-->",
        };
        let said = edge.label.as_deref().map(label).filter(|said| !said.is_empty());
        let said = said.map_or_else(String::new, |said| format!("|\"{said}\"|"));
        out.push_str(&format!("  {} {arrow}{said} {}\n", edge.from, named(&edge.to)));
    }
    out.push_str("```\n");
}

/// `end` is a word of the diagram's own.
fn named(id: &str) -> &str {
    if id == "end" { "finish" } else { id }
}

/// The nodes and groups that stand directly in a group.
fn members(chart: &Flowchart, group: Option<&str>, level: usize, out: &mut String) {
    let pad = "  ".repeat(level);
    for node in chart.nodes.iter().filter(|node| node.group.as_deref() == group) {
        let number = node.number.as_ref().map_or_else(String::new, |number| format!("{number}. "));
        let text = format!("\"{}\"", label(&format!("{number}{}", node.label)));
        let shape = match node.kind {
            NodeKind::Trigger | NodeKind::Raise | NodeKind::End => format!("([{text}])"),
            NodeKind::Switch => format!("{{{text}}}"),
            _ => format!("[{text}]"),
        };
        out.push_str(&format!("{pad}{}{shape}\n", named(&node.id)));
    }
    for inner in chart.groups.iter().filter(|inner| inner.group.as_deref() == group) {
        let text = label(&format!("{}. {}", inner.number, inner.label));
        out.push_str(&format!("{pad}subgraph {}[\"{text}\"]\n", inner.id));
        members(chart, Some(&inner.id), level + 1, out);
        out.push_str(&format!("{pad}end\n"));
    }
}

/// The steps in words, as a numbered list.
struct Words<'a> {
    phrases: Phrases<'a>,
    /// Steps that are still said.
    left: usize,
    out: String,
}

impl Words<'_> {
    /// Says tasks that follow `before` others of their list.
    fn tasks(&mut self, tasks: &[TaskId], before: usize, level: usize) {
        let details = self.phrases.details;
        let all: Vec<&Task> = tasks.iter().filter_map(|id| details.tasks.get(id.0 as usize)).collect();
        let names: Vec<&str> = all.iter().map(|task| task.name.as_str()).collect();
        let pad = "    ".repeat(level);
        for (at, task) in all.iter().enumerate() {
            if self.left == 0 {
                self.out.push_str(&format!(
                    "{pad}{}. and {}\n",
                    before + at + 1,
                    count((all.len() - at) as u64, "more step", "more steps")
                ));
                return;
            }
            self.left -= 1;
            let sentence = self.sentence(task, &names);
            self.out.push_str(&format!("{pad}{}. **{}**: {}\n", before + at + 1, plain(&task.name), ended(&sentence)));
            self.inner(task, level + 1);
        }
    }

    fn inner(&mut self, task: &Task, level: usize) {
        match &task.kind {
            Kind::Do(list) | Kind::For { list, .. } => self.list(*list, 0, level),
            Kind::Fork { branches, .. } => self.tasks(branches, 0, level),
            Kind::Try { list, catch } => {
                self.list(*list, 0, level);
                if let Some(inner) = catch.list {
                    self.list(inner, self.length(*list), level);
                }
            }
            _ => {}
        }
    }

    fn list(&mut self, list: ListId, before: usize, level: usize) {
        if let Some(list) = self.phrases.details.lists.get(list.0 as usize) {
            self.tasks(&list.tasks, before, level);
        }
    }

    fn length(&self, list: ListId) -> usize {
        self.phrases.details.lists.get(list.0 as usize).map_or(0, |list| list.tasks.len())
    }

    fn sentence(&self, task: &Task, names: &[&str]) -> String {
        let mut out = capital(&self.does(task, names));
        if let Some(condition) = task.fields.condition {
            out.push_str(&format!(", only if {} holds", self.phrases.written(condition)));
        }
        if let Some(timeout) = &task.fields.timeout {
            out.push_str(&format!(", within {}", self.phrases.duration(timeout)));
        }
        if let (Some(then), false) = (directive(task.fields.then, names), matches!(task.kind, Kind::Switch(_))) {
            out.push_str(&format!(", then {then}"));
        }
        out
    }

    fn does(&self, task: &Task, names: &[&str]) -> String {
        let phrases = self.phrases;
        match &task.kind {
            Kind::Call(target) => {
                let kind = match &target.kind {
                    Template::Value(Value::String(kind)) => playbook_model::definition::DefinitionType::parse(kind)
                        .map_or_else(|| "definition".into(), |kind| kind.noun()),
                    _ => "definition".into(),
                };
                match &target.name {
                    Template::Value(Value::String(name)) => format!("runs the {kind} **{}**", plain(name)),
                    other => format!("runs the {kind} that {} names", phrases.value(other)),
                }
            }
            Kind::Set(template) => plain_but_code(&phrases.set(template).replacen("Set", "sets", 1), template),
            Kind::Do(list) if self.length(*list) == 0 => "does nothing".into(),
            Kind::Do(_) => "does these steps".into(),
            Kind::Switch(cases) => {
                let mut parts: Vec<String> = Vec::new();
                for case in cases {
                    let goes = directive(case.then, names).unwrap_or_else(|| "goes on".into());
                    parts.push(match case.when {
                        Some(when) => format!("{goes} when {} holds ({})", phrases.written(when), plain(&case.name)),
                        None => format!("otherwise {goes} ({})", plain(&case.name)),
                    });
                }
                if cases.iter().all(|case| case.when.is_some()) {
                    let goes = directive(task.fields.then, names).unwrap_or_else(|| "goes on".into());
                    parts.push(format!("otherwise {goes}"));
                }
                parts.join("; ")
            }
            Kind::For { items, each, condition, .. } => {
                let mut out = format!("does these steps for each {} of {}", plain(each), phrases.written(*items));
                if let Some(condition) = condition {
                    out.push_str(&format!(", while {} holds", phrases.written(*condition)));
                }
                out
            }
            Kind::Fork { branching: Branching::All, .. } => {
                "does these steps at once, and goes on when all are done".into()
            }
            Kind::Fork { branching: Branching::Compete, .. } => {
                "does these steps at once; the first to finish wins".into()
            }
            Kind::Try { list, catch } => self.tries(*list, catch),
            Kind::Raise(raised) => format!("raises the error {}", plain(&phrases.raised(raised))),
            Kind::Wait(duration) => format!("waits {}", phrases.duration(duration)),
            Kind::Listen(listening) => plain(&phrases.listened(listening)).replacen("Wait", "waits", 1),
            Kind::Emit(attributes) => {
                let kind = attributes.iter().find(|(name, _)| name == "type").map(|(_, value)| match value {
                    Template::Value(Value::String(kind)) => code(kind, SAID),
                    other => phrases.value(other),
                });
                format!("emits an event of the type {}", kind.unwrap_or_default())
            }
        }
    }

    fn tries(&self, list: ListId, catch: &Catch) -> String {
        let caught = plain(&self.phrases.caught(&catch.errors));
        let mut error = if caught.is_empty() { "an error".to_owned() } else { format!("an error ({caught})") };
        for (condition, word) in [(catch.when, "holds"), (catch.except_when, "does not hold")] {
            if let Some(condition) = condition {
                error.push_str(&format!(" for which {} {word}", self.phrases.written(condition)));
            }
        }
        let mut out = format!("tries these steps; on {error} it ");
        let length = self.length(list);
        let recovers = catch.list.filter(|list| self.length(*list) > 0).map(|inner| {
            let (first, last) = (length + 1, length + self.length(inner));
            if first == last { format!("does step {first}") } else { format!("does steps {first} to {last}") }
        });
        let recovers = recovers.unwrap_or_else(|| "goes on with its input".into());
        match &catch.retry {
            Some(retry) => {
                out.push_str(&format!("tries again{}, and {recovers} when no retry remains", self.again(retry)))
            }
            None => out.push_str(&recovers),
        }
        out
    }

    fn again(&self, retry: &Retry) -> String {
        let mut out = String::new();
        if let Some(most) = retry.limit.retries {
            out.push_str(&format!(" up to {}", count(most, "time", "times")));
        }
        if let Some(delay) = &retry.delay {
            let grows = match retry.backoff {
                RetryDelay::Constant => "",
                RetryDelay::Linear => ", longer by as much each time",
                RetryDelay::Exponential => ", doubled each time",
            };
            out.push_str(&format!(" after {}{grows}", self.phrases.duration(delay)));
        }
        out
    }
}

/// Escapes what a `set` names, and leaves the code of one that is an expression alone.
fn plain_but_code(words: &str, template: &Template) -> String {
    if matches!(template, Template::Expression(_)) { words.to_owned() } else { plain(words) }
}

fn directive(then: Directive, names: &[&str]) -> Option<String> {
    match then {
        Directive::Continue => None,
        Directive::Exit => Some("leaves this list".into()),
        Directive::End => Some("ends the run".into()),
        Directive::Jump(to) => names.get(to as usize).map(|name| format!("goes to **{}**", plain(name))),
    }
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

fn ended(text: &str) -> String {
    if text.ends_with(['.', '!', '?', '…']) { text.to_owned() } else { format!("{text}.") }
}

/// A trigger's filter as plain text.
pub(crate) fn short_of(filter: &crate::workflow::TriggerFilter) -> String {
    let crate::workflow::TriggerFilter { kind, attributes, data, .. } = filter;
    sentence::short(&crate::details::Filter {
        kind: kind.clone(),
        attributes: attributes.clone(),
        data: data.clone(),
        sentence: String::new(),
    })
}
