//! A workflow's case: what a run took, given again in order and at its times. Nothing is called.

use super::Ended;
use super::judge::{answer, as_answer, mismatch, verdict};
use crate::again::{Player, line, start_at, waiting};
use crate::cases::Verdict;
use playbook_definition::case::{Case, Ends, Given, Happening, Happens, ReadCase, WorkflowCase};
use playbook_engine::workflow::again::{Asked, Hand, Happened, Turn, Waits};
use playbook_engine::workflow::{Answer, Input, Program, Settled};
use playbook_model::difference::{Difference, differences};
use playbook_model::refusal::Refusal;
use playbook_model::time::Moment;
use playbook_worker::Pool;
use std::collections::HashMap;
use std::sync::Arc;

/// The id of a case's run that names none.
const RUN: &str = "01930000-0000-7000-8000-000000000000";

/// What playing a case came to.
pub(crate) struct Played {
    /// The first thing that the run would not take as the case has it.
    pub(crate) misfit: Option<Misfit>,
    /// How the run ended.
    pub(crate) settled: Option<Settled>,
    /// What it waits for, where it did not end.
    pub(crate) waits: Vec<String>,
}

/// Something a run would not take as its case has it.
pub(crate) struct Misfit {
    pub(crate) pointer: String,
    pub(crate) sentence: String,
    pub(crate) differences: Vec<Difference>,
}

/// Plays a case on a program; `source` is its document's text, for lines.
pub(crate) async fn play(
    program: Arc<Program>,
    pool: Pool,
    case: &WorkflowCase,
    source: &str,
) -> Result<Played, Refusal> {
    let run = case.run.clone().unwrap_or_else(|| RUN.to_owned());
    let start = start_at(program.details(), run, case.start, case.depth, case.longest, &case.waits);
    let mut play = Play {
        player: Player::new(program, pool, None),
        source,
        asks: HashMap::new(),
        played: Played { misfit: None, settled: None, waits: Vec::new() },
    };
    let begin = Input::Started { start: Box::new(start), input: case.input.clone() };
    play.take(&begin, case.start).await?;
    for (place, one) in case.happens.iter().enumerate() {
        if one.what != Happening::WentOn {
            play.drain().await?;
        }
        play.happens(place, one).await?;
        if play.played.misfit.is_some() {
            return Ok(play.played);
        }
    }
    play.drain().await?;
    if let Some(state) = play.player.state.as_ref().filter(|_| play.played.settled.is_none()) {
        play.played.waits = waiting(&play.player.program, state);
    }
    Ok(play.played)
}

struct Play<'a> {
    player: Player,
    source: &'a str,
    asks: HashMap<u64, Asked>,
    played: Played,
}

impl Play<'_> {
    async fn take(&mut self, input: &Input, at: Moment) -> Result<bool, Refusal> {
        let Ok(took) = self.player.take(input, at).await? else { return Ok(false) };
        self.asks.extend(took.did.calls.into_iter().map(|call| (call.call, call)));
        if took.did.settled.is_some() {
            self.played.settled = took.did.settled;
        }
        Ok(true)
    }

    /// Goes on after each turn that others would have had.
    async fn drain(&mut self) -> Result<(), Refusal> {
        while let Some((input, at)) = self.player.pause() {
            if !self.take(&input, at).await? {
                break;
            }
        }
        Ok(())
    }

    async fn happens(&mut self, place: usize, one: &Happens) -> Result<(), Refusal> {
        let happened = happened(&self.player.program, place, &one.what);
        let input = happened.fit(&self.player.program, self.player.state.as_ref());
        if input.is_none() && happened == Happened::WentOn {
            return Ok(());
        }
        if let (Happening::Answer { of, input: wanted, .. }, Happened::Answered { turn, .. }) = (&one.what, &happened)
            && let Some(state) = self.player.state.as_ref()
            && let Some(asks) =
                Waits::of(&self.player.program, state).find(turn, Hand::Call).and_then(|call| self.asks.get(&call))
        {
            let name = &asks.turn.name;
            let at = self.at(&asks.turn);
            let is = format!("{}/{}", asks.called.kind.word(), asks.called.name);
            if let Some((kind, called)) =
                of.as_ref().filter(|of| (of.0, &of.1) != (asks.called.kind, &asks.called.name))
            {
                let sentence = format!("{name}{at} calls {is}, and a call of {}/{called} was expected.", kind.word());
                return self.misfit(format!("/happens/{place}/of"), sentence, Vec::new());
            }
            let found = wanted.as_ref().map(|wanted| differences(wanted, &asks.input)).unwrap_or_default();
            if !found.is_empty() {
                let sentence = format!("{name}{at} calls {is} on another input than expected.");
                return self.misfit(format!("/happens/{place}/input"), sentence, found);
            }
        }
        let taken = match input {
            Some(input) => self.take(&input, one.at).await?,
            None => false,
        };
        if !taken {
            let now = match self.player.state.as_ref().filter(|state| state.root.is_some()) {
                Some(state) => match waiting(&self.player.program, state) {
                    names if names.is_empty() => "waits for nothing then".to_owned(),
                    names => format!("waits for {} then", names.join(", ")),
                },
                None => "has ended by then".to_owned(),
            };
            let ended = self.played.settled.as_ref().map(ends_words).unwrap_or_default();
            let sentence = format!("In the case {}; the run {now}{ended}.", happened.words());
            return self.misfit(format!("/happens/{place}"), sentence, Vec::new());
        }
        Ok(())
    }

    fn at(&self, turn: &Turn) -> String {
        line(self.source, &turn.reference).map(|line| format!(" (line {line} of the document)")).unwrap_or_default()
    }

    fn misfit(&mut self, pointer: String, sentence: String, differences: Vec<Difference>) -> Result<(), Refusal> {
        self.played.misfit = Some(Misfit { pointer, sentence, differences });
        Ok(())
    }
}

