use super::text::{code, label, plain};
use super::*;
use crate::details::{Data, Filter};
use serde_json::json;

fn filter(kind: &str, attributes: &[(&str, Value)], data: Data) -> String {
    let attributes = attributes.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
    sentence(&Filter { kind: kind.into(), attributes, data, sentence: String::new() })
}

#[test]
fn a_filter_is_a_sentence() {
    let s = |text: &str| json!(text);
    assert_eq!(
        filter("run_succeeded", &[("subject", s("reasoning/review-brief"))], Data::None),
        "each time a run of the reasoning function **review-brief** succeeds"
    );
    assert_eq!(filter("run_started", &[], Data::None), "each time any run starts");
    assert_eq!(
        filter("run_rejected", &[("subject", s("workflow/plan-week")), ("depth", json!(2))], Data::None),
        "each time a run of the workflow **plan-week** is rejected and its depth is `2`"
    );
    assert_eq!(
        filter("run_failed", &[("subject", s("plan"))], Data::None),
        "each time a run fails and its subject is `plan`"
    );
    assert_eq!(filter("definition_updated", &[], Data::None), "each time any definition is updated");
    assert_eq!(
        filter("definition_retired", &[("source", s("/definitions/recall/spend-total"))], Data::None),
        "each time the recall function **spend-total** is retired"
    );
    let expression = Data::Expression { text: "$data.revenue > `100`".into(), stripped: String::new() };
    assert_eq!(
        filter("spent", &[("caller", s("playbook:finance"))], expression),
        "each time an event of the type `spent` is published and its caller is `playbook:finance` and `` $data.revenue > `100` `` holds"
    );
    assert_eq!(
        filter("spent", &[], Data::Equal(json!({"a": null}))),
        "each time an event of the type `spent` is published and its data is `{\"a\":null}`"
    );
}

#[test]
fn texts_cannot_break_out() {
    assert_eq!(plain("# *a* <b>\n\n- c | [d](e)"), "\\# \\*a\\* \\<b\\> - c \\| \\[d\\](e)");
    assert_eq!(plain("- a"), "\\- a");
    assert_eq!(plain("12. a. b"), "12\\. a. b");
    assert_eq!(code("a``b", 99), "```a``b```");
    assert_eq!(code("`", 99), "`` ` ``");
    assert_eq!(code("a\n```\nb", 99), "````a ``` b````");
    assert_eq!(
        label("a\"] --> evil[\"%%{init}%%`\nb"),
        "a#34;#93; --#62; evil#91;#34;#37;#37;#123;init#125;#37;#37;#96; b"
    );
}

#[test]
fn used_by_is_left_out_when_nobody_does() {
    assert_eq!(used_by_section(&[]), "");
    let user = DefinitionKey {
        kind: playbook_model::definition::DefinitionType::Recall,
        name: playbook_model::id::DefinitionName::new("campaign-reviews").expect("a name"),
    };
    assert_eq!(used_by_section(&[user]), "\n## Used by\n\n- the recall function **campaign-reviews**\n");
}
