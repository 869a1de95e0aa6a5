//! What is kept of every event that was folded: 24 bytes each, and 12 for each top-level member one added.

use super::sizes::Sizes;
use super::walk::Folded;
use playbook_model::time::Moment;
use playbook_worker::name_hash;
use std::collections::VecDeque;

/// Entries that are kept in one piece, so that growing copies none of them.
const PIECE: usize = 4_096;
/// The most members added that are kept; those added longest ago go first.
const ADDED_MOST: usize = 1_200_000;
/// Bits of an entry's last number that hold bytes; a view has at most 512 KiB. The rest hold checkpoints.
const BYTES_BITS: u32 = 20;

/// The events folded, counted from 1; 0 is before any.
#[derive(Debug)]
pub(crate) struct Index {
    entries: Pieces<Entry>,
    added: Pieces<Added>,
    /// Whether members added longest ago were let go of.
    forgot: bool,
    initial_bytes: u32,
    sizes: Sizes,
    grew: Option<Change>,
    shrank: Option<Change>,
}

/// A change of the view's size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Change {
    pub(crate) index: u64,
    pub(crate) by: u64,
}

/// What is known of one event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Known {
    pub(crate) position: u64,
    pub(crate) time: Moment,
    pub(crate) bytes: u32,
    pub(crate) work: u32,
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    position: u64,
    time: i64,
    id: u32,
    bytes_and_work: u32,
}

/// The name's hash in two halves, so that 12 bytes are 12 bytes.
#[derive(Debug, Clone, Copy)]
struct Added {
    index: u32,
    name: [u32; 2],
}

fn halves(name: u64) -> [u32; 2] {
    #[allow(clippy::cast_possible_truncation, reason = "the two halves of the number")]
    [(name >> 32) as u32, name as u32]
}

fn short(id: &str) -> u32 {
    let [high, low] = halves(name_hash(id.as_bytes()));
    high ^ low
}

impl Index {
    pub(crate) fn new(initial: &str) -> Self {
        Self {
            entries: Pieces::default(),
            added: Pieces::default(),
            forgot: false,
            initial_bytes: u32::try_from(initial.len()).unwrap_or(u32::MAX),
            sizes: Sizes::new(),
            grew: None,
            shrank: None,
        }
    }

    /// Adds the next event.
    pub(crate) fn add(&mut self, folded: &Folded) {
        let before = u64::from(self.bytes(self.len()));
        let bytes = u32::try_from(folded.bytes).unwrap_or(u32::MAX).min((1 << BYTES_BITS) - 1);
        let work = folded.work.min((1 << (32 - BYTES_BITS)) - 1);
        self.entries.push(Entry {
            position: folded.position,
            time: folded.time.0,
            id: short(&folded.event.id),
            bytes_and_work: work << BYTES_BITS | bytes,
        });
        let (index, bytes) = (self.len(), u64::from(bytes));
        self.sizes.add(bytes);
        let more = |most: &mut Option<Change>, by: u64| {
            if by > most.map_or(0, |most| most.by) {
                *most = Some(Change { index, by });
            }
        };
        more(&mut self.grew, bytes.saturating_sub(before));
        more(&mut self.shrank, before.saturating_sub(bytes));
        for name in &folded.added {
            let index = u32::try_from(index).unwrap_or(u32::MAX);
            self.added.push(Added { index, name: halves(*name) });
        }
        while self.added.len() > ADDED_MOST {
            self.added.drop_piece();
            self.forgot = true;
        }
    }

    /// How many events there are.
    pub(crate) fn len(&self) -> u64 {
        self.entries.len() as u64
    }

    /// An event by its number from 1.
    pub(crate) fn get(&self, index: u64) -> Option<Known> {
        let at = usize::try_from(index.checked_sub(1)?).ok()?;
        let Entry { position, time, bytes_and_work, .. } = *self.entries.get(at)?;
        let bytes = bytes_and_work & ((1 << BYTES_BITS) - 1);
        Some(Known { position, time: Moment(time), bytes, work: bytes_and_work >> BYTES_BITS })
    }

    /// Bytes of the view after an event, or before any.
    pub(crate) fn bytes(&self, index: u64) -> u32 {
        self.get(index).map_or(self.initial_bytes, |known| known.bytes)
    }

    pub(crate) fn sizes(&self) -> &Sizes {
        &self.sizes
    }

    /// The event that grew the view most.
    pub(crate) fn grew(&self) -> Option<Change> {
        self.grew
    }

    /// The event that shrank it most.
    pub(crate) fn shrank(&self) -> Option<Change> {
        self.shrank
    }

    /// The last event at or before another that added a top-level member.
    pub(crate) fn added(&self, name: &str, from: u64) -> Option<u64> {
        let name = halves(name_hash(name.as_bytes()));
        let mut at = self.added.len();
        while at > 0 {
            at -= 1;
            let added = self.added.get(at)?;
            if added.name == name && u64::from(added.index) <= from {
                return Some(added.index.into());
            }
        }
        None
    }

