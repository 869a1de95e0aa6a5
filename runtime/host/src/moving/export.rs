//! The events a fold sees, oldest first, in pages: "The events".

use crate::folder::{Folder, PlaybookFile};
use crate::replay::Source;
use crate::runtime::{OpenError, Place};
use playbook_engine::event::{Unseen, is_own, seen};
use playbook_history::{Content, History, PageQuery, ReadError, ViewRow, Wanted};
use playbook_model::event::CloudEvent;
use playbook_model::id::{DefinitionName, PlaybookKey};
use playbook_model::limits::PAGE_RECORDS;
use playbook_model::record::{DEFINITION_FACTS, Fact, RECORDED_TYPES, RUN_FACTS};
use playbook_model::time::Moment;

/// Which events are wanted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EventsOf {
    /// Of these types alone; of every type when empty.
    pub types: Vec<String>,
    /// That happened at this time or later.
    pub since: Option<Moment>,
    /// That happened before this time.
    pub until: Option<Moment>,
}

/// An event with its place in the log.
#[derive(Debug, Clone, PartialEq)]
pub struct SeenAt {
    /// The record's position in the log.
    pub position: u64,
    /// When it was recorded.
    pub recorded_at: Moment,
    /// The event as a fold sees it.
    pub event: CloudEvent,
}

/// A view as the log keeps it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptView {
    /// The version of the recall function it is of.
    pub version: u32,
    /// Where it stands: `live`, `rebuilding`, `waiting` or `stalled`.
    pub phase: String,
    /// How many events it has folded.
    pub folded: u64,
    /// The view, as JSON text.
    pub view: String,
}

/// A page of events.
#[derive(Debug, Clone, PartialEq)]
pub struct EventPage {
    /// In the order they were recorded.
    pub events: Vec<SeenAt>,
    /// Records of events that no fold can read, and that were passed over.
    pub passed_over: usize,
    /// Where the next page goes on.
    pub read_to: u64,
    /// Whether there is a next page.
    pub more: bool,
}

/// Whether a fold may see an event of a type: one that is published, or one of the few a playbook records of itself.
#[must_use]
pub fn is_seen(kind: &str) -> bool {
    is_own(kind) || !RECORDED_TYPES.contains(&kind)
}

/// The log of a folder, opened to be read alone: nothing is recorded, and no view is kept.
#[derive(Debug)]
pub struct LogReader {
    history: History,
    playbook: PlaybookKey,
}

impl LogReader {
    /// Opens the log of a folder; `None` when the playbook has not recorded anything yet. Waits for the disk.
    ///
    /// # Errors
    /// [`OpenError`], such as a log that another program has open.
    pub fn open(folder: &Folder, playbook: &PlaybookFile) -> Result<Option<Self>, OpenError> {
        let log = Place::Folder(folder.path().to_path_buf()).log();
        if !log.exists() {
            return Ok(None);
        }
        Ok(Some(Self { history: History::open(&log)?, playbook: playbook.key() }))
    }

    /// The log as a replay's events.
    #[must_use]
    pub fn source(&self) -> Source {
        Source::history(&self.history, &self.playbook)
    }

    /// A recall function's view as it is kept; `None` before it is built. Waits for the disk.
    ///
    /// # Errors
    /// [`ReadError`].
    pub fn kept_view(&self, name: &DefinitionName) -> Result<Option<KeptView>, ReadError> {
        let row = self.history.load_view(&self.playbook, name.as_str())?;
        Ok(row.map(|ViewRow { head, view }| KeptView {
            version: head.version,
            phase: head.phase,
            folded: head.folded,
            view,
        }))
    }

    /// A page of the events after a position of the log; 0 begins with the first. Waits for the disk.
    ///
    /// # Errors
    /// [`ReadError`].
    pub fn page(&self, of: &EventsOf, after: u64) -> Result<EventPage, ReadError> {
        let every = RUN_FACTS.iter().chain(&DEFINITION_FACTS).map(|kind| Wanted::Kind((*kind).to_owned()));
        let wanted = match of.types.as_slice() {
            [] => every.chain([Wanted::Kind("event_published".into())]).collect(),
            types => super::wanted(types.iter().map(String::as_str).filter(|kind| is_seen(kind))),
        };
        let page = self.history.page(&PageQuery {
            playbook: &self.playbook,
            after,
            limit: PAGE_RECORDS,
            only: Some(&wanted),
            content: Content::Joined,
        })?;
        let mut events = Vec::with_capacity(page.records.len());
        let mut passed_over = 0;
        for record in page.records {
            let id = record.id.to_string();
            let event = Fact::read(&record.kind, record.data)
                .map_err(Unseen::from)
                .and_then(|fact| seen(&id, &fact, &record.context));
            match event {
                Ok(seen) => {
                    let early = of.since.is_some_and(|since| seen.time < since);
                    let late = of.until.is_some_and(|until| seen.time >= until);
                    if !(early || late) {
                        let (position, recorded_at) = (record.global, record.recorded_at);
                        events.push(SeenAt { position, recorded_at, event: seen.event });
                    }
                }
                Err(Unseen::HistoryOnly) => {}
                Err(Unseen::Unreadable(why)) => {
                    tracing::warn!(why, "an event was passed over");
                    passed_over += 1;
                }
            }
        }
        Ok(EventPage { events, passed_over, read_to: page.read_to, more: page.more })
    }
}

impl Drop for LogReader {
    fn drop(&mut self) {
        self.history.close();
    }
}
