//! Holding a value against a schema part by part, while something else walks the value.
//!
//! What is asked of a value's own type, size, members and items is answered here without the value in hand. A schema
//! that has to see a value whole, for its alternatives, say, says so: the value is then given to it as a tree.
//! Together the answers are those of [`Schema::is_valid`].

use crate::number;
use crate::schema::{At, Check, Count, Node, Schema, itself};
use serde_json::{Number, Value};

/// A place of a schema that a value is held against.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Place(u32);

impl Place {
    /// Asks nothing of what is held against it.
    pub const FREE: Self = Self(u32::MAX);
}

/// How a place is held against a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holding {
    /// It asks nothing.
    Free,
    /// Part by part.
    Parts,
    /// On the value as a tree.
    Whole,
}

/// What a place asks of one member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Member {
    /// What its value is held against.
    pub place: Place,
    /// Whether it is one of the required ones.
    pub required: bool,
}

impl Schema {
    /// The place of the whole value.
    #[must_use]
    pub fn root(&self) -> Place {
        self.place(0)
    }

    /// How a place is held against a value.
    #[must_use]
    pub fn holding(&self, place: Place) -> Holding {
        match self.node(place) {
            None => Holding::Free,
            Some(node) if is_whole(node) => Holding::Whole,
            Some(_) => Holding::Parts,
        }
    }

    /// Whether `null`, `true` or `false` fits.
    #[must_use]
    pub fn takes_fixed(&self, place: Place, value: &Value) -> bool {
        self.node(place).is_none_or(|node| !node.never && itself(node, value))
    }

    /// Whether a number fits. `number` makes it, and is asked only where its value matters.
    #[must_use]
    pub fn takes_number(&self, place: Place, is_whole: bool, number: impl FnOnce() -> Number) -> bool {
        let Some(node) = self.node(place) else { return true };
        if node.constant.is_some() || node.values.is_some() || !node.numbers.is_empty() {
            return !node.never && itself(node, &Value::Number(number()));
        }
        !node.never && node.types.is_none_or(|types| types.has("number") || (is_whole && types.has("integer")))
    }

    /// Whether a text of so many characters fits. `text` makes it, and is asked only where its characters matter.
    #[must_use]
    pub fn takes_text(&self, place: Place, characters: usize, text: impl FnOnce() -> String) -> bool {
        let Some(node) = self.node(place) else { return true };
        if node.constant.is_some() || node.values.is_some() || node.format.is_some() {
            return !node.never && itself(node, &Value::String(text()));
        }
        !node.never
            && node.types.is_none_or(|types| types.has("string"))
            && counted(node, characters, Count::LeastCharacters, Count::MostCharacters)
    }

    /// What the items of a list of so many are held against; `None` when the list does not fit.
    #[must_use]
    pub fn takes_list(&self, place: Place, items: usize) -> Option<Place> {
        let Some(node) = self.node(place) else { return Some(Place::FREE) };
        let fits = !node.never
            && node.types.is_none_or(|types| types.has("array"))
            // A list equals nothing that is no list.
            && node.constant.is_none()
            && node.values.is_none()
            && counted(node, items, Count::LeastItems, Count::MostItems);
        fits.then(|| node.items.map_or(Place::FREE, |items| self.place(items)))
    }

    /// How many required members an object of so many must have; `None` when the object does not fit.
    #[must_use]
    pub fn takes_object(&self, place: Place, members: usize) -> Option<usize> {
        let Some(node) = self.node(place) else { return Some(0) };
        let fits = !node.never
            && node.types.is_none_or(|types| types.has("object"))
            && node.constant.is_none()
            && node.values.is_none()
            && counted(node, members, Count::LeastMembers, Count::MostMembers);
        fits.then_some(node.required.len())
    }

    /// What a place asks of a member of this name.
    #[must_use]
    pub fn member(&self, place: Place, name: &str) -> Member {
        let Some(node) = self.node(place) else { return Member { place: Place::FREE, required: false } };
        let inner = node.property(name).or(node.additional);
        Member { place: inner.map_or(Place::FREE, |inner| self.place(inner)), required: node.requires(name) }
    }

