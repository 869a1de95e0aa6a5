//! Reading the fields of a document, and saying at its own place what is wrong with each.

use crate::front_matter::{self, Parts};
use crate::yaml::{self, Stands, Yaml, shown};
use playbook_model::json;
use playbook_model::limits::{DESCRIPTION_CHARACTERS, DOCUMENT_BYTES};
use playbook_model::position::{LineIndex, Span};
use playbook_model::problem::{Edit, Place, Problem, Severity};
use playbook_model::word::{and, nearest, thousands};
use serde_json::{Map, Value};

/// A document being read, with the problems found so far.
pub(crate) struct Reader<'a> {
    pub(crate) text: &'a str,
    pub(crate) index: LineIndex<'a>,
    /// `None` when the front matter does not open or close.
    pub(crate) parts: Option<Parts>,
    pub(crate) yaml: Yaml,
    pub(crate) problems: Vec<Problem>,
}

/// Which part of a member a problem is told at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// Its key.
    Key,
    /// Its value; a value over several lines is told at its key.
    Value,
}

/// The fields a section may have, for unknown ones.
pub(crate) struct Section<'a> {
    /// What has the fields: `a recall function`, `view`.
    pub(crate) of: &'a str,
    /// The word of the problem.
    pub(crate) code: &'a str,
    /// The fields.
    pub(crate) fields: &'a [&'a str],
}

/// Texts longer than this are not read past their size.
const READ_BYTES: usize = 4 * DOCUMENT_BYTES;

fn too_large(text: &str, index: &LineIndex<'_>) -> Option<Problem> {
    (text.len() > DOCUMENT_BYTES).then(|| {
        let message = format!("The document is {}.", yaml::bytes_over(text.len(), DOCUMENT_BYTES));
        Problem::error("document.size", Place::of(index, index.line_span(1), None), message)
    })
}

impl<'a> Reader<'a> {
    /// Splits a document and reads its front matter.
    pub(crate) fn new(text: &'a str) -> Self {
        let index = LineIndex::new(text);
        let nothing = || Yaml { value: Value::Null, places: Default::default(), whole: false };
        let mut problems: Vec<Problem> = too_large(text, &index).into_iter().collect();
        if text.len() > READ_BYTES {
            return Self { text, index, parts: None, yaml: nothing(), problems };
        }
        match front_matter::split(text, &index) {
            Ok(parts) => {
                let (yaml, found) = yaml::load(text, parts.yaml, &index);
                problems.extend(found);
                Self { text, index, parts: Some(parts), yaml, problems }
            }
            Err(problem) => {
                problems.push(problem);
                Self { text, index, parts: None, yaml: nothing(), problems }
            }
        }
    }

    /// Reads a document that is YAML from its first line to its last.
    pub(crate) fn of_document(what: yaml::Text, text: &'a str) -> Self {
        let index = LineIndex::new(text);
        let problem = too_large(text, &index);
        let mut reader = if text.len() > READ_BYTES {
            let yaml = Yaml { value: Value::Null, places: Default::default(), whole: false };
            Self { text, index, parts: None, yaml, problems: Vec::new() }
        } else {
            Self::of_yaml(what, text)
        };
        reader.problems.extend(problem);
        reader
    }

    /// Reads a text that is YAML from its first line to its last.
    pub(crate) fn of_yaml(what: yaml::Text, text: &'a str) -> Self {
        let index = LineIndex::new(text);
        let (yaml, problems) = yaml::load_as(what, text, Span::new(0, text.len()), &index);
        Self { text, index, parts: None, yaml, problems }
    }

    pub(crate) fn at(&self, pointer: &str) -> Option<&Value> {
        self.yaml.value.pointer(pointer)
    }

    /// Where a value stands; the nearest one around it for a pointer to nothing, the first line for none at all.
    pub(crate) fn span(&self, pointer: &str, part: Part) -> Span {
        let mut around = pointer;
        let mut exact = true;
        loop {
            if let Some(Stands { key, value }) = self.yaml.places.get(around) {
                let lines = self.index.place(value.start).line != self.index.place(value.end).line;
                let first = key.or_else(|| (!around.is_empty() && lines).then(|| self.first_line(*value)));
                return match (part, exact, first) {
                    (Part::Value, true, Some(key)) if value.start == value.end || lines => key,
                    (Part::Value, true, _) => *value,
                    (_, _, Some(key)) => key,
                    (_, _, None) if around.is_empty() => self.index.line_span(1),
                    (_, _, None) => *value,
                };
            }
            exact = false;
            match around.rfind('/') {
                Some(at) => around = &around[..at],
                None => return self.index.line_span(1),
            }
        }
    }

    /// The first line of a stretch.
    fn first_line(&self, span: Span) -> Span {
        let line = self.index.line_span(self.index.place(span.start).line);
        Span::new(span.start, line.end.min(span.end))
    }

