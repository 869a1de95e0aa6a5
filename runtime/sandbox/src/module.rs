//! A program's text to a script that gives its exported functions, every line where it was.
//!
//! `export function fold(` becomes `;const fold=function(`, which takes exactly as many columns, so a function of the
//! module is a constant that no fold can set. A reader of tokens finds the top level; it is no parser: what it lets
//! pass, the engine refuses.

use crate::compile::Fault;

/// A function the module exports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Export {
    /// `default` or its name.
    pub(crate) name: String,
    /// What the script calls it.
    local: String,
}

/// A module ready to be compiled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Script {
    /// The text; its completion value is a function that returns the list of the exports.
    pub(crate) text: String,
    /// In the order of the list.
    pub(crate) exports: Vec<Export>,
}

/// Turns a module's text into a script.
pub(crate) fn script(text: &str) -> Result<Script, Fault> {
    let mut body = String::with_capacity(text.len() + 128);
    body.push_str("(function(){\"use strict\";");
    let mut exports = Vec::new();
    let mut kept = 0;
    for found in marks(text) {
        let at = match found {
            Mark::Gap(at) => {
                body.push_str(&text[kept..at]);
                body.push(' ');
                kept = at;
                continue;
            }
            Mark::Export(at) => at,
        };
        let Some(Rewritten { export, words, end }) = rewrite(text, at) else {
            continue;
        };
        body.push_str(&text[kept..at]);
        body.push_str(&words);
        kept = end;
        exports.push(export);
    }
    body.push_str(&text[kept..]);
    body.push_str("\n;return [");
    for export in &exports {
        body.push_str(&export.local);
        body.push(',');
    }
    body.push_str("]})");
    Ok(Script { text: body, exports })
}

/// An expression as a script that gives a function of the names it may read, such as `$data`.
pub(crate) fn expression(text: &str, names: &[&str]) -> String {
    let mut body = String::with_capacity(text.len() + 64);
    body.push_str("(function(");
    body.push_str(&names.join(","));
    body.push_str("){\"use strict\";return (\n");
    let mut kept = 0;
    for mark in marks(text) {
        if let Mark::Gap(at) = mark {
            body.push_str(&text[kept..at]);
            body.push(' ');
            kept = at;
        }
    }
    body.push_str(&text[kept..]);
    body.push_str("\n)})");
    body
}

struct Rewritten {
    export: Export,
    words: String,
    end: usize,
}

const ANONYMOUS: &str = "$default";

/// Reads `export …` at a byte and says what takes its place.
fn rewrite(text: &str, start: usize) -> Option<Rewritten> {
    let mut read = Read { text, at: start + "export".len() };
    let default = read.word("default");
    let asynchronous = read.word("async");
    if !read.word("function") {
        if !default || asynchronous {
            return None;
        }
        // `export default (input) => …`: a constant of exactly as many columns.
        let after = start + text[start..].find("default")? + "default".len();
        let words = format!("const {ANONYMOUS}=");
        let taken = text[start..after].chars().count() + 1;
        let end = after + text[after..].chars().next().filter(|c| *c == ' ' || *c == '\t').map_or(0, char::len_utf8);
        let words = format!("{words}{}", " ".repeat(taken.saturating_sub(words.len())));
        let export = Export { name: "default".into(), local: ANONYMOUS.into() };
        return Some(Rewritten { export, words: breaks(&text[start..end], words), end });
    }
    let star = read.mark('*');
    let name = read.name();
    let local = match (name, default) {
        (Some(name), _) => name.to_owned(),
        (None, true) => ANONYMOUS.to_owned(),
        (None, false) => return None,
    };
    let mut words = format!(";const {local}=");
    if asynchronous {
        words.push_str("async ");
    }
    words.push_str("function");
    if star {
        words.push('*');
    }
    let end = read.at;
    let wide = text[start..end].chars().map(char::len_utf16).sum::<usize>();
    let have = words.chars().map(char::len_utf16).sum::<usize>();
    words.push_str(&" ".repeat(wide.saturating_sub(have)));
    let export = Export { name: if default { "default".into() } else { local.clone() }, local };
    Some(Rewritten { export, words: breaks(&text[start..end], words), end })
}

/// Keeps the line breaks of what was replaced, so every line stays where it was.
fn breaks(replaced: &str, mut words: String) -> String {
    let lines =
        replaced.matches(['\n', '\u{2028}', '\u{2029}']).count() + replaced.replace("\r\n", "").matches('\r').count();
    words.push_str(&"\n".repeat(lines));
    words
}

struct Read<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Read<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// Passes spaces and comments.
    fn blank(&mut self) {
        loop {
            let rest = self.rest();
            let trimmed = rest.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
            self.at += rest.len() - trimmed.len();
            let length = if trimmed.starts_with("//") {
                trimmed.find(['\n', '\r', '\u{2028}', '\u{2029}']).unwrap_or(trimmed.len())
            } else if let Some(comment) = trimmed.strip_prefix("/*") {
                comment.find("*/").map_or(trimmed.len(), |end| end + 4)
            } else {
                return;
            };
            self.at += length;
        }
    }

    fn word(&mut self, word: &str) -> bool {
        let before = self.at;
        self.blank();
        if self.rest().starts_with(word) && !self.rest()[word.len()..].starts_with(in_name) {
            self.at += word.len();
            return true;
        }
        self.at = before;
        false
    }

    fn mark(&mut self, mark: char) -> bool {
        let before = self.at;
        self.blank();
        if self.rest().starts_with(mark) {
            self.at += mark.len_utf8();
            return true;
        }
        self.at = before;
        false
    }

    fn name(&mut self) -> Option<&'a str> {
        let before = self.at;
        self.blank();
        let rest = self.rest();
        let length = rest.find(|c| !in_name(c)).unwrap_or(rest.len());
        if length == 0 {
            self.at = before;
            return None;
        }
        self.at += length;
        Some(&rest[..length])
    }
}

