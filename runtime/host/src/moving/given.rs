//! An event of a text as a fold would see it, without being recorded.

use super::import::{GivenEvent, RefusedEvent, of_event};
use playbook_definition::case::FIRST_MOMENT;
use playbook_engine::event::{Published, is_own, publish, seen, take_over};
use playbook_model::event::CloudEvent;
use playbook_model::record::{Context, Fact};
use playbook_model::time::Moment;
use serde_json::Value;

/// The event that a fold would see, were this text's events a playbook's history; `None` for one no fold can read.
///
/// `nth`, from 1, makes up the id and time of an event without: the same ones every time.
///
/// # Errors
/// What is wrong with it, as [`RefusedEvent`].
pub fn as_seen(given: &GivenEvent, nth: u64) -> Result<Option<CloudEvent>, RefusedEvent> {
    let seconds = i64::try_from(nth.saturating_sub(1)).unwrap_or(i64::MAX);
    let at = Moment(FIRST_MOMENT.0.saturating_add(seconds.saturating_mul(1_000)));
    let fill = Published { id: format!("event-{nth}"), at };
    let own = given.event.get("type").and_then(Value::as_str).is_some_and(is_own);
    let read = if own { take_over(&given.event, &fill) } else { publish(&given.event, &fill) };
    let published =
        read.map_err(|issues| RefusedEvent { line: given.line, issues: issues.into_iter().map(of_event).collect() })?;
    let id = published.event.id.clone();
    Ok(seen(&id, &Fact::EventPublished(Box::new(published)), &Context::new(at, "local")).ok().map(|seen| seen.event))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn event(given: Value) -> Result<Option<CloudEvent>, RefusedEvent> {
        let event = given.as_object().expect("an object").clone();
        as_seen(&GivenEvent { line: 7, event }, 3)
    }

    #[test]
    fn what_is_left_out_is_made_up() {
        let made = event(json!({"type": "a", "source": "/b"})).expect("taken").expect("seen");
        assert_eq!((made.id.as_str(), made.time.as_deref()), ("event-3", Some("2026-01-01T00:00:02.000Z")));
    }

    #[test]
    fn what_no_fold_sees_is_passed_over_or_refused() {
        assert_eq!(event(json!({"type": "a", "source": "/b", "time": "2016-12-31T23:59:60Z"})), Ok(None));
        let refused = event(json!({"type": "tool_call_started", "source": "/b"})).expect_err("refused");
        assert_eq!((refused.line, refused.issues[0].pointer.as_str()), (7, "/type"));
        assert!(event(json!({"type": "run_started", "source": "/runs/1", "id": "1"})).is_err());
    }
}
