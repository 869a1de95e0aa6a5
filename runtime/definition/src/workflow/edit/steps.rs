//! Edits of tasks: whole items of a list, with the remarks right above them.

use super::expect;
use super::field::{self, New};
use super::page::{Change, Item, Page, indented, task_of};
use super::{Made, no, write};
use playbook_model::json::join;
use playbook_model::position::Span;
use serde_json::{Value, json};

/// A task's lines, with the remarks above it.
fn with_remarks(page: &Page<'_>, item: Item) -> Span {
    Span::new(page.remarks(item.span.start, item.column), item.span.end)
}

/// Puts lines of an item before the item at a place, or at the end; blank lines as the list has them.
fn placed(page: &Page<'_>, list: &str, at: usize, lines: &str) -> Made<Change> {
    let count = page.items(list);
    let mut blank = 0;
    for other in 1..count {
        blank += usize::from(page.blank_above(with_remarks(page, page.item(list, other)?).start));
    }
    let airy = blank * 2 >= count && count > 1;
    if at == 0 {
        let first = with_remarks(page, page.item(list, 0)?).start;
        let air = if airy { page.end } else { "" };
        return Ok(page.insertion(first, &format!("{lines}{air}")));
    }
    let last = page.item(list, at.min(count) - 1)?;
    let air = if airy { page.end } else { "" };
    Ok(page.insertion(last.span.end, &format!("{air}{lines}")))
}

pub(super) fn add(page: &Page<'_>, list: &str, at: usize, name: &str, task: &Value) -> Made<String> {
    if page.items(list) == 0 {
        return field::set(page, list, &New::of(&json!([{ name: task }])));
    }
    let column = page.item(list, 0)?.column;
    let mut lines = write::entry(name, task);
    for (at, line) in lines.iter_mut().enumerate() {
        *line = match at {
            0 => format!("- {line}"),
            _ if line.is_empty() => String::new(),
            _ => format!("  {line}"),
        };
    }
    Ok(page.with(vec![placed(page, list, at, &page.lines(&lines, column))?]))
}

/// What goes when an item goes: its lines, its remarks, and a blank line that parted it from the others.
fn removal(page: &Page<'_>, item: Item, first: bool) -> Span {
    let mut span = with_remarks(page, item);
    let below = page.text[span.end..].split_inclusive('\n').next();
    if below.is_none_or(|line| line.trim().is_empty()) {
        if page.blank_above(span.start) {
            span.start = page.line_start(span.start - 1);
        } else if first {
            span.end += below.map_or(0, str::len);
        }
    }
    span
}

pub(super) fn delete(page: &Page<'_>, task: &str) -> Made<String> {
    let (list, at, _) = task_of(task)?;
    let span = removal(page, page.item(list, at)?, at == 0);
    Ok(page.with(vec![Change { span, text: String::new() }]))
}

pub(super) fn moved(page: &Page<'_>, task: &str, list: &str, at: usize) -> Made<String> {
    let (from, place, _) = task_of(task)?;
    if from == list && (at == place || at == place + 1) {
        return Ok(page.text.to_owned());
    }
    let item = page.item(from, place)?;
    let lines = &page.text[with_remarks(page, item).start..item.span.end];
    let mut lines = indented(lines, item.column, page.item(list, 0)?.column);
    if !lines.ends_with('\n') {
        lines.push_str(page.end);
    }
    let removed = removal(page, item, place == 0);
    let mut placed = placed(page, list, at, &lines)?;
    // Where it is put right at the stretch that goes, the two are one change.
    if placed.span.start > removed.start && placed.span.start < removed.end {
        placed.span = Span::new(removed.start, removed.start);
    }
    Ok(page.with(vec![placed, Change { span: removed, text: String::new() }]))
}

pub(super) fn duplicate(page: &Page<'_>, task: &str) -> Made<String> {
    let (list, at, name) = task_of(task)?;
    let item = page.item(list, at)?;
    let key = page.place(task)?.key.unwrap_or(item.span);
    let copy = expect::copy_name(&page.yaml.value, list, &name);
    let mut lines = format!(
        "{}{}{}",
        &page.text[item.span.start..key.start],
        write::key(&copy),
        &page.text[key.end..item.span.end]
    );
    if !lines.ends_with('\n') {
        lines.push_str(page.end);
    }
    Ok(page.with(vec![placed(page, list, at + 1, &lines)?]))
}

pub(super) fn rename(page: &Page<'_>, task: &str, name: &str) -> Made<String> {
    let (list, _, old) = task_of(task)?;
    let Some(key) = page.place(task)?.key else { return no(format!("{task} is no task of a list.")) };
    let written = &page.text[key.start..key.end];
    let value = Value::from(name);
    let new = match write::Quotes::of(written) {
        write::Quotes::Plain => write::key(name),
        quotes => write::flow(&value, quotes, true),
    };
    let mut changes = vec![Change { span: key, text: new }];
    for then in expect::thens(&page.yaml.value, list, &old) {
        let span = page.place(&then)?.value;
        let quotes = write::Quotes::of(&page.text[span.start..span.end]);
        changes.push(Change { span, text: write::flow(&value, quotes, true) });
    }
    Ok(page.with(changes))
}

pub(super) fn wrap(page: &Page<'_>, task: &str) -> Made<String> {
    let (list, at, name) = task_of(task)?;
    let outer = expect::wrapped_name(&page.yaml.value, list, &name);
    // Its `then` names tasks of this list, which none inside the try can reach.
    let then = page.value(&join(task, "then")).cloned();
    if then.is_some() {
        let without = field::unset(page, &join(task, "then"))?;
        let page = Page::read(&without)?;
        let around = around(&page, task, &outer)?;
        let page = Page::read(&around)?;
        let wrapped = join(&format!("{list}/{at}"), &outer);
        let back = field::set(&page, &join(&wrapped, "then"), &New::of(&then.unwrap_or_default()))?;
        return renamed_thens(&Page::read(&back)?, list, &name, &outer);
    }
    let around = around(page, task, &outer)?;
    renamed_thens(&Page::read(&around)?, list, &name, &outer)
}

fn renamed_thens(page: &Page<'_>, list: &str, old: &str, new: &str) -> Made<String> {
    let mut changes = Vec::new();
    for then in expect::thens(&page.yaml.value, list, old) {
        let span = page.place(&then)?.value;
        let quotes = write::Quotes::of(&page.text[span.start..span.end]);
        changes.push(Change { span, text: write::flow(&Value::from(new), quotes, true) });
    }
    Ok(page.with(changes))
}

fn around(page: &Page<'_>, task: &str, outer: &str) -> Made<String> {
    let (list, at, name) = task_of(task)?;
    let item = page.item(list, at)?;
    let pad = item.column;
    let head = page.lines(&[format!("- {}:", write::key(outer)), "    try:".into()], pad);
    let mut inner = indented(&page.text[item.span.start..item.span.end], pad, pad + 6);
    if !inner.ends_with('\n') {
        inner.push_str(page.end);
    }
    let catch = page.lines(&write::entry("catch", &expect::recovery(&name)), pad + 4);
    let text = format!("{head}{inner}{catch}");
    Ok(page.with(vec![Change { span: item.span, text }]))
}
