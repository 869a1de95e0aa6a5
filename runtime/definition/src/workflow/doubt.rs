//! What a workflow may say and its author hardly meant: warnings about recovery that goes on as if nothing had happened,
//! tools called twice, and tasks that never run.
//!
//! Knows the tasks that were read; a document that is refused has its tasks' flow judged once it is not.

use super::draft::Draft;
use super::program::{Branching, Catch, Directive, ErrorTest, Kind, ListId, TaskId, Template};
use crate::yaml::shown;
use playbook_model::position::Span;
use playbook_model::problem::{Edit, Problem, errors};
use playbook_model::word::and;
use serde_json::Value;
use std::collections::BTreeSet;

/// The problem types of a run that called tools and did not succeed. "When the function's run does not succeed".
const EFFECTS: [&str; 2] = ["effect_unknown", "tools_called"];
const PROBLEMS: &str = "https://on.auto/problems/";
/// Names of called definitions that a sentence lists.
const NAMED: usize = 3;

/// Warns of everything that is legal and likely wrong.
pub(super) fn doubt(draft: &mut Draft<'_, '_>) {
    for at in 0..draft.tasks.len() {
        let task = &draft.tasks[at];
        let Kind::Try { list, catch } = &task.kind else { continue };
        let (here, list, catch) = (format!("{}/catch", task.reference), *list, catch.clone());
        goes_on(draft, &here, &catch);
        calls_again(draft, &here, list, &catch);
        unmatched(draft, &here, &catch);
    }
    if errors(&draft.reader.problems).next().is_none() {
        unreached(draft);
    }
}

/// "Without `catch.do`, a task whose retries ran out hands on its own input".
fn goes_on(draft: &mut Draft<'_, '_>, here: &str, catch: &Catch) {
    if catch.retry.is_none() || catch.list.is_some() {
        return;
    }
    let pointer = format!("{here}/retry");
    let message = "Once no retry is left the run goes on as if nothing had happened: without catch.do, this task hands on its own input as its output.";
    let mut problem = Problem::warning("workflow.retry.goes_on", draft.place(&pointer), message)
        .hint("Give the catch a do that raises an error, unless the workflow should go on without the output.");
    if let Some(edit) = raising(draft, here) {
        problem = problem.fix("Raise an error then", vec![edit]);
    }
    draft.push(problem);
}

/// The edit that gives a catch in block style a `do` that raises an error.
fn raising(draft: &Draft<'_, '_>, here: &str) -> Option<Edit> {
    let span = draft.reader.value_span(here)?;
    let text = draft.reader.text;
    let written = text.get(span.start..span.end)?;
    let before = text.get(text[..span.start].rfind('\n').map_or(0, |at| at + 1)..span.start)?;
    // A mapping that begins beside something, such as `- ` or a brace, is not edited line by line.
    if written.starts_with('{') || !before.bytes().all(|b| b == b' ') {
        return None;
    }
    let line = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let end = span.start + written.trim_end().len();
    // What stands behind the last value, such as a comment, stays on its line.
    let end = text[end..].find(['\r', '\n']).map_or(text.len(), |at| end + at);
    let added: String = [
        "do:",
        "  - give-up:",
        "      raise:",
        "        error:",
        "          type: https://example.com/errors/gave-up",
        "          status: 503",
        "          title: It could not be done",
    ]
    .iter()
    .map(|added| format!("{line}{before}{added}"))
    .collect();
    Some(Edit { span: Span::new(end, end), text: added })
}

/// "A `retry` that catches every error, or status 409, also takes `effect_unknown` and `tools_called`".
fn calls_again(draft: &mut Draft<'_, '_>, here: &str, list: ListId, catch: &Catch) {
    let Some(retry) = &catch.retry else { return };
    // What a condition lets through is known only when it runs.
    if [catch.when, catch.except_when, retry.when, retry.except_when].iter().any(Option::is_some) {
        return;
    }
    let taken: Vec<&str> = EFFECTS.into_iter().filter(|kind| takes(&catch.errors, kind)).collect();
    let called = called(draft, list);
    if taken.is_empty() || called.is_empty() {
        return;
    }
    let mut names: Vec<String> = called.iter().take(NAMED).cloned().collect();
    if called.len() > NAMED {
        names.push("others".to_owned());
    }
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let message = format!(
        "This retry also takes {}: {} would run again under a new id, and call its tools again.",
        and(&taken),
        and(&names)
    );
    let hint = "Name the error that trying again may mend, such as errors: { with: { status: 503 } }, which a run raises only where it is safe.";
    draft.warn("workflow.retry.effects", &format!("{here}/retry"), &message, hint);
}