    /// Whether members that were added long ago may be missing.
    pub(crate) fn forgot(&self) -> bool {
        self.forgot
    }

    /// The last event that happened at or before a time.
    pub(crate) fn at_time(&self, time: Moment) -> Option<u64> {
        self.last(|entry| entry.time <= time.0)
    }

    /// The events whose id may be this one, last first.
    pub(crate) fn with_id(&self, id: &str) -> Vec<u64> {
        let short = short(id);
        let fits = (0..self.entries.len()).rev().filter(|at| self.entries.get(*at).is_some_and(|e| e.id == short));
        fits.map(|at| at as u64 + 1).collect()
    }

    fn last(&self, fits: impl Fn(&Entry) -> bool) -> Option<u64> {
        (0..self.entries.len()).rev().find(|at| self.entries.get(*at).is_some_and(&fits)).map(|at| at as u64 + 1)
    }
}

/// A list in pieces of equal length, of which the first can be let go of.
#[derive(Debug)]
struct Pieces<T>(VecDeque<Vec<T>>);

impl<T> Default for Pieces<T> {
    fn default() -> Self {
        Self(VecDeque::new())
    }
}

impl<T> Pieces<T> {
    fn push(&mut self, value: T) {
        match self.0.back_mut() {
            Some(piece) if piece.len() < PIECE => piece.push(value),
            _ => {
                let mut piece = Vec::with_capacity(PIECE);
                piece.push(value);
                self.0.push_back(piece);
            }
        }
    }

    fn len(&self) -> usize {
        self.0.back().map_or(0, |last| (self.0.len() - 1) * PIECE + last.len())
    }

    fn get(&self, at: usize) -> Option<&T> {
        self.0.get(at / PIECE)?.get(at % PIECE)
    }

    fn drop_piece(&mut self) {
        self.0.pop_front();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use playbook_model::event::CloudEvent;
    use serde_json::Map;

    fn folded(at: u64, bytes: usize, added: &[&str]) -> Folded {
        let event = CloudEvent {
            specversion: "1.0".into(),
            id: format!("e{at}"),
            kind: "beat".into(),
            source: "/s".into(),
            subject: None,
            time: None,
            datacontenttype: None,
            dataschema: None,
            extensions: Map::new(),
            data: None,
        };
        let added = added.iter().map(|name| name_hash(name.as_bytes())).collect();
        Folded { position: at * 2, event, time: Moment(at as i64 * 1_000), work: 3, bytes, added }
    }

    #[test]
    fn what_was_added_is_found() {
        let mut index = Index::new("{}");
        assert_eq!((index.len(), index.get(0), index.get(1), index.bytes(0)), (0, None, None, 2));
        for at in 1..=10_000 {
            let name = format!("n{at}");
            let names: Vec<&str> = if at % 100 == 0 { vec!["again", &name] } else { vec![] };
            index.add(&folded(at, usize::try_from(at % 5_000).expect("small") + 2, &names));
        }
        let known = Known { position: 9_000, time: Moment(4_500_000), bytes: 4_502, work: 3 };
        assert_eq!((index.len(), index.get(4_500)), (10_000, Some(known)));
        assert_eq!(index.added("again", 10_000), Some(10_000));
        assert_eq!(index.added("again", 4_567), Some(4_500));
        assert_eq!((index.added("again", 99), index.added("never", 10_000)), (None, None));
        assert_eq!(index.added("n4500", 10_000), Some(4_500));
        assert_eq!(index.at_time(Moment(7_000_500)), Some(7_000));
        assert_eq!(index.at_time(Moment(0)), None);
        assert_eq!(index.with_id("e77"), [77]);
        assert!(index.with_id("none").is_empty());
        assert_eq!(index.grew(), Some(Change { index: 1, by: 1 }));
        assert_eq!(index.shrank(), Some(Change { index: 5_000, by: 4_999 }));
        assert_eq!(index.sizes().peak(), Some((4_999, 5_001)));
    }

    #[test]
    fn a_million_events_stay_small() {
        assert_eq!((size_of::<Entry>(), size_of::<Added>()), (24, 12));
        assert!(1_000_000 * size_of::<Entry>() + ADDED_MOST * size_of::<Added>() < 40 << 20);
        let mut index = Index::new("{}");
        for at in 1..=(ADDED_MOST as u64 / 4 + 20_000) {
            index.add(&folded(at, 10, &["a", "b", "c", "d"]));
        }
        assert!(index.forgot() && index.added.len() <= ADDED_MOST);
        assert_eq!(index.added("a", 10), None);
        assert_eq!(index.added("d", index.len()), Some(index.len()));
    }
}
