//! What differs between two JSON values: pointers that were added, removed or changed.
//!
//! Numbers are compared by value and objects in any order of keys, as [`same`] does.

use crate::json::{join, same};
use serde_json::Value;

/// Comparisons of list items up to which items that moved are found; longer lists are compared place by place.
const ITEM_COMPARISONS: usize = 160_000;

/// One difference.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// Where: in the value after, or in the value before for what was removed.
    pub pointer: String,
    /// What stood there before; `None` for what was added.
    pub before: Option<Value>,
    /// What stands there after; `None` for what was removed.
    pub after: Option<Value>,
}

/// Every difference, in the order of the value after; none for values that are the same.
#[must_use]
pub fn differences(before: &Value, after: &Value) -> Vec<Difference> {
    let mut found = Vec::new();
    compare(&mut found, String::new(), before, after);
    found
}

fn compare(found: &mut Vec<Difference>, pointer: String, before: &Value, after: &Value) {
    match (before, after) {
        (Value::Object(a), Value::Object(b)) => {
            for (key, before) in a {
                if !b.contains_key(key) {
                    let pointer = join(&pointer, key);
                    found.push(Difference { pointer, before: Some(before.clone()), after: None });
                }
            }
            for (key, after) in b {
                let pointer = join(&pointer, key);
                match a.get(key) {
                    Some(before) => compare(found, pointer, before, after),
                    None => found.push(Difference { pointer, before: None, after: Some(after.clone()) }),
                }
            }
        }
        (Value::Array(a), Value::Array(b)) => lists(found, &pointer, a, b),
        _ if same(before, after) => {}
        _ => found.push(Difference { pointer, before: Some(before.clone()), after: Some(after.clone()) }),
    }
}

/// Compares lists: what is the same in both stays together, and what lies between is compared place by place.
fn lists(found: &mut Vec<Difference>, pointer: &str, a: &[Value], b: &[Value]) {
    let start = a.iter().zip(b).take_while(|(x, y)| same(x, y)).count();
    let rest = a[start..].iter().rev().zip(b[start..].iter().rev());
    let end = rest.take_while(|(x, y)| same(x, y)).count();
    let (inner_a, inner_b) = (&a[start..a.len() - end], &b[start..b.len() - end]);
    let kept = if inner_a.len().saturating_mul(inner_b.len()) <= ITEM_COMPARISONS {
        longest_common(inner_a, inner_b)
    } else {
        Vec::new()
    };
    let (mut at_a, mut at_b) = (0, 0);
    for (next_a, next_b) in kept.into_iter().chain([(inner_a.len(), inner_b.len())]) {
        let paired = (next_a - at_a).min(next_b - at_b);
        for step in 0..paired {
            let here = format!("{pointer}/{}", start + at_b + step);
            compare(found, here, &inner_a[at_a + step], &inner_b[at_b + step]);
        }
        for (step, before) in inner_a[..next_a].iter().enumerate().skip(at_a + paired) {
            let pointer = format!("{pointer}/{}", start + step);
            found.push(Difference { pointer, before: Some(before.clone()), after: None });
        }
        for (step, after) in inner_b[..next_b].iter().enumerate().skip(at_b + paired) {
            let pointer = format!("{pointer}/{}", start + step);
            found.push(Difference { pointer, before: None, after: Some(after.clone()) });
        }
        (at_a, at_b) = (next_a + 1, next_b + 1);
    }
}

/// The places of the longest run of items that both lists hold in the same order.
fn longest_common(a: &[Value], b: &[Value]) -> Vec<(usize, usize)> {
    let width = b.len() + 1;
    let mut lengths = vec![0_u32; (a.len() + 1) * width];
    let equal: Vec<bool> = a.iter().flat_map(|x| b.iter().map(move |y| same(x, y))).collect();
    for i in (0..a.len()).rev() {
        for j in (0..b.len()).rev() {
            lengths[i * width + j] = if equal[i * b.len() + j] {
                lengths[(i + 1) * width + j + 1] + 1
            } else {
                lengths[(i + 1) * width + j].max(lengths[i * width + j + 1])
            };
        }
    }
    let mut kept = Vec::new();
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        if equal[i * b.len() + j] {
            kept.push((i, j));
            (i, j) = (i + 1, j + 1);
        } else if lengths[(i + 1) * width + j] >= lengths[i * width + j + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn told(before: Value, after: Value) -> Vec<String> {
        let line = |difference: Difference| {
            let shown = |value: Option<Value>| value.map_or("-".into(), |value| value.to_string());
            format!("{} {} {}", difference.pointer, shown(difference.before), shown(difference.after))
        };
        differences(&before, &after).into_iter().map(line).collect()
    }

    #[test]
    fn what_is_the_same_has_no_difference() {
        assert_eq!(told(json!({"a": 1, "b": [1.0]}), json!({"b": [1], "a": 1})), Vec::<String>::new());
    }

    #[test]
    fn members_are_told_by_their_pointers() {
        assert_eq!(
            told(json!({"a": 1, "b/c": {"d": 2}, "e": null}), json!({"b/c": {"d": 3, "f": []}, "e": 0})),
            ["/a 1 -", "/b~1c/d 2 3", "/b~1c/f - []", "/e null 0"]
        );
        assert_eq!(told(json!(1), json!([])), [" 1 []"]);
    }

    #[test]
    fn items_that_moved_are_not_told() {
        assert_eq!(told(json!([1, 2, 3]), json!([2, 3, 4])), ["/0 1 -", "/2 - 4"]);
        assert_eq!(told(json!([1, 2, 3]), json!([1, 9, 3])), ["/1 2 9"]);
        assert_eq!(told(json!([1, 2]), json!([1, 2, 3, 4])), ["/2 - 3", "/3 - 4"]);
        assert_eq!(told(json!([{"a": 1}, {"b": 1}]), json!([{"a": 2}, {"b": 1}, 5])), ["/0/a 1 2", "/2 - 5"]);
        assert_eq!(told(json!([1, 1, 1]), json!([1])), ["/1 1 -", "/2 1 -"]);
        assert_eq!(told(json!([]), json!([[]])), ["/0 - []"]);
    }

    #[test]
    fn long_lists_are_compared_place_by_place() {
        let list = |from: usize| Value::from((from..from + 1_000).collect::<Vec<_>>());
        assert_eq!(differences(&list(0), &list(1)).len(), 1_000);
        assert_eq!(differences(&list(0), &list(0)), []);
    }
}
