//! The operations over HTTP: routes, bodies, keys, origins, problem documents and the web UI.
//!
//! Everything an address answers is a [`Site`]; [`serve`] puts it on an address, and [`router`] gives it to a
//! program that asks in process.
//! This crate knows the table of operations and the two seams in [`seam`]; it knows no log, no folder and no engine.

mod behind;
mod body;
mod bounded;
mod input;
mod keys;
mod listen;
mod markdown;
mod openapi;
mod openapi_answers;
mod origin;
mod page;
mod problem;
mod route;
pub mod seam;
pub mod settings;
mod site;

pub use keys::{Key, NewKey, make as make_key, read_keys};
pub use listen::{Running, StartError, serve};
pub use markdown::render as render_markdown;
pub use openapi::document as openapi;
pub use origin::{Origins, is_loopback_host as is_loopback};
pub use page::{Ui, UiMissing};
pub use problem::Problem;
pub use site::{Access, Site, SiteOptions};

/// The site as a router, for a program that asks in process.
pub fn router(site: Site) -> axum::Router {
    axum::Router::new().fallback(move |request: axum::extract::Request| {
        let site = site.clone();
        async move { site.answer(request).await }
    })
}
