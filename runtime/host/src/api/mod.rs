//! The operations, as one typed table that every host serves.
//!
//! HTTP, the desktop and the command line read this table; none of them adds an operation of its own.
//! Nothing here knows a transport: a caller and a JSON object come in, a JSON value or a refusal goes out.

mod caller;
mod decode;
mod table;

pub use caller::{Caller, Permission, Playbooks};
pub use decode::{decode, from_query};
pub use table::{Field, Method, OPERATIONS, Operation, Place, Shape, operation};
