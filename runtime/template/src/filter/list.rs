//! Filters of lists. A value that is no list counts as a list of itself, null as a list of nothing.

use super::{Call, Halt};
use crate::compare;
use crate::path;
use crate::value::{Text, Value};
use std::cmp::Ordering;
use std::collections::HashSet;

type Made<'a> = Result<Value<'a>, Halt>;

pub(super) fn sentence<'a>(call: &mut Call<'a>) -> Made<'a> {
    let connector = call.text_of(0);
    let connector = connector.as_ref().map_or("and", Text::as_str);
    let texts = texts(call)?;
    Ok(Value::text(match texts.as_slice() {
        [] => String::new(),
        [one] => one.clone(),
        [one, two] => format!("{one} {connector} {two}"),
        [start @ .., last] => format!("{}, {connector} {last}", start.join(", ")),
    }))
}

fn texts(call: &mut Call<'_>) -> Result<Vec<String>, Halt> {
    Ok(call.list()?.iter().map(|item| item.to_text().as_str().to_owned()).collect())
}

/// Charges what it writes.
pub(super) fn join<'a>(call: &mut Call<'a>) -> Made<'a> {
    let between = call.text_of(0);
    let between = between.as_ref().map_or(" ", Text::as_str);
    let texts = texts(call)?;
    call.charge(texts.iter().map(|text| text.len() + between.len()).sum())?;
    Ok(Value::text(texts.join(between)))
}

pub(super) fn compact<'a>(call: &mut Call<'a>) -> Made<'a> {
    let items = call.list()?;
    Ok(Value::list(items.iter().filter(|item| !matches!(item, Value::Null)).collect()))
}

pub(super) fn concat<'a>(call: &mut Call<'a>) -> Made<'a> {
    let items = call.list()?;
    let more = call.argument(0).map_or(Value::Null, Clone::clone).to_list();
    call.charge(more.len())?;
    Ok(Value::list(items.iter().chain(more.iter()).collect()))
}

/// The first item, or the first character.
pub(super) fn first<'a>(call: &mut Call<'a>) -> Made<'a> {
    Ok(end(&call.value, |text| text.chars().next(), "first"))
}

/// The last item, or the last character.
pub(super) fn last<'a>(call: &mut Call<'a>) -> Made<'a> {
    Ok(end(&call.value, |text| text.chars().next_back(), "last"))
}

fn end<'a>(value: &Value<'a>, of_text: impl Fn(&str) -> Option<char>, name: &str) -> Value<'a> {
    match value {
        Value::List(_) => path::member(value, name).unwrap_or(Value::Null),
        Value::Text(text) => Value::text(of_text(text.as_str()).map(String::from).unwrap_or_default()),
        _ => Value::text(""),
    }
}

pub(super) fn push<'a>(call: &mut Call<'a>) -> Made<'a> {
    let items = call.list()?;
    call.charge(1)?;
    let more = call.argument(0).cloned();
    Ok(Value::list(items.iter().chain(more).collect()))
}

pub(super) fn unshift<'a>(call: &mut Call<'a>) -> Made<'a> {
    let items = call.list()?;
    call.charge(1)?;
    let more = call.argument(0).cloned();
    Ok(Value::list(more.into_iter().chain(items.iter()).collect()))
}

pub(super) fn pop<'a>(call: &mut Call<'a>) -> Made<'a> {
    let items = call.list()?;
    Ok(Value::list(items.iter().take(items.len().saturating_sub(1)).collect()))
}

pub(super) fn shift<'a>(call: &mut Call<'a>) -> Made<'a> {
    let items = call.list()?;
    Ok(Value::list(items.iter().skip(1).collect()))
}

pub(super) fn reverse<'a>(call: &mut Call<'a>) -> Made<'a> {
    let items = call.list()?;
    Ok(Value::list(items.iter().rev().collect()))
}

