//! The filters of a recall function. "Filters".

use crate::check::Judge;
use crate::details::{Data, Filter, key};
use crate::event::{ATTRIBUTES, DEFINITION_FACTS, NUMBERS, RUN_FACTS, is_definition_fact, is_run_fact, never_has_data};
use crate::module::placed;
use crate::overview;
use crate::reader::{Part, Reader, Section};
use crate::yaml::shown;
use playbook_model::definition::DefinitionType;
use playbook_model::json;
use playbook_model::limits::{ATTRIBUTE_CHARACTERS, FILTERS};
use playbook_model::position::Span;
use playbook_model::problem::{Edit, Problem};
use playbook_model::word::nearest;
use playbook_typescript::{Expression, Unjudged, expression, strip_expression};
use serde_json::{Map, Value};

/// The filters as they were read.
#[derive(Debug, Default)]
pub(crate) struct Filters {
    pub(crate) filters: Vec<Filter>,
    /// Why the expressions were not judged.
    pub(crate) unjudged: Option<Unjudged>,
}

/// An expression, still to be judged: which filter's, its text, and where it begins when it stands as it is written.
struct Written {
    filter: usize,
    pointer: String,
    text: String,
    start: Option<usize>,
}

/// Reads `source.events`.
pub(crate) fn read(reader: &mut Reader<'_>, name: Option<&str>, judge: Judge<'_>) -> Filters {
    let mut found = Filters::default();
    let mut written: Vec<Written> = Vec::new();
    if reader.at("/source").is_none() {
        none(reader, "/source");
        return found;
    }
    if reader.mapping("/source", "recall.source").is_none() {
        return found;
    }
    let section = Section { of: "source", code: "document.field", fields: &["events"] };
    reader.known("/source", &section, |name| (name == "filters").then(|| "Write the filters under events.".to_owned()));
    let list = match reader.at("/source/events").cloned() {
        None => {
            none(reader, "/source");
            return found;
        }
        Some(Value::Array(list)) => list,
        Some(_) => {
            reader.refuse("recall.filters", "/source/events", Part::Value, "source.events must be a list of filters.");
            return found;
        }
    };
    if list.is_empty() {
        none(reader, "/source/events");
    }
    if list.len() > FILTERS {
        let message = format!("source.events names {} filters; at most {FILTERS} are taken.", list.len());
        reader.refuse("recall.filters.count", "/source/events", Part::Key, message);
    }
    for (at, value) in list.iter().enumerate() {
        let pointer = format!("/source/events/{at}");
        let Value::Object(members) = value else {
            let problem = reader
                .error("recall.filter", &pointer, Part::Value, "A filter must be a mapping that names at least a type.")
                .hint("Write it as type: run_succeeded.");
            reader.problems.push(problem);
            continue;
        };
        if let Some(filter) = filter(reader, &pointer, members, name, found.filters.len(), &mut written) {
            found.filters.push(filter);
        }
    }
    judge_expressions(reader, &written, judge, &mut found);
    for filter in &mut found.filters {
        filter.sentence = overview::sentence(filter);
    }
    found
}

fn none(reader: &mut Reader<'_>, pointer: &str) {
    let problem = reader
        .error(
            "recall.filters.none",
            pointer,
            Part::Key,
            "A recall function names at least one filter under source.events.",
        )
        .hint("A filter names a type of event, such as type: run_succeeded.");
    reader.problems.push(problem);
}

/// Reads one filter of a trigger, whose expression is judged elsewhere; `None` when it has no usable type.
pub(crate) fn one(reader: &mut Reader<'_>, pointer: &str, members: &Map<String, Value>) -> Option<Filter> {
    filter(reader, pointer, members, None, 0, &mut Vec::new())
}

