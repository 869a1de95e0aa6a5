//! Reading what runs of workflows wait for, and the newest record of a stream.

use crate::error::ReadError;
use crate::log::History;
use crate::record::Record;
use crate::stream::Stream;
use crate::waits::{self, Due, Listening, OpenCall};
use crate::{read, runs};
use playbook_model::id::{PlaybookKey, RunId};
use playbook_model::time::Moment;

impl History {
    /// The newest record of a stream.
    ///
    /// # Errors
    /// [`ReadError`].
    pub fn last(&self, stream: &Stream) -> Result<Option<Record>, ReadError> {
        self.reading(|conn| read::last(conn, stream.name()))
    }

    /// The records of a stream at positions, in that order; those it has not are left out.
    ///
    /// # Errors
    /// [`ReadError`].
    pub fn places(&self, stream: &Stream, positions: &[u64]) -> Result<Vec<Record>, ReadError> {
        self.reading(|conn| read::places(conn, stream.name(), positions))
    }

    /// When the next timer of any run is due.
    ///
    /// # Errors
    /// [`ReadError`].
    pub fn next_due(&self) -> Result<Option<Moment>, ReadError> {
        self.reading(waits::next_due)
    }

    /// Timers due by a moment, the earliest first, at most `most`.
    ///
    /// # Errors
    /// [`ReadError`].
    pub fn due(&self, by: Moment, most: usize) -> Result<Vec<Due>, ReadError> {
        self.reading(|conn| waits::due(conn, by, most))
    }

    /// The timers of runs that were going on when the program ended.
    ///
    /// # Errors
    /// [`ReadError`].
    pub fn pauses(&self) -> Result<Vec<Due>, ReadError> {
        self.reading(waits::pauses)
    }

    /// Every call that is open, with how the called run stands.
    ///
    /// # Errors
    /// [`ReadError`].
    pub fn open_calls(&self) -> Result<Vec<OpenCall>, ReadError> {
        self.reading(waits::open_calls)
    }

    /// Runs that are to be cancelled and have not ended.
    ///
    /// # Errors
    /// [`ReadError`].
    pub fn cancels(&self) -> Result<Vec<(PlaybookKey, RunId)>, ReadError> {
        self.reading(waits::cancels)
    }

    /// The open call that a run is of: the calling run and the call's number.
    ///
    /// # Errors
    /// [`ReadError`].
    pub fn caller(&self, playbook: &PlaybookKey, child: RunId) -> Result<Option<(RunId, u64)>, ReadError> {
        self.reading(|conn| waits::caller(conn, playbook, child))
    }

    /// The run that an open call is of.
    ///
    /// # Errors
    /// [`ReadError`].
    pub fn child(&self, playbook: &PlaybookKey, run: RunId, call: u64) -> Result<Option<RunId>, ReadError> {
        self.reading(|conn| waits::child(conn, playbook, run, call))
    }

    /// The run at the top of the tree that a run is of; the run itself where no open call made it.
    ///
    /// # Errors
    /// [`ReadError`].
    pub fn top(&self, playbook: &PlaybookKey, run: RunId) -> Result<RunId, ReadError> {
        self.reading(|conn| waits::top(conn, playbook, run))
    }

    /// The runs below the one at the top of a tree that ended by a moment or since another, and whose callers were not
    /// told yet, the earliest first.
    ///
    /// # Errors
    /// [`ReadError`].
    pub fn untold(
        &self,
        playbook: &PlaybookKey,
        top: RunId,
        by: Moment,
        since: Moment,
    ) -> Result<Vec<RunId>, ReadError> {
        self.reading(|conn| waits::untold(conn, playbook, top, by, since))
    }

    /// How many calls are open under the run at the top of a tree.
    ///
    /// # Errors
    /// [`ReadError`].
    pub fn open_under(&self, playbook: &PlaybookKey, top: RunId) -> Result<u64, ReadError> {
        self.reading(|conn| waits::open_under(conn, playbook, top))
    }

    /// Who hears events of a type that were recorded at a position, those that listen longest first.
    ///
    /// # Errors
    /// [`ReadError`].
    pub fn listening(&self, playbook: &PlaybookKey, kind: &str, at: u64) -> Result<Vec<Listening>, ReadError> {
        self.reading(|conn| waits::listening(conn, playbook, kind, at))
    }

    /// The types of events that tasks of a playbook hear.
    ///
    /// # Errors
    /// [`ReadError`].
    pub fn heard(&self, playbook: &PlaybookKey) -> Result<Vec<String>, ReadError> {
        self.reading(|conn| waits::heard(conn, playbook))
    }

    /// The workflows whose runs are above a run: who called it, who called that, and so on.
    ///
    /// # Errors
    /// [`ReadError`].
    pub fn callers(&self, playbook: &PlaybookKey, run: RunId) -> Result<Vec<String>, ReadError> {
        self.reading(|conn| runs::callers(conn, playbook, run))
    }

    /// How many tasks of a playbook hear its events.
    ///
    /// # Errors
    /// [`ReadError`].
    pub fn listeners(&self, playbook: &PlaybookKey) -> Result<u64, ReadError> {
        self.reading(|conn| waits::listeners(conn, playbook))
    }

    /// How far a playbook's events were matched, and what its triggers wait for, as JSON.
    ///
    /// # Errors
    /// [`ReadError`].
    pub fn reactions(&self, playbook: &PlaybookKey) -> Result<Option<(u64, String)>, ReadError> {
        self.reading(|conn| waits::reactions(conn, playbook))
    }
}
