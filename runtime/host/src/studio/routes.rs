//! The Studio's routes, below `/studio/api`.

use crate::api::Method;

/// One route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Route {
    /// Its method.
    pub method: Method,
    /// Its path, parameters in braces.
    pub path: &'static str,
}

const fn get(path: &'static str) -> Route {
    Route { method: Method::Get, path }
}

const fn post(path: &'static str) -> Route {
    Route { method: Method::Post, path }
}

const fn put(path: &'static str) -> Route {
    Route { method: Method::Put, path }
}

/// Every route.
pub static ROUTES: &[Route] = &[
    get("/state"),
    post("/folder/open"),
    post("/folder/sample"),
    post("/folder/new"),
    post("/folder/close"),
    get("/folder"),
    post("/documents"),
    get("/documents/{type}/{name}"),
    put("/documents/{type}/{name}"),
    post("/documents/{type}/{name}/retire"),
    post("/documents/{type}/{name}/delete"),
    post("/check"),
    post("/edit"),
    post("/trial"),
    get("/views/{name}"),
    post("/views/{name}/refold"),
    post("/views/{name}/rehearse"),
    get("/views/{name}/rehearse/{id}"),
    post("/views/{name}/rehearse/{id}/stop"),
    post("/views/{name}/cases"),
    get("/views/{name}/scrub"),
    get("/views/{name}/scrub/{index}"),
    post("/views/{name}/scrub/jump"),
    get("/runs/{run}"),
    get("/runs/{run}/inputs"),
    get("/runs/{run}/inputs/{position}"),
    post("/runs/{run}/inputs/{position}/evaluate"),
    post("/runs/{run}/replay"),
    post("/runs/{run}/fork"),
    post("/runs/{run}/keep"),
    get("/triggers"),
    post("/triggers/{workflow}/try"),
    get("/changes"),
    get("/inputs/{type}/{name}"),
    post("/inputs/{type}/{name}"),
    get("/servers"),
    post("/servers"),
    put("/servers/{id}"),
    post("/servers/{id}/delete"),
    post("/publish/plan"),
    post("/publish/apply"),
];
