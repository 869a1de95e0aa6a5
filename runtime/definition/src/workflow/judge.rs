//! The expressions of a document, handed to the compiler as one file. "Expressions".

use super::draft::Draft;
use super::program::Expression;
use super::sight::VARIABLES;
use crate::check::Judge;
use playbook_model::position::Span;
use playbook_model::problem::{Edit, Fix, Problem};
use playbook_model::word::nearest;
use playbook_typescript::{Diagnostic, Unjudged, doubts, expression, strip_expression};

/// Judges every expression, tells what is wrong with each at its value, and makes those that are right ready to run.
pub(super) fn judge(draft: &mut Draft<'_, '_>, judge: Judge<'_>) -> Option<Unjudged> {
    let mut expressions = std::mem::take(&mut draft.expressions);
    let names: Vec<Vec<&str>> = expressions.iter().map(|it| it.names.iter().map(String::as_str).collect()).collect();
    let alone = || expressions.iter().map(|it| expression(&it.text).err().unwrap_or_default()).collect();
    let mut unjudged = None;
    let faults: Vec<Vec<Diagnostic>> = match judge {
        Judge::TextAlone => alone(),
        Judge::Compiler(compiler) => {
            let asked: Vec<playbook_typescript::Expression<'_>> = expressions
                .iter()
                .zip(&names)
                .map(|(it, names)| playbook_typescript::Expression { text: &it.text, names })
                .collect();
            compiler.check_expressions(&asked).unwrap_or_else(|why| {
                unjudged = Some(why);
                alone()
            })
        }
    };
    for (it, faults) in expressions.iter_mut().zip(faults) {
        let sound = faults.is_empty();
        for diagnostic in faults {
            tell(draft, it, diagnostic);
        }
        if sound {
            match strip_expression(&it.text) {
                Ok(stripped) => {
                    it.stripped = stripped;
                    doubtful(draft, it);
                }
                Err(diagnostic) => tell(draft, it, diagnostic),
            }
        }
    }
    for it in &mut expressions {
        let text = &it.text;
        it.names.retain(|name| mentions(text, name));
    }
    draft.expressions = expressions;
    unjudged
}

/// Whether a text may name a variable: a name within a string counts too, and an escape may spell any.
fn mentions(text: &str, name: &str) -> bool {
    text.contains("\\u")
        || text.match_indices(name).any(|(at, _)| {
            let inner = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '\u{200c}' | '\u{200d}');
            !text[at + name.len()..].starts_with(inner) && !text[..at].ends_with(inner)
        })
}

fn tell(draft: &mut Draft<'_, '_>, of: &Expression, diagnostic: Diagnostic) {
    let whole = draft.reader.value_span(&of.pointer);
    let start =
        whole.and_then(|span| draft.reader.text.get(span.start..span.end)?.find(&of.text).map(|at| span.start + at));
    let moved = |span: Span, start: usize| Span::new(span.start + start, span.end + start);
    let word = of.text.get(diagnostic.span.start..diagnostic.span.end).unwrap_or_default();
    let mut problem = Problem::error(&diagnostic.code, draft.place(&of.pointer), diagnostic.message);
    problem.hint = diagnostic.hint;
    problem.fix = start.zip(diagnostic.fix).map(|(start, fix)| Fix {
        title: fix.title,
        edits: fix.edits.into_iter().map(|edit| Edit { span: moved(edit.span, start), text: edit.text }).collect(),
    });
    if diagnostic.code == "expression.syntax" {
        problem = foreign(problem, of, start);
    } else if problem.fix.is_none() && !word.is_empty() {
        let names = of.names.iter().map(String::as_str);
        let near = names.clone().find(|name| name.strip_prefix('$') == Some(word)).or_else(|| {
            if VARIABLES.contains(&word) { None } else { nearest(word, names.filter(|_| word.starts_with('$'))) }
        });
        if let Some(near) = near {
            problem = problem.hint(format!("Did you mean {near}?"));
            if let Some(start) = start {
                let edit = Edit { span: moved(diagnostic.span, start), text: near.to_owned() };
                problem = problem.fix(format!("Write {near}"), vec![edit]);
            }
        } else if let Some(hint) = lacks(word, &of.pointer) {
            problem.hint = Some(hint);
        }
    }
    draft.push(problem);
}

/// The names that hold an object whatever the run, or are meant to.
const OBJECTS: [&str; 5] = ["$context", "$error", "$task", "$workflow", "$runtime"];

/// Warns of what is an expression and hardly what was meant.
fn doubtful(draft: &mut Draft<'_, '_>, of: &Expression) {
    let objects: Vec<&str> = OBJECTS.into_iter().filter(|name| of.names.iter().any(|it| it == name)).collect();
    for doubt in doubts(&of.text, &objects) {
        let mut problem = Problem::warning(&doubt.code, draft.place(&of.pointer), doubt.message);
        problem.hint = doubt.hint;
        draft.push(problem);
    }
}

