//! What the playbook does by itself: runs that triggers start, and events that listening tasks hear.
//!
//! One follower a playbook reads its events in the order of the log. What it did is found again by the ids it made,
//! so whatever it does twice after a restart it does once.

mod filters;
mod follow;
mod listen;
mod looked;
mod pass;
mod start;

pub(crate) use follow::Followers;
pub(crate) use looked::{has_triggers, triggers_view};
