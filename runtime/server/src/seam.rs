//! What the server asks of whoever stands behind it.
//!
//! The server knows the table of operations and these two seams; it knows no runtime, no folder and no log.

use playbook_host::api::{Caller, Method, Operation};
use playbook_model::refusal::Refusal;
use serde_json::{Map, Value};
use std::pin::Pin;

/// An answer that comes later. It owns all it needs, so that it goes on when nobody waits for it any more.
pub type Later<T> = Pin<Box<dyn Future<Output = T> + Send + 'static>>;

/// The public operations, performed.
pub trait Operations: Send + Sync + 'static {
    /// Performs one operation on its raw fields: those of the path, of the query and of the body.
    ///
    /// The answer runs to its end whether or not the client still waits.
    fn call(
        &self,
        operation: &'static Operation,
        caller: Caller,
        input: Map<String, Value>,
    ) -> Later<Result<Value, Refusal>>;

    /// Whether a caller may ask for an operation at all, told from the fields of its path.
    ///
    /// Asked before a body is read, so that a caller who may not learns nothing about it.
    ///
    /// # Errors
    /// The refusal.
    fn admit(&self, operation: &'static Operation, caller: &Caller, path: &Map<String, Value>) -> Result<(), Refusal>;
}

/// One route of the Studio's own API.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Route {
    /// Its method.
    pub method: Method,
    /// Its path below the server's root, parameters in braces.
    pub path: &'static str,
}

/// How the Studio's own API refuses: a refusal, and members that its problem document has besides.
#[derive(Debug, Clone, PartialEq)]
pub struct WorkspaceRefusal {
    /// The refusal.
    pub refusal: Refusal,
    /// Further members of the problem document.
    pub extra: Map<String, Value>,
}

/// The folder a person works on: the Studio's own API, which is no part of the public operations.
pub trait Workspace: Send + Sync + 'static {
    /// Its routes.
    fn routes(&self) -> Vec<Route>;

    /// Answers one of [`Workspace::routes`] on the fields of the path, of the query and of the body.
    fn call(&self, route: Route, params: Map<String, Value>) -> Later<Result<Value, WorkspaceRefusal>>;
}
