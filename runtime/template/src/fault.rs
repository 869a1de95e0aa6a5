//! What is wrong with a template at save, and what stops its render.

use playbook_model::position::Span;

/// A mistake of the author, found when the template is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The bytes of the template it is about.
    pub span: Span,
    /// A stable word for the rule, such as `template.filter`.
    pub code: &'static str,
    /// One sentence that stands alone.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
    /// What to write in place of the span, where that is obvious.
    pub instead: Option<String>,
}

impl Fault {
    pub(crate) fn new(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Self { span, code, message: message.into(), hint: None, instead: None }
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    pub(crate) fn instead(mut self, text: impl Into<String>) -> Self {
        self.instead = Some(text.into());
        self
    }
}

/// Why a render stopped. Words never quote a value of the input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stop {
    /// It reads what is not there.
    Missing {
        /// Where it is read.
        span: Span,
        /// The path as it was read, up to the step that is missing; the first is the name it starts at.
        path: Vec<String>,
    },
    /// A filter refused its value.
    Refused {
        /// The filter.
        span: Span,
        /// Its own words, as a sentence.
        words: String,
    },
    /// A list or an object was to be written as text, and structures are refused.
    Structure {
        /// The output.
        span: Span,
    },
    /// More than 200,000 characters of the message, or of the instructions.
    TooLong {
        /// Where it passed the bound.
        span: Span,
        /// Whether it was the instructions that did.
        instructions: bool,
    },
    /// Filters and ranges charged more than 5,000,000 characters or items.
    TooMuch {
        /// The filter or range.
        span: Span,
    },
    /// The caller said that time is up.
    TimeUp {
        /// What was to be rendered next.
        span: Span,
    },
}

impl Stop {
    /// Where the render stopped.
    #[must_use]
    pub fn span(&self) -> Span {
        match self {
            Self::Missing { span, .. }
            | Self::Refused { span, .. }
            | Self::Structure { span }
            | Self::TooLong { span, .. }
            | Self::TooMuch { span }
            | Self::TimeUp { span } => *span,
        }
    }
}