/// Reads one filter; `None` when it has no usable type.
fn filter(
    reader: &mut Reader<'_>,
    pointer: &str,
    members: &Map<String, Value>,
    name: Option<&str>,
    at: usize,
    written: &mut Vec<Written>,
) -> Option<Filter> {
    let kind = kind(reader, pointer, members);
    let mut attributes = Vec::new();
    let mut data = Data::None;
    for (attribute, value) in members {
        let here = json::join(pointer, attribute);
        match attribute.as_str() {
            "type" => {}
            "data" => data = read_data(reader, &here, value, at, written),
            _ if !is_attribute(attribute) => not_attribute(reader, &here, attribute),
            _ => {
                if let Some(value) = read_value(reader, &here, attribute, value) {
                    attributes.push((attribute.clone(), value));
                }
            }
        }
    }
    let filter = Filter { kind: kind?, attributes, data, sentence: String::new() };
    never_matches(reader, pointer, &filter, name);
    Some(filter)
}

fn kind(reader: &mut Reader<'_>, pointer: &str, members: &Map<String, Value>) -> Option<String> {
    let code = "recall.filter.type";
    let here = format!("{pointer}/type");
    match members.get("type") {
        None => {
            let problem = reader
                .error(code, pointer, Part::Value, "A filter must name the type of the events it takes.")
                .hint("Add type, such as type: run_succeeded.");
            reader.problems.push(problem);
            None
        }
        Some(Value::String(kind)) if is_computed(kind) => {
            reader.refuse(
                "recall.filter.computed",
                &here,
                Part::Value,
                "The type of a filter is written out, never computed.",
            );
            None
        }
        Some(Value::String(kind)) if !kind.trim().is_empty() => Some(kind.clone()),
        Some(_) => {
            reader.refuse(code, &here, Part::Value, "The type of a filter must be text that is not empty.");
            None
        }
    }
}

/// "Filters": an attribute is named as CloudEvents names it.
pub(crate) fn is_attribute(name: &str) -> bool {
    (1..=ATTRIBUTE_CHARACTERS).contains(&name.len())
        && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
}

fn not_attribute(reader: &mut Reader<'_>, here: &str, name: &str) {
    let message = format!(
        "{} is not an attribute's name: CloudEvents names an attribute in at most {ATTRIBUTE_CHARACTERS} lowercase letters and digits.",
        shown(name)
    );
    let mut problem = reader.error("recall.filter.attribute", here, Part::Key, message);
    let plain: String = name.to_lowercase().chars().filter(char::is_ascii_alphanumeric).collect();
    let known = ATTRIBUTES.iter().copied().chain(["type", "data"]);
    let near = known.clone().find(|known| *known == plain).or_else(|| nearest(&plain, known));
    if let (Some(near), Some(span)) = (near, reader.key_span(here)) {
        problem = problem
            .hint(format!("Did you mean {near}?"))
            .fix(format!("Write {near}"), vec![Edit { span, text: near.into() }]);
    }
    reader.problems.push(problem);
}

/// An attribute's value: text, or a whole number from 1 for three of them.
fn read_value(reader: &mut Reader<'_>, here: &str, name: &str, value: &Value) -> Option<Value> {
    if let Value::String(text) = value
        && is_computed(text)
    {
        reader.refuse(
            "recall.filter.computed",
            here,
            Part::Value,
            format!("The {name} of a filter is written out, never computed."),
        );
        return None;
    }
    if NUMBERS.contains(&name) {
        let number = value.as_f64().filter(|n| n.fract() == 0.0);
        if let Some(number) = number.filter(|n| (1.0..=f64::from(i32::MAX)).contains(n)) {
            return Some(Value::from(number as i64));
        }
        let mut problem = reader.error(
            "recall.filter.number",
            here,
            Part::Value,
            format!("The {name} of a filter must be a whole number from 1."),
        );
        if number == Some(0.0) {
            let what = if name == "calldepth" { "no call" } else { "no reaction" };
            problem = problem.hint(match name {
                "definitionversion" => "Versions count from 1.".to_owned(),
                _ => format!(
                    "No event has it as 0: a run that {what} started has no {name}, and no filter can name that."
                ),
            });
        } else if let (Some(text), Some(span)) =
            (value.as_str().and_then(|text| text.trim().parse::<u32>().ok()), reader.value_span(here))
        {
            problem = problem.fix(format!("Write {text}"), vec![Edit { span, text: text.to_string() }]);
        }
        reader.problems.push(problem);
        return None;
    }
    match value {
        Value::String(text) if !text.is_empty() => Some(value.clone()),
        Value::String(_) => {
            reader.refuse(
                "recall.filter.empty",
                here,
                Part::Value,
                format!("The {name} of a filter must not be empty."),
            );
            None
        }
        _ => {
            let mut problem =
                reader.error("recall.filter.text", here, Part::Value, format!("The {name} of a filter must be text."));
            if let (true, Some(span)) = (value.is_number() || value.is_boolean(), reader.value_span(here)) {
                let text = format!("'{}'", &reader.text[span.start..span.end]);
                problem = problem.fix("Put it in quotes", vec![Edit { span, text }]);
            }
            reader.problems.push(problem);
            None
        }
    }
}