    pub(crate) fn place(&self, pointer: &str, part: Part) -> Place {
        Place::of(&self.index, self.span(pointer, part), Some(pointer.to_owned()))
    }

    pub(crate) fn error(&self, code: &str, pointer: &str, part: Part, message: impl Into<String>) -> Problem {
        Problem::error(code, self.place(pointer, part), message)
    }

    pub(crate) fn refuse(&mut self, code: &str, pointer: &str, part: Part, message: impl Into<String>) {
        let problem = self.error(code, pointer, part, message);
        self.problems.push(problem);
    }

    /// The bytes of a value alone, for an edit.
    pub(crate) fn value_span(&self, pointer: &str) -> Option<Span> {
        self.yaml.places.get(pointer).map(|stands| stands.value)
    }

    /// The bytes of a key alone, for an edit.
    pub(crate) fn key_span(&self, pointer: &str) -> Option<Span> {
        self.yaml.places.get(pointer).and_then(|stands| stands.key)
    }

    /// The edit that puts a member before the first one of a mapping, written as that mapping is.
    pub(crate) fn first_member(&self, pointer: &str, member: &str) -> Option<Edit> {
        let first = self.at(pointer)?.as_object()?.keys().next()?;
        let at = self.key_span(&format!("{pointer}/{}", json::escape(first)))?.start;
        let flows = self.value_span(pointer).is_some_and(|span| self.text[span.start..].starts_with('{'));
        let line = self.text[..at].rfind('\n').map_or(0, |end| end + 1);
        let text = if flows {
            format!("{member}, ")
        } else {
            // A key of a block stands behind blanks alone, or behind the dash of a list.
            format!("{member}\n{}", " ".repeat(self.text[line..at].chars().count()))
        };
        Some(Edit { span: Span::new(at, at), text })
    }

    /// Refuses every field of a mapping that its section does not have.
    pub(crate) fn known(&mut self, pointer: &str, section: &Section<'_>, foreign: impl Fn(&str) -> Option<String>) {
        let Some(Value::Object(members)) = self.at(pointer) else { return };
        let unknown: Vec<String> =
            members.keys().filter(|name| !section.fields.contains(&name.as_str())).cloned().collect();
        let taken: Vec<String> = members.keys().cloned().collect();
        for name in unknown {
            let here = json::join(pointer, &name);
            let the_fields = match section.fields {
                [one] => format!("the one field is {one}"),
                many => format!("the fields are {}", and(many)),
            };
            let message = format!("{} is not a field of {}; {the_fields}.", shown(&name), section.of);
            let mut problem = self.error(section.code, &here, Part::Key, message);
            let near = nearest(&name, section.fields.iter().copied()).filter(|near| !taken.iter().any(|t| t == near));
            if let Some(hint) = foreign(&name) {
                problem = problem.hint(hint);
            } else if let (Some(near), Some(span)) = (near, self.key_span(&here)) {
                problem = problem
                    .hint(format!("Did you mean {near}?"))
                    .fix(format!("Write {near}"), vec![Edit { span, text: near.to_owned() }]);
            }
            self.problems.push(problem);
        }
    }

    /// A member that must be a mapping when it is there.
    pub(crate) fn mapping(&mut self, pointer: &str, code: &str) -> Option<Map<String, Value>> {
        match self.at(pointer)? {
            Value::Object(members) => Some(members.clone()),
            _ => {
                let name = pointer.rsplit('/').next().unwrap_or_default();
                let message = format!("{name} must be a mapping of fields.");
                self.refuse(code, pointer, Part::Value, message);
                None
            }
        }
    }

    /// `description`: text of 1 to 1,000 characters.
    pub(crate) fn description(&mut self) -> Option<String> {
        let value = self.at("/description")?.clone();
        let code = "document.description";
        let Some(text) = value.as_str() else {
            let mut problem = self.error(code, "/description", Part::Value, "description must be text.");
            if let (Some(span), false) =
                (self.value_span("/description"), value.is_array() || value.is_object() || value.is_null())
            {
                let text = self.text[span.start..span.end].to_owned();
                problem = problem.fix("Put it in quotes", vec![Edit { span, text: format!("'{text}'") }]);
            }
            self.problems.push(problem);
            return None;
        };
        let characters = text.chars().count();
        if (1..=DESCRIPTION_CHARACTERS).contains(&characters) {
            return Some(text.to_owned());
        }
        let most = thousands(DESCRIPTION_CHARACTERS as u64);
        let message = format!("description must be 1 to {most} characters; it is {}.", thousands(characters as u64));
        self.refuse(code, "/description", Part::Value, message);
        None
    }

