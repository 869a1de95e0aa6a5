//! What an expression sees at its place. "Expressions".

use std::rc::Rc;

/// Where an expression stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum At {
    /// `input.from` and `timeout` of the document, before its first task.
    Start,
    /// `output.as` of the document, after its last task.
    Finish,
    /// A task's `if`, `timeout` and `input.from`, on what it was handed.
    Handed,
    /// The rest of a task.
    Body,
    /// A task's `output.as`.
    Output,
    /// A task's `export.as`.
    Export,
    /// A filter of events, matched without a run.
    Filter,
}

impl At {
    fn own(self) -> &'static [&'static str] {
        match self {
            Self::Start => &["$data", "$workflow", "$runtime"],
            Self::Finish => &["$data", "$context", "$workflow", "$runtime"],
            Self::Handed => &["$data", "$context", "$task", "$workflow", "$runtime"],
            Self::Body | Self::Output => &["$data", "$input", "$context", "$task", "$workflow", "$runtime"],
            Self::Export => &["$data", "$input", "$output", "$context", "$task", "$workflow", "$runtime"],
            Self::Filter => &["$data"],
        }
    }
}

/// Every variable that a place may have, but for those a loop or a `catch` names.
pub(super) const VARIABLES: [&str; 10] =
    ["$data", "$input", "$output", "$context", "$task", "$workflow", "$runtime", "$item", "$index", "$error"];

/// The names, without `$`, that no loop and no `catch` gives.
pub(super) const OWN: [&str; 7] = ["data", "input", "output", "context", "task", "workflow", "runtime"];

/// The names that loops and catches around a task give, each with its `$`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Around(Rc<Vec<String>>);

impl Around {
    /// The same with more names.
    pub(super) fn with(&self, names: &[&str]) -> Self {
        let mut all = self.0.to_vec();
        for name in names {
            let name = format!("${name}");
            if !all.contains(&name) {
                all.push(name);
            }
        }
        Self(Rc::new(all))
    }
}

/// The names of one place, each with its `$`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Sight(Rc<Vec<String>>);

impl Sight {
    pub(super) fn of(at: At, around: &Around) -> Self {
        let mut names: Vec<String> = at.own().iter().map(|name| (*name).to_owned()).collect();
        if !matches!(at, At::Start | At::Finish | At::Filter) {
            names.extend(around.0.iter().filter(|name| !at.own().contains(&name.as_str())).cloned());
        }
        Self(Rc::new(names))
    }

    pub(super) fn names(&self) -> &[String] {
        &self.0
    }
}