/// Whether a text is enclosed in `${ }`.
fn is_computed(text: &str) -> bool {
    inner(text).is_some()
}

fn inner(text: &str) -> Option<&str> {
    text.trim().strip_prefix("${")?.strip_suffix('}')
}

fn read_data(reader: &mut Reader<'_>, here: &str, value: &Value, at: usize, written: &mut Vec<Written>) -> Data {
    let Some(inside) = value.as_str().and_then(inner) else {
        misplaced(reader, here, value);
        return Data::Equal(value.clone());
    };
    let text = inside.trim();
    if text.is_empty() {
        reader.refuse(
            "recall.filter.data.empty",
            here,
            Part::Value,
            "The data expression of a filter must not be empty.",
        );
        return Data::None;
    }
    // The expression's own place is known when the document writes it letter by letter.
    let start = reader.value_span(here).and_then(|span| {
        let raw = reader.text.get(span.start..span.end)?;
        raw.find(text).map(|at| span.start + at)
    });
    written.push(Written { filter: at, pointer: here.to_owned(), text: text.to_owned(), start });
    Data::Expression { text: text.to_owned(), stripped: String::new() }
}

/// Warns of an expression that would be compared as text.
fn misplaced(reader: &mut Reader<'_>, here: &str, value: &Value) {
    let mut open = vec![(here.to_owned(), value)];
    while let Some((pointer, value)) = open.pop() {
        match value {
            Value::String(text) if text.contains("${") => {
                let warning = Problem::warning(
                    "recall.filter.data.text",
                    reader.place(&pointer, Part::Value),
                    "This is compared as text: only a data that is enclosed in ${ } as a whole is an expression.",
                )
                .hint("Write the whole condition as one expression, such as '${ $data.revenue > 100 }'.");
                reader.problems.push(warning);
            }
            Value::Array(list) => {
                open.extend(list.iter().enumerate().map(|(at, value)| (format!("{pointer}/{at}"), value)));
            }
            Value::Object(members) => {
                open.extend(members.iter().map(|(name, value)| (json::join(&pointer, name), value)));
            }
            _ => {}
        }
    }
}

/// "Filters": an expression reads `$data` and nothing else.
fn judge_expressions(reader: &mut Reader<'_>, written: &[Written], judge: Judge<'_>, found: &mut Filters) {
    if written.is_empty() {
        return;
    }
    let alone = || written.iter().map(|it| expression(&it.text).err().unwrap_or_default()).collect();
    let faults: Vec<_> = match judge {
        Judge::TextAlone => alone(),
        Judge::Compiler(compiler) => {
            let asked: Vec<Expression<'_>> =
                written.iter().map(|it| Expression { text: &it.text, names: &["$data"] }).collect();
            compiler.check_expressions(&asked).unwrap_or_else(|why| {
                found.unjudged = Some(why);
                alone()
            })
        }
    };
    for (it, faults) in written.iter().zip(faults) {
        let sound = faults.is_empty();
        for diagnostic in faults {
            push(reader, it, diagnostic);
        }
        if !sound {
            continue;
        }
        match strip_expression(&it.text) {
            Ok(ready) => {
                if let Some(Filter { data: Data::Expression { stripped, .. }, .. }) = found.filters.get_mut(it.filter) {
                    *stripped = ready;
                }
            }
            Err(diagnostic) => push(reader, it, diagnostic),
        }
    }
}

