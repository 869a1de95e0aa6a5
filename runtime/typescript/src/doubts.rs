//! What an expression may say and its author hardly meant: the habits of jq, which other runtimes of workflows speak,
//! where they are TypeScript too and come to something else.
//!
//! Judged by the text alone; an expression that does not parse has problems enough.

use crate::parse::{self, span};
use crate::{Diagnostic, settle};
use playbook_model::position::Span;
use swc_common::Spanned;
use swc_ecma_ast::{BinExpr, BinaryOp, Expr, Lit, Regex, Str, TplElement};
use swc_ecma_visit::{Visit, VisitWith};

/// Doubts about an expression, in the order of the text; none about one that is no expression.
///
/// `objects` are the names that hold an object at its place, whatever the run, such as `$error`.
#[must_use]
pub fn doubts(text: &str, objects: &[&str]) -> Vec<Diagnostic> {
    // Most expressions have none of the signs, and are not read once more.
    if !["+", "|", "\\(", "//"].iter().any(|sign| text.contains(sign)) {
        return Vec::new();
    }
    let objects: Vec<String> = objects.iter().map(|&name| name.to_owned()).collect();
    let found = parse::expression(text, move |text, expr| {
        let mut walk = Walk { text, objects, found: Vec::new(), literals: Vec::new() };
        expr.visit_with(&mut walk);
        walk.comment();
        walk.found
    });
    let mut found = found.unwrap_or_default();
    settle(&mut found);
    found
}

struct Walk<'a> {
    text: &'a str,
    objects: Vec<String>,
    found: Vec<Diagnostic>,
    /// Texts and patterns, in which nothing is an operator.
    literals: Vec<Span>,
}

/// What an operand is sure to be.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Operand {
    List,
    Object,
    Number,
    Unknown,
}

impl Walk<'_> {
    fn operand(&self, expr: &Expr) -> Operand {
        match expr {
            Expr::Paren(inner) => self.operand(&inner.expr),
            Expr::TsAs(inner) => self.operand(&inner.expr),
            Expr::TsNonNull(inner) => self.operand(&inner.expr),
            Expr::TsSatisfies(inner) => self.operand(&inner.expr),
            Expr::TsConstAssertion(inner) => self.operand(&inner.expr),
            Expr::Unary(inner) => self.operand(&inner.arg),
            Expr::Array(_) => Operand::List,
            Expr::Object(_) => Operand::Object,
            Expr::Lit(Lit::Num(_) | Lit::BigInt(_)) => Operand::Number,
            Expr::Ident(name) if self.objects.iter().any(|object| *object == *name.sym) => Operand::Object,
            _ => Operand::Unknown,
        }
    }

    fn literal(&mut self, whole: Span) {
        self.literals.push(whole);
        let Some(at) = self.text.get(whole.start..whole.end).and_then(|text| text.find("\\(")) else { return };
        let at = whole.start + at;
        let doubt = Diagnostic::new(
            "expression.interpolation",
            Span::new(at, at + 2),
            "\\( puts no value into a text here: it is a bracket like any other.",
        );
        self.found.push(doubt.hint("Write a template literal, such as `Hello ${$data.name}`."));
    }

    /// What follows `//` on the one line of an expression, where it looks like a value: in jq, what holds instead.
    fn comment(&mut self) {
        if self.text.trim().contains('\n') {
            return;
        }
        let within = |at: usize| self.literals.iter().any(|span| span.start <= at && at < span.end);
        let Some((at, _)) = self.text.match_indices("//").find(|(at, _)| !within(*at)) else { return };
        let rest = self.text[at + 2..].trim();
        let word = rest.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
        let value = rest.starts_with(|c: char| c.is_ascii_digit() || "\"'`.$[{(-".contains(c))
            || matches!(word, "null" | "true" | "false" | "empty" | "error");
        if value {
            let doubt = Diagnostic::new(
                "expression.comment",
                Span::new(at, self.text.trim_end().len()),
                "What follows // is a comment, and no value that holds instead.",
            );
            let doubt =
                doubt.hint("Write ?? for a value that holds where there is none, such as $data.note ?? 'none'.");
            self.found.push(doubt);
        }
    }
}

impl Visit for Walk<'_> {
    fn visit_bin_expr(&mut self, node: &BinExpr) {
        let (left, right) = (self.operand(&node.left), self.operand(&node.right));
        let either = |operand: Operand| left == operand || right == operand;
        let whole = span(node.span());
        match node.op {
            BinaryOp::Add if either(Operand::List) => self.found.push(
                Diagnostic::new("expression.plus", whole, "+ puts no lists together: it makes one text of both sides.")
                    .hint("Write [...one, ...other]."),
            ),
            BinaryOp::Add if either(Operand::Object) && !either(Operand::Number) => self.found.push(
                Diagnostic::new(
                    "expression.plus",
                    whole,
                    "+ merges no objects: it makes one text of both sides, in which an object reads [object Object].",
                )
                .hint("Write ({ ...one, ...other }) for an object with the members of both, or name the member a text is to hold."),
            ),
            BinaryOp::BitOr if !either(Operand::Number) => self.found.push(
                Diagnostic::new("expression.pipe", whole, "| passes no value on: it joins the bits of two numbers.")
                    .hint(
                        "Read a member or call a function of the value, such as $data.items.length; write || for or.",
                    ),
            ),
            _ => {}
        }
        node.visit_children_with(self);
    }

    fn visit_str(&mut self, node: &Str) {
        self.literal(span(node.span));
    }

    fn visit_tpl_element(&mut self, node: &TplElement) {
        self.literal(span(node.span));
    }

    fn visit_regex(&mut self, node: &Regex) {
        self.literals.push(span(node.span));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(text: &str) -> Vec<String> {
        let found = doubts(text, &["$error", "$context"]);
        for doubt in &found {
            assert!(text.get(doubt.span.start..doubt.span.end).is_some(), "{text}: {doubt:?}");
            assert!(doubt.hint.is_some(), "{text}");
        }
        found.into_iter().map(|doubt| doubt.code).collect()
    }

    #[test]
    fn habits_of_jq_are_doubted() {
        let cases = [
            (r#""Hello \(.user.firstName)""#, "expression.interpolation"),
            (r"`Hello \(.user)`", "expression.interpolation"),
            ("$context + { error: $error }", "expression.plus"),
            ("({ a: 1 }) + $data", "expression.plus"),
            ("'Failed: ' + $error", "expression.plus"),
            ("$data.colors + [ 'red' ]", "expression.plus"),
            ("$data.items | $data.length", "expression.pipe"),
            ("$data.note // 'none'", "expression.comment"),
            ("$data.note // empty", "expression.comment"),
            ("f('http://a') // 0", "expression.comment"),
        ];
        for (text, code) in cases {
            assert_eq!(codes(text), [code], "{text}");
        }
    }

    #[test]
    fn what_is_meant_is_not_doubted() {
        for text in [
            "$data.n + 1",
            "'a' + $data.b + `c`",
            "$context.n + 1",
            "$context + 1",
            "'http://example.com/' + $data.id",
            "`http://example.com/${$data.id}`",
            "$data.n | 0",
            "~~$data.n | 4",
            "$data.a || $data.b",
            "$data.a // the first of both",
            "$data.a\n // 'a'\n + 1",
            r"/\(/.test($data.text)",
            r"/a\/\/'/.test($data.text)",
            "({ ...$data, a: 1 })",
            "$data.a +",
            "",
        ] {
            assert_eq!(codes(text), Vec::<String>::new(), "{text}");
        }
    }
}
