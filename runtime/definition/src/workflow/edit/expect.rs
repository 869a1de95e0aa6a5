//! What an edit means, on the value of a document.

use super::page::task_of;
use super::{Made, Operation, no, value_of};
use playbook_model::json::join;
use serde_json::{Map, Value, json};

/// Does an operation on a value; gives the task it was of, as it is named then.
pub(super) fn apply(whole: &mut Value, operation: &Operation) -> Made<Option<String>> {
    match operation {
        Operation::Add { list, at, name, task } => {
            if whole.pointer(list).is_none_or(Value::is_null) {
                set(whole, list, json!([{ name.as_str(): task }]))?;
                return Ok(Some(join(&format!("{list}/0"), name)));
            }
            free(whole, list, name)?;
            let items = items(whole, list)?;
            let at = (*at).min(items.len());
            items.insert(at, json!({ name.as_str(): task }));
            Ok(Some(join(&format!("{list}/{at}"), name)))
        }
        Operation::Move { task, list, at } => moved(whole, task, list, *at).map(Some),
        Operation::Rename { task, name } => renamed(whole, task, name).map(Some),
        Operation::Duplicate { task } => {
            let (list, at, name) = task_of(task)?;
            let said = task_value(whole, task)?;
            let copy = copy_name(whole, list, &name);
            items(whole, list)?.insert(at + 1, json!({ copy.as_str(): said }));
            Ok(Some(join(&format!("{list}/{}", at + 1), &copy)))
        }
        Operation::Wrap { task } => {
            let (list, at, name) = task_of(task)?;
            let mut said = task_value(whole, task)?;
            let then = said.as_object_mut().and_then(|members| members.shift_remove("then"));
            let outer = free_name(whole, list, &format!("try-{name}"));
            let mut around = Map::new();
            around.insert("try".into(), json!([{ name.as_str(): said }]));
            around.insert("catch".into(), recovery(&name));
            if let Some(then) = then {
                around.insert("then".into(), then);
            }
            renamed(whole, task, &outer)?;
            items(whole, list)?[at] = json!({ outer.as_str(): around });
            Ok(Some(join(&format!("{list}/{at}"), &outer)))
        }
        Operation::Delete { task } => {
            let (list, at, _) = task_of(task)?;
            task_value(whole, task)?;
            let items = items(whole, list)?;
            if items.len() == 1 {
                return no("It is the only one of its list, and a list needs one. Delete the task around it instead.");
            }
            items.remove(at);
            Ok(None)
        }
        Operation::Set { at, value } => set(whole, at, value.clone()).map(|()| None),
        Operation::Write { at, yaml } => set(whole, at, value_of(yaml)?).map(|()| None),
        Operation::Unset { at } => {
            let Some((around, key)) = emptied(whole, at)? else { return Ok(None) };
            let members = whole.pointer_mut(&around).and_then(Value::as_object_mut);
            members.and_then(|members| members.shift_remove(&key));
            Ok(None)
        }
    }
}

/// What catches a wrapped task: it tries again where that may help and is safe, then says what failed.
/// "Errors, retries and timeouts".
pub(super) fn recovery(name: &str) -> Value {
    json!({
        "errors": { "with": { "status": 503 } },
        "retry": { "delay": "PT5S", "backoff": { "exponential": {} }, "limit": { "attempt": { "count": 3 } } },
        "do": [{ "give-up": { "raise": { "error": {
            "type": "https://example.com/errors/unavailable",
            "status": 503,
            "title": format!("The step {name} could not be done"),
        } } } }],
    })
}

/// The mapping and the key that go when a field goes: a mapping that would be left empty goes with it.
pub(super) fn emptied(whole: &Value, at: &str) -> Made<Option<(String, String)>> {
    let Some((mut around, mut key)) = parent(at) else { return no("The whole document cannot be taken out.") };
    if whole.pointer(at).is_none() {
        return Ok(None);
    }
    while whole.pointer(around).and_then(Value::as_object).is_some_and(|members| members.len() == 1) {
        let Some((above, above_key)) = parent(around) else { break };
        // A task stays, and so does an item of a list.
        if whole.pointer(above).is_none_or(|value| !value.is_object()) || task_like(above) {
            break;
        }
        (around, key) = (above, above_key);
    }
    Ok(Some((around.to_owned(), key.replace("~1", "/").replace("~0", "~"))))
}

/// Whether a mapping is an item of a list, whose one member is a task.
fn task_like(item: &str) -> bool {
    parent(item).is_some_and(|(_, key)| !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_digit()))
}

pub(super) fn parent(pointer: &str) -> Option<(&str, &str)> {
    pointer.rsplit_once('/')
}

/// Sets a value, making the mappings around it.
fn set(whole: &mut Value, at: &str, value: Value) -> Made<()> {
    let Some((around, key)) = parent(at) else { return no("The whole document cannot be replaced.") };
    let key = key.replace("~1", "/").replace("~0", "~");
    match whole.pointer_mut(around) {
        Some(Value::Object(members)) => {
            members.insert(key, value);
            Ok(())
        }
        Some(Value::Array(items)) => match key.parse::<usize>().ok().and_then(|at| items.get_mut(at)) {
            Some(item) => {
                *item = value;
                Ok(())
            }
            None => no(format!("There is nothing at {at} any more.")),
        },
        Some(empty @ Value::Null) => {
            *empty = json!({ key.as_str(): value });
            Ok(())
        }
        Some(_) => no(format!("At {around} stands a single value, which has no fields.")),
        None => set(whole, around, json!({ key.as_str(): value })),
    }
}

