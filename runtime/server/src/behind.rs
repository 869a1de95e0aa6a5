//! What stands behind the seams: a runtime, or the Studio with the folder it has open.
//!
//! Knows how each is asked and nothing of what it answers.

use crate::seam::{Later, Operations, Route, Workspace, WorkspaceRefusal};
use playbook_host::Runtime;
use playbook_host::api::{Caller, Operation};
use playbook_host::studio::{ROUTES, Studio};
use playbook_model::ending::{Reason, Rejection};
use playbook_model::refusal::Refusal;
use serde_json::{Map, Value};
use std::sync::OnceLock;

/// Where the Studio's own routes begin.
const STUDIO: &str = "/studio/api";

impl Operations for Runtime {
    fn call(
        &self,
        operation: &'static Operation,
        caller: Caller,
        input: Map<String, Value>,
    ) -> Later<Result<Value, Refusal>> {
        let runtime = self.clone();
        Box::pin(async move { Runtime::call(&runtime, operation, &caller, input).await })
    }

    fn admit(&self, operation: &'static Operation, caller: &Caller, path: &Map<String, Value>) -> Result<(), Refusal> {
        playbook_host::admit(operation, caller, path)
    }
}

impl Operations for Studio {
    fn call(
        &self,
        operation: &'static Operation,
        caller: Caller,
        input: Map<String, Value>,
    ) -> Later<Result<Value, Refusal>> {
        let runtime = self.runtime();
        Box::pin(async move {
            match runtime {
                Some(runtime) => Runtime::call(&runtime, operation, &caller, input).await,
                None => Err(Rejection::new(Reason::Conflict, "No folder is open; open one first").into()),
            }
        })
    }

    fn admit(&self, operation: &'static Operation, caller: &Caller, path: &Map<String, Value>) -> Result<(), Refusal> {
        playbook_host::admit(operation, caller, path)
    }
}

impl Workspace for Studio {
    fn routes(&self) -> Vec<Route> {
        paths().iter().zip(ROUTES).map(|(path, route)| Route { method: route.method, path }).collect()
    }

    fn call(&self, route: Route, params: Map<String, Value>) -> Later<Result<Value, WorkspaceRefusal>> {
        let studio = self.clone();
        Box::pin(async move {
            let own = ROUTES
                .iter()
                .find(|own| own.method == route.method && route.path.strip_prefix(STUDIO) == Some(own.path))
                .expect("the server calls a route of the list it was given");
            let answer = Studio::call(&studio, own, params).await;
            answer.map_err(|refused| WorkspaceRefusal { refusal: refused.refusal, extra: refused.extra })
        })
    }
}

/// The routes' whole paths, made once for the life of the program.
fn paths() -> &'static [String] {
    static PATHS: OnceLock<Vec<String>> = OnceLock::new();
    PATHS.get_or_init(|| ROUTES.iter().map(|route| format!("{STUDIO}{}", route.path)).collect())
}
