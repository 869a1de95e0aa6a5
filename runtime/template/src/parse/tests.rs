//! Faults of templates, and the limits at save.

use super::*;

fn faults(text: &str) -> Vec<String> {
    match parse(text, SystemBlock::Allowed) {
        Ok(_) => Vec::new(),
        Err(faults) => faults.into_iter().map(|fault| fault.message).collect(),
    }
}

#[test]
fn says_each_fault_at_once() {
    assert_eq!(
        faults("{% iff x %}{{ input.a | upcas }}{% endfor %}{% if true %}"),
        [
            "There is no tag `iff`.",
            "There is no filter `upcas`.",
            "The tag `endfor` closes nothing: no `for` is open.",
            "The tag `if` is not closed."
        ]
    );
}

#[test]
fn holds_the_limits_at_save() {
    assert_eq!(faults(&"a".repeat(TEMPLATE_CHARACTERS)), Vec::<String>::new());
    assert_eq!(faults(&"a".repeat(TEMPLATE_CHARACTERS + 1)), ["The template has 65537 characters; it may have 65536."]);
    assert_eq!(faults(&"{{a}}".repeat(NAMES)), Vec::<String>::new());
    assert_eq!(
        faults(&"{{a}}".repeat(NAMES + 1)),
        ["The template uses 1001 names in its tags and outputs; it may use 1000."]
    );
    let deep = |tag: &str, levels: usize| format!("{}{}", tag.repeat(levels), "{%endif%}".repeat(levels));
    assert_eq!(faults(&deep("{%if 1%}", 500)), Vec::<String>::new());
    assert_eq!(faults(&"[".repeat(10_000)).len(), 0);
    assert_eq!(faults(&format!("{{{{ {}1", "(".repeat(10_000))).len(), 1);
    assert_eq!(faults(&format!("{{{{ {}1 }}}}", "(".repeat(10_000))), ["Brackets nest deeper than 200 levels."]);
    assert_eq!(faults(&format!("{{{{ 1{} }}}}", "==1".repeat(10_000))), ["One condition joins more than 200 parts."]);
}

#[test]
fn a_system_block_stands_once_at_the_top() {
    assert_eq!(faults("{% system %}a{% endsystem %}b"), Vec::<String>::new());
    assert_eq!(
        faults("{% if 1 %}{% system x %}a{% endsystem %}{% endif %}{% system %}{% endsystem %}"),
        [
            "The tag `system` takes nothing after its name.",
            "A system block stands outside every other tag.",
            "A template has one system block at most."
        ]
    );
    assert!(parse("{% system %}a{% endsystem %}", SystemBlock::Unknown).is_err());
}