/// Whether a filter takes a problem type of status 409.
fn takes(tests: &[ErrorTest], kind: &str) -> bool {
    tests.iter().all(|test| match (test.field.as_str(), &test.value) {
        ("type", Template::Value(Value::String(text))) => text.strip_prefix(PROBLEMS) == Some(kind),
        ("status", Template::Value(value)) => value.as_f64() == Some(409.0),
        ("kind", Template::Value(value)) => value == kind,
        // Whoever names the words of an error means that one.
        _ => false,
    })
}

/// The definitions below a list that may call tools, as they are written.
fn called(draft: &Draft<'_, '_>, list: ListId) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut open: Vec<TaskId> = draft.lists[list.0 as usize].tasks.clone();
    while let Some(id) = open.pop() {
        let kind = &draft.tasks[id.0 as usize].kind;
        if let Kind::Call(target) = kind {
            match (&target.kind, &target.name) {
                // These two have no tools.
                (Template::Value(Value::String(kind)), _) if kind == "computation" || kind == "recall" => {}
                (_, Template::Value(Value::String(name))) => {
                    found.insert(name.clone());
                }
                _ => {
                    found.insert("the function it calls".to_owned());
                }
            }
        }
        open.extend(within(draft, kind));
    }
    found
}

/// The tasks one level below.
fn within(draft: &Draft<'_, '_>, kind: &Kind) -> Vec<TaskId> {
    let of = |list: &ListId| draft.lists[list.0 as usize].tasks.clone();
    match kind {
        Kind::Do(list) | Kind::For { list, .. } => of(list),
        Kind::Try { list, catch } => of(list).into_iter().chain(catch.list.iter().flat_map(of)).collect(),
        Kind::Fork { branches, .. } => branches.clone(),
        _ => Vec::new(),
    }
}

/// "A `catch` for that rejection matches status 400 or the `validation` type, never 422".
fn unmatched(draft: &mut Draft<'_, '_>, here: &str, catch: &Catch) {
    let is = |value: &Value| value.as_f64() == Some(422.0);
    let asked = |test: &ErrorTest| test.field == "status" && matches!(&test.value, Template::Value(value) if is(value));
    if !catch.errors.iter().any(asked) || draft.tasks.iter().any(|task| may_raise(&task.kind, is)) {
        return;
    }
    let pointer = format!("{here}/errors/with/status");
    let message = "No error here has the status 422: a function's run that refuses its input raises a validation error of status 400.";
    let problem = Problem::warning("workflow.catch.status", draft.place(&pointer), message);
    let edits = draft.instead(&pointer, "400");
    draft.push(problem.hint("Match status 400.").fix("Write 400", edits));
}

/// Whether a task may raise an error of its own with such a status.
fn may_raise(kind: &Kind, is: impl Fn(&Value) -> bool) -> bool {
    let Kind::Raise(raised) = kind else { return false };
    match &raised.error {
        Template::Expression(_) | Template::List(_) => true,
        Template::Value(error) => is(&error["status"]),
        Template::Object(members) => members.iter().any(|(name, value)| {
            name == "status" && matches!(value, Template::Expression(_))
                || matches!(value, Template::Value(v) if name == "status" && is(v))
        }),
    }
}

/// Where the flow may go from a task.
#[derive(Default)]
struct Ways {
    next: bool,
    exit: bool,
    jumps: Vec<usize>,
}

impl Ways {
    fn take(&mut self, then: Directive) {
        match then {
            Directive::Continue => self.next = true,
            Directive::Exit => self.exit = true,
            Directive::End => {}
            Directive::Jump(to) => self.jumps.push(to as usize),
        }
    }
}