fn ends_words(settled: &Settled) -> String {
    match settled {
        Settled::Succeeded { .. } => ", with an output".into(),
        Settled::Rejected { rejection } => {
            format!(", rejected ({}): {}", rejection.reason.word(), rejection.detail.trim_end_matches('.'))
        }
    }
}

/// What a case tells, as it happens to a run of the program.
fn happened(program: &Program, place: usize, what: &Happening) -> Happened {
    let turn = |task: &str, nth: u32| {
        let found = program.details().tasks.iter().find(|own| own.reference == task || own.name == task);
        match found.filter(|own| own.reference == task) {
            Some(own) => Turn { reference: own.reference.clone(), name: own.name.clone(), run: nth },
            // A name is found again wherever its task stands.
            None => Turn { reference: String::new(), name: last(task), run: nth },
        }
    };
    match what {
        Happening::Answer { task, nth, answer, .. } => {
            Happened::Answered { turn: turn(task, *nth), answer: answer_of(answer) }
        }
        Happening::Time { task, nth, of } => {
            let hand = Hand::TIMERS.iter().find(|(_, word)| word == of).map_or(Hand::Wait, |(hand, _)| *hand);
            Happened::Time { turn: turn(task, *nth), hand }
        }
        Happening::RunTime { longest: true } => Happened::Overrun,
        Happening::RunTime { longest: false } => Happened::Deadline,
        Happening::Event(event) => Happened::Sent { event: event.clone() },
        Happening::Heard { task, nth, filter, event } => Happened::Heard {
            turn: turn(task, *nth),
            filter: *filter,
            event: event.clone(),
            record: format!("happens/{place}"),
        },
        Happening::Cancelled { kind, reason } => Happened::Cancelled { why: *kind, reason: reason.clone() },
        Happening::WentOn => Happened::WentOn,
    }
}

/// The name in a reference of a task that the document has no more.
fn last(task: &str) -> String {
    match task.strip_prefix('/').and_then(|_| task.rsplit('/').next()) {
        Some(name) => name.replace("~1", "/").replace("~0", "~"),
        None => task.to_owned(),
    }
}

fn answer_of(given: &Given) -> Answer {
    match given {
        Given::Output(output) => Answer::Succeeded { output: output.clone() },
        Given::Rejected(rejection) => Answer::Rejected { rejection: rejection.clone() },
        Given::Failed => Answer::Failed,
        Given::Unreachable(detail) => Answer::Unreachable { detail: detail.clone() },
    }
}

/// Judges a workflow's case.
pub(super) fn judge(read: &ReadCase, case: &WorkflowCase, played: &Played) -> Verdict {
    if let Some(Misfit { pointer, sentence, differences }) = &played.misfit {
        // What the run takes is the case's own: another expectation mends none of it.
        return verdict(vec![mismatch(read, pointer, sentence.clone(), differences.clone())], None);
    }
    let ended = played.settled.as_ref().map(|settled| match settled {
        Settled::Succeeded { output } => Ended::Output(output.clone()),
        Settled::Rejected { rejection } => Ended::Rejected(rejection.clone()),
    });
    let found = match (&case.expect, &ended) {
        (Ends::Answer(wanted), Some(ended)) => answer(read, "/expect", "The run", wanted, ended),
        (Ends::Waits(wanted), None) if *wanted == played.waits => None,
        (Ends::Waits(wanted), None) => {
            let sentence = format!("The run waits for {}, and {} was expected.", list(&played.waits), list(wanted));
            Some(mismatch(read, "/expect/waits", sentence, Vec::new()))
        }
        (Ends::Answer(_), None) => {
            let sentence = format!("The run has not ended: it waits for {}.", list(&played.waits));
            Some(mismatch(read, "/expect", sentence, Vec::new()))
        }
        (Ends::Waits(wanted), Some(_)) => {
            let ends = played.settled.as_ref().map(ends_words).unwrap_or_default();
            let sentence = format!("The run has ended{ends}, and was expected to wait for {}.", list(wanted));
            Some(mismatch(read, "/expect/waits", sentence, Vec::new()))
        }
    };
    let expect =
        ended.as_ref().map_or_else(|| Ends::Waits(played.waits.clone()), |ended| Ends::Answer(as_answer(ended)));
    let mended = Case::Workflow(Box::new(WorkflowCase { expect, ..case.clone() }));
    verdict(found.into_iter().collect(), Some(mended))
}

fn list(names: &[String]) -> String {
    if names.is_empty() { "nothing".into() } else { names.join(", ") }
}
