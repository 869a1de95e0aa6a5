//! Events of the playbook that tasks listen for. "Waiting for events".

use super::filters::{FilterKey, Said};
use super::follow::Following;
use crate::runtime::Runtime;
use playbook_definition::workflow::{Kind, Rule};
use playbook_engine::event::Seen;
use playbook_engine::workflow::{Input, attribute_of, event_value};
use playbook_history::Listening;
use playbook_model::json;
use playbook_model::record::Context;
use playbook_model::refusal::Refusal;
use serde_json::Value;
use std::collections::BTreeMap;
use tokio::task::JoinSet;

/// Runs that hear an event at the same time.
const TOGETHER: usize = 32;

impl Runtime {
    /// Offers an event to the tasks that listen for it. False when a filter was stopped and the event waits.
    pub(super) async fn offer(
        &self,
        following: &mut Following,
        seen: &Seen,
        context: &Context,
        position: u64,
        record: &str,
    ) -> Result<bool, Refusal> {
        let (key, kind) = (following.playbook.clone(), seen.event.kind.clone());
        let listening = self.read(move |history| history.listening(&key, &kind, position)).await?;
        if listening.is_empty() {
            return Ok(true);
        }
        // The playbook matches an event without the run: once for each filter, however many runs wait at it.
        let mut groups: BTreeMap<(String, u32, String, u32), Vec<Listening>> = BTreeMap::new();
        for one in listening {
            // A run never takes an event it emitted itself.
            if context.run_id.as_deref() == Some(one.run.to_string().as_str()) {
                continue;
            }
            let at = (one.workflow.clone(), one.version, one.reference.clone(), one.filter);
            groups.entry(at).or_default().push(one);
        }
        let event = event_value(&seen.event);
        let mut done = true;
        let mut offers: JoinSet<()> = JoinSet::new();
        for ((workflow, version, reference, filter), listeners) in groups {
            let key = FilterKey { workflow, version, reference, filter: filter as usize };
            match self.listener_matches(following, &key, &event, seen).await? {
                Said::Matches => {}
                Said::Later => {
                    done = false;
                    continue;
                }
                Said::Tell(why) => {
                    following.untold.push((key.workflow.clone(), key.version, why));
                    continue;
                }
                Said::No => continue,
            }
            for one in listeners {
                while offers.len() >= TOGETHER {
                    offers.join_next().await;
                }
                let (runtime, playbook, event) = (self.clone(), following.playbook.clone(), event.clone());
                let record = record.to_owned();
                offers.spawn(async move {
                    let input = Input::EventOffered { listener: one.number, filter: one.filter, event, record };
                    if let Err(refusal) = runtime.deliver(&playbook, one.run, input).await {
                        tracing::warn!(?refusal, run = %one.run, "an event was not offered");
                    }
                });
            }
        }
        while offers.join_next().await.is_some() {}
        Ok(done)
    }

    async fn listener_matches(
        &self,
        following: &mut Following,
        key: &FilterKey,
        event: &Value,
        seen: &Seen,
    ) -> Result<Said, Refusal> {
        let program = self.program_of(&following.playbook, &key.workflow, key.version).await?;
        let details = program.details();
        let task = details.tasks.iter().find(|task| task.reference == key.reference);
        let Some(Kind::Listen(listening)) = task.map(|task| &task.kind) else { return Ok(Said::No) };
        let Some(filter) = listening.filters.get(key.filter) else { return Ok(Said::No) };
        let mut expressions: Vec<(&str, &Value)> = Vec::new();
        for attribute in &filter.attributes {
            let found = attribute_of(event, &attribute.name);
            match &attribute.rule {
                Rule::Equal(wanted) if json::same(wanted, found) => {}
                Rule::Equal(_) => return Ok(Said::No),
                Rule::Holds(expression) => expressions.push((&program.expression(*expression).stripped, found)),
            }
        }
        if expressions.is_empty() {
            return Ok(Said::Matches);
        }
        Ok(self.filter_holds(&mut following.stops, key, &expressions, seen.time).await)
    }
}
