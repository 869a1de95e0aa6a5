//! Differences of JSON values as lines for people, and as objects for programs.

use playbook_model::difference::Difference;
use playbook_model::json;
use playbook_model::word::count;
use serde_json::{Value, json};

/// Lines of one list of differences; the rest is counted.
const LINES: usize = 40;
/// Bytes of a value in a line.
const VALUE_BYTES: usize = 160;

/// What a difference is between.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Between {
    /// What was expected, and what was found.
    ExpectedAndFound,
    /// What was before, and what came after.
    BeforeAndAfter,
}

/// A line for each difference.
pub(crate) fn lines(differences: &[Difference], between: Between) -> Vec<String> {
    let mut lines: Vec<String> = differences.iter().take(LINES).map(|one| line(one, between)).collect();
    let rest = differences.len().saturating_sub(LINES);
    if rest > 0 {
        lines.push(format!("and {}", count(rest as u64, "more difference", "more differences")));
    }
    lines
}

fn line(difference: &Difference, between: Between) -> String {
    let at = if difference.pointer.is_empty() { "the whole value" } else { &difference.pointer };
    let shown = |value: &Value| json::cut(&value.to_string(), VALUE_BYTES);
    match (between, &difference.before, &difference.after) {
        (Between::ExpectedAndFound, Some(wanted), Some(found)) => {
            format!("{at}: expected {}, found {}", shown(wanted), shown(found))
        }
        (Between::ExpectedAndFound, Some(wanted), None) => {
            format!("{at}: expected {}, found nothing", shown(wanted))
        }
        (Between::ExpectedAndFound, None, found) => {
            format!("{at}: expected nothing, found {}", found.as_ref().map(shown).unwrap_or_default())
        }
        (Between::BeforeAndAfter, Some(before), Some(after)) => {
            format!("changed  {at}: {} -> {}", shown(before), shown(after))
        }
        (Between::BeforeAndAfter, Some(before), None) => format!("removed  {at}: {}", shown(before)),
        (Between::BeforeAndAfter, None, after) => {
            format!("added    {at}: {}", after.as_ref().map(shown).unwrap_or_default())
        }
    }
}

/// The differences for programs, each whole.
pub(crate) fn value(differences: &[Difference], between: Between) -> Value {
    let (first, second) = match between {
        Between::ExpectedAndFound => ("expected", "found"),
        Between::BeforeAndAfter => ("before", "after"),
    };
    let one = |difference: &Difference| {
        let mut members = json!({ "pointer": difference.pointer });
        if let Some(members) = members.as_object_mut() {
            for (name, value) in [(first, &difference.before), (second, &difference.after)] {
                if let Some(value) = value {
                    members.insert(name.into(), value.clone());
                }
            }
        }
        members
    };
    Value::Array(differences.iter().map(one).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use playbook_model::difference::differences;

    #[test]
    fn a_difference_reads_as_a_line() {
        let found = differences(&json!({"a": 1, "b": 2}), &json!({"a": 3, "c": null}));
        assert_eq!(
            lines(&found, Between::ExpectedAndFound),
            ["/b: expected 2, found nothing", "/a: expected 1, found 3", "/c: expected nothing, found null"]
        );
        assert_eq!(
            lines(&found, Between::BeforeAndAfter),
            ["removed  /b: 2", "changed  /a: 1 -> 3", "added    /c: null"]
        );
        assert_eq!(value(&found[2..], Between::BeforeAndAfter), json!([{"pointer": "/c", "after": null}]));
        let many = differences(&json!([]), &Value::Array(vec![json!(1); 50]));
        assert_eq!(lines(&many, Between::BeforeAndAfter).last().map(String::as_str), Some("and 10 more differences"));
        assert_eq!(
            lines(&differences(&json!(1), &json!(2)), Between::ExpectedAndFound),
            ["the whole value: expected 1, found 2"]
        );
    }
}
