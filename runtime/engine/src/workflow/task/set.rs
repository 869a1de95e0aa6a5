//! `set`: a template with its expressions evaluated.

use crate::workflow::drive::Work;
use crate::workflow::machine::{Broken, Machine};
use crate::workflow::state::TaskFrame;
use crate::workflow::value::Held;
use playbook_definition::workflow::{Task, Template};

impl Machine<'_> {
    pub(in crate::workflow) fn set(
        &mut self,
        task: &Task,
        frame: &TaskFrame,
        template: &Template,
        context: &Held,
    ) -> Result<Work, Broken> {
        let value = self.held(template, Self::body(task, frame, context))?;
        Ok(Work::Produced(value, None))
    }
}
