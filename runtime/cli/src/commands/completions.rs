//! `playbook completions`: the script a shell completes with.

use crate::arguments::{Arguments, Completions};
use crate::ended::{Done, Ended, cannot};
use crate::output::Output;
use clap::CommandFactory as _;

/// Writes the script.
pub(crate) fn completions(asked: &Completions, out: &mut Output) -> Done {
    let mut script = Vec::new();
    clap_complete::generate(asked.shell, &mut Arguments::command(), "playbook", &mut script);
    let script = String::from_utf8(script).map_err(cannot)?;
    out.line(script.trim_end())?;
    Ok(Ended::Fine)
}
