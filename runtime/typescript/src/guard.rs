//! Keeps deeply nested text away from parsers that recurse.
//!
//! The parser of the structural rules ends the whole process when its stack overflows,
//! and a text of a few kilobytes is enough for that.
//! tree-sitter reads any text with a loop, so it measures first.
//! It judges depth only: which text is TypeScript is for the compiler to say.

use crate::Diagnostic;
use playbook_model::position::Span;
use tree_sitter::{Node, Parser, TreeCursor};

/// Open brackets around one place.
pub(crate) const BRACKETS: usize = 256;

/// Levels of syntax around one place: a chain such as `a + b + c` nests once an operator.
pub(crate) const LEVELS: usize = 1_024;

/// What the measure says of a text.
#[derive(Debug)]
pub(crate) enum Measured {
    /// A parser may recurse over it.
    Shallow,
    /// It nests too deep, with words for it.
    TooDeep(Diagnostic),
    /// So much of it is no TypeScript that its depth cannot be told.
    Unreadable(Diagnostic),
}

/// Measures how deep a text nests.
pub(crate) fn measure(text: &str) -> Measured {
    let mut parser = Parser::new();
    parser
        .set_language(&tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into())
        .expect("the grammar is built for this version of tree-sitter");
    let tree = parser.parse(text, None).expect("a parser with a language and no time limit gives a tree");
    let mut measure = Measure { brackets: 0 };
    measure.walk(&mut tree.walk())
}

struct Measure {
    brackets: usize,
}

impl Measure {
    fn walk(&mut self, cursor: &mut TreeCursor<'_>) -> Measured {
        // For each level above, whether it is one that no rule of the language took.
        let mut levels: Vec<bool> = Vec::new();
        // Pieces that no rule took, in all: another parser might open a level for each of them.
        let mut loose: usize = 0;
        loop {
            let node = cursor.node();
            if levels.last() == Some(&true) {
                loose += 1;
            }
            if node.child_count() == 0 {
                self.token(node);
            }
            let span = Span::new(node.start_byte(), node.end_byte());
            if self.brackets > BRACKETS || levels.len() > LEVELS {
                return Measured::TooDeep(too_deep(span));
            }
            if levels.len() + loose > LEVELS {
                return Measured::Unreadable(unreadable(span));
            }
            let is_error = node.is_error();
            if cursor.goto_first_child() {
                levels.push(is_error);
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return Measured::Shallow;
                }
                levels.pop();
            }
        }
    }

    fn token(&mut self, node: Node<'_>) {
        match node.kind() {
            "(" | "[" | "{" | "{|" | "${" => self.brackets += 1,
            ")" | "]" | "}" | "|}" => self.brackets = self.brackets.saturating_sub(1),
            _ => {}
        }
    }
}

fn too_deep(span: Span) -> Diagnostic {
    Diagnostic::new("module.nesting", span, format!("The program nests deeper than {BRACKETS} levels."))
        .hint("Take inner parts out into functions or constants of their own.")
}

fn unreadable(span: Span) -> Diagnostic {
    Diagnostic::new("module.syntax", span, "This part of the program is not TypeScript.")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nested(levels: usize) -> String {
        format!("export const x = {}1{};", "(".repeat(levels), ")".repeat(levels))
    }

    #[test]
    fn brackets_up_to_the_bound_pass() {
        assert!(matches!(measure(&nested(BRACKETS)), Measured::Shallow));
        assert!(matches!(measure(&nested(BRACKETS + 1)), Measured::TooDeep(_)));
    }

    #[test]
    fn nesting_without_brackets_counts_too() {
        assert!(matches!(measure(&format!("x = {}1", "!".repeat(20_000))), Measured::TooDeep(_)));
        assert!(matches!(measure(&format!("x = 1{}", " + 1".repeat(20_000))), Measured::TooDeep(_)));
        assert!(matches!(measure(&format!("x = 1{}", " + 1".repeat(900))), Measured::Shallow));
    }

    #[test]
    fn brackets_that_never_close_are_refused() {
        for open in ["(", "[", "{", "${", "`${", "<", "a<", "(a=", "()=>", "!"] {
            let text = format!("x = {}", open.repeat(30_000 / open.len()));
            assert!(!matches!(measure(&text), Measured::Shallow), "{open}");
        }
    }

    #[test]
    fn brackets_in_texts_and_comments_do_not_count() {
        let brackets = "(".repeat(1_000);
        let text = format!("export const x = '{brackets}'; // {brackets}\n/* {brackets} */ const y = /[{brackets}]/;");
        assert!(matches!(measure(&text), Measured::Shallow));
    }
}