/// Items of a list, or UTF-16 units of a text; 0 for all else.
pub(super) fn size<'a>(call: &mut Call<'a>) -> Made<'a> {
    Ok(Value::Number(match &call.value {
        Value::List(items) => items.len() as f64,
        Value::Text(text) => text.units() as f64,
        _ => 0.0,
    }))
}

/// Each item once, where it first stands.
pub(super) fn uniq<'a>(call: &mut Call<'a>) -> Made<'a> {
    let items = call.list()?;
    let mut seen = HashSet::new();
    let mut kept: Vec<Value<'a>> = Vec::new();
    for item in items.iter() {
        let key = match &item {
            Value::Null => Some("n".to_owned()),
            Value::Bool(value) => Some(format!("b{value}")),
            Value::Number(number) => Some(format!("d{:x}", (number + 0.0).to_bits())),
            Value::Text(text) => Some(format!("t{}", text.as_str())),
            // Lists and objects are each their own.
            _ => None,
        };
        if key.is_none_or(|key| seen.insert(key)) {
            kept.push(item);
        }
    }
    Ok(Value::list(kept))
}

/// By value, or by a property of each; null and what lacks the property last.
pub(super) fn sort<'a>(call: &mut Call<'a>) -> Made<'a> {
    sorted(call, |a, b| match (a, b) {
        (Value::Null, Value::Null) => Ordering::Equal,
        (Value::Null, _) => Ordering::Greater,
        (_, Value::Null) => Ordering::Less,
        _ => compare::order(a, b).unwrap_or(Ordering::Equal),
    })
}

/// As text without regard to case; null last.
pub(super) fn sort_natural<'a>(call: &mut Call<'a>) -> Made<'a> {
    sorted(call, |a, b| match (a, b) {
        (Value::Null, Value::Null) => Ordering::Equal,
        (Value::Null, _) => Ordering::Greater,
        (_, Value::Null) => Ordering::Less,
        _ => compare::by_units(&a.to_text().as_str().to_lowercase(), &b.to_text().as_str().to_lowercase()),
    })
}

fn sorted<'a>(call: &mut Call<'a>, by: impl Fn(&Value<'a>, &Value<'a>) -> Ordering) -> Made<'a> {
    let items = call.list()?;
    let property = call.text_of(0);
    let mut keyed: Vec<(Value<'a>, Value<'a>)> = items
        .iter()
        .map(|item| match &property {
            Some(name) => (super::select::read(&item, name.as_str()).unwrap_or(Value::Null), item),
            None => (item.clone(), item),
        })
        .collect();
    merge_sort(&mut keyed, &|a, b| by(&a.0, &b.0));
    Ok(Value::list(keyed.into_iter().map(|(_, item)| item).collect()))
}

/// Items below which each is put at its place one by one.
const RUN: usize = 32;

/// Keeps the order of equals, and takes an order that contradicts itself, as values of several types have.
fn merge_sort<T: Clone>(items: &mut [T], by: &impl Fn(&T, &T) -> Ordering) {
    if items.len() <= RUN {
        for end in 1..items.len() {
            let (mut low, mut high) = (0, end);
            while low < high {
                let middle = usize::midpoint(low, high);
                if by(&items[end], &items[middle]) == Ordering::Less { high = middle } else { low = middle + 1 }
            }
            items[low..=end].rotate_right(1);
        }
        return;
    }
    let middle = items.len() / 2;
    merge_sort(&mut items[..middle], by);
    merge_sort(&mut items[middle..], by);
    let merged = {
        let (left, right) = items.split_at(middle);
        let (mut left, mut right) = (left.iter().peekable(), right.iter().peekable());
        let mut merged = Vec::with_capacity(items.len());
        while let (Some(a), Some(b)) = (left.peek(), right.peek()) {
            let next = if by(b, a) == Ordering::Less { right.next() } else { left.next() };
            merged.extend(next.cloned());
        }
        merged.extend(left.cloned());
        merged.extend(right.cloned());
        merged
    };
    items.clone_from_slice(&merged);
}
