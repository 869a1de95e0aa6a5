//! What settles a request: an answer, its expiry, or a cancel.

use crate::run::{RunState, cancellation, cancelled};
use playbook_model::ending::{Ending, Issue, Kind, Reason, Rejection};
use playbook_model::limits::{ANSWER_BYTES, PARTY_BYTES, VALUE_LEVELS};
use playbook_model::record::Fact;
use playbook_model::time::Moment;
use playbook_model::word::thousands;
use playbook_model::{duration, json};
use playbook_schema::{Manner, Schema};
use serde_json::{Value, json};

/// What asking to settle a request leads to.
#[derive(Debug, Clone, PartialEq)]
pub enum Settled {
    /// These facts are recorded, and the run has ended.
    Record(Vec<Fact>),
    /// The run stands so already.
    Already,
    /// Nothing is recorded.
    Refuse(Rejection),
}

/// Decides an answer. `by` is who answers; `claimed_for` is whom they say they answer for, kept unchecked.
#[must_use]
pub fn answer(run: &RunState, answer: &Value, claimed_for: Option<&str>, by: &str, at: Moment) -> Settled {
    if let Some(refusal) = unfit(answer, claimed_for) {
        return Settled::Refuse(refusal);
    }
    let Some(deferred) = &run.deferred else {
        return Settled::Refuse(conflict(format!(
            "The run of the {} {} asks nothing, so it takes no answer",
            run.definition.kind.noun(),
            run.definition.name
        )));
    };
    if let Some(ended) = &run.ended {
        return match &ended.ending {
            Ending::Succeeded { output, .. } if json::same(output, answer) => Settled::Already,
            Ending::Succeeded { .. } => Settled::Refuse(conflict("The request was answered otherwise before".into())),
            Ending::Rejected(rejection) if rejection.reason == Reason::Unanswered => {
                Settled::Refuse(conflict("The request expired before it was answered".into()))
            }
            Ending::Rejected(rejection) if rejection.reason == Reason::Cancelled => {
                Settled::Refuse(conflict("The request was cancelled before it was answered".into()))
            }
            _ => Settled::Refuse(conflict("The run ended with another result".into())),
        };
    }
    if at >= deferred.request.expires_at {
        return Settled::Refuse(conflict("The request expired before it was answered".into()));
    }
    // A schema that was saved compiles; one that does not would let nothing be checked.
    if let Ok(schema) = Schema::compile(&deferred.request.answer_schema) {
        let issues: Vec<Issue> = schema
            .issues(answer, Manner::Answer)
            .into_iter()
            .map(|issue| Issue { pointer: format!("/answer{}", issue.pointer), ..issue })
            .collect();
        if !issues.is_empty() {
            let summary = match issues.len() {
                1 => "The answer does not fit: one issue".to_owned(),
                count => format!("The answer does not fit: {count} issues"),
            };
            return Settled::Refuse(Rejection::new(Reason::InvalidInput, summary).issues(issues));
        }
    }
    let mut record = json!({ "answered_by": by, "answered_at": at.iso() });
    if let (Some(whom), Some(members)) = (claimed_for, record.as_object_mut()) {
        members.insert("claimed_for".into(), whom.into());
    }
    Settled::Record(vec![Fact::RunSucceeded { output: answer.clone(), record }])
}

/// Bounds that hold whatever the request says.
fn unfit(answer: &Value, claimed_for: Option<&str>) -> Option<Rejection> {
    let at = |pointer: &str, detail: String| {
        let issue = Issue { detail, pointer: pointer.into() };
        Some(Rejection::new(Reason::InvalidInput, "The request has one issue").issues(vec![issue]))
    };
    if json::depth(answer) > VALUE_LEVELS {
        return at("/answer", format!("Expected a value of at most {VALUE_LEVELS} levels"));
    }
    let bytes = json::bytes(answer);
    if bytes > ANSWER_BYTES {
        let (most, bytes) = (thousands(ANSWER_BYTES as u64), thousands(bytes as u64));
        return at("/answer", format!("Expected at most {most} bytes as JSON, and this answer takes {bytes}"));
    }
    let whom = claimed_for?;
    if whom.trim().is_empty() || whom.len() > PARTY_BYTES || whom.chars().any(char::is_control) {
        let words =
            format!("Expected a text of at most {PARTY_BYTES} bytes that is not blank and holds no control character");
        return at("/claimed_for", words);
    }
    None
}

