//! Whether what happened is what a case expects, and the case as it would have to be.

use super::Ended;
use super::fold::Folds;
use playbook_definition::RecallDetails;
use playbook_definition::case::{Answer, Ask, Case, ComputationCase, Folds as Expected, ReadCase, RecallCase};
use playbook_model::difference::{Difference, differences};
use playbook_model::ending::Rejection;
use playbook_model::json;
use playbook_model::limits::VALUE_LEVELS;
use playbook_model::position::LineColumn;
use playbook_model::problem::Problem;
use playbook_model::word::count;
use playbook_schema::{Manner, Schema};
use serde_json::Value;

/// Whether a case passed.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// Everything is as expected.
    Passed,
    /// Something is not.
    Failed {
        /// What.
        mismatches: Vec<Mismatch>,
        /// The case with what happened as what is expected; `None` where no case can expect it.
        mended: Option<Box<Case>>,
    },
    /// The case's own text has problems.
    Unreadable(Vec<Problem>),
    /// The folder has no document of the definition.
    NoDefinition,
    /// The definition's document does not pass its check; the problems are of its text.
    Definition(Vec<Problem>),
    /// The definition's document could not be judged.
    Unjudged(String),
}

/// One thing that is not as expected.
#[derive(Debug, Clone, PartialEq)]
pub struct Mismatch {
    /// Where in the case's text it is expected.
    pub place: LineColumn,
    /// The pointer into the case.
    pub pointer: String,
    /// What happened, as a sentence.
    pub sentence: String,
    /// Where a value differs: before is what the case expects, after what was found.
    pub differences: Vec<Difference>,
}

/// What happened in a case of a recall function.
pub(super) struct Found {
    pub(super) folds: Folds,
    /// One for each question, unless the folds halted.
    pub(super) answers: Vec<Ended>,
}

/// Judges a computation function's case.
pub(super) fn computation(read: &ReadCase, case: &ComputationCase, ended: &Ended) -> Verdict {
    let mismatches: Vec<Mismatch> = answer(read, "/expect", "The run", &case.expect, ended).into_iter().collect();
    let mended = Case::Computation(ComputationCase { expect: as_answer(ended), ..case.clone() });
    verdict(mismatches, Some(mended))
}

/// Judges a recall function's case.
pub(super) fn recall(read: &ReadCase, case: &RecallCase, details: &RecallDetails, found: &Found) -> Verdict {
    let mut mismatches = Vec::new();
    mismatches.extend(before(read, case, details));
    let Ok(view) = json::parse_script(&found.folds.view, VALUE_LEVELS) else {
        let mismatch = mismatch(read, "/expect", "The view cannot be read back as JSON.".into(), Vec::new());
        return verdict(vec![mismatch], None);
    };
    // Another expectation mends no view that the function cannot have.
    let mut mended = mismatches.is_empty().then(|| RecallCase { ask: Vec::new(), ..case.clone() });
    match (&found.folds.halted, &case.expect) {
        (None, Some(Expected::View(wanted))) => {
            let differences = differences(wanted, &view);
            if !differences.is_empty() {
                let sentence = format!("The view is another than expected{}.", untaken(case, &found.folds));
                mismatches.push(mismatch(read, "/expect/view", sentence, differences));
            }
        }
        (None, Some(Expected::Stalled { kind, .. })) => {
            let sentence = format!(
                "No stall: every event was folded, and a stall of the kind {kind} was expected{}.",
                untaken(case, &found.folds)
            );
            mismatches.push(mismatch(read, "/expect/stalled", sentence, Vec::new()));
        }
        (Some((at, halt)), expected) => {
            let last = at + 1 == case.events.len();
            let met = matches!(expected, Some(Expected::Stalled { kind, line })
                if last && kind == halt.kind.word() && line.is_none_or(|line| halt.line == Some(line)));
            if !met {
                let id = case.events.get(*at).map(|event| event.id.clone()).unwrap_or_default();
                let by = if halt.filter { "a filter" } else { "the fold" };
                let line = halt.line.map(|line| format!(" on line {line}")).unwrap_or_default();
                let sentence = format!(
                    "At event {} of {}, {id}, {by} stalled ({}){line}: {}",
                    at + 1,
                    case.events.len(),
                    halt.kind.word(),
                    halt.error
                );
                let pointer = match expected {
                    Some(Expected::View(_)) => "/expect/view",
                    Some(Expected::Stalled { kind, .. }) if last && kind == halt.kind.word() => "/expect/line",
                    Some(Expected::Stalled { .. }) => "/expect/stalled",
                    None => "/ask",
                };
                mismatches.push(mismatch(read, pointer, sentence, Vec::new()));
            }
            // No case expects a stall before its last event.
            mended = mended.filter(|_| last);
        }
        (None, None) => {}
    }
    for (at, (ask, ended)) in case.ask.iter().zip(&found.answers).enumerate() {
        mismatches.extend(answer(read, &format!("/ask/{at}"), "The run", &ask.answer, ended));
    }
    if let Some(mended) = &mut mended {
        mended.expect = match (&found.folds.halted, &case.expect) {
            (Some((_, halt)), expected) => {
                let named = !matches!(expected, Some(Expected::Stalled { line: None, .. }));
                Some(Expected::Stalled { kind: halt.kind.word().into(), line: halt.line.filter(|_| named) })
            }
            // An expectation that is met stays as its author wrote it.
            (None, Some(Expected::View(wanted))) if json::same(wanted, &view) => case.expect.clone(),
            (None, Some(_)) => Some(Expected::View(view)),
            (None, None) => None,
        };
        mended.ask = case
            .ask
            .iter()
            .zip(&found.answers)
            .map(|(ask, ended)| {
                let answer = if is_met(&ask.answer, ended) { ask.answer.clone() } else { as_answer(ended) };
                Ask { input: ask.input.clone(), answer }
            })
            .collect();
    }
    verdict(mismatches, mended.map(Case::Recall))
}

