//! How much a view has before it: what a build has to fold, and what waits behind a stall.

use super::notes::Note;
use super::{PATIENCE, READ};
use crate::replay::{Planned, Recall, planned, seen_records, taken};
use crate::studio::open::Open;
use playbook_definition::Data;
use playbook_history::{Content, PageQuery};
use playbook_model::record::RUN_FACTS;
use playbook_model::refusal::Refusal;
use std::time::Instant;

/// The most records that are counted for a build.
const KNOWN_MOST: u64 = 10_000_000;
/// The most events that are counted behind a stall.
const WAITING_MOST: u64 = 10_000;

/// Records that a version's filters can take, counted up to a place of the log.
pub(super) struct Known {
    version: u32,
    up_to: u64,
    count: u64,
}

/// Events behind the one that a version stalled at.
pub(super) struct Waiting {
    version: u32,
    position: u64,
    read_to: u64,
    count: u64,
}

/// How far counting got.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Counted {
    pub(super) count: u64,
    /// Whether it goes on at the next call.
    pub(super) going: bool,
}

/// How many records a version has to fold, counted by their types along the index: as many as it folds or more, where
/// a filter names more than a type.
pub(super) async fn known(open: &Open, note: &Note, version: u32, recall: &Recall) -> Result<u64, Refusal> {
    let mut known = note.known.lock().await;
    let mut now = match known.take() {
        Some(known) if known.version == version => known,
        _ => Known { version, up_to: 0, count: 0 },
    };
    let newest = *open.runtime.follow().borrow();
    if newest > now.up_to {
        let (key, wanted, after) = (open.key.clone(), recall.wanted(), now.up_to);
        let most = KNOWN_MOST.saturating_sub(now.count);
        let more = open.runtime.read(move |history| history.count(&key, &wanted, (after, newest), most)).await?;
        now = Known { version, up_to: newest, count: now.count + more };
    }
    let count = now.count;
    *known = Some(now);
    Ok(count)
}

/// How many records a text has to fold from the first, or more; counted in the same way.
pub(super) async fn known_records(open: &Open, recall: &Recall) -> Result<u64, Refusal> {
    let (key, wanted) = (open.key.clone(), recall.wanted());
    open.runtime.read(move |history| history.count(&key, &wanted, (0, u64::MAX), KNOWN_MOST)).await
}

/// How many events that the filters take were recorded after a position, counted to 10,000.
///
/// Records have to be read where a filter names more than a type, so that counting a long log takes several calls.
pub(super) async fn waiting(
    open: &Open,
    note: &Note,
    version: u32,
    recall: &Recall,
    position: u64,
) -> Result<Counted, Refusal> {
    let wanted = recall.wanted();
    if by_type_alone(recall) {
        let key = open.key.clone();
        let between = (position, u64::MAX);
        let count = open.runtime.read(move |history| history.count(&key, &wanted, between, WAITING_MOST)).await?;
        return Ok(Counted { count, going: false });
    }
    let mut waiting = note.waiting.lock().await;
    let mut now = match waiting.take() {
        Some(waiting) if waiting.version == version && waiting.position == position => waiting,
        _ => Waiting { version, position, read_to: position, count: 0 },
    };
    let begun = Instant::now();
    let mut going = false;
    while now.count < WAITING_MOST {
        let (key, wanted, after) = (open.key.clone(), wanted.clone(), now.read_to);
        let page = open.runtime.read(move |history| {
            let only = Some(wanted.as_slice());
            let page =
                history.page(&PageQuery { playbook: &key, after, limit: READ, only, content: Content::Joined })?;
            Ok((seen_records(page.records), page.read_to, page.more))
        });
        let (seen, read_to, more) = page.await?;
        let events: Vec<Planned> = planned(recall, &seen);
        now.count += taken(open.runtime.scratch(), recall, events).await?.len() as u64;
        now.read_to = read_to;
        going = more;
        if !more || begun.elapsed() > PATIENCE {
            break;
        }
    }
    let count = now.count.min(WAITING_MOST);
    going &= count < WAITING_MOST;
    *waiting = Some(now);
    Ok(Counted { count, going })
}

/// Whether the type of a record says whether it is taken. Of runs the function's own are not.
fn by_type_alone(recall: &Recall) -> bool {
    let filters = &recall.details().filters;
    filters.iter().all(|filter| {
        let of_run = RUN_FACTS.contains(&filter.kind.as_str());
        filter.attributes.is_empty() && matches!(filter.data, Data::None) && !of_run
    })
}