fn items<'v>(whole: &'v mut Value, list: &str) -> Made<&'v mut Vec<Value>> {
    match whole.pointer_mut(list).and_then(Value::as_array_mut) {
        Some(items) => Ok(items),
        None => no(format!("There is no list at {list} any more.")),
    }
}

fn task_value(whole: &Value, task: &str) -> Made<Value> {
    match whole.pointer(task) {
        Some(said) => Ok(said.clone()),
        None => no(format!("There is no task at {task} any more.")),
    }
}

/// The names of a list's tasks.
fn names<'v>(whole: &'v Value, list: &str) -> impl Iterator<Item = &'v String> {
    let items = whole.pointer(list).and_then(Value::as_array).into_iter().flatten();
    items.filter_map(|item| item.as_object()?.keys().next())
}

fn free(whole: &Value, list: &str, name: &str) -> Made<()> {
    if name.is_empty() {
        return no("A task needs a name.");
    }
    if names(whole, list).any(|other| other == name) {
        return no(format!("Another of this list is named {name}; choose another name."));
    }
    Ok(())
}

fn free_name(whole: &Value, list: &str, name: &str) -> String {
    let taken = |name: &str| names(whole, list).any(|other| other == name);
    if !taken(name) {
        return name.to_owned();
    }
    (2_u32..).map(|count| format!("{name}-{count}")).find(|name| !taken(name)).unwrap_or_default()
}

/// The name of a task's copy: with the next number behind it.
pub(super) fn copy_name(whole: &Value, list: &str, name: &str) -> String {
    let stem = name.rsplit_once('-').filter(|(_, count)| count.parse::<u32>().is_ok()).map_or(name, |(stem, _)| stem);
    let taken = |name: &str| names(whole, list).any(|other| other == name);
    (2_u32..).map(|count| format!("{stem}-{count}")).find(|name| !taken(name)).unwrap_or_default()
}

/// The name of the task that a task is wrapped in.
pub(super) fn wrapped_name(whole: &Value, list: &str, name: &str) -> String {
    free_name(whole, list, &format!("try-{name}"))
}

/// The pointers of each `then` of a list that names a task.
pub(super) fn thens(whole: &Value, list: &str, name: &str) -> Vec<String> {
    let mut found = Vec::new();
    let items = whole.pointer(list).and_then(Value::as_array).into_iter().flatten();
    for (at, item) in items.enumerate() {
        let Some((task, said)) = item.as_object().and_then(|members| members.iter().next()) else { continue };
        let here = join(&format!("{list}/{at}"), task);
        if said.get("then").and_then(Value::as_str) == Some(name) {
            found.push(format!("{here}/then"));
        }
        for (place, case) in said.get("switch").and_then(Value::as_array).into_iter().flatten().enumerate() {
            let Some((label, case)) = case.as_object().and_then(|members| members.iter().next()) else { continue };
            if case.get("then").and_then(Value::as_str) == Some(name) {
                found.push(format!("{}/then", join(&format!("{here}/switch/{place}"), label)));
            }
        }
    }
    found
}

fn renamed(whole: &mut Value, task: &str, name: &str) -> Made<String> {
    let (list, at, old) = task_of(task)?;
    let said = task_value(whole, task)?;
    if old != name {
        free(whole, list, name)?;
        for then in thens(whole, list, &old) {
            if let Some(then) = whole.pointer_mut(&then) {
                *then = name.into();
            }
        }
        // Its own `then` may have been among them.
        let said = whole.pointer(task).cloned().unwrap_or(said);
        items(whole, list)?[at] = json!({ name: said });
    }
    Ok(join(&format!("{list}/{at}"), name))
}

fn moved(whole: &mut Value, task: &str, list: &str, at: usize) -> Made<String> {
    let (from, place, name) = task_of(task)?;
    task_value(whole, task)?;
    if list.starts_with(&format!("{task}/")) || list == task {
        return no("A task cannot be moved into itself.");
    }
    let most = items(whole, list)?.len();
    let mut at = at.min(most);
    if from == list {
        if at > place {
            at -= 1;
        }
    } else {
        free(whole, list, &name)?;
        if items(whole, from)?.len() == 1 {
            return no("It is the only one of its list, and a list needs one. Move the task around it instead.");
        }
    }
    let item = items(whole, from)?.remove(place);
    let list = after_removal(list, from, place);
    items(whole, &list)?.insert(at, item);
    Ok(join(&format!("{list}/{at}"), &name))
}

/// A list's pointer once an item of another list is taken out, around or before which it may stand.
fn after_removal(list: &str, from: &str, place: usize) -> String {
    let Some(rest) = list.strip_prefix(from).and_then(|rest| rest.strip_prefix('/')) else { return list.to_owned() };
    let (index, below) =
        rest.split_once('/').map_or((rest, String::new()), |(index, below)| (index, format!("/{below}")));
    match index.parse::<usize>() {
        Ok(index) if index > place => format!("{from}/{}{below}", index - 1),
        _ => list.to_owned(),
    }
}
