//! `wait`, and durations that a task computes. "Durations".

use crate::workflow::drive::{Waiting, Work, unlike};
use crate::workflow::evaluate::Place;
use crate::workflow::fault::{Fault, Short};
use crate::workflow::machine::{Broken, Machine};
use crate::workflow::record::WaitsFor;
use crate::workflow::state::{Doing, TaskFrame};
use crate::workflow::value::Held;
use playbook_definition::workflow::{Duration, Task};
use playbook_model::duration;
use serde_json::Value;

impl Machine<'_> {
    pub(in crate::workflow) fn wait_for(
        &mut self,
        task: &Task,
        frame: &mut TaskFrame,
        duration: &Duration,
        context: &Held,
    ) -> Result<Work, Broken> {
        match frame.doing {
            Doing::Fresh => {
                let within = self.duration(duration, Self::body(task, frame, context), &task.reference)?;
                if within == 0 {
                    return Ok(Work::Produced(frame.input.clone(), None));
                }
                let timer = self.arm(within);
                frame.doing = Doing::Wait(timer);
                let wait = Waiting { waits_for: WaitsFor::Timer, until: Some(timer), child: None };
                self.waits(task, frame, wait, context);
                Ok(Work::Waits)
            }
            Doing::Wait(timer) if self.fires(timer) => Ok(Work::Produced(frame.input.clone(), None)),
            Doing::Wait(_) => Ok(Work::Waits),
            _ => Err(unlike(task)),
        }
    }

    /// A duration in milliseconds.
    pub(in crate::workflow) fn duration(
        &mut self,
        duration: &Duration,
        place: Place<'_>,
        instance: &str,
    ) -> Result<u64, Broken> {
        let milliseconds = match duration {
            Duration::Milliseconds(written) => *written,
            Duration::Computed(template) => {
                let value = self.template(template, place)?;
                computed(&value).map_err(|words| {
                    Fault::short(Short::Configuration, 400, instance, "A computed duration is not one").detail(words)
                })?
            }
        };
        if milliseconds > self.start.longest {
            let words = format!(
                "It is {}; a run may last {}",
                duration::words(milliseconds),
                duration::words(self.start.longest)
            );
            let fault = Fault::short(Short::Configuration, 400, instance, "A duration is longer than a run may last");
            return Err(fault.detail(words).into());
        }
        Ok(milliseconds)
    }
}

const UNITS: [(&str, f64); 5] = [
    ("days", 86_400_000.0),
    ("hours", 3_600_000.0),
    ("minutes", 60_000.0),
    ("seconds", 1_000.0),
    ("milliseconds", 1.0),
];

/// Reads a duration's value: ISO 8601 text, or a mapping of numbers.
fn computed(value: &Value) -> Result<u64, String> {
    match value {
        Value::String(text) => duration::parse(text).map_err(|fault| format!("This is none: {}", fault.words())),
        Value::Object(members) if !members.is_empty() => {
            let mut sum = 0.0;
            for (name, amount) in members {
                let unit = UNITS.iter().find(|(unit, _)| unit == name).map(|(_, unit)| *unit);
                let unit = unit.ok_or_else(|| format!("{name} is no unit of a duration"))?;
                let amount = amount.as_f64().filter(|amount| *amount >= 0.0);
                sum += unit * amount.ok_or_else(|| format!("Expected {name} to be a number that is not negative"))?;
            }
            let up = sum.ceil();
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "compared first")]
            let milliseconds = if up < 9.0e18 { up as u64 } else { u64::MAX };
            Ok(milliseconds)
        }
        _ => Err("Expected a text such as PT30M, or a mapping such as { minutes: 30 }".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_computed_duration_is_text_or_a_mapping() {
        assert_eq!(computed(&json!("PT1M")), Ok(60_000));
        assert_eq!(computed(&json!({"minutes": 1.5, "milliseconds": 0.5})), Ok(90_001));
        for value in [json!("P1Y"), json!({}), json!({"years": 1}), json!({"seconds": -1}), json!(5), json!(null)] {
            assert!(computed(&value).is_err(), "{value}");
        }
    }
}
