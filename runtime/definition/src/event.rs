//! The events a fold sees, as far as a document can name them. "The events".

pub(crate) use playbook_model::record::{DEFINITION_FACTS, RUN_FACTS};

/// Attributes that hold a whole number from 1.
pub(crate) const NUMBERS: [&str; 3] = ["depth", "calldepth", "definitionversion"];
/// The attributes that CloudEvents and the playbook name, beside `type` and `data`.
pub(crate) const ATTRIBUTES: [&str; 16] = [
    "source",
    "subject",
    "id",
    "time",
    "specversion",
    "datacontenttype",
    "dataschema",
    "causationid",
    "correlationid",
    "caller",
    "definitionversion",
    "depth",
    "calldepth",
    "calledby",
    "triggerkind",
    "triggerreference",
];

pub(crate) fn is_run_fact(kind: &str) -> bool {
    RUN_FACTS.contains(&kind)
}

pub(crate) fn is_definition_fact(kind: &str) -> bool {
    DEFINITION_FACTS.contains(&kind)
}

/// Whether a fact of this type never has data.
pub(crate) fn never_has_data(kind: &str) -> bool {
    is_definition_fact(kind) || matches!(kind, "run_started" | "run_failed")
}

/// Any JSON value, as every module sees it.
pub(crate) const JSON: &str = "type Json = null | boolean | number | string | Json[] | { [name: string]: Json };\n";

/// The playbook's event, as a recall function's module sees it. "The module".
pub(crate) const EVENT: &str = "interface Event {
  specversion?: string;
  id: string;
  type: string;
  source: string;
  subject?: string;
  time?: string;
  datacontenttype?: string;
  dataschema?: string;
  data?: Json;
  causationid?: string;
  correlationid?: string;
  caller?: string;
  definitionversion?: number;
  depth?: number;
  calldepth?: number;
  calledby?: string;
  triggerkind?: string;
  triggerreference?: string;
}
";
