//! Runs of workflows: each input is decided on the run's state, recorded with all it leads to, and then performed.
//!
//! What a run waits for is written in the same transaction as the record that decided it, so a program that is killed
//! at any moment finds, when it opens the log again, either both or neither. Nothing that waits is in memory.

mod alarm;
mod begin;
mod bridge;
mod calls;
mod cancels;
mod decide;
mod events;
mod recover;
mod rest;
mod runs;

pub(crate) use alarm::Alarm;
pub(crate) use bridge::{Bridge, evaluate_once};
pub(crate) use cancels::Performing;
pub(crate) use decide::{answer_of, refused};
pub(crate) use runs::Runs;