pub(super) fn verdict(mismatches: Vec<Mismatch>, mended: Option<Case>) -> Verdict {
    if mismatches.is_empty() { Verdict::Passed } else { Verdict::Failed { mismatches, mended: mended.map(Box::new) } }
}

pub(super) fn mismatch(read: &ReadCase, pointer: &str, sentence: String, differences: Vec<Difference>) -> Mismatch {
    Mismatch { place: read.place(pointer), pointer: pointer.into(), sentence, differences }
}

/// The view a case begins with must be one that the function can have.
fn before(read: &ReadCase, case: &RecallCase, details: &RecallDetails) -> Vec<Mismatch> {
    let (Some(view), Some(schema)) = (&case.view, &details.view_schema) else { return Vec::new() };
    let Ok(schema) = Schema::compile(schema) else { return Vec::new() };
    let issue = schema.issues(view, Manner::Answer).into_iter().next();
    let told = issue.map(|issue| {
        let sentence = format!("The view before the events does not match view.schema: {}.", issue.detail);
        mismatch(read, &format!("/view{}", issue.pointer), sentence, Vec::new())
    });
    told.into_iter().collect()
}

/// Says when no filter took some of the events, which is why many a case fails.
fn untaken(case: &RecallCase, folds: &Folds) -> String {
    let events = case.events.len() as u64;
    match events.saturating_sub(folds.folded) {
        0 => String::new(),
        _ if folds.folded == 0 => "; no filter takes any of its events".into(),
        passed => format!("; no filter takes {passed} of its {}", count(events, "event", "events")),
    }
}

fn is_met(expected: &Answer, ended: &Ended) -> bool {
    match (expected, ended) {
        (Answer::Output(wanted), Ended::Output(output)) => json::same(wanted, output),
        (expected, Ended::Rejected(rejection)) => expected.takes(rejection),
        (Answer::Rejected { .. }, Ended::Output(_)) => false,
    }
}

pub(super) fn answer(read: &ReadCase, pointer: &str, what: &str, expected: &Answer, ended: &Ended) -> Option<Mismatch> {
    if is_met(expected, ended) {
        return None;
    }
    let (inner, sentence, found) = match (expected, ended) {
        (Answer::Output(wanted), Ended::Output(output)) => {
            ("output", format!("{what}'s output is another than expected."), differences(wanted, output))
        }
        (Answer::Output(_), Ended::Rejected(rejection)) => ("output", rejected(what, rejection), Vec::new()),
        (Answer::Rejected { .. }, Ended::Rejected(rejection)) => ("rejected", rejected(what, rejection), Vec::new()),
        (Answer::Rejected { .. }, Ended::Output(output)) => {
            let shown = json::cut(&output.to_string(), 200);
            ("rejected", format!("{what} succeeded, with {shown}"), Vec::new())
        }
    };
    Some(mismatch(read, &format!("{pointer}/{inner}"), sentence, found))
}

fn rejected(what: &str, rejection: &Rejection) -> String {
    let kind = rejection.kind.map(|kind| format!(", {}", kind.word())).unwrap_or_default();
    let issues: Vec<String> =
        rejection.issues.iter().take(3).map(|issue| format!("{}: {}", issue.pointer, issue.detail)).collect();
    let issues = if issues.is_empty() { String::new() } else { format!(" ({})", issues.join("; ")) };
    format!("{what} was rejected ({}{kind}): {}{issues}", rejection.reason.word(), rejection.detail)
}

pub(super) fn as_answer(ended: &Ended) -> Answer {
    match ended {
        Ended::Output(output) => Answer::Output(Value::clone(output)),
        Ended::Rejected(rejection) => Answer::Rejected { reason: rejection.reason, kind: rejection.kind },
    }
}
