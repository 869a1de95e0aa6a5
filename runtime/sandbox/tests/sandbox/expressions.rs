//! Expressions of workflows.

use super::NOW;
use playbook_model::limits;
use playbook_sandbox::{Bounds, Expressions, Stop, with_stack};

const BOUNDS: Bounds = Bounds {
    work: limits::EXPRESSION_WORK,
    memory: limits::EXPRESSION_MEMORY,
    milliseconds: limits::INPUT_MILLISECONDS,
    levels: limits::VALUE_LEVELS,
    bytes: limits::RUN_HELD_BYTES,
};

/// What an expression over `$data` and `$item` gives, after the others in the same sandbox.
fn after(others: &[&str], text: &str, data: &str) -> Result<String, Stop> {
    with_stack(|| {
        let mut expressions = Expressions::new(limits::EXPRESSION_MEMORY);
        let names = ["$data", "$item"];
        for other in others {
            let _ = expressions.evaluate(other, &names, &[data, "7"], NOW, &BOUNDS);
        }
        expressions.evaluate(text, &names, &[data, "7"], NOW, &BOUNDS).map(|returned| returned.json)
    })
}

#[test]
fn an_expression_reads_the_names_of_its_place() {
    assert_eq!(after(&[], "$data.a + $item", r#"{"a":1}"#).as_deref(), Ok("8"));
    assert_eq!(after(&[], "({ a: $item, b: [$data] })", "null").as_deref(), Ok(r#"{"a":7,"b":[null]}"#));
    assert_eq!(after(&[], "{ a: 1 }.a", "null").as_deref(), Ok("1"));
    assert_eq!(after(&[], "Date.now()", "null"), Ok(NOW.0.to_string()));
}

#[test]
fn undefined_is_null_at_the_top_and_as_a_member() {
    assert_eq!(after(&[], "undefined", "null").as_deref(), Ok("null"));
    assert_eq!(after(&[], "$data.note", "{}").as_deref(), Ok("null"));
    assert_eq!(after(&[], "({ id: 1, note: $data.note })", "{}").as_deref(), Ok(r#"{"id":1,"note":null}"#));
    assert_eq!(after(&[], "[undefined, 1]", "{}").as_deref(), Ok("[null,1]"));
}

#[test]
fn what_json_cannot_carry_is_told_with_its_place() {
    for (text, path) in [("new Map()", "$"), ("({ a: [1n] })", "$.a[0]"), ("NaN", "$"), ("() => 1", "$")] {
        match after(&[], text, "null") {
            Err(Stop::Unfit { path: found, .. }) => assert_eq!(found, path, "{text}"),
            other => panic!("{text}: {other:?}"),
        }
    }
}

#[test]
fn one_expression_leaves_nothing_for_the_next() {
    let leavings = [
        "globalThis.left = 1",
        "(Array.prototype.left = 1)",
        "Object.defineProperty(Object.prototype, 'left', { value: 1 })",
        "($data.left = 1)",
        "(Error.left = 1)",
    ];
    for text in ["typeof left", "typeof [].left", "typeof ({}).left", "typeof $data.left", "typeof Error.left"] {
        assert_eq!(after(&leavings, text, "{}").as_deref(), Ok("\"undefined\""), "{text}");
    }
}

#[test]
fn an_expression_is_stopped_and_the_next_one_goes() {
    let endless = "(() => { for (;;); })()";
    let deep = "(function f() { return f(); })()";
    let hungry = "(() => { const all = []; for (;;) all.push(new Array(100000).fill(1)); })()";
    assert!(matches!(after(&[], endless, "null"), Err(Stop::Work { .. })));
    assert!(matches!(after(&[], deep, "null"), Err(Stop::Raised { .. })));
    assert!(matches!(after(&[], hungry, "null"), Err(Stop::Memory { .. } | Stop::Work { .. })));
    assert_eq!(after(&[endless, deep, hungry], "1 + 1", "null").as_deref(), Ok("2"));
    assert!(matches!(after(&[], "nope", "null"), Err(Stop::Raised { .. })));
}
