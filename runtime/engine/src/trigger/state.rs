//! What a playbook's triggers wait for, and what an event or a time leads to. "When a trigger applies", "Trigger limits".

use super::schedule::{Timing, latest_due, next_due};
use playbook_definition::Data;
use playbook_definition::workflow::{Trigger, TriggerFilter};
use playbook_model::event::CloudEvent;
use playbook_model::json;
use playbook_model::limits;
use playbook_model::time::Moment;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, VecDeque};
use uuid::Uuid;

/// The workflows of a playbook that have triggers, by name.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Reactions {
    /// By name.
    pub workflows: BTreeMap<String, Reacting>,
}

/// A workflow with triggers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reacting {
    /// The version that runs.
    pub version: u32,
    /// Its triggers.
    pub triggers: Vec<Armed>,
    /// The minute of the starts counted, since 1970.
    #[serde(default)]
    pub minute: i64,
    /// Runs that its event trigger started in that minute.
    #[serde(default)]
    pub started: usize,
    /// Matches that wait for a later minute, or are tried again.
    #[serde(default, skip_serializing_if = "VecDeque::is_empty")]
    pub waiting: VecDeque<Waiting>,
    /// Runs that were not started.
    #[serde(default)]
    pub refusals: Refusals,
}

/// A trigger as it stands.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Armed {
    /// The trigger.
    pub trigger: Trigger,
    /// When it was saved as it is.
    pub since: Moment,
    /// The position in the log of the record that saved it as it is.
    pub position: u64,
    /// That record's id.
    pub cause: String,
    /// Of a schedule: the last time that was due.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last: Option<Moment>,
    /// Of a schedule: the run it started last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub running: Option<String>,
}

/// A match whose run was not started yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Waiting {
    /// The position of the event's record.
    pub position: u64,
    /// The version that was current then.
    pub version: u32,
    /// The depth of the run.
    pub depth: u32,
    /// Times it could not be started.
    #[serde(default)]
    pub tries: u32,
}

/// Runs that were not started and are told once a minute.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Refusals {
    /// How many since it was told last.
    pub count: u64,
    /// Why, of the last.
    pub reason: String,
    /// The minute in which it was told last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub told: Option<i64>,
}

/// The id of the run that a trigger starts for a record or a time: either starts it once.
#[must_use]
pub fn triggered_run(playbook: &str, workflow: &str, version: u32, reference: &str, of: &str) -> Uuid {
    let named = serde_json::json!([playbook, workflow, version, reference, of]).to_string();
    Uuid::new_v5(&playbook_model::id::LEDGER_NAMESPACE, named.as_bytes())
}

/// What a filter says of an event before its expression is evaluated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Matching<'a> {
    /// It does not match.
    No,
    /// It matches.
    Yes,
    /// It matches when this expression over `$data` holds.
    Ask(&'a str),
}

/// Holds a filter against an event. An attribute that the event does not have does not match.
#[must_use]
pub fn matching<'a>(filter: &'a TriggerFilter, event: &CloudEvent) -> Matching<'a> {
    let attributes = filter.kind == event.kind
        && filter
            .attributes
            .iter()
            .all(|(name, wanted)| event.attribute(name).is_some_and(|held| json::same(wanted, &held)));
    if !attributes {
        return Matching::No;
    }
    match &filter.data {
        Data::None => Matching::Yes,
        Data::Equal(wanted) => {
            let same = event.data.as_ref().is_some_and(|data| json::same(wanted, data));
            if same { Matching::Yes } else { Matching::No }
        }
        Data::Expression { stripped, .. } => Matching::Ask(stripped),
    }
}

impl Reactions {
    /// A version of a workflow was saved: what it leaves unchanged goes on, what it changes or adds begins now.
    pub fn save(&mut self, workflow: &str, version: u32, triggers: &[Trigger], at: Moment, position: u64, id: &str) {
        let before = self.workflows.remove(workflow);
        if triggers.is_empty() {
            return;
        }
        let (old, rest) = match before {
            Some(reacting) => (reacting.triggers.clone(), Some(reacting)),
            None => (Vec::new(), None),
        };
        let armed = triggers
            .iter()
            .map(|trigger| {
                old.iter().find(|armed| same_rule(&armed.trigger, trigger)).cloned().unwrap_or_else(|| Armed {
                    trigger: trigger.clone(),
                    since: at,
                    position,
                    cause: id.to_owned(),
                    last: None,
                    running: None,
                })
            })
            .collect();
        let reacting = match rest {
            Some(rest) => Reacting { version, triggers: armed, ..rest },
            None => Reacting {
                version,
                triggers: armed,
                minute: 0,
                started: 0,
                waiting: VecDeque::new(),
                refusals: Refusals::default(),
            },
        };
        self.workflows.insert(workflow.to_owned(), reacting);
    }

