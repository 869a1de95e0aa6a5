//! The runtime: opens playbooks, drives views, offers the operations, and works on a folder for the Studio.
//!
//! Everything that acts goes through here; nothing here knows HTTP, a window or a terminal.

mod again;
pub mod api;
mod call;
pub mod cases;
mod clock;
pub mod folder;
mod index;
pub mod moving;
mod ops;
mod reactions;
pub mod replay;
mod runtime;
mod stand_in;
mod steps;
pub mod studio;
mod views;
mod workflows;

pub use call::admit;
pub use clock::{Clock, SetClock};
pub use playbook_definition::case;
pub use playbook_publish as publish;
pub use playbook_typescript::Compiler;
pub use playbook_worker::main_if_worker;
pub use runtime::{OpenError, Place, Runtime, Settings, Views};
pub use stand_in::StandIns;
pub use steps::Waiting;
