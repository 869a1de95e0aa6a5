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

/// Places that read two ways, one in the other; the parser tries both, so each doubles its time.
///
/// `a ? (b) : c => d` is a condition, and begins like `a ? ((b): c => d) : e`.
/// `<T>(a) => b` is a function, and begins like the cast `<T>(a)`.
/// `a < (b = c)` compares, and begins like the type of an argument, `a<(b: C) => D>()`; it counts twice.
pub(crate) const AMBIGUOUS: usize = 12;

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
    let mut measure = Measure::default();
    measure.walk(&mut tree.walk())
}

/// What the tokens so far amount to.
#[derive(Default)]
struct Measure {
    brackets: usize,
    /// Whether a value or a name ended with the last token, so that `<` goes on with it.
    operand: bool,
    /// Within the innermost brackets.
    here: Inside,
    /// Around them.
    around: Vec<Inside>,
}

/// What the tokens within one pair of brackets amount to.
#[derive(Default, Clone, Copy)]
struct Inside {
    /// Conditions that wait for their colon.
    conditions: usize,
    /// Places around that read two ways.
    ambiguous: usize,
    /// Those of them outside these brackets.
    outside: usize,
    /// Angles that are open, if they are brackets.
    angles: usize,
    /// How much of `) : name =>` the last tokens were.
    seen: usize,
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
            if self.here.ambiguous > AMBIGUOUS {
                return Measured::TooDeep(two_ways(span));
            }
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
        let kind = node.kind();
        if kind == "comment" {
            return;
        }
        let operand = std::mem::replace(&mut self.operand, ends_operand(kind));
        let here = &mut self.here;
        let seen = std::mem::take(&mut here.seen);
        match kind {
            "(" | "[" | "{" | "{|" | "${" => {
                self.brackets += 1;
                self.around.push(*here);
                let ambiguous = here.ambiguous + if here.angles > 0 { 2 } else { 0 };
                *here = Inside { ambiguous, outside: ambiguous, ..Inside::default() };
            }
            ")" | "]" | "}" | "|}" => {
                self.brackets = self.brackets.saturating_sub(1);
                *here = self.around.pop().unwrap_or_default();
                here.seen = usize::from(kind == ")");
            }
            "?" => here.conditions += 1,
            ":" if here.conditions > 0 => {
                here.conditions -= 1;
                here.seen = if seen == 1 { 2 } else { 0 };
            }
            "=>" if seen == 3 => here.ambiguous += 1,
            "<" => {
                here.angles += 1;
                here.ambiguous += usize::from(!operand);
            }
            ">" => here.angles = here.angles.saturating_sub(1),
            // Whatever comes next is in none of the places before it.
            ";" | "," => {
                let outside = here.outside;
                let angles = if kind == "," { here.angles } else { 0 };
                *here = Inside { ambiguous: outside, outside, angles, ..Inside::default() };
            }
            _ if seen == 2 => here.seen = 3,
            _ => {}
        }
    }
}

fn ends_operand(kind: &str) -> bool {
    kind.ends_with("identifier")
        || matches!(kind, ")" | "]" | "}" | ">" | "function" | "this" | "super" | "number" | "\"" | "'" | "`" | "/")
}

fn too_deep(span: Span) -> Diagnostic {
    Diagnostic::new("module.nesting", span, format!("The program nests deeper than {BRACKETS} levels."))
        .hint("Take inner parts out into functions or constants of their own.")
}

fn two_ways(span: Span) -> Diagnostic {
    let words =
        format!("Arrow functions, conditions and angle brackets nest in each other deeper than {AMBIGUOUS} levels.");
    Diagnostic::new("module.nesting", span, words).hint("Give inner parts names of their own.")
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
    fn readings_do_not_multiply() {
        let nested = |levels: usize, one: &str| format!("const x = {}1;\n", one.repeat(levels));
        for one in
            ["a ? (b) : c => ", "a ? (b, d = [1]) /* e */ : c /* : */ => ", "a ? (b) : c => [a ? (b) : c => {}][0], "]
        {
            let passes = matches!(measure(&nested(AMBIGUOUS, one)), Measured::Shallow);
            let fails = matches!(measure(&nested(AMBIGUOUS + 1, one)), Measured::TooDeep(_));
            // The last one's comma ends it before the next begins.
            assert!(passes && (fails || one.ends_with(", ")), "{one}");
        }
        let typed = "const f = (a?: number, b: A = 1): B => a ? (b) : [(c): D => c];\n".repeat(100);
        assert!(matches!(measure(&typed), Measured::Shallow));
        assert!(matches!(measure(&nested(1, "a ? (b) : c => ").repeat(100)), Measured::Shallow));
    }

    #[test]
    fn brackets_in_texts_and_comments_do_not_count() {
        let brackets = "(".repeat(1_000);
        let text = format!("export const x = '{brackets}'; // {brackets}\n/* {brackets} */ const y = /[{brackets}]/;");
        assert!(matches!(measure(&text), Measured::Shallow));
    }
}
