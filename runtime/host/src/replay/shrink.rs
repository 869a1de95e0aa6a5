//! Making a JSON value smaller while something holds of it: greedily, the largest parts first.
//!
//! Pure: whoever asks says of each candidate whether it holds.

use playbook_model::json;
use serde_json::{Map, Value};

/// Texts no longer than this are not cut.
const SHORT: usize = 8;

/// A value on its way to a smaller one.
#[derive(Debug)]
pub(crate) struct Shrinker {
    value: Value,
    /// What is left to be tried, last first.
    left: Vec<Try>,
    /// What is being tried, and what the value would be.
    trying: Option<(Try, Value)>,
}

/// One way to make a part smaller, named by its pointer. No try moves a part that a later one names.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Try {
    /// The part becomes the emptiest of its kind.
    Empty(String),
    /// So many children from one on go.
    Without { part: String, from: usize, many: usize },
    /// A text keeps its first half.
    Half(String),
}

impl Shrinker {
    pub(crate) fn new(value: Value) -> Self {
        Self { value, left: vec![Try::Empty(String::new())], trying: None }
    }

    /// The smallest value so far of which it holds.
    pub(crate) fn value(&self) -> &Value {
        &self.value
    }

    /// The next candidate; [`Shrinker::told`] is to say of it. `None` when nothing is left to be tried.
    pub(crate) fn next(&mut self) -> Option<Value> {
        while let Some(next) = self.left.pop() {
            match candidate(&self.value, &next) {
                Some(candidate) => {
                    self.trying = Some((next, candidate.clone()));
                    return Some(candidate);
                }
                None => self.go_in(&next),
            }
        }
        None
    }

    /// Says whether it holds of the candidate given last.
    pub(crate) fn told(&mut self, holds: bool) {
        let Some((tried, candidate)) = self.trying.take() else { return };
        if holds {
            self.value = candidate;
        }
        match tried {
            Try::Empty(_) if holds => {}
            Try::Empty(part) => match self.value.pointer(&part) {
                Some(Value::String(_)) => self.left.push(Try::Half(part)),
                Some(inner) => {
                    let many = (children(inner) / 2).max(1);
                    self.left.push(Try::Without { part, from: 0, many });
                }
                None => {}
            },
            Try::Half(part) if holds => self.left.push(Try::Half(part)),
            Try::Half(_) => {}
            Try::Without { part, from, many } => {
                let from = if holds { from } else { from + many };
                self.left.push(Try::Without { part, from, many });
            }
        }
    }

    /// After a try that cannot be made any more: smaller pieces, then the children that are left.
    fn go_in(&mut self, done: &Try) {
        let Try::Without { part, many, .. } = done else { return };
        let Some(inner) = self.value.pointer(part) else { return };
        if *many > 1 && children(inner) > 1 {
            self.left.push(Try::Without { part: part.clone(), from: 0, many: many / 2 });
            return;
        }
        let mut parts: Vec<(usize, String)> = match inner {
            Value::Object(members) => members.iter().map(|(k, v)| (json::bytes(v), json::join(part, k))).collect(),
            Value::Array(items) => {
                let named = items.iter().enumerate();
                named.map(|(at, item)| (json::bytes(item), json::join(part, &at.to_string()))).collect()
            }
            _ => Vec::new(),
        };
        // Largest on top.
        parts.sort();
        self.left.extend(parts.into_iter().map(|(_, part)| Try::Empty(part)));
    }
}

fn children(value: &Value) -> usize {
    match value {
        Value::Object(members) => members.len(),
        Value::Array(items) => items.len(),
        _ => 0,
    }
}

