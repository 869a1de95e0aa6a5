use crate::{Details, check};
use playbook_model::definition::DefinitionType;
use playbook_model::problem;
use playbook_typescript::Compiler;

const SEED: &str = include_str!("../../../../tests/documents/review-and-approve.yaml");

fn checked(text: &str) -> crate::Checked {
    check(DefinitionType::Workflow, "test", text, &Compiler::new())
}

fn lines(text: &str) -> Vec<String> {
    problem::published(&checked(text).problems)
}

#[test]
fn the_pages_own_workflow_is_a_program() {
    let checked = checked(SEED);
    assert_eq!(checked.problems, []);
    let definition = checked.definition.expect("taken");
    assert_eq!(
        definition.description.as_deref(),
        Some("Reviews a campaign brief, then asks its owner to approve the review.")
    );
    let Details::Workflow(details) = &definition.details else { panic!("not a workflow") };
    let references: Vec<&str> = details.tasks.iter().map(|task| task.reference.as_str()).collect();
    assert_eq!(
        references,
        [
            "/do/0/review",
            "/do/0/review/try/0/review-brief",
            "/do/0/review/catch/do/0/give-up",
            "/do/1/approval",
            "/do/1/approval/try/0/ask-for-approval",
            "/do/1/approval/catch/do/0/no-answer",
        ]
    );
    let stored = serde_json::to_value(&definition.details).expect("JSON");
    assert_eq!(serde_json::from_value::<Details>(stored).expect("read back"), definition.details);
    assert!(details.expressions.iter().all(|it| !it.stripped.is_empty() && it.names.contains(&"$data".to_owned())));
}

#[test]
fn the_pages_samples_come_out_to_the_letter() {
    let text = "document: { dsl: '1.0.3', namespace: a, name: b, version: '1.0.0' }\n\n\ndo:\n  - first: { set: { a: 1 } }\n  - loop:\n      for: { each: line }\n      do: []\n";
    assert_eq!(lines(text), ["Line 7, column 12: at /do/1/loop/for: It needs in"]);
    let text = "document:\n  dsl: '1.0.3'\n  namespace: a\n  name: b\n  version: '1.0.0'\ndo:\n  - first: { set: { a: 1 } }\n  - read: { set: { n: '${ $nope }' } }\n";
    assert_eq!(lines(text), ["Line 8, column 23: at /do/1/read/set/n: Cannot find name '$nope'."]);
}
