//! Finds the route of a path: literal segments beat parameters, segments are decoded one by one.
//!
//! Knows texts alone: no request, no operation.

use percent_encoding::percent_decode_str;
use playbook_host::api::Method;

/// One part of a route between two slashes.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Literal(&'static str),
    Parameter(&'static str),
}

#[derive(Debug)]
struct Entry<T> {
    parts: Vec<Part>,
    method: Method,
    target: T,
}

/// Routes by path and method.
#[derive(Debug)]
pub(crate) struct Routes<T> {
    entries: Vec<Entry<T>>,
}

/// What a path and a method lead to.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Found<T> {
    /// A route, with the parameters of its path, decoded.
    Route(T, Vec<(&'static str, String)>),
    /// The path is there under other methods: the value of `Allow`.
    OtherMethod(String),
    /// No such path.
    Nothing,
    /// A segment is no text once decoded.
    Unreadable,
}

fn parts(template: &'static str) -> Vec<Part> {
    let part = |text: &'static str| match text.strip_prefix('{').and_then(|t| t.strip_suffix('}')) {
        Some(name) => Part::Parameter(name),
        None => Part::Literal(text),
    };
    template.trim_start_matches('/').split('/').map(part).collect()
}

impl<T: Copy> Routes<T> {
    /// Routes of a list of method, template and target.
    pub(crate) fn new(routes: impl IntoIterator<Item = (Method, &'static str, T)>) -> Self {
        let entries = routes.into_iter().map(|(method, path, target)| Entry { parts: parts(path), method, target });
        Self { entries: entries.collect() }
    }

    /// Finds a path as it stands in the request, still percent-encoded.
    pub(crate) fn find(&self, path: &str, method: &http::Method) -> Found<T> {
        let Some(path) = path.strip_prefix('/') else { return Found::Nothing };
        let mut segments = Vec::new();
        for raw in path.split('/') {
            match percent_decode_str(raw).decode_utf8() {
                Ok(text) => segments.push(text.into_owned()),
                Err(_) => return Found::Unreadable,
            }
        }
        let matching = self.entries.iter().filter(|entry| fits(&entry.parts, &segments));
        let Some(best) = matching.clone().min_by_key(|entry| rank(&entry.parts)) else { return Found::Nothing };
        let same = matching.filter(|entry| rank(&entry.parts) == rank(&best.parts));
        let wanted = if method == http::Method::HEAD { "GET" } else { method.as_str() };
        match same.clone().find(|entry| entry.method.word() == wanted) {
            Some(entry) => Found::Route(entry.target, taken(&entry.parts, segments)),
            None => Found::OtherMethod(allow(same.map(|entry| entry.method))),
        }
    }
}

fn fits(parts: &[Part], segments: &[String]) -> bool {
    parts.len() == segments.len()
        && parts.iter().zip(segments).all(|(part, segment)| match part {
            Part::Literal(text) => text == segment,
            Part::Parameter(_) => !segment.is_empty(),
        })
}

/// Lower is more exact: from the left, a literal comes before a parameter.
fn rank(parts: &[Part]) -> Vec<bool> {
    parts.iter().map(|part| matches!(part, Part::Parameter(_))).collect()
}

fn taken(parts: &[Part], segments: Vec<String>) -> Vec<(&'static str, String)> {
    let pairs = parts.iter().zip(segments);
    pairs
        .filter_map(|(part, segment)| match part {
            Part::Parameter(name) => Some((*name, segment)),
            Part::Literal(_) => None,
        })
        .collect()
}

fn allow(methods: impl Iterator<Item = Method>) -> String {
    let mut words: Vec<&str> = Vec::new();
    for method in methods {
        words.push(method.word());
        if method == Method::Get {
            words.push("HEAD");
        }
    }
    words.sort_unstable();
    words.dedup();
    words.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn routes() -> Routes<u8> {
        Routes::new([
            (Method::Get, "/a/{x}", 1),
            (Method::Get, "/a/fixed", 2),
            (Method::Post, "/a/{x}", 3),
            (Method::Put, "/a/{x}/b/{y}", 4),
        ])
    }

    #[test]
    fn literals_beat_parameters() {
        assert_eq!(routes().find("/a/fixed", &http::Method::GET), Found::Route(2, vec![]));
        assert_eq!(routes().find("/a/other", &http::Method::GET), Found::Route(1, vec![("x", "other".into())]));
        assert_eq!(routes().find("/a/fixed", &http::Method::POST), Found::OtherMethod("GET, HEAD".into()));
    }

    #[test]
    fn segments_are_decoded_after_they_are_split() {
        let found = routes().find("/a/1%2F2/b/%C3%A9", &http::Method::PUT);
        assert_eq!(found, Found::Route(4, vec![("x", "1/2".into()), ("y", "é".into())]));
        assert_eq!(routes().find("/a/%FF", &http::Method::GET), Found::Unreadable);
    }

    #[test]
    fn what_is_not_there_is_nothing() {
        for path in ["/", "", "/a", "/a/", "/a/x/", "//a/x", "/b/x", "/a/x/b", "*"] {
            assert_eq!(routes().find(path, &http::Method::GET), Found::Nothing, "{path}");
        }
    }

    #[test]
    fn another_method_is_told_which_there_are() {
        assert_eq!(routes().find("/a/x", &http::Method::DELETE), Found::OtherMethod("GET, HEAD, POST".into()));
        assert!(matches!(routes().find("/a/x", &http::Method::HEAD), Found::Route(1, _)));
    }
}
