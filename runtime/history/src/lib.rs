//! The event log: what a playbook recorded, in one SQLite file.
//!
//! Appends records to streams at an expected position, reads them back in the order they were recorded,
//! and keeps in the same transaction what is read too often to be folded each time: the list of runs and the open requests.
//! Beside the records it keeps the views that recall functions fold, since both must survive together.
//!
//! This crate decides nothing and reads no clock.
//! It must not know what a definition says, how a run is performed or who may ask; no other crate contains SQL.
//!
//! Every call here blocks on the disk, except [`History::append_async`] and [`History::follow`].

mod along;
mod append;
mod check;
mod commit;
mod content;
pub mod cursor;
mod error;
mod feed;
mod lock;
mod log;
mod migrate;
mod number;
mod page;
mod pool;
mod projection;
mod read;
mod record;
mod requests;
mod runs;
mod stream;
mod view;
mod waiting;
mod waits;
mod writer;

pub use commit::{Committed, Expected, NewCommit, Part};
pub use cursor::CursorError;
pub use error::{AppendError, OpenError, ReadError};
pub use feed::{FeedPage, FeedQuery, Order};
pub use log::{History, Sizes};
pub use page::{Page, PageQuery, Wanted};
pub use record::{Content, NewAppend, NewRecord, Record};
pub use requests::{OpenRequest, RequestsPage, RequestsQuery};
pub use runs::{RunRow, RunsPage, RunsQuery};
pub use stream::Stream;
pub use view::{LastEvent, Saved, ViewHead, ViewRow};
pub use waits::{ChildStands, Due, Listening, OpenCall, WaitChange};

/// The most records of one append.
pub const RECORDS_AN_APPEND: usize = 8;
/// The most bytes of one record's data, as JSON.
pub const DATA_BYTES: usize = 8 * 1024 * 1024;
/// The most levels one record's data nests: the deepest value of a run, and what a fact wraps around it.
pub const DATA_LEVELS: usize = playbook_model::limits::VALUE_LEVELS + 64;
/// Data of more bytes than this is kept apart from its record, once for all records that hold the same.
pub const KEPT_APART_BYTES: usize = 16 * 1024;

#[cfg(test)]
mod tests;
