//! An interaction function's document: whom it asks, until when, and the message. "A workflow document".
//!
//! Only the form that asks a party is read; the fields that reach tools are refused, each with why.

use crate::check::{Made, Read};
use crate::computation::opened;
use crate::details::{Details, InteractionDetails, TemplateText};
use crate::overview;
use crate::reader::{Part, Reader, SchemaRead, Section};
use playbook_model::duration;
use playbook_model::limits::{EXPIRES_LEAST_MILLISECONDS, EXPIRES_MOST_MILLISECONDS};
use playbook_model::position::Span;
use playbook_model::problem::{Edit, Place, Problem};
use playbook_template::{Members, Name, SystemBlock, Template};
use serde_json::Value;

const FIELDS: Section<'_> = Section {
    of: "an interaction function",
    code: "document.field",
    fields: &["description", "to", "from", "expires", "input", "output"],
};

/// Fields of the format that need tools, which this program does not reach.
const TOOLS: [&str; 4] = ["call", "deliver", "replies", "reply"];

/// What `expires` may be, as the end of a sentence.
const EXPIRES: &str = "from one minute, PT1M, to 30 days, P30D";

fn foreign(name: &str) -> Option<String> {
    Some(match name {
        "model" | "config" | "tools" => "It belongs to a reasoning function, which asks a model.".into(),
        "language" => "It belongs to a recall or computation function, which is a program.".into(),
        "message" | "body" | "text" => "The message is what stands after the front matter.".into(),
        "answer" => "Describe the answer as output.schema.".into(),
        "channel" => "A request waits in the playbook's inbox; it needs no channel.".into(),
        "timeout" | "expiry" | "expire" => "Write how long a request stays open as expires.".into(),
        "shape" | "format" => "Describe the answer with output.schema.".into(),
        "default" => "A run's input is used as it is given; a template may use the filter default.".into(),
        _ => return None,
    })
}

pub(crate) fn read(reader: &mut Reader<'_>) -> Read {
    for problem in &mut reader.problems {
        if problem.code == "document.front-matter" {
            problem.message = problem.message.replace("the program", "the message");
        }
    }
    let readable = opened(reader, "the party it asks, to, and how long a request stays open, expires");
    let mut description = None;
    let (mut input, mut output) = (SchemaRead::Flawed, SchemaRead::Flawed);
    let (mut to, mut expires) = (None, None);
    if readable {
        tools(reader);
        description = reader.description();
        input = reader.schema("input", foreign);
        output = reader.schema("output", foreign);
        let known = Known::of(&input);
        to = party(reader, "to", &known);
        party(reader, "from", &known);
        expires = expiry(reader);
        missing(reader);
    }
    let message = message(reader, &Known::of(&input));
    if output == SchemaRead::None && readable && message.is_some() {
        let place = Place::of(&reader.index, reader.index.line_span(1), Some("/output/schema".into()));
        reader.problems.push(
            Problem::warning(
                "interaction.answer",
                place,
                "Without output.schema a run asks for no answer: it succeeds at once, and nobody is shown its message.",
            )
            .hint("Describe the answer as output.schema."),
        );
    }
    let made = match (to, expires, message) {
        (Some(to), Some(expires), Some(message)) => {
            let details = InteractionDetails { to, expires, message, answer_schema: output.good().cloned() };
            let overview = overview::interaction(description.as_deref(), &details, input.good());
            Some(Made { details: Details::Interaction(details), stripped: String::new(), overview })
        }
        _ => None,
    };
    Read {
        declarations: String::new(),
        description,
        input,
        output,
        view: SchemaRead::None,
        unjudged: None,
        made,
        largest_view: None,
    }
}

/// Refuses the fields that reach tools, then every field that no document has.
fn tools(reader: &mut Reader<'_>) {
    let fields: Vec<&str> = FIELDS.fields.iter().copied().chain(TOOLS).collect();
    reader.known("", &Section { fields: &fields, ..FIELDS }, foreign);
    for field in TOOLS {
        let pointer = format!("/{field}");
        if reader.at(&pointer).is_some() {
            let message = format!("{field} needs a tool, and this program does not reach tools yet.");
            let problem = reader
                .error("interaction.tools", &pointer, Part::Key, message)
                .hint("A request waits in the playbook's inbox until someone answers it.");
            reader.problems.push(problem);
        }
    }
}