    /// A workflow was retired: its triggers stop.
    pub fn retire(&mut self, workflow: &str) {
        self.workflows.remove(workflow);
    }

    /// The types of the events that the triggers match.
    pub fn types(&self) -> impl Iterator<Item = &str> {
        self.workflows.values().flat_map(|reacting| &reacting.triggers).flat_map(|armed| match &armed.trigger {
            Trigger::Event { filters } => filters.iter().map(|filter| filter.kind.as_str()).collect::<Vec<_>>(),
            _ => Vec::new(),
        })
    }

    /// Whether something starts now, or is about to be tried again, without waiting for a later time.
    #[must_use]
    pub fn moves(&self, now: Moment) -> bool {
        let minute = now.0.div_euclid(60_000);
        let waits = |reacting: &Reacting| {
            let left = reacting.minute != minute || reacting.started < limits::STARTS_A_MINUTE;
            left && !reacting.waiting.is_empty()
        };
        self.next().is_some_and(|due| due <= now) || self.workflows.values().any(waits)
    }

    /// When the next schedule is due, or a match that waits for a later minute may start.
    #[must_use]
    pub fn next(&self) -> Option<Moment> {
        let due = self.workflows.values().flat_map(|reacting| {
            let waits = (!reacting.waiting.is_empty()).then(|| Moment((reacting.minute + 1) * 60_000));
            let times = reacting.triggers.iter().filter_map(|armed| {
                let timing = Timing::of(&armed.trigger, armed.since)?;
                next_due(&timing, armed.last.unwrap_or(armed.since))
            });
            times.chain(waits)
        });
        due.min()
    }
}

/// Two triggers of one kind and place that start runs for the same.
fn same_rule(a: &Trigger, b: &Trigger) -> bool {
    match (a, b) {
        (Trigger::Cron { expression: a }, Trigger::Cron { expression: b }) => a == b,
        (Trigger::Every { milliseconds: a }, Trigger::Every { milliseconds: b }) => a == b,
        (Trigger::Event { filters: a }, Trigger::Event { filters: b }) => {
            let rule = |filter: &TriggerFilter| (filter.kind.clone(), filter.attributes.clone(), filter.data.clone());
            a.len() == b.len() && a.iter().map(rule).eq(b.iter().map(rule))
        }
        _ => false,
    }
}

impl Armed {
    /// The time that is due now, the latest of those that were missed.
    #[must_use]
    pub fn due(&self, now: Moment) -> Option<Moment> {
        let timing = Timing::of(&self.trigger, self.since)?;
        latest_due(&timing, self.last.unwrap_or(self.since), now)
    }
}

impl Reacting {
    /// Takes a match that is to start a run; says why when as many wait as may.
    ///
    /// # Errors
    /// The reason, for people.
    pub fn matched(&mut self, waiting: Waiting) -> Result<(), String> {
        if waiting.depth > limits::TRIGGER_DEPTH {
            return Err(format!(
                "its event trigger matched at a depth of {}, and a chain of runs started by events stops at {}",
                waiting.depth,
                limits::TRIGGER_DEPTH
            ));
        }
        if self.waiting.len() >= limits::STARTS_WAITING {
            return Err(format!("{} runs of its event trigger wait already", limits::STARTS_WAITING));
        }
        self.waiting.push_back(waiting);
        Ok(())
    }

    /// Whether the event trigger may start one more run in this minute.
    pub fn may_start(&mut self, now: Moment) -> bool {
        let minute = now.0.div_euclid(60_000);
        if minute != self.minute {
            self.minute = minute;
            self.started = 0;
        }
        self.started < limits::STARTS_A_MINUTE
    }

    /// A run was not started.
    pub fn refuse(&mut self, reason: impl Into<String>) {
        self.refusals.count += 1;
        self.refusals.reason = reason.into();
    }

