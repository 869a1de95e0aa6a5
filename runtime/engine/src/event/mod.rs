//! Events: those published to a playbook, and the playbook's own facts as a fold sees them.

mod attribute;
mod own;
mod publish;

pub use own::{Seen, Unseen, seen};
pub use publish::{Published, check_sent, is_own, is_run, publish, same, take_over};