fn in_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$' | '\u{200c}' | '\u{200d}')
}

/// What an open bracket means for a slash after its close.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Open {
    /// `(` after `if`, `while`, `for` or `with`: a statement follows its close.
    Head,
    /// Any other `(`, or `[`.
    Group,
    /// `{` of a block or a function's body: a statement follows its close.
    Block,
    /// `{` of an object or a class of an expression.
    Object,
    /// `${` of a template.
    Substitution,
}

/// A place in a module where its script differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mark {
    /// `export` stands here as a word at the top level.
    Export(usize),
    /// Here `<!--` is parted: in a script it would begin a comment, in a module it is three operators.
    Gap(usize),
}

/// The places where a module's script differs, in bytes and in order.
fn marks(text: &str) -> Vec<Mark> {
    let mut found = Vec::new();
    let mut open: Vec<Open> = Vec::new();
    // Whether a slash here starts a regular expression: true where an expression may start.
    let mut expects = true;
    let mut last_word = "";
    let mut after_arrow_or_close = true;
    let mut at = 0;
    while at < text.len() {
        let mut read = Read { text, at };
        read.blank();
        at = read.at;
        let rest = &text[at..];
        let Some(c) = rest.chars().next() else { break };
        if in_name(c) || c == '#' || c == '\\' {
            let length = rest.find(|c| !in_name(c) && c != '#' && c != '\\').unwrap_or(rest.len());
            let word = &rest[..length];
            let member = text[..at].ends_with('.') && !text[..at].ends_with("...");
            if word == "export" && open.is_empty() && !member {
                found.push(Mark::Export(at));
            }
            expects = !member && precedes_expression(word);
            last_word = if member { "" } else { word };
            after_arrow_or_close = matches!(word, "else" | "do" | "try" | "finally") && !member;
            at += length;
            continue;
        }
        let mut width = c.len_utf8();
        match c {
            '"' | '\'' => {
                width = quoted(rest, c);
                expects = false;
            }
            '`' => {
                let (length, substitution) = template(&rest[1..]);
                width = length + 1;
                if substitution {
                    open.push(Open::Substitution);
                }
                expects = substitution;
            }
            '/' if expects => {
                width = regular_expression(rest);
                expects = false;
            }
            '(' => {
                let head = matches!(last_word, "if" | "while" | "for" | "with");
                open.push(if head { Open::Head } else { Open::Group });
                expects = true;
            }
            '[' => {
                open.push(Open::Group);
                expects = true;
            }
            ')' => {
                let head = open.pop() == Some(Open::Head);
                expects = head;
                last_word = "";
                // `) {` is the body of a function or of a statement.
                after_arrow_or_close = true;
                at += width;
                continue;
            }
            ']' => {
                open.pop();
                expects = false;
            }
            '{' => {
                let block = after_arrow_or_close || !expects;
                open.push(if block { Open::Block } else { Open::Object });
                expects = true;
                last_word = "";
                after_arrow_or_close = true;
                at += width;
                continue;
            }
            '}' => match open.pop() {
                Some(Open::Substitution) => {
                    let (length, substitution) = template(&rest[1..]);
                    width = length + 1;
                    if substitution {
                        open.push(Open::Substitution);
                    }
                    expects = substitution;
                }
                Some(Open::Block) | None => {
                    expects = true;
                    last_word = "";
                    after_arrow_or_close = true;
                    at += width;
                    continue;
                }
                _ => expects = false,
            },
            '+' | '-' if rest[1..].starts_with(c) => {
                // `a++ / b` divides; `++ /re/` is no program.
                width = 2;
            }
            ';' => {
                expects = true;
                last_word = "";
                after_arrow_or_close = true;
                at += width;
                continue;
            }
            '<' if rest.starts_with("<!--") => {
                found.push(Mark::Gap(at + 1));
                expects = true;
            }
            '=' if rest.starts_with("=>") => {
                width = 2;
                expects = true;
                last_word = "";
                after_arrow_or_close = true;
                at += width;
                continue;
            }
            '.' if rest.starts_with("...") => {
                width = 3;
                expects = true;
            }
            '.' => expects = false,
            _ => expects = true,
        }
        last_word = "";
        after_arrow_or_close = false;
        at += width;
    }
    found
}

/// Words after which an expression starts, so a slash is no division.
fn precedes_expression(word: &str) -> bool {
    matches!(
        word,
        "return"
            | "typeof"
            | "instanceof"
            | "in"
            | "of"
            | "new"
            | "delete"
            | "void"
            | "throw"
            | "case"
            | "do"
            | "else"
            | "yield"
            | "await"
            | "default"
            | "extends"
    )
}

fn quoted(rest: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return at + 1,
            _ => {}
        }
    }
    rest.len()
}

/// The length of a template's text up to its end or its next substitution, and whether it is the latter.
fn template(rest: &str) -> (usize, bool) {
    let mut escaped = false;
    for (at, c) in rest.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '`' => return (at + 1, false),
            '$' if rest[at + 1..].starts_with('{') => return (at + 2, true),
            _ => {}
        }
    }
    (rest.len(), false)
}

fn regular_expression(rest: &str) -> usize {
    let mut escaped = false;
    let mut class = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            '\n' | '\r' => return at,
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '[' => class = true,
            ']' => class = false,
            '/' if !class => return at + 1,
            _ => {}
        }
    }
    rest.len()
}

#[cfg(test)]
mod tests;
