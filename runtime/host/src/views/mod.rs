//! Keeps the views of recall functions: "How the view is kept".
//!
//! Each playbook is followed by a task of its own, woken by every append to it and once a second. A pass reads pages,
//! once for all views that stand at one place, has them folded by workers and writes each view once a page.

mod bench;
mod job;
mod keeper;
mod kept;
mod pass;
mod read;
mod standing;

#[cfg(test)]
mod tests;

pub(crate) use bench::Refolded;
pub(crate) use job::{expressions, halt};
pub(crate) use keeper::Keeper;
pub(crate) use pass::{Ready, recall_details};
