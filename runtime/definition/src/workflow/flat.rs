//! A template as it is stored: its parts one after the other, so that a deep one is stored no deeper than its values.

use super::program::{ExpressionId, Template};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One part, before those within it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Part {
    /// A value without expressions.
    Value(Value),
    /// An expression.
    Expression(ExpressionId),
    /// A list of so many templates, which follow.
    List(usize),
    /// A mapping of these names, whose templates follow.
    Object(Vec<String>),
}

impl From<Template> for Vec<Part> {
    fn from(template: Template) -> Self {
        let (mut parts, mut open) = (Self::new(), vec![template]);
        while let Some(template) = open.pop() {
            match template {
                Template::Value(value) => parts.push(Part::Value(value)),
                Template::Expression(id) => parts.push(Part::Expression(id)),
                Template::List(items) => {
                    parts.push(Part::List(items.len()));
                    open.extend(items.into_iter().rev());
                }
                Template::Object(members) => {
                    let (names, values): (Vec<String>, Vec<Template>) = members.into_iter().unzip();
                    parts.push(Part::Object(names));
                    open.extend(values.into_iter().rev());
                }
            }
        }
        parts
    }
}

impl TryFrom<Vec<Part>> for Template {
    type Error = &'static str;

    fn try_from(parts: Vec<Part>) -> Result<Self, Self::Error> {
        // From the last part on, what is within another is whole before it.
        let mut whole: Vec<Self> = Vec::new();
        for part in parts.into_iter().rev() {
            let mut within = |count: usize| -> Result<Vec<Self>, Self::Error> {
                let start = whole.len().checked_sub(count).ok_or("a stored template lacks parts")?;
                let mut found = whole.split_off(start);
                found.reverse();
                Ok(found)
            };
            let template = match part {
                Part::Value(value) => Self::Value(value),
                Part::Expression(id) => Self::Expression(id),
                Part::List(count) => Self::List(within(count)?),
                Part::Object(names) => {
                    let values = within(names.len())?;
                    Self::Object(names.into_iter().zip(values).collect())
                }
            };
            whole.push(template);
        }
        match (whole.pop(), whole.is_empty()) {
            (Some(template), true) => Ok(template),
            _ => Err("a stored template has too many parts"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_template_is_stored_flat_and_read_back() {
        let expression = |id| Template::Expression(ExpressionId(id));
        let template = Template::Object(vec![
            (
                "a".into(),
                Template::List(vec![Template::Value(json!({ "b": [1] })), expression(1), Template::List(vec![])]),
            ),
            ("c".into(), Template::Object(vec![("d".into(), expression(2))])),
            ("e".into(), Template::Value(json!(null))),
        ]);
        let stored = serde_json::to_value(&template).expect("JSON");
        assert_eq!(
            stored,
            json!([
                { "object": ["a", "c", "e"] }, { "list": 3 }, { "value": { "b": [1] } }, { "expression": 1 }, { "list": 0 },
                { "object": ["d"] }, { "expression": 2 }, { "value": null },
            ])
        );
        assert_eq!(serde_json::from_value::<Template>(stored).expect("read back"), template);
        for wrong in [json!([]), json!([{ "list": 1 }]), json!([{ "value": 1 }, { "value": 2 }])] {
            assert!(serde_json::from_value::<Template>(wrong).is_err());
        }
        let mut deep = expression(0);
        for _ in 0..510 {
            deep = Template::List(vec![deep]);
        }
        let stored = serde_json::to_string(&deep).expect("JSON");
        assert_eq!(serde_json::from_str::<Template>(&stored).expect("read back"), deep);
    }
}
