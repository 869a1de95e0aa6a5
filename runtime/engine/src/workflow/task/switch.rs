//! `switch`: the first case whose `when` holds says what runs next; the input is handed on. "Flow".

use crate::workflow::drive::Work;
use crate::workflow::machine::{Broken, Machine};
use crate::workflow::state::TaskFrame;
use crate::workflow::value::Held;
use playbook_definition::workflow::{Case, Task};

impl Machine<'_> {
    pub(in crate::workflow) fn switch(
        &mut self,
        task: &Task,
        frame: &TaskFrame,
        cases: &[Case],
        context: &Held,
    ) -> Result<Work, Broken> {
        for case in cases {
            if let Some(when) = case.when
                && self.holds(when, Self::body(task, frame, context))?
            {
                return Ok(Work::Produced(frame.input.clone(), Some(case.then)));
            }
        }
        // Chosen when no other case holds, wherever it is written.
        let default = cases.iter().find(|case| case.when.is_none()).map(|case| case.then);
        Ok(Work::Produced(frame.input.clone(), default))
    }
}
