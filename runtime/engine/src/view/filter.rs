//! Which events a recall function takes: "Filters".

use playbook_definition::{Data, Filter};
use playbook_model::event::CloudEvent;
use playbook_model::json;

/// What the filters say of an event before any expression is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Taking {
    /// No filter can take it.
    No,
    /// A filter takes it as it is.
    Yes,
    /// Only the expressions of these filters, by their place in the document, can still take it.
    Ask(Vec<usize>),
}

/// Reads everything of the filters but their expressions.
#[must_use]
pub fn taking(filters: &[Filter], event: &CloudEvent) -> Taking {
    let mut ask = Vec::new();
    for (at, filter) in filters.iter().enumerate() {
        if !attributes_match(filter, event) {
            continue;
        }
        match &filter.data {
            Data::None => return Taking::Yes,
            Data::Equal(wanted) => {
                if event.data.as_ref().is_some_and(|data| json::same(wanted, data)) {
                    return Taking::Yes;
                }
            }
            Data::Expression { .. } => ask.push(at),
        }
    }
    if ask.is_empty() { Taking::No } else { Taking::Ask(ask) }
}

fn attributes_match(filter: &Filter, event: &CloudEvent) -> bool {
    filter.kind == event.kind
        && filter
            .attributes
            .iter()
            .all(|(name, wanted)| event.attribute(name).is_some_and(|held| json::same(wanted, &held)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Map, Value, json};

    fn event() -> CloudEvent {
        let mut extensions = Map::new();
        extensions.insert("region".into(), "eu".into());
        extensions.insert("depth".into(), 2.into());
        CloudEvent {
            specversion: "1.0".into(),
            id: "1".into(),
            kind: "spent".into(),
            source: "/shop".into(),
            subject: Some("a/b".into()),
            time: None,
            datacontenttype: None,
            dataschema: None,
            extensions,
            data: Some(json!({"revenue": 100})),
        }
    }

    fn filter(attributes: &[(&str, Value)], data: Data) -> Filter {
        Filter {
            kind: "spent".into(),
            attributes: attributes.iter().map(|(n, v)| ((*n).to_owned(), v.clone())).collect(),
            data,
            sentence: String::new(),
        }
    }

    fn expression() -> Data {
        Data::Expression { text: "$data.revenue > 1".into(), stripped: "$data.revenue > 1".into() }
    }

    #[test]
    fn every_named_attribute_must_be_held_and_equal() {
        let one = |attributes: &[(&str, Value)]| taking(&[filter(attributes, Data::None)], &event());
        assert_eq!(one(&[]), Taking::Yes);
        assert_eq!(one(&[("source", json!("/shop")), ("subject", json!("a/b")), ("region", json!("eu"))]), Taking::Yes);
        assert_eq!(one(&[("depth", json!(2))]), Taking::Yes);
        assert_eq!(one(&[("depth", json!(1))]), Taking::No);
        assert_eq!(one(&[("calldepth", json!(1))]), Taking::No);
        assert_eq!(one(&[("source", json!("/shop/"))]), Taking::No);
    }

    #[test]
    fn data_is_compared_as_json() {
        let of = |data: Value| taking(&[filter(&[], Data::Equal(data))], &event());
        assert_eq!(of(json!({"revenue": 100.0})), Taking::Yes);
        assert_eq!(of(json!({"revenue": 101})), Taking::No);
        assert_eq!(of(Value::Null), Taking::No);
    }

    #[test]
    fn expressions_are_asked_only_when_nothing_else_takes_the_event() {
        assert_eq!(taking(&[filter(&[], expression()), filter(&[], Data::None)], &event()), Taking::Yes);
        assert_eq!(
            taking(&[filter(&[("region", json!("us"))], expression()), filter(&[], expression())], &event()),
            Taking::Ask(vec![1])
        );
    }
}
