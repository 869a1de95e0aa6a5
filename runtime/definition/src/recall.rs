//! A recall function's document. "Fields", "The module".

use crate::check::{Judge, LargestView, Made, Read};
use crate::computation::opened;
use crate::details::{Details, RecallDetails};
use crate::event::{EVENT, JSON};
use crate::reader::{Reader, SchemaRead, Section};
use crate::{filter, module, overview, view};
use playbook_typescript::{Export, exports};

/// What the module exports.
const EXPORTS: [Export; 2] = [
    Export { name: "fold", parameters: "view: View, event: Event", result: "View", required: true },
    Export { name: "answer", parameters: "view: View, input: Input", result: "Output", required: false },
];

const FIELDS: Section<'_> = Section {
    of: "a recall function",
    code: "document.field",
    fields: &["description", "language", "source", "view", "input", "output"],
};

fn foreign(name: &str) -> Option<String> {
    Some(match name {
        "events" | "filters" => "Write the filters under source.events.".into(),
        "initial" => "Write it under view.initial.".into(),
        "schema" => "Write it under view, input or output.".into(),
        other => return crate::computation::foreign(other),
    })
}

pub(crate) fn read(reader: &mut Reader<'_>, name: Option<&str>, judge: Judge<'_>) -> Read {
    let readable = opened(reader, "language: typescript and the events it takes under source.events");
    let (mut description, mut typescript) = (None, true);
    let (mut input, mut output, mut view) = (SchemaRead::Flawed, SchemaRead::Flawed, SchemaRead::Flawed);
    let (mut initial, mut filters) = (serde_json::Value::Null, filter::Filters::default());
    if readable {
        reader.known("", &FIELDS, foreign);
        description = reader.description();
        typescript = reader.language();
        filters = filter::read(reader, name, judge);
        (initial, view) = view::read(reader);
        input = reader.schema("input", foreign);
        output = reader.schema("output", foreign);
    }
    let declarations = format!("{JSON}{EVENT}{}{}{}", view.types("View"), input.types("Input"), output.types("Output"));
    let body = reader.body("a module that exports fold");
    let (mut unjudged, mut made) = (filters.unjudged.take(), None);
    if let Some(body) = body.filter(|_| typescript) {
        let judged = module::judge(reader, body, &declarations, &EXPORTS, judge);
        view::lookups(reader, body);
        unjudged = unjudged.or(judged.unjudged);
        made = judged.stripped.map(|stripped| {
            let answers = exports(body.text).iter().any(|function| function.name == "answer");
            let details = RecallDetails {
                filters: filters.filters,
                initial,
                view_schema: view.good().cloned(),
                first_line: body.line,
                answers,
            };
            let overview = overview::recall(description.as_deref(), &details, input.good(), output.good());
            Made { details: Details::Recall(details), stripped, overview }
        });
    }
    let largest_view = view.good().map(|schema| {
        let found = playbook_schema::largest(schema);
        LargestView {
            dominates: Some(found.dominates).filter(|pointer| found.bytes.is_some() && !pointer.is_empty()),
            bytes: found.bytes,
            unbounded: found.unbounded,
        }
    });
    Read { declarations, description, input, output, view, unjudged, made, largest_view }
}