fn push(reader: &mut Reader<'_>, written: &Written, diagnostic: playbook_typescript::Diagnostic) {
    let pointer = Some(written.pointer.clone());
    let problem = match written.start {
        Some(start) => placed(reader, start, diagnostic, pointer),
        None => {
            let whole = reader.span(&written.pointer, Part::Value);
            let nowhere = playbook_typescript::Diagnostic {
                span: Span::new(0, whole.end - whole.start),
                fix: None,
                ..diagnostic
            };
            placed(reader, whole.start, nowhere, pointer)
        }
    };
    reader.problems.push(problem);
}

/// Warns of a filter that no event can match.
fn never_matches(reader: &mut Reader<'_>, pointer: &str, filter: &Filter, own: Option<&str>) {
    let code = "recall.filter.never";
    let kind = filter.kind.as_str();
    let facts = RUN_FACTS.iter().chain(&DEFINITION_FACTS).copied();
    let looks_like_fact = kind.starts_with("run_") || kind.starts_with("definition_");
    if looks_like_fact && !facts.clone().any(|fact| fact == kind) {
        let here = format!("{pointer}/type");
        let mut problem = Problem::warning(
            "recall.filter.unknown",
            reader.place(&here, Part::Value),
            "The playbook records no event of this type for a fold; only one published with it would match.",
        );
        if let (Some(near), Some(span)) = (nearest(kind, facts), reader.value_span(&here)) {
            problem = problem
                .hint(format!("Did you mean {near}?"))
                .fix(format!("Write {near}"), vec![Edit { span, text: near.into() }]);
        }
        reader.problems.push(problem);
    }
    if never_has_data(kind) && filter.data != Data::None {
        let place = reader.place(&format!("{pointer}/data"), Part::Key);
        let message = format!("No event matches: {kind} has no data.");
        reader.problems.push(Problem::warning(code, place, message).hint("Leave data out."));
    }
    let text =
        |wanted: &str| filter.attributes.iter().find(|(name, _)| name == wanted).and_then(|(_, value)| value.as_str());
    let here = format!("{pointer}/subject");
    if let Some(subject) = text("subject") {
        if is_definition_fact(kind) {
            let message = format!("No event matches: {kind} has no subject; its source names the definition.");
            let hint = "Write source: /definitions/<type>/<name>.";
            reader.problems.push(Problem::warning(code, reader.place(&here, Part::Key), message).hint(hint));
        } else if is_run_fact(kind) {
            match key(subject) {
                None => {
                    let types: Vec<&str> = DefinitionType::ALL.iter().map(|kind| kind.word()).collect();
                    let message = "No run's event matches: its subject is the type and the name of a definition.";
                    let hint = format!(
                        "Write it as <type>/<name>, such as reasoning/review-brief; the types are {}.",
                        types.join(", ")
                    );
                    reader.problems.push(Problem::warning(code, reader.place(&here, Part::Value), message).hint(hint));
                }
                Some(named) if named.kind == DefinitionType::Recall && Some(named.name.as_str()) == own => {
                    let message = "No event matches: a recall function never folds the events of its own runs.";
                    reader.problems.push(Problem::warning(code, reader.place(&here, Part::Value), message));
                }
                Some(_) => {}
            }
        }
    }
    if let Some(source) = text("source")
        && is_definition_fact(kind)
        && source.strip_prefix("/definitions/").and_then(key).is_none()
    {
        let here = format!("{pointer}/source");
        let message = format!("No event matches: the source of {kind} is /definitions/<type>/<name>.");
        reader.problems.push(Problem::warning(code, reader.place(&here, Part::Value), message));
    }
}
