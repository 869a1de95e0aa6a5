//! Liquid templates: parsing, the check of their names at save, and rendering under limits.
//!
//! Knows no document, no run and no clock: values come in by name, and the caller says when time is up.
//! Every place is a span of the template's own text; who holds the document adds where the template starts.

mod compare;
mod expression;
mod fault;
mod filter;
mod lexer;
mod names;
mod number;
mod parse;
mod path;
mod render;
mod scan;
mod scope;
mod tree;
mod value;

pub use fault::{Fault, Stop};
pub use names::{Members, Name};

use serde_json::Value as Json;

/// "Limits": characters of a template.
pub const TEMPLATE_CHARACTERS: usize = 65_536;
/// "Limits": names in tags and outputs.
pub const NAMES: usize = 1_000;
/// Brackets and parentheses inside each other, in one tag or output.
pub const BRACKET_LEVELS: usize = 200;
/// "Limits": characters and items that filters and ranges may charge in one render.
pub const CHARGE: usize = 5_000_000;
/// "Limits": characters of the rendered message, and of the rendered instructions.
pub const RENDERED_CHARACTERS: usize = 200_000;
/// "Limits": time to render. The caller keeps it.
pub const RENDER_MILLISECONDS: u64 = 200;

/// Whether a template may set its instructions apart with `{% system %}`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SystemBlock {
    /// One block at the top level. "The system block".
    Allowed,
    /// The tag does not exist.
    Unknown,
}

/// What a render does with a list or an object where text is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Structures {
    /// A list is its items with nothing between, an object is `[object Object]`.
    Written,
    /// Writing one stops the render.
    Refused,
}

/// A template that was read without a fault.
#[derive(Debug)]
pub struct Template {
    text: String,
    tree: tree::Tree,
}

/// What a render wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rendered {
    /// Everything outside the system block.
    pub message: String,
    /// What the system block wrote; `None` without a block.
    pub instructions: Option<String>,
}

impl Template {
    /// Reads a template.
    ///
    /// # Errors
    /// Every fault found: what is not closed, tags and filters that do not exist, and the limits at save.
    pub fn parse(text: &str, system: SystemBlock) -> Result<Self, Vec<Fault>> {
        let tree = parse::parse(text, system)?;
        Ok(Self { text: text.to_owned(), tree })
    }

    /// The names that the template reads and may not, each once a line. "The template".
    #[must_use]
    pub fn unknown_names(&self, allowed: &[Name<'_>]) -> Vec<Fault> {
        names::check(&self.text, &self.tree, allowed)
    }

    /// The fields of one name that the template reads, each once in the order it first reads them.
    #[must_use]
    pub fn fields_read(&self, root: &str) -> Vec<String> {
        names::fields(&self.tree, root)
    }

    /// Renders with these values by name.
    ///
    /// `time_is_up` is asked before each tag, output and pass of a loop.
    ///
    /// # Errors
    /// A [`Stop`] says what ended the render, and where.
    pub fn render(
        &self,
        values: &[(&str, &Json)],
        structures: Structures,
        time_is_up: &dyn Fn() -> bool,
    ) -> Result<Rendered, Stop> {
        render::render(&self.text, &self.tree, values, structures, time_is_up)
    }

    /// Whether the template holds no tag and no output, and so always renders to itself.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        self.tree.is_plain()
    }

    /// The text it was read from.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }
}