    /// `language`: `typescript`. Says whether the body may be judged as TypeScript.
    pub(crate) fn language(&mut self) -> bool {
        let code = "document.language";
        let Some(value) = self.at("/language").cloned() else {
            let place = Place::of(&self.index, self.index.line_span(1), Some("/language".into()));
            let start = self.parts.map_or(0, |parts| parts.yaml.start);
            let insert = vec![Edit { span: Span::new(start, start), text: "language: typescript\n".into() }];
            self.problems.push(
                Problem::error(code, place, "language is missing; the playbook's one language is typescript.")
                    .fix("Add language: typescript", insert),
            );
            return true;
        };
        if value == "typescript" {
            return true;
        }
        let word = value.as_str().unwrap_or_default().trim().to_lowercase();
        let near = matches!(word.as_str(), "javascript" | "js" | "ts" | "typescript" | "ecmascript")
            || nearest(&word, ["typescript"]).is_some();
        let mut problem =
            self.error(code, "/language", Part::Value, "language must be typescript, the playbook's one language.");
        if near && let Some(span) = self.value_span("/language") {
            problem = problem.fix("Write typescript", vec![Edit { span, text: "typescript".into() }]);
        }
        self.problems.push(problem);
        near || value.is_null()
    }

    /// The schema of a section such as `input`, and whether it has errors.
    pub(crate) fn schema(&mut self, section: &str, hints: impl Fn(&str) -> Option<String>) -> SchemaRead {
        let code = "document.field";
        let pointer = format!("/{section}");
        if self.at(&pointer).is_none() {
            return SchemaRead::None;
        }
        if self.mapping(&pointer, code).is_none() {
            return SchemaRead::Flawed;
        }
        self.known(&pointer, &Section { of: section, code, fields: &["schema"] }, hints);
        self.schema_at(&format!("{pointer}/schema"))
    }

    pub(crate) fn schema_at(&mut self, pointer: &str) -> SchemaRead {
        let Some(schema) = self.at(pointer).cloned() else { return SchemaRead::None };
        let mut flawed = false;
        for flaw in playbook_schema::flaws(&schema) {
            let here = format!("{pointer}{}", flaw.pointer);
            let part = if flaw.code.starts_with("schema.keyword") { Part::Key } else { Part::Value };
            let mut problem = self.error(flaw.code, &here, part, flaw.message);
            problem.severity = flaw.severity;
            problem.hint = flaw.hint;
            if let Some((near, span)) = self.near_of(&problem, &here) {
                problem = problem.fix(format!("Write {near}"), vec![Edit { span, text: near }]);
            }
            flawed |= flaw.severity == Severity::Error;
            self.problems.push(problem);
        }
        if flawed { SchemaRead::Flawed } else { SchemaRead::Good(schema) }
    }

    /// The word a hint asks about, with what it would replace.
    fn near_of(&self, problem: &Problem, pointer: &str) -> Option<(String, Span)> {
        let near = problem.hint.as_deref()?.strip_prefix("Did you mean ")?.strip_suffix('?')?.to_owned();
        let span = match problem.code.as_str() {
            "schema.keyword.unknown" => self.key_span(pointer)?,
            "schema.type" | "schema.format" => self.value_span(pointer)?,
            "schema.ref.missing" => return Some((format!("'{near}'"), self.value_span(pointer)?)),
            _ => return None,
        };
        Some((near, span))
    }

    /// The body, unless it is blank, which is refused at its first line.
    pub(crate) fn body(&mut self, what: &str) -> Option<Body<'a>> {
        let parts = self.parts?;
        let text = &self.text[parts.body.start..parts.body.end];
        if text.trim().is_empty() {
            let place = Place::of(&self.index, self.index.line_span(parts.body_line), None);
            let message = format!("The document has no program: write {what} after the front matter.");
            self.problems.push(Problem::error("document.body", place, message));
            return None;
        }
        Some(Body { text, start: parts.body.start, line: parts.body_line })
    }
}

/// The program of a document.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Body<'a> {
    pub(crate) text: &'a str,
    /// Its first byte in the document.
    pub(crate) start: usize,
    /// The document's line on which it begins, from 1.
    pub(crate) line: u32,
}

/// A schema as it was read.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum SchemaRead {
    /// The document names none.
    None,
    /// It has errors.
    Flawed,
    /// It has none.
    Good(Value),
}

impl SchemaRead {
    /// The schema, when it may be used.
    pub(crate) fn good(&self) -> Option<&Value> {
        match self {
            Self::Good(schema) => Some(schema),
            _ => None,
        }
    }

    /// The type of a name: of the schema, any JSON value without one, anything at all for one with errors, so that
    /// its problems are told once and not again by the compiler.
    pub(crate) fn types(&self, root: &str) -> String {
        match self {
            Self::None => playbook_schema::types(root, None),
            Self::Good(schema) => playbook_schema::types(root, Some(schema)),
            Self::Flawed => format!("type {root} = any;\n"),
        }
    }
}
