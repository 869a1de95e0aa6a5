//! The commands, one file each.

pub(crate) mod again;
pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod events;
pub(crate) mod fold;
pub(crate) mod follow;
pub(crate) mod history;
pub(crate) mod inbox;
pub(crate) mod init;
pub(crate) mod key;
pub(crate) mod publish;
pub(crate) mod run;
pub(crate) mod serve;
pub(crate) mod show;
pub(crate) mod step;
pub(crate) mod test;
