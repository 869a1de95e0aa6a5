//! How a command ended, and the code and words that say so.

use crate::output::{Output, complain};
use playbook_model::refusal::Refusal;
use playbook_server::Problem;
use std::process::ExitCode;

/// What a command that went through has to say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ended {
    /// Done.
    Fine,
    /// Done, and it found problems, or something was refused; all told already.
    Problems,
}

/// Why a command did not go through.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The operation was refused.
    Refused(Refusal),
    /// It cannot be done; a sentence.
    Cannot(anyhow::Error),
    /// Whoever read the output has gone.
    Unread,
}

/// What a command gives back.
pub(crate) type Done = Result<Ended, Failure>;

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<anyhow::Error> for Failure {
    fn from(error: anyhow::Error) -> Self {
        Self::Cannot(error)
    }
}

/// A failure in words.
pub(crate) fn cannot(words: impl std::fmt::Display) -> Failure {
    Failure::Cannot(anyhow::anyhow!("{words}"))
}

/// Says how it ended, and gives the program's code.
pub(crate) fn code(done: Done, out: &mut Output) -> ExitCode {
    let code = match done {
        Ok(Ended::Fine) | Err(Failure::Unread) => 0,
        Ok(Ended::Problems) => 1,
        Err(Failure::Refused(refusal)) => {
            let code = if matches!(refusal, Refusal::Rejected(_)) { 1 } else { 2 };
            if out.is_json() {
                let told = out.value(&Problem::refused(refusal).document());
                // There is nobody left to tell that it could not be told.
                let _ = told;
            } else {
                refused(&refusal);
            }
            code
        }
        Err(Failure::Cannot(error)) => {
            complain(&sentence(&format!("{error:#}")));
            2
        }
    };
    ExitCode::from(code)
}

fn refused(refusal: &Refusal) {
    match refusal {
        Refusal::Incident { id } => {
            complain(&format!("The program made a mistake; its log has it under {id}."));
        }
        Refusal::Rejected(rejection) => {
            let kind = rejection.kind.map(|kind| format!(", {}", kind.word())).unwrap_or_default();
            complain(&format!("Refused ({}{kind}): {}", rejection.reason.word(), sentence(&rejection.detail)));
            for issue in &rejection.issues {
                let at = if issue.pointer.is_empty() { "the input" } else { issue.pointer.as_str() };
                complain(&format!("  {at}: {}", issue.detail));
            }
        }
    }
}

/// A sentence with its full stop.
pub(crate) fn sentence(words: &str) -> String {
    if words.ends_with(['.', '!', '?', ':']) { words.to_owned() } else { format!("{words}.") }
}
