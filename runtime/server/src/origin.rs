//! Where a request comes from: the origins that may call, and the hosts that a server on loopback is called by.
//!
//! Spec "CORS" and "Local mode extra guard".

use crate::problem::Problem;
use http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_METHOD, HOST, ORIGIN, VARY,
};
use http::request::Parts;
use http::{HeaderMap, HeaderValue, Method};
use std::net::IpAddr;

/// The Studio's own origin, which is always allowed.
const STUDIO: &str = "https://studio.on.auto";

/// The origins that may call, besides the server's own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origins {
    allowed: Vec<String>,
}

impl Default for Origins {
    fn default() -> Self {
        Self { allowed: vec![STUDIO.to_owned()] }
    }
}

impl Origins {
    /// The Studio's origin and those of the setting.
    ///
    /// # Errors
    /// What is wrong, as the end of a sentence, without the value.
    pub fn new(given: impl IntoIterator<Item = String>) -> Result<Self, String> {
        let mut origins = Self::default();
        for (at, origin) in given.into_iter().enumerate() {
            let uri: Option<http::Uri> = origin.parse().ok();
            let fits = uri.is_some_and(|uri| {
                matches!(uri.scheme_str(), Some("http" | "https"))
                    && uri.authority().is_some_and(|a| !a.as_str().contains('@'))
                    && uri.path_and_query().is_none_or(|path| path.as_str() == "/")
            });
            if !fits || origin.ends_with('/') || origin != origin.to_ascii_lowercase() {
                return Err(format!(
                    "entry {} is not an origin such as https://studio.example, in lowercase and without a path",
                    at + 1
                ));
            }
            origins.allowed.push(origin);
        }
        Ok(origins)
    }

    fn holds(&self, origin: &str) -> bool {
        self.allowed.iter().any(|allowed| allowed == origin)
    }
}

/// Which hosts a request may name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Hosts {
    /// Names of this machine alone: a page of another name that resolves here is kept out.
    Loopback,
    /// Any.
    Any,
}

/// Checks the host and the origin of a request, in that order.
///
/// # Errors
/// 403 `origin_not_allowed`.
pub(crate) fn check(parts: &Parts, origins: &Origins, hosts: Hosts) -> Result<(), Problem> {
    let host = host(parts);
    if hosts == Hosts::Loopback && !host.is_some_and(is_loopback_host) {
        return Err(Problem::origin("A server in local mode is called as localhost or by a loopback address."));
    }
    let Some(origin) = parts.headers.get(ORIGIN) else { return Ok(()) };
    let known = origin.to_str().is_ok_and(|origin| origins.holds(origin) || is_own(origin, host));
    if known { Ok(()) } else { Err(Problem::origin("Requests from this origin are not allowed.")) }
}

/// The host a request names: that of its target, else that of its header.
fn host(parts: &Parts) -> Option<&str> {
    let target = parts.uri.authority().map(http::uri::Authority::as_str);
    let mut headers = parts.headers.get_all(HOST).iter();
    let header = headers.next().and_then(|host| host.to_str().ok());
    if headers.next().is_some() { None } else { target.or(header) }
}

/// Whether an origin is the server's own: a page it served itself.
fn is_own(origin: &str, host: Option<&str>) -> bool {
    let name = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
    matches!((name, host), (Some(name), Some(host)) if name.eq_ignore_ascii_case(host))
}

/// Whether a host, with or without a port, is a name of this machine: `localhost`, `127.0.0.0/8` or `::1`.
#[must_use]
pub fn is_loopback_host(host: &str) -> bool {
    let Ok(authority) = host.parse::<http::uri::Authority>() else { return false };
    if authority.as_str().contains('@') {
        return false;
    }
    let name = authority.host().trim_start_matches('[').trim_end_matches(']');
    name.eq_ignore_ascii_case("localhost") || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// Whether a request asks beforehand whether another may follow.
pub(crate) fn is_preflight(parts: &Parts) -> bool {
    parts.method == Method::OPTIONS
        && parts.headers.contains_key(ORIGIN)
        && parts.headers.contains_key(ACCESS_CONTROL_REQUEST_METHOD)
}

/// The headers of an answer to a preflight.
pub(crate) fn preflight(headers: &mut HeaderMap) {
    headers.insert(ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("GET, HEAD, POST, PUT"));
    headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, HeaderValue::from_static("authorization, content-type"));
    headers.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("600"));
}

/// Adds what lets a page of an allowed origin read the answer; the answer differs by origin either way.
pub(crate) fn mark(headers: &mut HeaderMap, origin: Option<&HeaderValue>, origins: &Origins) {
    headers.append(VARY, HeaderValue::from_static("Origin"));
    let Some(origin) = origin.filter(|origin| origin.to_str().is_ok_and(|origin| origins.holds(origin))) else {
        return;
    };
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
    headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static("x-request-id"));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_of_this_machine() {
        for host in ["localhost", "LOCALHOST:80", "127.0.0.1", "127.9.9.9:8080", "[::1]", "[::1]:8080"] {
            assert!(is_loopback_host(host), "{host}");
        }
        for host in
            ["", "localhost.evil.example", "evil.example", "10.0.0.1", "0.0.0.0", "[::]", "a@localhost", "::1:x"]
        {
            assert!(!is_loopback_host(host), "{host}");
        }
    }

    #[test]
    fn origins_are_written_as_browsers_send_them() {
        assert!(Origins::new(["http://localhost:5173".into(), "https://a.example".into()]).is_ok());
        for wrong in
            ["*", "null", "a.example", "https://a.example/", "https://a.example/x", "HTTPS://a.example", "ftp://a"]
        {
            assert!(Origins::new([wrong.to_owned()]).is_err(), "{wrong}");
        }
        assert!(Origins::default().holds(STUDIO));
    }
}
