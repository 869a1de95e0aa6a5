//! How long a check of a document with a module of sixty lines takes, with a compiler that starts and one that runs.

use super::{Figure, middle_and_most, sample};
use anyhow::{Result, bail};
use playbook_definition::{Definition, check};
use playbook_model::definition::DefinitionType;
use playbook_typescript::Compiler;
use std::path::Path;
use std::time::Instant;

const NAME: &str = "review-brief";
/// Checks with the compiler running; each has another text, so that nothing is known from before.
const WARM: usize = 40;

pub(super) fn measure(root: &Path) -> Result<Vec<Figure>> {
    let text = sample(root, "computation/review-brief.md")?;
    let compiler = Compiler::new();
    let began = Instant::now();
    checked(DefinitionType::Computation, NAME, &text, &compiler)?;
    let cold = began.elapsed();
    let mut times = Vec::new();
    for turn in 0..WARM {
        let other = format!("{text}// {turn}\n");
        let began = Instant::now();
        checked(DefinitionType::Computation, NAME, &other, &compiler)?;
        times.push(began.elapsed());
    }
    let (middle, most) = middle_and_most(times);
    Ok(vec![
        Figure::milliseconds("check of a 60-line module, the compiler's start included", cold),
        Figure::milliseconds("check of a 60-line module, the compiler running (median)", middle),
        Figure::milliseconds("check of a 60-line module, the compiler running (p95)", most),
    ])
}

/// The definition of a document that has no problem.
pub(super) fn checked(kind: DefinitionType, name: &str, text: &str, compiler: &Compiler) -> Result<Definition> {
    let checked = check(kind, name, text, compiler);
    if let Some(problem) = checked.problems.first() {
        bail!("{name} has a problem: {}", problem.published());
    }
    match checked.definition {
        Some(definition) => Ok(definition),
        None => bail!("{name} was not judged"),
    }
}