/// The value with one thing tried; `None` when there is nothing to be made smaller by it.
fn candidate(value: &Value, tried: &Try) -> Option<Value> {
    let (Try::Empty(part) | Try::Half(part) | Try::Without { part, .. }) = tried;
    let smaller = match (tried, value.pointer(part)?) {
        (Try::Empty(_), Value::String(text)) if !text.is_empty() => Value::String(String::new()),
        (Try::Empty(_), Value::Object(members)) if !members.is_empty() => Value::Object(Map::new()),
        (Try::Empty(_), Value::Array(items)) if !items.is_empty() => Value::Array(Vec::new()),
        (Try::Half(_), Value::String(text)) if text.chars().count() > SHORT => {
            Value::String(text.chars().take(text.chars().count() / 2).collect())
        }
        (Try::Without { from, many, .. }, Value::Object(members)) if *from < members.len() => {
            let outside = members.iter().enumerate().filter(|(at, _)| *at < *from || *at >= from + many);
            Value::Object(outside.map(|(_, (name, inner))| (name.clone(), inner.clone())).collect())
        }
        (Try::Without { from, many, .. }, Value::Array(items)) if *from < items.len() => {
            let outside = items.iter().enumerate().filter(|(at, _)| *at < *from || *at >= from + many);
            Value::Array(outside.map(|(_, item)| item.clone()).collect())
        }
        _ => return None,
    };
    let mut whole = value.clone();
    *whole.pointer_mut(part)? = smaller;
    Some(whole)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn shrink(value: Value, most: usize, holds: impl Fn(&Value) -> bool) -> (Value, usize) {
        assert!(holds(&value));
        let mut shrinker = Shrinker::new(value);
        let mut asked = 0;
        while asked < most
            && let Some(candidate) = shrinker.next()
        {
            asked += 1;
            let said = holds(&candidate);
            assert!(json::bytes(&candidate) < json::bytes(shrinker.value()));
            shrinker.told(said);
        }
        assert!(holds(shrinker.value()));
        (shrinker.value().clone(), asked)
    }

    #[test]
    fn only_what_matters_is_left() {
        let value = json!({
            "kept": { "deep": [1, 2, { "bad/name": "x".repeat(1_000), "other": 4 }], "more": [1, 2, 3] },
            "gone": { "a": [], "b": "long text", "c": [[[]]] },
            "list": (0..100).collect::<Vec<_>>(),
        });
        let (small, asked) = shrink(value, 200, |value| value.pointer("/kept/deep/2/bad~1name").is_some());
        assert_eq!(small, json!({ "kept": { "deep": [1, 2, { "bad/name": "" }] } }));
        assert!(asked < 40, "{asked}");
    }

    #[test]
    fn one_item_of_many_is_found() {
        let value = json!((0..1_000).map(|n| json!({ "n": n, "text": "y".repeat(20) })).collect::<Vec<_>>());
        let holds = |value: &Value| value.as_array().is_some_and(|all| all.iter().any(|item| item["n"] == 617));
        let (small, asked) = shrink(value, 200, holds);
        assert_eq!(small, json!([{ "n": 617 }]));
        assert!(asked < 60, "{asked}");
    }

    #[test]
    fn texts_are_cut_and_what_holds_of_nothing_smaller_stays() {
        let (small, _) = shrink(json!({ "t": "é".repeat(100) }), 200, |v| {
            v["t"].as_str().is_some_and(|text| text.chars().count() >= 20)
        });
        assert_eq!(small, json!({ "t": "é".repeat(25) }));
        let value = json!([1, null, true, "short", {}, []]);
        assert_eq!(shrink(value.clone(), 200, |v| *v == value).0, value);
        for plain in [json!(7), json!(null), json!("")] {
            assert_eq!(shrink(plain.clone(), 200, |_| true), (plain, 0));
        }
        assert_eq!(shrink(json!({ "a": [1] }), 200, |_| true), (json!({}), 1));
    }

    #[test]
    fn it_ends_when_it_is_told_to() {
        let value = json!((0..500).map(|n| (format!("m{n}"), json!([n]))).collect::<Map<_, _>>());
        let whole = value.clone();
        let (small, asked) = shrink(value, 50, |candidate| candidate == &whole);
        assert_eq!((small, asked), (whole, 50));
    }
}