/// Says that a field is missing which the party form needs.
fn missing(reader: &mut Reader<'_>) {
    if reader.at("/call").is_some() {
        return;
    }
    let needed = [
        ("to", "to is missing: it names the party that is asked", "to: '{{ input.owner }}'"),
        ("expires", "expires is missing: it says how long a request stays open", "expires: P2D"),
    ];
    for (field, words, line) in needed {
        if reader.at(&format!("/{field}")).is_some() {
            continue;
        }
        let place = Place::of(&reader.index, reader.index.line_span(1), Some(format!("/{field}")));
        let start = reader.parts.map_or(0, |parts| parts.yaml.start);
        let insert = vec![Edit { span: Span::new(start, start), text: format!("{line}\n") }];
        reader.problems.push(
            Problem::error(&format!("interaction.{field}"), place, format!("{words}, such as `{line}`."))
                .fix(format!("Add {field}"), insert),
        );
    }
}

/// What the templates of a document may read.
struct Known {
    /// The input's properties, when its schema lists them and allows no others.
    closed: Option<Vec<String>>,
}

impl Known {
    fn of(input: &SchemaRead) -> Self {
        let closed = input.good().filter(|schema| schema.get("additionalProperties") == Some(&Value::Bool(false)));
        let closed = closed.map(|schema| {
            let properties = schema.get("properties").and_then(Value::as_object);
            properties.map(|members| members.keys().cloned().collect()).unwrap_or_default()
        });
        Self { closed }
    }

    fn names(&self) -> [Name<'_>; 3] {
        let input = self.closed.as_ref().map_or(Members::Any, |listed| Members::Listed(listed));
        [
            Name { name: "input", members: input },
            Name { name: "today", members: Members::None },
            Name { name: "now", members: Members::None },
        ]
    }
}

/// A template that renders a party.
fn party(reader: &mut Reader<'_>, field: &str, known: &Known) -> Option<TemplateText> {
    let pointer = format!("/{field}");
    let code = format!("interaction.{field}");
    let value = reader.at(&pointer)?.clone();
    let Value::String(text) = value else {
        let mut problem = reader.error(&code, &pointer, Part::Value, format!("{field} must be text."));
        if value.is_object() {
            problem = problem.hint("Put a template in quotes: YAML reads its braces as a mapping otherwise.");
            if let Some(span) = reader.value_span(&pointer)
                && let written = reader.text[span.start..span.end].to_owned()
                && written.starts_with("{{")
                && !written.contains(['\'', '\n'])
            {
                problem = problem.fix("Put it in quotes", vec![Edit { span, text: format!("'{written}'") }]);
            }
        }
        reader.problems.push(problem);
        return None;
    };
    if text.trim().is_empty() {
        reader.refuse(&code, &pointer, Part::Value, format!("{field} is blank; it must name a party."));
        return None;
    }
    let span = reader.value_span(&pointer).unwrap_or_else(|| Span::new(0, 0));
    let written = &reader.text[span.start..span.end];
    // Where the text stands as it is, between quotes at most, a place in it is a place in the document.
    let start = written.find(text.as_str()).filter(|at| *at <= 1).map(|at| span.start + at);
    let place = start.map_or(Stands::Around(span), Stands::At);
    let line = reader.index.place(span.start).line;
    template(reader, &text, place, Some(pointer), known, line)
}