/// Why a variable is not there.
fn lacks(word: &str, pointer: &str) -> Option<String> {
    if let Some((_, words)) = JQ.iter().find(|(name, _)| *name == word) {
        return Some(format!("Expressions are TypeScript, and {word} is a word of jq: write {words}."));
    }
    if !VARIABLES.contains(&word) {
        return matches!(word, "$secrets" | "$authorization").then(|| format!("A workflow has no {word}."));
    }
    if pointer.contains("/listen/to/") || pointer.starts_with("/schedule/on/") {
        return Some("A filter is matched without the run, and reads $data alone.".to_owned());
    }
    Some(
        match word {
            "$input" => "$input is the input a task was shaped: it is there in the task's body, output.as and export.as; $data is the data here.",
            "$output" => "$output is there in export.as alone; output.as reads what the task produced as $data.",
            "$task" | "$context" => "It is there within tasks, and not before the first of them.",
            "$item" | "$index" => "It is there within a for whose item and position have no other names.",
            "$error" => "It is there within a catch whose error has no other name.",
            _ => return None,
        }
        .to_owned(),
    )
}

/// Functions of jq, each with what says it in TypeScript.
const JQ: [(&str, &str); 28] = [
    ("add", "$data.items.reduce((sum, item) => sum + item, 0)"),
    ("all", "$data.items.every((item) => item.done)"),
    ("any", "$data.items.some((item) => item.done)"),
    ("ascii_downcase", "$data.name.toLowerCase()"),
    ("ascii_upcase", "$data.name.toUpperCase()"),
    ("empty", "null, or filter the list"),
    ("endswith", "$data.name.endsWith('a')"),
    ("first", "$data.items[0]"),
    ("from_entries", "Object.fromEntries($data.entries)"),
    ("group_by", "Object.groupBy($data.items, (item) => item.kind)"),
    ("has", "'name' in $data"),
    ("join", "$data.items.join(', ')"),
    ("keys", "Object.keys($data)"),
    ("last", "$data.items.at(-1)"),
    ("length", "$data.items.length"),
    ("map", "$data.items.map((item) => item.name)"),
    ("max", "Math.max(...$data.items)"),
    ("min", "Math.min(...$data.items)"),
    ("not", "!$data.done"),
    ("now", "Date.now()"),
    ("select", "$data.items.filter((item) => item.open)"),
    ("sort_by", "$data.items.toSorted((one, other) => one.n - other.n)"),
    ("split", "$data.name.split(' ')"),
    ("startswith", "$data.name.startsWith('a')"),
    ("to_entries", "Object.entries($data)"),
    ("tonumber", "Number($data.text)"),
    ("tostring", "String($data.number)"),
    ("unique", "[...new Set($data.items)]"),
];

/// What an expression in the DSL's own language deserves to hear.
fn foreign(problem: Problem, of: &Expression, start: Option<usize>) -> Problem {
    let text = of.text.as_str();
    if let Some(rest) = text.strip_prefix('.') {
        let problem = problem.hint("Expressions are TypeScript: the data is $data, and its member is $data.name.");
        let plain = !rest.contains([' ', '|', '[', '\\']) && !rest.starts_with('.');
        let span = start.map(|start| Span::new(start, start + 1));
        return match span.filter(|_| plain) {
            Some(span) => {
                let text = if rest.is_empty() { "$data" } else { "$data." };
                problem.fix("Read it from $data", vec![Edit { span, text: text.into() }])
            }
            None => problem,
        };
    }
    if text.starts_with("if ") {
        return problem.hint("Expressions are TypeScript: write condition ? one : another.");
    }
    if [" and ", " or ", " not "].iter().any(|word| text.contains(word)) {
        return problem.hint("Expressions are TypeScript: write && for and, || for or, and ! for not.");
    }
    if text.contains(" | ") {
        return problem.hint("Expressions are TypeScript: call a function on the value instead of piping it on.");
    }
    if text.contains("${") {
        return problem.hint("Write text with values in it as a template literal, such as `Hello ${$data.name}`.");
    }
    if text.starts_with('{') {
        return problem.hint("An object stands in parentheses, as ({ name: $data.name }).");
    }
    problem
}

#[cfg(test)]
mod tests {
    use super::mentions;

    #[test]
    fn a_name_is_mentioned_whole() {
        assert!(mentions("$data.a", "$data"));
        assert!(mentions("a + $data", "$data"));
        assert!(mentions("`${$data}`", "$data"));
        assert!(!mentions("$database", "$data"));
        assert!(!mentions("a$data", "$data"));
        assert!(!mentions("$data_1 + $dataé", "$data"));
        assert!(mentions("$d\\u0061ta", "$data"));
    }
}
