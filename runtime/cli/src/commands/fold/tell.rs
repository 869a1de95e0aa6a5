//! What a fold came to, for people and programs.

use super::ended;
use super::over::{BadLines, Folded};
use crate::arguments::Fold;
use crate::differences::{self, Between};
use crate::ended::{Done, Ended, cannot, sentence};
use crate::output::{Output, complain};
use playbook_host::moving::KeptView;
use playbook_host::replay::{Halted, StallKind};
use playbook_model::difference::{Difference, differences};
use playbook_model::json;
use playbook_model::limits::VALUE_LEVELS;
use playbook_model::problem::{Problem, Severity};
use playbook_model::word::{count, thousands};
use serde_json::{Map, Value, json};

/// The problems of the document, as a check tells them.
pub(super) fn problems(document: &str, problems: &[Problem], out: &mut Output) -> Done {
    if out.is_json() {
        let list: Vec<Value> = problems
            .iter()
            .map(|problem| {
                json!({
                    "path": document, "line": problem.place.line, "column": problem.place.column,
                    "pointer": problem.place.pointer, "code": problem.code, "message": problem.message,
                    "hint": problem.hint, "severity": problem.severity,
                })
            })
            .collect();
        out.value(&json!({ "problems": list }))?;
        return Ok(Ended::Problems);
    }
    for problem in problems {
        let warning = if problem.severity == Severity::Warning { "warning: " } else { "" };
        out.line(&format!("{document}:{}:{}: {warning}{}", problem.place.line, problem.place.column, problem.message))?;
        if let Some(hint) = &problem.hint {
            out.line(&format!("  try: {hint}"))?;
        }
    }
    Ok(Ended::Problems)
}

/// The lines of a file that are no events.
pub(super) fn bad_lines(bad: &BadLines, out: &mut Output) -> Done {
    if out.is_json() {
        let problems: Vec<Value> =
            bad.refused.iter().map(|refused| json!({ "line": refused.line, "issues": refused.issues })).collect();
        out.value(&json!({ "path": bad.file, "problems": problems }))?;
        return Ok(Ended::Problems);
    }
    for refused in &bad.refused {
        for issue in &refused.issues {
            let at = if issue.pointer.is_empty() { String::new() } else { format!("{}: ", issue.pointer) };
            out.line(&format!("{}:{}: {at}{}", bad.file.display(), refused.line, sentence(&issue.detail)))?;
        }
    }
    Ok(Ended::Problems)
}

/// The view, what an event changed in it, or how it differs from the one that is kept.
pub(super) fn folded(asked: &Fold, document: &str, folded: &Folded, kept: Option<&KeptView>, out: &mut Output) -> Done {
    let view = read(&folded.view)?;
    if folded.passed_over > 0 && !out.is_json() {
        complain(&format!("{} that no fold can read are passed over.", count(folded.passed_over, "event", "events")));
    }
    let mut told = Map::new();
    told.insert("name".into(), asked.name.as_str().into());
    told.insert("folded".into(), folded.count.into());
    if let Some(halt) = &folded.halt {
        return stalled(asked, document, folded, halt, (told, view), out);
    }
    if let (Some(id), None) = (&asked.to_event, &folded.at) {
        let folded = count(folded.count, "event", "events");
        return Err(cannot(format!("The event {id} is not among the {folded} that {} folds", asked.name)));
    }
    let difference = match (&folded.at, kept) {
        (Some((_, before)), _) if asked.diff => Some(differences(&read(before)?, &view)),
        (None, Some(kept)) => Some(differences(&read(&kept.view)?, &view)),
        _ => None,
    };
    if out.is_json() {
        if let Some((event, _)) = &folded.at {
            told.insert("event".into(), json!(event.event));
            told.insert("work".into(), event.work.into());
            told.insert("bytes".into(), event.bytes.into());
        }
        told.insert("view".into(), view);
        if let Some(difference) = &difference {
            told.insert("differences".into(), differences::value(difference, Between::BeforeAndAfter));
        }
        out.value(&Value::Object(told))?;
        return Ok(ended(false));
    }
    match difference {
        None => out.value(&view)?,
        Some(difference) => lines(&difference, out)?,
    }
    let events = count(folded.count, "event", "events");
    match (&folded.at, kept) {
        (Some((event, _)), _) => complain(&format!(
            "{events} folded, up to {} of type {} of {}.",
            event.event.id,
            event.event.kind,
            event.event.time.as_deref().unwrap_or_default()
        )),
        (None, Some(kept)) => complain(&format!(
            "{events} folded; the kept view, of version {} and {}, has folded {}.",
            kept.version,
            kept.phase,
            thousands(kept.folded)
        )),
        (None, None) => complain(&format!("{events} folded.")),
    }
    Ok(ended(false))
}

fn read(view: &str) -> Result<Value, crate::ended::Failure> {
    json::parse_script(view, VALUE_LEVELS).map_err(|why| cannot(format!("The view cannot be read back as JSON: {why}")))
}

fn lines(difference: &[Difference], out: &mut Output) -> Result<(), crate::ended::Failure> {
    if difference.is_empty() {
        return out.line("No difference.");
    }
    for line in differences::lines(difference, Between::BeforeAndAfter) {
        out.line(&line)?;
    }
    Ok(())
}

fn stalled(
    asked: &Fold,
    document: &str,
    folded: &Folded,
    halt: &Halted,
    (mut told, before): (Map<String, Value>, Value),
    out: &mut Output,
) -> Done {
    let what = words(halt);
    if out.is_json() {
        told.insert("view".into(), before);
        told.insert(
            "stalled".into(),
            json!({
                "path": document, "line": halt.line, "kind": halt.kind, "message": what, "error": halt.error,
                "filter": halt.filter, "event": halt.event,
            }),
        );
        out.value(&Value::Object(told))?;
        return Ok(ended(true));
    }
    let line = halt.line.map(|line| format!(":{line}")).unwrap_or_default();
    let event = &halt.event;
    out.line(&format!(
        "{document}{line}: {what} ({}) at the event {} of type {} of {}: {}",
        kind(halt.kind),
        event.id,
        event.kind,
        event.time.as_deref().unwrap_or_default(),
        sentence(&halt.error)
    ))?;
    let events = count(folded.count, "event", "events");
    let reached = match &asked.to_event {
        Some(id) if *id != event.id => format!(" The event {id} was not reached."),
        _ => String::new(),
    };
    complain(&format!("{events} folded before it.{reached}"));
    Ok(ended(true))
}

fn kind(kind: StallKind) -> String {
    serde_json::to_value(kind).ok().and_then(|word| word.as_str().map(str::to_owned)).unwrap_or_default()
}

/// The kind of a stall in words: "When a view stalls".
fn words(halt: &Halted) -> String {
    let who = if halt.filter { "A filter's expression" } else { "The fold" };
    match halt.kind {
        StallKind::Raised => format!("{who} raised an error"),
        StallKind::Work => format!("{who} did more than its work"),
        StallKind::Memory => format!("{who} used more memory than its sandbox has"),
        StallKind::Unfit => format!("{who} returned what JSON cannot carry, or a value nested too deep"),
        StallKind::Size => format!("{who} returned a view larger than 512 KiB"),
        StallKind::Schema => format!("{who} returned a view that view.schema refuses"),
        StallKind::Refused => "The module does not load".into(),
        StallKind::Time => format!("{who} ran out of its 10 seconds"),
        StallKind::Crash => format!("{who} crashed its worker"),
    }
}
