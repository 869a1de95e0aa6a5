//! Literate cases: Markdown whose headings are tests and whose fenced blocks are documents and expectations.
//!
//! ````markdown
//! ## A recall function names its language
//!
//! Prose says why.
//!
//! ```markdown recall/campaign-reviews
//! ---
//! source: { events: [{ type: spent }] }
//! ---
//! export function fold(view: View): View { return view; }
//! ```
//!
//! ```problems
//! 1:1 /language document.language: language is missing; the playbook's one language is typescript.
//! ```
//! ````
//!
//! The info string of a block is words: the first says what it is, the rest belong to whoever runs it.
//! A document's words are `markdown` or `yaml`, its `type/name`, and marks that change its text:
//!
//! * `crlf`: every line ends with a carriage return and a line feed.
//! * `expand`: `⟨ab×3⟩` stands for `ababab`.

use playbook_model::definition::DefinitionType;
use std::fmt::Write as _;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// One Markdown file of cases.
#[derive(Debug, Clone)]
pub struct Suite {
    /// The file.
    pub path: PathBuf,
    /// Its text.
    pub text: String,
    /// Its headings that have blocks, in order.
    pub cases: Vec<Case>,
}

/// One heading with its blocks.
#[derive(Debug, Clone)]
pub struct Case {
    /// The headings that lead to it, joined with ` > `.
    pub title: String,
    /// The line of its heading, from 1.
    pub line: usize,
    /// Its blocks, in order.
    pub blocks: Vec<Block>,
}

/// One fenced block.
#[derive(Debug, Clone)]
pub struct Block {
    /// The words of its info string.
    pub words: Vec<String>,
    /// Its lines, each with its line break.
    pub body: String,
    /// The line of its opening fence, from 1.
    pub line: usize,
    /// The bytes of its lines in the file.
    pub span: Range<usize>,
}

/// A document of a case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// Its type.
    pub kind: DefinitionType,
    /// Its name.
    pub name: String,
    /// Its text, with its marks carried out.
    pub text: String,
}

/// What a block comes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Actual {
    /// The block's place in its case.
    pub block: usize,
    /// What stands there when the case passes.
    pub body: String,
}

impl Block {
    /// What the block is: its first word, empty without one.
    #[must_use]
    pub fn is(&self) -> &str {
        self.words.first().map_or("", String::as_str)
    }

    /// The document it holds; `None` when it is something else.
    ///
    /// # Panics
    /// When the type is none, since a case that cannot be read is a broken test.
    #[must_use]
    pub fn document(&self) -> Option<Document> {
        let named = self.words.get(1).filter(|_| matches!(self.is(), "markdown" | "yaml"))?;
        let (kind, name) = named.split_once('/')?;
        let kind = DefinitionType::parse(kind).unwrap_or_else(|| panic!("line {}: {kind} is no type", self.line));
        let mut text = self.body.clone();
        for mark in &self.words[2..] {
            text = match mark.as_str() {
                "crlf" => text.replace('\n', "\r\n"),
                "expand" => expanded(&text),
                other => panic!("line {}: {other} is no mark of a document", self.line),
            };
        }
        Some(Document { kind, name: name.to_owned(), text })
    }
}

/// Writes out each `⟨text×count⟩`.
fn expanded(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(start) = rest.find('⟨') {
        let Some(end) = rest[start..].find('⟩').map(|at| start + at) else { break };
        let inside = &rest[start + '⟨'.len_utf8()..end];
        let (what, count) = inside.rsplit_once('×').expect("a text, × and a count between the brackets");
        out.push_str(&rest[..start]);
        out.push_str(&what.repeat(count.parse().expect("a count")));
        rest = &rest[end + '⟩'.len_utf8()..];
    }
    out.push_str(rest);
    out
}

impl Suite {
    /// Reads a file.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn read(path: &Path) -> std::io::Result<Self> {
        Ok(Self::parse(path, std::fs::read_to_string(path)?))
    }

    /// Reads the text of a file.
    #[must_use]
    pub fn parse(path: &Path, text: String) -> Self {
        let mut cases: Vec<Case> = Vec::new();
        let mut headings: Vec<(usize, String)> = Vec::new();
        let mut heading_line = 1;
        let mut fresh = true;
        let mut at = 0;
        let mut open: Option<(usize, Block)> = None;
        for (number, line) in text.split_inclusive('\n').enumerate() {
            let start = at;
            at += line.len();
            let bare = line.trim_end_matches(['\n', '\r']);
            let ticks = bare.len() - bare.trim_start_matches('`').len();
            if let Some((fence, block)) = &mut open {
                if ticks >= *fence && bare[ticks..].trim().is_empty() {
                    block.span.end = start;
                    block.body = text[block.span.clone()].to_owned();
                    if fresh {
                        let title = headings.iter().map(|(_, title)| title.as_str()).collect::<Vec<_>>().join(" > ");
                        cases.push(Case { title, line: heading_line, blocks: Vec::new() });
                        fresh = false;
                    }
                    let done = open.take().expect("a block is open").1;
                    cases.last_mut().expect("a case was begun").blocks.push(done);
                }
            } else if ticks >= 3 {
                let words = bare[ticks..].split_whitespace().map(str::to_owned).collect();
                open = Some((ticks, Block { words, body: String::new(), line: number + 1, span: at..at }));
            } else if let Some(level) = heading(bare) {
                headings.retain(|(above, _)| *above < level);
                headings.push((level, bare[level..].trim().to_owned()));
                heading_line = number + 1;
                fresh = true;
            }
        }
        Self { path: path.to_owned(), text, cases }
    }

    /// The text with other bodies in some of its blocks.
    #[must_use]
    pub fn rewritten(&self, actual: &[(usize, Actual)]) -> String {
        let mut edits: Vec<(&Range<usize>, &str)> = actual
            .iter()
            .map(|(case, actual)| (&self.cases[*case].blocks[actual.block].span, actual.body.as_str()))
            .collect();
        edits.sort_by_key(|(span, _)| span.start);
        let mut out = String::new();
        let mut kept = 0;
        for (span, body) in edits {
            out.push_str(&self.text[kept..span.start]);
            out.push_str(body);
            kept = span.end;
        }
        out.push_str(&self.text[kept..]);
        out
    }
}