/// Tells of each task that nothing leads to, and of each whose condition never holds.
fn unreached(draft: &mut Draft<'_, '_>) {
    let mut found = Vec::new();
    let mut lists = draft.lists.first().map(|_| ListId(0)).into_iter().collect::<Vec<_>>();
    while let Some(list) = lists.pop() {
        let (reached, _) = walk(draft, list);
        let tasks = &draft.lists[list.0 as usize].tasks;
        for (at, id) in tasks.iter().enumerate() {
            let task = &draft.tasks[id.0 as usize];
            let name = shown(&task.name);
            if reached[at] {
                if never(draft, *id) {
                    let pointer = format!("{}/if", task.reference);
                    let message = format!("The task {name} never runs: its condition never holds.");
                    found.push((
                        "workflow.never",
                        pointer,
                        message,
                        "Write what it depends on, or take the task out.".to_owned(),
                    ));
                } else {
                    lists.extend(below(draft, *id));
                }
            } else if at == 0 || reached[at - 1] {
                let more = reached[at + 1..].iter().take_while(|reached| !**reached).count();
                let tail = match more {
                    0 => format!("The task {name} never runs"),
                    1 => format!("The task {name} and the one after it never run"),
                    _ => format!("The task {name} and the {more} after it never run"),
                };
                let before = at.checked_sub(1).map(|before| &draft.tasks[tasks[before].0 as usize]);
                let (why, hint) = match before {
                    Some(before) => (
                        format!(
                            ": {} before it always {}, and no then leads here.",
                            shown(&before.name),
                            leaves(&before.kind, before.fields.then)
                        ),
                        format!("Give {} an if, or name {name} in a then.", shown(&before.name)),
                    ),
                    None => (".".to_owned(), format!("Name {name} in a then.")),
                };
                found.push(("workflow.unreached", task.reference.clone(), tail + &why, hint));
            }
        }
    }
    for (code, pointer, message, hint) in found {
        draft.warn(code, &pointer, &message, &hint);
    }
}

/// What a task does that the one after it never follows.
fn leaves(kind: &Kind, then: Directive) -> &'static str {
    match (kind, then) {
        (Kind::Raise(_), _) => "raises an error",
        (Kind::Switch(_), _) => "chooses another way",
        (_, Directive::Exit) => "leaves the list",
        (_, Directive::End) => "ends the run",
        (_, Directive::Jump(_)) => "jumps elsewhere",
        (_, Directive::Continue) => "ends in an error or ends the run",
    }
}

/// The lists below a task, those of its branches too.
fn below(draft: &Draft<'_, '_>, id: TaskId) -> Vec<ListId> {
    match &draft.tasks[id.0 as usize].kind {
        Kind::Do(list) | Kind::For { list, .. } => vec![*list],
        Kind::Try { list, catch } => [Some(*list), catch.list].into_iter().flatten().collect(),
        Kind::Fork { branches, .. } => branches.iter().flat_map(|branch| below(draft, *branch)).collect(),
        _ => Vec::new(),
    }
}

/// Which tasks of a list the flow may reach, and whether it may go on behind the list.
fn walk(draft: &Draft<'_, '_>, list: ListId) -> (Vec<bool>, bool) {
    let tasks = &draft.lists[list.0 as usize].tasks;
    let mut reached = vec![false; tasks.len()];
    let mut passes = tasks.is_empty();
    let mut open = vec![0];
    while let Some(at) = open.pop() {
        let Some(seen) = reached.get_mut(at) else {
            passes = true;
            continue;
        };
        if std::mem::replace(seen, true) {
            continue;
        }
        let ways = ways(draft, tasks[at]);
        passes |= ways.exit;
        open.extend(ways.jumps);
        if ways.next {
            open.push(at + 1);
        }
    }
    (reached, passes)
}

fn ways(draft: &Draft<'_, '_>, id: TaskId) -> Ways {
    let task = &draft.tasks[id.0 as usize];
    // A task whose condition does not hold is passed over, and its `then` is not followed.
    let mut ways = Ways { next: task.fields.condition.is_some(), ..Ways::default() };
    if never(draft, id) {
        return ways;
    }
    let walked = |list: ListId| walk(draft, list).1;
    let passes = match &task.kind {
        Kind::Raise(_) => false,
        Kind::Do(list) => walked(*list),
        Kind::Try { list, catch } => walked(*list) || catch.list.is_none_or(walked),
        Kind::Fork { branches, branching } => {
            let mut passes = branches.iter().map(|branch| {
                let ways = self::ways(draft, *branch);
                ways.next || ways.exit
            });
            match branching {
                Branching::All => passes.all(|passes| passes),
                Branching::Compete => passes.any(|passes| passes),
            }
        }
        Kind::Switch(cases) => {
            for case in cases {
                ways.take(case.then);
            }
            cases.iter().all(|case| case.when.is_some())
        }
        // A loop over nothing passes.
        _ => true,
    };
    if passes {
        ways.take(task.fields.then);
    }
    ways
}

/// Whether a task's condition is written as one that does not hold.
fn never(draft: &Draft<'_, '_>, id: TaskId) -> bool {
    let condition = draft.tasks[id.0 as usize].fields.condition;
    condition.is_some_and(|id| draft.expressions[id.0 as usize].text.trim() == "false")
}
