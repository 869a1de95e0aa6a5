//! Every kept case: what it renders, that it stops, or that it is refused when it is read.

use playbook_template::{Fault, Stop, Structures, SystemBlock, Template};
use serde_json::Value;

/// Cases in which this engine differs on purpose, each with its reason.
const DIFFER: [(&str, &str); 2] = [
    // `<>` is no operator, and is refused rather than read as the end of the condition.
    ("if-ltgt", "This has no meaning here."),
    // A quoted text that a tag's end cuts off is refused rather than rendered without its last character.
    ("in-str-tag", "The text after \" has no closing quote."),
];

enum Outcome {
    Text(String),
    Stopped(Stop),
    Refused(Vec<Fault>),
}

fn outcome(template: &str, data: &Value) -> Outcome {
    let template = match Template::parse(template, SystemBlock::Unknown) {
        Ok(template) => template,
        Err(faults) => return Outcome::Refused(faults),
    };
    let members = data.as_object().expect("data is an object");
    let values: Vec<(&str, &Value)> = members.iter().map(|(name, value)| (name.as_str(), value)).collect();
    match template.render(&values, Structures::Written, &|| false) {
        Ok(rendered) => Outcome::Text(rendered.message),
        Err(stop) => Outcome::Stopped(stop),
    }
}

#[test]
fn every_case_comes_out_as_kept() {
    let kept: Value = serde_json::from_str(include_str!("cases.json")).expect("the cases are JSON");
    let more: Value = serde_json::from_str(include_str!("more-cases.json")).expect("the cases are JSON");
    let cases = kept["cases"].as_array().into_iter().chain(more.as_array()).flatten();
    let mut wrong = Vec::new();
    for case in cases {
        let template = case["template"].as_str().expect("a case has a template");
        let outcome = outcome(template, case.get("data").unwrap_or(&kept["data"]));
        let said = match &outcome {
            Outcome::Text(text) => format!("rendered {text:?}"),
            Outcome::Stopped(stop) => format!("stopped: {stop:?}"),
            Outcome::Refused(faults) => format!("refused: {}", faults[0].message),
        };
        let differs = DIFFER.iter().find(|(of, _)| case["id"] == *of);
        let right = match (&outcome, differs) {
            (Outcome::Refused(faults), Some((_, words))) => faults[0].message == *words,
            (_, Some(_)) => false,
            (Outcome::Text(text), None) => case["output"].as_str() == Some(text),
            (Outcome::Stopped(_), None) => case.get("stops").is_some(),
            (Outcome::Refused(_), None) => case.get("stops").is_some() || case.get("refused").is_some(),
        };
        if !right {
            wrong.push(format!("{template:?} {said}, kept {case}"));
        }
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
}
