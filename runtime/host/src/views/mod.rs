//! Keeps the views of recall functions: "How the view is kept".
//!
//! Woken by every append of this process and once a second; each pass reads pages, has them folded by workers
//! and writes each view once a page.

mod bench;
mod keeper;
mod kept;
mod pass;
mod standing;

pub(crate) use bench::Refolded;
pub(crate) use keeper::Keeper;
pub(crate) use pass::{Ready, recall_details};
