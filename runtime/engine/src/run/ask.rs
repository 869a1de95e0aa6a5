//! What a request to run a definition under an id leads to: "Retrying under a run id".

use super::state::{RunState, Stream};
use playbook_model::definition::{DefinitionKey, DefinitionType};
use playbook_model::ending::{Ending, Kind, Reason, Rejection};
use playbook_model::json;
use serde_json::Value;

/// How the definition asked for stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Newest {
    /// It has an active version.
    Active,
    /// It was retired.
    Retired,
    /// There is no such definition.
    Missing,
}

/// A request to run a definition.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// Which definition.
    pub definition: &'a DefinitionKey,
    /// On which input.
    pub input: &'a Value,
    /// How the definition stands.
    pub newest: Newest,
}

/// What a request leads to.
#[derive(Debug, Clone, PartialEq)]
pub enum Ask {
    /// Record a start and perform the run: the first attempt, or another.
    Start,
    /// Answer what is recorded; nothing runs.
    Recorded,
    /// Answer the run as it stands: it goes on by itself.
    Going,
    /// Refuse; nothing is recorded.
    Refuse(Rejection),
}

/// Decides a request for a run under an id.
#[must_use]
pub fn ask(stream: &Stream, request: Request<'_>) -> Ask {
    match stream {
        Stream::Unused => start(request),
        Stream::CancelledBefore { kind, reason, .. } => {
            let detail = reason.clone().unwrap_or_else(|| "The run was cancelled before it started".into());
            Ask::Refuse(Rejection::new(Reason::Cancelled, detail).kind(*kind))
        }
        Stream::Run(run) if !same_run(run, request) => Ask::Refuse(Rejection::new(
            Reason::Conflict,
            "The run id belongs to a run of another definition or of another input; use a new id",
        )),
        Stream::Run(run) if is_final(run) || run.open_request().is_some() => Ask::Recorded,
        Stream::Run(run) if request.definition.kind == DefinitionType::Workflow => match run.ended {
            None => Ask::Going,
            Some(_) => Ask::Refuse(Rejection::new(
                Reason::Conflict,
                "A workflow runs once for each run id, and this run has ended; start a new run under a new run id",
            )),
        },
        Stream::Run(_) => start(request),
    }
}

fn start(request: Request<'_>) -> Ask {
    let noun = request.definition.kind.noun();
    let name = &request.definition.name;
    match request.newest {
        Newest::Active => Ask::Start,
        Newest::Retired => Ask::Refuse(
            Rejection::new(Reason::Conflict, format!("The {noun} {name} is retired and runs no more"))
                .kind(Kind::Retired),
        ),
        Newest::Missing => {
            Ask::Refuse(Rejection::new(Reason::NotFound, format!("There is no {noun} {name} in this playbook")))
        }
    }
}

fn same_run(run: &RunState, request: Request<'_>) -> bool {
    run.definition.kind == request.definition.kind
        && run.definition.name == request.definition.name.as_str()
        && json::same(&run.input, request.input)
}

