//! `raise`: an error written inline or named in `use.errors`. "Errors, retries and timeouts".

use crate::workflow::drive::Work;
use crate::workflow::fault::{Fault, Short};
use crate::workflow::machine::{Broken, Machine};
use crate::workflow::state::TaskFrame;
use crate::workflow::value::Held;
use playbook_definition::workflow::{Raised, Task};
use serde_json::Value;

impl Machine<'_> {
    pub(in crate::workflow) fn raise_own(
        &mut self,
        task: &Task,
        frame: &TaskFrame,
        raised: &Raised,
        context: &Held,
    ) -> Result<Work, Broken> {
        let error = self.template(&raised.error, Self::body(task, frame, context))?;
        Err(read(&error, &task.reference).into())
    }
}

/// The error as it is raised. Its `instance` is the task, whatever was written.
fn read(error: &Value, instance: &str) -> Fault {
    let member = |name: &str| error.get(name).filter(|value| !value.is_null());
    let text = |name: &str| member(name).map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned));
    let kind_uri = member("type").and_then(Value::as_str).filter(|uri| !uri.trim().is_empty());
    let status = member("status").and_then(whole);
    let (Some(kind_uri), Some(status)) = (kind_uri, status) else {
        let words = "An error needs a type, a URI, and a status, a whole number";
        return Fault::short(Short::Configuration, 400, instance, "The error to raise is not one").detail(words);
    };
    Fault {
        kind_uri: kind_uri.to_owned(),
        status,
        instance: instance.to_owned(),
        title: text("title"),
        detail: text("detail"),
        kind: member("kind").cloned(),
        because: member("because").cloned(),
        issues: member("issues").cloned(),
    }
}

/// A whole number, however it is written.
fn whole(value: &Value) -> Option<i64> {
    if let Some(number) = value.as_i64() {
        return Some(number);
    }
    let number = value.as_f64()?;
    #[allow(clippy::cast_possible_truncation, reason = "compared right after")]
    let cut = number as i64;
    #[allow(clippy::cast_precision_loss, clippy::float_cmp, reason = "whole numbers that are this small are exact")]
    let same = cut as f64 == number && cut.abs() < (1 << 53);
    same.then_some(cut)
}