    /// Whether a value fits a place that has to see it whole.
    #[must_use]
    pub fn takes_whole(&self, place: Place, value: &Value) -> bool {
        place == Place::FREE || Check::new(self).fits(place.0 as At, value)
    }

    fn node(&self, place: Place) -> Option<&Node> {
        (place != Place::FREE).then(|| &self.nodes[place.0 as At])
    }

    /// The place of a node, past references that say nothing else.
    fn place(&self, mut at: At) -> Place {
        for _ in 0..self.nodes.len() {
            let node = &self.nodes[at];
            match node.reference {
                Some(reference) if node.alone || is_empty(node) => at = reference,
                _ => break,
            }
        }
        let node = &self.nodes[at];
        if !node.never && node.reference.is_none() && is_empty(node) {
            return Place::FREE;
        }
        Place(u32::try_from(at).expect("a schema has fewer places than its text has bytes"))
    }
}

/// Whether a schema asks nothing but what its reference does.
fn is_empty(node: &Node) -> bool {
    !node.never
        && node.types.is_none()
        && node.constant.is_none()
        && node.values.is_none()
        && node.format.is_none()
        && node.numbers.is_empty()
        && node.counts.is_empty()
        && node.properties.is_empty()
        && node.required.is_empty()
        && node.additional.is_none()
        && node.items.is_none()
        && !combines(node)
}

/// Whether a schema asks something that several parts of a value answer together.
fn combines(node: &Node) -> bool {
    node.unique
        || node.names.is_some()
        || !node.prefix.is_empty()
        || !node.all.is_empty()
        || !node.any.is_empty()
        || !node.one.is_empty()
}

fn is_whole(node: &Node) -> bool {
    let nests = |value: &Value| value.is_array() || value.is_object();
    node.reference.is_some()
        || combines(node)
        || node.constant.as_ref().is_some_and(nests)
        || node.values.as_ref().is_some_and(|values| values.iter().any(nests))
}

fn counted(node: &Node, count: usize, least: Count, most: Count) -> bool {
    let count = count as u64;
    node.counts.iter().all(|(of, bound)| match of {
        of if *of == least => count >= *bound,
        of if *of == most => count <= *bound,
        _ => true,
    })
}

/// Whether a number has no fraction: `1.0` is whole.
#[must_use]
pub fn is_whole_number(number: f64) -> bool {
    number::is_whole(&Number::from_f64(number).unwrap_or_else(|| Number::from(0)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::against_another_judge::{schema, value};
    use proptest::prelude::*;

    /// Walks a tree as the sandbox walks its own values.
    fn walk(schema: &Schema, place: Place, value: &Value) -> bool {
        if schema.holding(place) == Holding::Whole {
            return schema.takes_whole(place, value);
        }
        match value {
            Value::Null | Value::Bool(_) => schema.takes_fixed(place, value),
            Value::Number(n) => schema.takes_number(place, number::is_whole(n), || n.clone()),
            Value::String(text) => schema.takes_text(place, text.chars().count(), || text.clone()),
            Value::Array(list) => schema
                .takes_list(place, list.len())
                .is_some_and(|items| list.iter().all(|item| walk(schema, items, item))),
            Value::Object(members) => schema.takes_object(place, members.len()).is_some_and(|required| {
                let mut met = 0;
                members.iter().all(|(name, value)| {
                    let member = schema.member(place, name);
                    met += usize::from(member.required);
                    walk(schema, member.place, value)
                }) && met == required
            }),
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

        #[test]
        fn parts_answer_as_the_whole_does(schema in schema(), values in prop::collection::vec(value(), 6)) {
            if let Ok(schema) = Schema::compile(&schema) {
                for value in &values {
                    let parts = walk(&schema, schema.root(), value);
                    prop_assert_eq!(parts, schema.is_valid(value), "{} {}", schema.source(), value);
                }
            }
        }
    }

    #[test]
    fn whole_numbers() {
        assert!(is_whole_number(3.0) && is_whole_number(-0.0) && is_whole_number(1e300));
        assert!(!is_whole_number(0.5));
    }
}