/// Whether the run's ending is answered for good.
fn is_final(run: &RunState) -> bool {
    match run.ended.as_ref().map(|e| &e.ending) {
        Some(Ending::Succeeded { .. }) => true,
        Some(Ending::Rejected(rejection)) => {
            matches!(rejection.reason, Reason::InvalidInput | Reason::Cancelled | Reason::Unanswered)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::state::Entry;
    use super::*;
    use playbook_model::id::DefinitionName;
    use playbook_model::record::{Context, DefinitionRef, Fact, InteractionRequest, RunDeferred, RunStarted};
    use playbook_model::time::Moment;
    use serde_json::json;

    fn key() -> DefinitionKey {
        DefinitionKey { kind: DefinitionType::Computation, name: DefinitionName::new("tally").expect("a name") }
    }

    fn stream(facts: Vec<Fact>) -> Stream {
        let mut stream = Stream::default();
        for (at, fact) in facts.iter().enumerate() {
            let mut context = Context::new(Moment(0), "local");
            context.definition =
                Some(DefinitionRef { kind: DefinitionType::Computation, name: "tally".into(), version: 1 });
            stream.apply(Entry { id: "a", position: at as u64 + 1, fact, context: &context });
        }
        stream
    }

    fn started(input: Value) -> Fact {
        Fact::RunStarted(RunStarted { input, calls_tools: false, finishes_later: false })
    }

    fn rejected(reason: Reason) -> Fact {
        Fact::RunRejected { rejection: Rejection::new(reason, "why"), record: None }
    }

    fn asked(facts: Vec<Fact>, newest: Newest) -> Ask {
        ask(&stream(facts), Request { definition: &key(), input: &json!({"a": 1}), newest })
    }

    fn reason(ask: Ask) -> Option<(Reason, Option<Kind>)> {
        match ask {
            Ask::Refuse(r) => Some((r.reason, r.kind)),
            _ => None,
        }
    }

    #[test]
    fn an_unused_id_starts() {
        assert_eq!(asked(vec![], Newest::Active), Ask::Start);
        assert_eq!(reason(asked(vec![], Newest::Missing)), Some((Reason::NotFound, None)));
        assert_eq!(reason(asked(vec![], Newest::Retired)), Some((Reason::Conflict, Some(Kind::Retired))));
    }

    #[test]
    fn another_input_is_a_conflict_without_a_kind() {
        let facts = vec![started(json!({"a": 2}))];
        assert_eq!(reason(asked(facts, Newest::Active)), Some((Reason::Conflict, None)));
    }

    #[test]
    fn a_number_written_otherwise_is_the_same_input() {
        assert_eq!(asked(vec![started(json!({"a": 1.0}))], Newest::Active), Ask::Start);
    }

    #[test]
    fn final_results_are_answered_again_even_when_retired() {
        let succeeded = Fact::RunSucceeded { output: json!(1), record: json!({}) };
        for ending in
            [succeeded, rejected(Reason::InvalidInput), rejected(Reason::Cancelled), rejected(Reason::Unanswered)]
        {
            for newest in [Newest::Active, Newest::Retired] {
                assert_eq!(asked(vec![started(json!({"a": 1})), ending.clone()], newest), Ask::Recorded);
            }
        }
    }

    #[test]
    fn other_endings_run_again() {
        let failed = Fact::RunFailed { incident: None };
        for ending in [failed, rejected(Reason::Conflict), rejected(Reason::Unavailable)] {
            let facts = vec![started(json!({"a": 1})), ending];
            assert_eq!(asked(facts.clone(), Newest::Active), Ask::Start);
            assert_eq!(reason(asked(facts, Newest::Retired)), Some((Reason::Conflict, Some(Kind::Retired))));
        }
    }

    #[test]
    fn a_start_abandoned_by_a_crash_starts_again() {
        assert_eq!(asked(vec![started(json!({"a": 1}))], Newest::Active), Ask::Start);
    }

    #[test]
    fn a_run_that_waits_for_an_answer_is_answered_as_it_stands() {
        let deferred = Fact::RunDeferred(Box::new(RunDeferred {
            interaction: InteractionRequest {
                to: "anna".into(),
                message: "?".into(),
                answer_schema: json!({}),
                requested_at: Moment(0),
                expires_at: Moment(60_000),
            },
        }));
        let facts = vec![started(json!({"a": 1})), deferred.clone()];
        assert_eq!(asked(facts.clone(), Newest::Retired), Ask::Recorded);
        let facts = [facts, vec![rejected(Reason::Unanswered)]].concat();
        assert_eq!(asked(facts, Newest::Active), Ask::Recorded);
    }

    #[test]
    fn a_cancel_before_the_start_refuses_it() {
        let facts = vec![Fact::RunCancelRequested { kind: Kind::ParentEnded, reason: None }];
        assert_eq!(reason(asked(facts, Newest::Active)), Some((Reason::Cancelled, Some(Kind::ParentEnded))));
    }
}