/// How long a request stays open, in milliseconds.
fn expiry(reader: &mut Reader<'_>) -> Option<u64> {
    let value = reader.at("/expires")?.clone();
    let code = "interaction.expires";
    let text = value.as_str().unwrap_or_default();
    let milliseconds = match duration::parse(text) {
        Ok(milliseconds) => milliseconds,
        Err(fault) => {
            let words = match fault {
                duration::Fault::YearsOrMonths => {
                    format!("expires cannot be in years or months, whose length varies; it may be {EXPIRES}.")
                }
                duration::Fault::NotADuration => format!(
                    "expires must be an ISO 8601 duration in weeks, days, hours, minutes and seconds, {EXPIRES}."
                ),
            };
            let mut problem = reader.error(code, "/expires", Part::Value, words);
            let meant = value.as_str().and_then(meant);
            if let (Some(meant), Some(span)) = (meant, reader.value_span("/expires")) {
                problem = problem
                    .hint(format!("Did you mean {meant}?"))
                    .fix(format!("Write {meant}"), vec![Edit { span, text: meant }]);
            }
            reader.problems.push(problem);
            return None;
        }
    };
    if (EXPIRES_LEAST_MILLISECONDS..=EXPIRES_MOST_MILLISECONDS).contains(&milliseconds) {
        return Some(milliseconds);
    }
    reader.refuse(code, "/expires", Part::Value, format!("expires is out of range; it may be {EXPIRES}."));
    None
}

/// The duration that was meant by `2 days`, `p2d` or `2d`.
fn meant(text: &str) -> Option<String> {
    let text = text.trim().to_lowercase();
    let upper = text.to_uppercase();
    if duration::parse(&upper).is_ok() {
        return Some(upper);
    }
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, unit) = text.split_at(digits);
    let unit = match unit.trim() {
        "w" | "week" | "weeks" => "W",
        "d" | "day" | "days" => "D",
        "h" | "hour" | "hours" => "H",
        "m" | "min" | "minute" | "minutes" => "M",
        _ => return None,
    };
    let time = if matches!(unit, "H" | "M") { "T" } else { "" };
    Some(format!("P{time}{number}{unit}")).filter(|found| duration::parse(found).is_ok())
}

/// The message: the document's body.
fn message(reader: &mut Reader<'_>, known: &Known) -> Option<TemplateText> {
    let parts = reader.parts?;
    let body = reader.text[parts.body.start..parts.body.end].to_owned();
    if body.trim().is_empty() {
        if reader.at("/call").is_none() {
            let place = Place::of(&reader.index, reader.index.line_span(parts.body_line), None);
            let message = "The document has no message: write it after the front matter.";
            reader.problems.push(Problem::error("interaction.message", place, message));
        }
        return None;
    }
    template(reader, &body, Stands::At(parts.body.start), None, known, parts.body_line)
}

/// Where a template stands in its document.
#[derive(Clone, Copy)]
enum Stands {
    /// As it is, from this byte.
    At(usize),
    /// Written otherwise, somewhere in these bytes.
    Around(Span),
}

/// Reads a template and says what is wrong with it at its place.
fn template(
    reader: &mut Reader<'_>,
    text: &str,
    stands: Stands,
    pointer: Option<String>,
    known: &Known,
    first_line: u32,
) -> Option<TemplateText> {
    let of = |span: Span| match stands {
        Stands::At(start) => Span::new(start + span.start, start + span.end),
        Stands::Around(around) => around,
    };
    let before = reader.problems.len();
    for (at, found) in text.match_indices("${") {
        let place = Place::of(&reader.index, of(Span::new(at, at + found.len())), pointer.clone());
        reader.problems.push(
            Problem::error("template.expression", place, "A template cannot contain `${`.")
                .hint("Workflows write expressions so. For an amount in dollars, use the filter `money`."),
        );
    }
    let (faults, read) = match Template::parse(text, SystemBlock::Unknown) {
        Ok(template) => (template.unknown_names(&known.names()), true),
        Err(faults) => (faults, false),
    };
    for fault in faults {
        let span = of(fault.span);
        let mut problem = Problem::error(fault.code, Place::of(&reader.index, span, pointer.clone()), fault.message);
        problem.hint = fault.hint;
        if let (Some(instead), Stands::At(_)) = (fault.instead, stands) {
            problem = problem.fix(format!("Write {instead}"), vec![Edit { span, text: instead }]);
        }
        reader.problems.push(problem);
    }
    let right = read && reader.problems.len() == before;
    right.then(|| TemplateText { text: text.to_owned(), first_line })
}
