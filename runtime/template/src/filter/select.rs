//! Filters that read a property of each item.

use super::{Call, Halt};
use crate::compare;
use crate::path;
use crate::value::{List, Value};
use std::rc::Rc;

type Made<'a> = Result<Value<'a>, Halt>;

/// A property of an item, which may be a path with dots; nothing where a step is missing.
pub(super) fn read<'a>(item: &Value<'a>, property: &str) -> Option<Value<'a>> {
    match path::member(item, property) {
        None if property.contains('.') => {
            property.split('.').try_fold(item.clone(), |value, step| path::member(&value, step))
        }
        found => found,
    }
}

fn property(call: &Call<'_>) -> String {
    call.text_of(0).map(|text| text.as_str().to_owned()).unwrap_or_default()
}

/// Each item's property; null where it is missing.
pub(super) fn map<'a>(call: &mut Call<'a>) -> Made<'a> {
    let items = call.list()?;
    let property = property(call);
    Ok(Value::list(items.iter().map(|item| read(&item, &property).unwrap_or(Value::Null)).collect()))
}

/// Each item, and whether its property is the value asked for, or is true where none is asked for.
fn judged<'a>(call: &mut Call<'a>) -> Result<Vec<(Value<'a>, bool)>, Halt> {
    let items = call.list()?;
    let property = property(call);
    let wanted = call.argument(1).cloned();
    items
        .iter()
        .map(|item| {
            let found =
                read(&item, &property).ok_or_else(|| Halt::Missing(vec!["item".to_owned(), property.clone()]))?;
            let fits = match &wanted {
                Some(wanted) => compare::equal(&found, wanted),
                None => found.is_true(),
            };
            Ok((item, fits))
        })
        .collect()
}

pub(super) fn filtered<'a>(call: &mut Call<'a>) -> Made<'a> {
    Ok(Value::list(judged(call)?.into_iter().filter(|(_, fits)| *fits).map(|(item, _)| item).collect()))
}

pub(super) fn reject<'a>(call: &mut Call<'a>) -> Made<'a> {
    Ok(Value::list(judged(call)?.into_iter().filter(|(_, fits)| !*fits).map(|(item, _)| item).collect()))
}

pub(super) fn find<'a>(call: &mut Call<'a>) -> Made<'a> {
    Ok(judged(call)?.into_iter().find(|(_, fits)| *fits).map_or(Value::Null, |(item, _)| item))
}

pub(super) fn find_index<'a>(call: &mut Call<'a>) -> Made<'a> {
    let place = judged(call)?.iter().position(|(_, fits)| *fits);
    Ok(place.map_or(Value::Null, |place| Value::Number(place as f64)))
}

pub(super) fn has<'a>(call: &mut Call<'a>) -> Made<'a> {
    Ok(Value::Bool(judged(call)?.iter().any(|(_, fits)| *fits)))
}

/// Groups in the order they first appear, each a name and its items.
pub(super) fn group_by<'a>(call: &mut Call<'a>) -> Made<'a> {
    let items = call.list()?;
    let property = property(call);
    let mut groups: Vec<(Value<'a>, Vec<Value<'a>>)> = Vec::new();
    let mut places: std::collections::HashMap<String, usize> = std::collections::HashMap::new();
    for item in items.iter() {
        let name = read(&item, &property).ok_or_else(|| Halt::Missing(vec!["item".to_owned(), property.clone()]))?;
        let mut key = String::new();
        crate::value::write_json(&name, "", 0, &mut key);
        let place = *places.entry(key).or_insert_with(|| {
            groups.push((name, Vec::new()));
            groups.len() - 1
        });
        groups[place].1.push(item);
    }
    Ok(Value::list(
        groups.into_iter().map(|(name, items)| Value::Group(Rc::new((name, List::Made(items.into()))))).collect(),
    ))
}