fn conflict(words: String) -> Rejection {
    Rejection::new(Reason::Conflict, words)
}

/// Ends a request whose time is over, as cancelled where that was asked before; nothing for one that still waits or has
/// ended.
#[must_use]
pub fn expire(run: &RunState, at: Moment) -> Option<Fact> {
    let request = run.open_request()?;
    if at < request.expires_at {
        return None;
    }
    if let Some(ending) = cancelled(run) {
        return Some(ending);
    }
    let open = u64::try_from(request.expires_at.0.saturating_sub(request.requested_at.0)).unwrap_or_default();
    let words = format!("Nobody answered within {}", duration::words(open));
    let rejection = Rejection::new(Reason::Unanswered, words).kind(Kind::Expired);
    Some(Fact::RunRejected { rejection, record: None })
}

/// Decides a cancel of a request that waits: the wish, unless there is one already, and the ending together.
#[must_use]
pub fn cancel(run: &RunState, kind: Kind, reason: Option<&str>) -> Settled {
    if let Some(ending) = cancelled(run) {
        return Settled::Record(vec![ending]);
    }
    if run.open_request().is_none() {
        return Settled::Refuse(conflict("The run has ended; it can no longer be cancelled".into()));
    }
    let reason = reason.map(str::to_owned);
    let ending = cancellation(kind, reason.as_deref());
    Settled::Record(vec![Fact::RunCancelRequested { kind, reason }, ending])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::{Entry, Stream};
    use playbook_model::definition::DefinitionType;
    use playbook_model::record::{Context, DefinitionRef, InteractionRequest, RunDeferred, RunStarted};

    fn run(after: &[Fact]) -> RunState {
        let started = Fact::RunStarted(RunStarted { input: json!({}), calls_tools: false, finishes_later: true });
        let schema = json!({"type": "object", "required": ["verdict"], "properties": {"verdict": {"type": "string"}}});
        let deferred = Fact::RunDeferred(Box::new(RunDeferred {
            interaction: InteractionRequest {
                to: "anna".into(),
                message: "?".into(),
                answer_schema: schema,
                requested_at: Moment(0),
                expires_at: Moment(172_800_000),
            },
        }));
        let mut stream = Stream::default();
        let mut context = Context::new(Moment(0), "local");
        context.definition =
            Some(DefinitionRef { kind: DefinitionType::Interaction, name: "approve".into(), version: 1 });
        context.call_depth = Some(2);
        for (at, fact) in [started, deferred].iter().chain(after).enumerate() {
            let id = format!("record-{at}");
            stream.apply(Entry { id: &id, position: at as u64 + 1, fact, context: &context });
        }
        match stream {
            Stream::Run(run) => *run,
            other => panic!("no run: {other:?}"),
        }
    }

    fn refused(settled: Settled) -> (Reason, Vec<Issue>) {
        match settled {
            Settled::Refuse(rejection) => (rejection.reason, rejection.issues),
            other => panic!("it was not refused: {other:?}"),
        }
    }

    fn yes() -> Value {
        json!({"verdict": "approve"})
    }

    #[test]
    fn an_answer_that_fits_ends_the_run_and_tells_who_gave_it() {
        let settled = answer(&run(&[]), &yes(), Some("Anna"), "key-1", Moment(5));
        let record = json!({
            "answered_by": "key-1", "answered_at": "1970-01-01T00:00:00.005Z", "claimed_for": "Anna",
        });
        assert_eq!(settled, Settled::Record(vec![Fact::RunSucceeded { output: yes(), record }]));
    }

    #[test]
    fn an_answer_that_does_not_fit_leaves_the_request_open() {
        let (reason, issues) = refused(answer(&run(&[]), &json!({}), None, "local", Moment(5)));
        assert_eq!((reason, issues[0].pointer.as_str()), (Reason::InvalidInput, "/answer/verdict"));
        let huge = json!({"verdict": "a".repeat(ANSWER_BYTES)});
        assert_eq!(refused(answer(&run(&[]), &huge, None, "local", Moment(5))).1[0].pointer, "/answer");
        for whom in ["", " ", "a\tb", &"a".repeat(257)] {
            let (_, issues) = refused(answer(&run(&[]), &yes(), Some(whom), "local", Moment(5)));
            assert_eq!(issues[0].pointer, "/claimed_for");
        }
    }

    #[test]
    fn the_first_settlement_wins() {
        let answered = [Fact::RunSucceeded { output: yes(), record: json!({}) }];
        assert_eq!(answer(&run(&answered), &yes(), None, "local", Moment(5)), Settled::Already);
        let other = json!({"verdict": "revise"});
        assert_eq!(refused(answer(&run(&answered), &other, None, "local", Moment(5))).0, Reason::Conflict);
        assert_eq!(expire(&run(&answered), Moment(i64::MAX)), None);
        assert_eq!(refused(cancel(&run(&answered), Kind::Requested, Some("why"))).0, Reason::Conflict);
        assert_eq!(cancelled(&run(&answered)), None);
        let expired = [expire(&run(&[]), Moment(172_800_000)).expect("it expired")];
        assert_eq!(refused(answer(&run(&expired), &yes(), None, "local", Moment(5))).0, Reason::Conflict);
    }

    #[test]
    fn a_request_expires_at_its_moment() {
        // Whether that was recorded already makes no difference to who answers too late.
        assert_eq!(refused(answer(&run(&[]), &yes(), None, "local", Moment(172_800_000))).0, Reason::Conflict);
        assert!(matches!(answer(&run(&[]), &yes(), None, "local", Moment(172_799_999)), Settled::Record(_)));
        assert_eq!(expire(&run(&[]), Moment(172_799_999)), None);
        let rejection = Rejection::new(Reason::Unanswered, "Nobody answered within 2 days").kind(Kind::Expired);
        assert_eq!(expire(&run(&[]), Moment(172_800_000)), Some(Fact::RunRejected { rejection, record: None }));
    }

    #[test]
    fn a_cancel_is_asked_and_done_at_once() {
        let wish = Fact::RunCancelRequested { kind: Kind::Deadline, reason: Some("No time left".into()) };
        let rejection = Rejection::new(Reason::Cancelled, "No time left").kind(Kind::Deadline);
        let ending = Fact::RunRejected { rejection, record: None };
        let settled = cancel(&run(&[]), Kind::Deadline, Some("No time left"));
        assert_eq!(settled, Settled::Record(vec![wish.clone(), ending.clone()]));
        // A wish that is there already is not written twice, and its words stay.
        let settled = cancel(&run(std::slice::from_ref(&wish)), Kind::Requested, Some("Another"));
        assert_eq!(settled, Settled::Record(vec![ending.clone()]));
        assert_eq!(cancelled(&run(&[wish])), Some(ending));
        assert_eq!(cancelled(&run(&[])), None);
    }

    #[test]
    fn a_later_record_carries_what_the_start_carried() {
        let context = run(&[]).further(Moment(9), "key-2");
        assert_eq!((context.call_depth, context.by.as_str(), context.at), (Some(2), "key-2", Moment(9)));
        assert_eq!(context.causation_id.as_deref(), Some("record-1"));
    }

    #[test]
    fn a_run_that_asks_nothing_takes_no_answer() {
        let mut asks_nothing = run(&[]);
        asks_nothing.deferred = None;
        assert_eq!(refused(answer(&asks_nothing, &yes(), None, "local", Moment(5))).0, Reason::Conflict);
    }
}
