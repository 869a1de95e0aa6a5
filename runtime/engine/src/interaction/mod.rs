//! Asking a party: what a run asks, and what answers, expires or cancels it.
//!
//! The first settlement that is recorded wins; each is decided on the run's own stream.

mod request;
mod settle;

pub use playbook_template::RENDER_MILLISECONDS;
pub use request::{Asked, request};
pub use settle::{Settled, answer, cancel, expire};