    /// What is to be told of runs that were not started, at most once a minute: how many, why, and the minute.
    pub fn tell(&mut self, now: Moment) -> Option<(u64, String, Moment)> {
        let minute = now.0.div_euclid(60_000);
        if self.refusals.count == 0 || self.refusals.told == Some(minute) {
            return None;
        }
        self.refusals.told = Some(minute);
        let count = std::mem::take(&mut self.refusals.count);
        Some((count, self.refusals.reason.clone(), Moment(minute * 60_000)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Map, json};

    fn filter(kind: &str) -> TriggerFilter {
        TriggerFilter {
            reference: "/schedule/on/one".into(),
            kind: kind.into(),
            attributes: vec![("region".into(), json!("eu"))],
            data: Data::None,
            sentence: kind.into(),
        }
    }

    fn event(kind: &str) -> CloudEvent {
        let mut extensions = Map::new();
        extensions.insert("region".into(), json!("eu"));
        CloudEvent {
            specversion: "1.0".into(),
            id: "1".into(),
            kind: kind.into(),
            source: "/a".into(),
            subject: None,
            time: None,
            datacontenttype: None,
            dataschema: None,
            extensions,
            data: Some(json!({"n": 2})),
        }
    }

    #[test]
    fn a_filter_that_names_what_the_event_lacks_does_not_match() {
        let mut filter = filter("a");
        assert_eq!(matching(&filter, &event("a")), Matching::Yes);
        assert_eq!(matching(&filter, &event("b")), Matching::No);
        filter.attributes = vec![("depth".into(), json!(1))];
        assert_eq!(matching(&filter, &event("a")), Matching::No);
        filter.attributes = vec![];
        filter.data = Data::Equal(json!({"n": 2.0}));
        assert_eq!(matching(&filter, &event("a")), Matching::Yes);
        filter.data = Data::Expression { text: "$data.n".into(), stripped: "$data.n".into() };
        assert_eq!(matching(&filter, &event("a")), Matching::Ask("$data.n"));
    }

    #[test]
    fn an_unchanged_trigger_goes_on_over_versions() {
        let on = Trigger::Event { filters: vec![filter("a")] };
        let every = |milliseconds| Trigger::Every { milliseconds };
        let mut reactions = Reactions::default();
        reactions.save("flow", 1, &[on.clone(), every(60_000)], Moment(1_000), 5, "first");
        let mut said = filter("a");
        said.sentence = "in other words".into();
        reactions.workflows.get_mut("flow").expect("there").triggers[1].running = Some("run".into());
        let again = [Trigger::Event { filters: vec![said] }, every(60_000)];
        reactions.save("flow", 2, &again, Moment(2_000), 9, "second");
        let flow = &reactions.workflows["flow"];
        assert_eq!((flow.version, flow.triggers[0].position, flow.triggers[1].since), (2, 5, Moment(1_000)));
        assert_eq!(flow.triggers[1].running.as_deref(), Some("run"));
        // Changed: counts from its own saving. Removed: stops.
        reactions.save("flow", 3, &[every(120_000)], Moment(3_000), 12, "third");
        let flow = &reactions.workflows["flow"];
        assert_eq!(
            (flow.triggers.len(), flow.triggers[0].since, flow.triggers[0].cause.as_str()),
            (1, Moment(3_000), "third")
        );
        reactions.save("flow", 4, &[], Moment(4_000), 13, "fourth");
        assert!(reactions.workflows.is_empty());
    }

    #[test]
    fn sixty_a_minute_and_a_thousand_waiting() {
        let mut reactions = Reactions::default();
        reactions.save("flow", 1, &[Trigger::Event { filters: vec![filter("a")] }], Moment(0), 1, "x");
        let flow = reactions.workflows.get_mut("flow").expect("there");
        let one = |position| Waiting { position, version: 1, depth: 1, tries: 0 };
        for position in 0..1_000 {
            assert_eq!(flow.matched(one(position)), Ok(()));
        }
        assert!(flow.matched(one(1_000)).is_err());
        for _ in 0..60 {
            assert!(flow.may_start(Moment(10_000)));
            flow.started += 1;
        }
        assert!(!flow.may_start(Moment(59_999)));
        assert!(flow.may_start(Moment(60_000)));
        assert!(flow.matched(Waiting { depth: 9, ..one(1) }).is_err());
        assert_eq!(reactions.next(), Some(Moment(120_000)), "the minute after the one counted");
    }

    #[test]
    fn refusals_are_told_once_a_minute_with_their_count() {
        let mut reactions = Reactions::default();
        reactions.save("flow", 1, &[Trigger::Every { milliseconds: 60_000 }], Moment(0), 1, "x");
        let flow = reactions.workflows.get_mut("flow").expect("there");
        assert_eq!(flow.tell(Moment(0)), None);
        flow.refuse("one");
        assert_eq!(flow.tell(Moment(5)), Some((1, "one".into(), Moment(0))));
        flow.refuse("two");
        flow.refuse("three");
        assert_eq!(flow.tell(Moment(59_999)), None);
        assert_eq!(flow.tell(Moment(61_000)), Some((2, "three".into(), Moment(60_000))));
    }

    #[test]
    fn a_match_starts_one_run() {
        let run = |of: &str| triggered_run("local/a", "flow", 1, "/schedule/on", of);
        assert_eq!(run("e1"), run("e1"));
        assert_ne!(run("e1"), run("e2"));
        assert_ne!(run("e1"), triggered_run("local/a", "flow", 2, "/schedule/on", "e1"));
    }
}