/// The level of a heading.
fn heading(line: &str) -> Option<usize> {
    let level = line.len() - line.trim_start_matches('#').len();
    ((1..=6).contains(&level) && line[level..].starts_with(' ')).then_some(level)
}

/// Every Markdown file under a folder, in order of its path.
///
/// # Errors
/// When a folder cannot be read.
pub fn files(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder)? {
            let entry = entry?;
            let path = entry.path();
            if entry.file_type()?.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// Runs the cases under a folder: `run` says what the blocks of a case come to, or `None` for a case of another room.
///
/// With `UPDATE=1` the files are rewritten instead of compared; read the difference before you keep it.
/// The result counts the cases that were run.
///
/// # Errors
/// Every case that differs, as text for the one who reads the failed test.
pub fn run(folder: &Path, mut run: impl FnMut(&Case) -> Option<Vec<Actual>>) -> Result<usize, String> {
    let update = std::env::var_os("UPDATE").is_some_and(|value| value == "1");
    let mut ran = 0;
    let mut failed = String::new();
    for path in files(folder).map_err(|why| format!("{}: {why}", folder.display()))? {
        let suite = Suite::read(&path).map_err(|why| format!("{}: {why}", path.display()))?;
        let mut changed = Vec::new();
        for (at, case) in suite.cases.iter().enumerate() {
            let Some(actual) = run(case) else { continue };
            ran += 1;
            for actual in actual {
                let block = &case.blocks[actual.block];
                if block.body == actual.body {
                    continue;
                }
                let _ = write!(
                    failed,
                    "\n{}:{} {}\nexpected:\n{}actual:\n{}",
                    path.display(),
                    block.line,
                    case.title,
                    indented(&block.body),
                    indented(&actual.body)
                );
                changed.push((at, actual));
            }
        }
        if update && !changed.is_empty() {
            std::fs::write(&path, suite.rewritten(&changed)).map_err(|why| format!("{}: {why}", path.display()))?;
        }
    }
    if failed.is_empty() || update { Ok(ran) } else { Err(failed) }
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("    {line}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# Page\n\nWhy.\n\n## One\n\n````markdown recall/abc crlf\n---\n```\n````\n\n```problems\n```\n\n## Two\n\nNo block.\n\n### Deep\n\n```events\n1\n2\n```\n";

    #[test]
    fn headings_are_cases_and_fences_are_blocks() {
        let suite = Suite::parse(Path::new("page.md"), TEXT.to_owned());
        let titles: Vec<&str> = suite.cases.iter().map(|case| case.title.as_str()).collect();
        assert_eq!(titles, ["Page > One", "Page > Two > Deep"]);
        let blocks = &suite.cases[0].blocks;
        assert_eq!(blocks[0].body, "---\n```\n");
        assert_eq!(blocks[0].document().map(|document| document.text), Some("---\r\n```\r\n".to_owned()));
        assert_eq!((blocks[1].is(), blocks[1].body.as_str(), blocks[1].line), ("problems", "", 12));
        assert_eq!(suite.cases[1].blocks[0].body, "1\n2\n");
        assert_eq!(suite.cases[1].blocks[0].document(), None);
    }

    #[test]
    fn expected_blocks_are_rewritten_where_they_stand() {
        let suite = Suite::parse(Path::new("page.md"), TEXT.to_owned());
        let changed = suite
            .rewritten(&[(1, Actual { block: 0, body: "3\n".into() }), (0, Actual { block: 1, body: "new\n".into() })]);
        assert_eq!(changed, TEXT.replace("```problems\n", "```problems\nnew\n").replace("1\n2\n", "3\n"));
    }

    #[test]
    fn a_mark_writes_out_what_is_long() {
        assert_eq!(expanded("a⟨bc×3⟩d⟨e×2⟩"), "abcbcbcdee");
    }
}
