//! Texts of an author inside Markdown and Mermaid.

use playbook_model::json::cut;

/// A text as a paragraph of Markdown that shows every character as itself.
pub(crate) fn plain(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut out = String::with_capacity(line.len() + 8);
    for (at, c) in line.char_indices() {
        let first = at == 0;
        let lists = first && matches!(c, '+' | '-' | '=');
        // A number at the beginning would open a list with the mark after it.
        let numbers = matches!(c, '.' | ')') && at > 0 && line[..at].bytes().all(|b| b.is_ascii_digit());
        if matches!(c, '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '&' | '#' | '|' | '~' | '$') || lists || numbers
        {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// A text as inline code of Markdown, on one line and cut at a number of bytes.
pub(crate) fn code(text: &str, bytes: usize) -> String {
    let line: String = cut(text, bytes).chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let mut longest = 0;
    let mut run = 0;
    for c in line.chars() {
        run = if c == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    let fence = "`".repeat(longest + 1);
    let blank = line.trim().is_empty();
    let pad = if blank || line.starts_with(['`', ' ']) || line.ends_with(['`', ' ']) { " " } else { "" };
    format!("{fence}{pad}{line}{pad}{fence}")
}

/// A text as a block of code of Markdown, line by line as it stands.
pub(crate) fn block(text: &str) -> String {
    let mut longest = 2;
    let mut run = 0;
    for c in text.chars() {
        run = if c == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    let fence = "`".repeat(longest + 1);
    format!("{fence}text\n{text}\n{fence}\n")
}

/// A text as a quoted label of Mermaid, on one line and cut.
pub(crate) fn label(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut out = String::new();
    for c in cut(&line, 160).chars() {
        match c {
            c if c.is_alphanumeric() || " .,:/-=…'()+!?".contains(c) => out.push(c),
            c if c.is_control() => out.push(' '),
            c => out.push_str(&format!("#{};", u32::from(c))),
        }
    }
    out
}
