//! The program of a document: handed to the compiler, its words placed on the document's own lines.

use crate::check::Judge;
use crate::reader::{Body, Reader};
use playbook_model::position::Span;
use playbook_model::problem::{Edit, Fix, Form, Place, Problem, Severity};
use playbook_typescript::{Diagnostic, Export, Module, Unjudged, strip, structure};

/// What judging a program came to.
#[derive(Debug, Default)]
pub(crate) struct Judged {
    /// The program without its types; `None` when something refuses it, or nothing judged its types.
    pub(crate) stripped: Option<String>,
    /// Why its types were not judged.
    pub(crate) unjudged: Option<Unjudged>,
}

/// Judges a program, and adds what is wrong with it to the problems.
pub(crate) fn judge(
    reader: &mut Reader<'_>,
    body: Body<'_>,
    declarations: &str,
    exports: &[Export],
    judge: Judge<'_>,
) -> Judged {
    let module = Module { text: body.text, declarations, exports };
    let (found, unjudged) = match judge {
        Judge::Compiler(compiler) => match compiler.check(&module) {
            Ok(found) => (found, None),
            Err(why) => (structure(&module), Some(why)),
        },
        Judge::TextAlone => (structure(&module), None),
    };
    let sound = found.is_empty();
    for diagnostic in found {
        let problem = placed(reader, body.start, diagnostic, None);
        reader.problems.push(problem);
    }
    if !sound || unjudged.is_some() || matches!(judge, Judge::TextAlone) {
        return Judged { stripped: None, unjudged };
    }
    match strip(body.text) {
        Ok(stripped) => Judged { stripped: Some(stripped), unjudged },
        Err(diagnostic) => {
            let problem = placed(reader, body.start, diagnostic, None);
            reader.problems.push(problem);
            Judged { stripped: None, unjudged }
        }
    }
}

/// A compiler's diagnostic as a problem of the document, its places moved by where its text starts.
pub(crate) fn placed(reader: &Reader<'_>, start: usize, diagnostic: Diagnostic, pointer: Option<String>) -> Problem {
    let moved = |span: Span| Span::new(span.start + start, span.end + start);
    let fix = diagnostic.fix.map(|fix| Fix {
        title: fix.title,
        edits: fix.edits.into_iter().map(|edit| Edit { span: moved(edit.span), text: edit.text }).collect(),
    });
    Problem {
        code: diagnostic.code,
        severity: Severity::Error,
        place: Place::of(&reader.index, moved(diagnostic.span), pointer),
        message: diagnostic.message,
        hint: diagnostic.hint,
        fix,
        form: Form::default(),
    }
}
