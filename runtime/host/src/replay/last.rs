//! The last events that a recall function takes before a place of the log.

use super::recall::Recall;
use super::source::{Planned, planned, seen_records};
use super::taken::taken;
use crate::runtime::Runtime;
use playbook_history::{Content, PageQuery};
use playbook_model::id::PlaybookKey;
use playbook_model::refusal::Refusal;
use std::collections::VecDeque;

/// Records read at once.
const READ: usize = 500;
/// The most records that are read for it each way, where the filters take few of them.
const EXAMINED: usize = 10_000;

/// The last events taken up to a position and with it, at most `most`; where fewer stand there, also those after it.
pub(crate) async fn last(
    runtime: &Runtime,
    playbook: &PlaybookKey,
    recall: &Recall,
    position: u64,
    most: usize,
) -> Result<Vec<Planned>, Refusal> {
    let mut found: VecDeque<Planned> = VecDeque::new();
    let (mut before, mut examined) = (position.saturating_add(1), 0);
    while found.len() < most && examined < EXAMINED {
        let (key, wanted) = (playbook.clone(), recall.wanted());
        let records = runtime
            .read(move |history| {
                let mut places = history.before(&key, &wanted, before, READ)?;
                places.reverse();
                let mut records = Vec::with_capacity(places.len());
                while records.len() < places.len() {
                    let some = history.at(&key, &places[records.len()..])?;
                    if some.is_empty() {
                        break;
                    }
                    records.extend(some);
                }
                Ok(records)
            })
            .await?;
        let Some(first) = records.first() else { break };
        before = first.global;
        examined += records.len();
        let events = taken(runtime.scratch(), recall, planned(recall, &seen_records(records))).await?;
        events.into_iter().rev().for_each(|event| found.push_front(event));
    }
    let surplus = found.len().saturating_sub(most);
    found.drain(..surplus);
    let (mut after, mut examined) = (position, 0);
    while found.len() < most && examined < EXAMINED {
        let (key, wanted) = (playbook.clone(), recall.wanted());
        let page = runtime.read(move |history| {
            let only = Some(wanted.as_slice());
            history.page(&PageQuery { playbook: &key, after, limit: READ, only, content: Content::Joined })
        });
        let page = page.await?;
        (after, examined) = (page.read_to, examined + page.records.len());
        let events = taken(runtime.scratch(), recall, planned(recall, &seen_records(page.records))).await?;
        found.extend(events);
        if !page.more {
            break;
        }
    }
    found.truncate(most);
    Ok(found.into())
}
