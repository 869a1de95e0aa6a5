//! The words every other room uses: ids, problems, endings, events, records and bounds.
//!
//! This crate knows no file, no clock, no database and no engine.
//! It holds values and the rules about one value alone.

pub mod conversation;
pub mod definition;
pub mod difference;
pub mod duration;
pub mod ending;
pub mod event;
pub mod id;
pub mod json;
pub mod limits;
pub mod position;
pub mod problem;
pub mod record;
pub mod refusal;
pub mod time;
pub mod word;
