//! Recorded inputs applied again: to another version of the document, or along another way.
//!
//! A recorded input names what it is about by the number of a wait, which another version numbers otherwise. So it is
//! first read as what happened, [`Happened`], and then fitted to the run it is given to. What both did is compared
//! stop by stop, and [`next`] decides what a scratch run takes next. Nothing here performs anything.

mod compare;
mod did;
mod happened;
mod next;
#[cfg(test)]
mod tests;

pub use compare::{Comparison, Difference, What};
pub use did::{Asked, Did, Moved};
pub use happened::{Hand, Happened, Turn, Waits};
pub use next::{Due, Next, Tape, next};
