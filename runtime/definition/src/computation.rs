//! A computation function's document. "Document", "Program signature".

use crate::check::{Judge, Made, Read};
use crate::details::{ComputationDetails, Details};
use crate::event::JSON;
use crate::reader::{Part, Reader, SchemaRead, Section};
use crate::{module, overview};
use playbook_typescript::Export;
use serde_json::Value;

/// What the module exports.
const EXPORTS: [Export; 1] = [Export { name: "default", parameters: "input: Input", result: "Output", required: true }];

const FIELDS: Section<'_> = Section {
    of: "a computation function",
    code: "document.field",
    fields: &["description", "language", "input", "output"],
};

/// Fields that other types have, with why this one does not.
pub(crate) fn foreign(name: &str) -> Option<String> {
    Some(match name {
        "model" | "config" | "tools" => "It belongs to a reasoning function, which asks a model.".into(),
        "default" => "A run's input is used as it is given; write the default into the program.".into(),
        "format" | "shape" => "The output is JSON; describe it with output.schema.".into(),
        _ => return None,
    })
}

pub(crate) fn read(reader: &mut Reader<'_>, judge: Judge<'_>) -> Read {
    let readable = opened(reader, "language: typescript");
    let (mut description, mut typescript) = (None, true);
    let (mut input, mut output) = (SchemaRead::Flawed, SchemaRead::Flawed);
    if readable {
        reader.known("", &FIELDS, foreign);
        description = reader.description();
        typescript = reader.language();
        input = reader.schema("input", foreign);
        output = reader.schema("output", foreign);
    }
    let declarations = format!("{JSON}{}{}", input.types("Input"), output.types("Output"));
    let body = reader.body("a module whose default export takes the input and returns the output");
    let (mut unjudged, mut made) = (None, None);
    if let Some(body) = body.filter(|_| typescript) {
        let judged = module::judge(reader, body, &declarations, &EXPORTS, judge);
        unjudged = judged.unjudged;
        made = judged.stripped.map(|stripped| Made {
            details: Details::Computation(ComputationDetails { first_line: body.line }),
            stripped,
            overview: overview::computation(description.as_deref(), input.good(), output.good()),
        });
    }
    Read { declarations, description, input, output, view: SchemaRead::None, unjudged, made, largest_view: None }
}

/// Whether the front matter is a mapping whose fields can be read; says what is wrong when it is not.
pub(crate) fn opened(reader: &mut Reader<'_>, least: &str) -> bool {
    if reader.parts.is_none() || !reader.yaml.whole {
        return false;
    }
    match &reader.yaml.value {
        Value::Object(members) if !members.is_empty() => true,
        Value::Object(_) | Value::Null => {
            let message = format!("The front matter is empty; it must name at least {least}.");
            reader.refuse("document.front-matter.empty", "", Part::Value, message);
            false
        }
        _ => {
            reader.refuse(
                "document.front-matter.mapping",
                "",
                Part::Value,
                "The front matter must be a mapping of fields.",
            );
            false
        }
    }
}
