//! Markdown to HTML that is safe to show.
//!
//! A Mermaid block arrives as `<pre class="mermaid-source">`, its text untouched, for the page to draw.
//! Everything a browser could act on is taken out: scripts, styles, forms, frames and pictures.

use ammonia::Builder;
use pulldown_cmark::{CodeBlockKind, CowStr, Event, Options, Parser, Tag, TagEnd, html};
use serde_json::{Map, Value};
use std::sync::LazyLock;

static SANITISER: LazyLock<Builder<'static>> = LazyLock::new(|| {
    let mut builder = Builder::default();
    builder
        .add_allowed_classes("pre", ["mermaid-source"])
        // Pictures would fetch from elsewhere and tell who reads.
        .rm_tags(["img", "map", "area"])
        .url_schemes(["http", "https", "mailto"].into_iter().collect())
        .link_rel(Some("noopener noreferrer"));
    builder
});

/// The most Markdown of an author that is rendered, in bytes: as large as an overview may be.
pub(crate) const TEXT_BYTES: usize = 16_384;

/// Renders Markdown as sanitised HTML.
#[must_use]
pub fn render(markdown: &str) -> String {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let events = mermaid_apart(Parser::new_ext(markdown, options));
    let mut out = String::with_capacity(markdown.len() * 2);
    html::push_html(&mut out, events.into_iter());
    SANITISER.clean(&out).to_string()
}

/// Puts each Mermaid block into the element that the page looks for.
fn mermaid_apart<'a>(events: impl Iterator<Item = Event<'a>>) -> Vec<Event<'a>> {
    let mut out = Vec::new();
    let mut diagram: Option<String> = None;
    for event in events {
        match (event, diagram.take()) {
            (Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))), None) if is_mermaid(&info) => {
                diagram = Some(String::new());
            }
            (Event::Text(text), Some(mut held)) => {
                held.push_str(&text);
                diagram = Some(held);
            }
            (Event::End(TagEnd::CodeBlock), Some(held)) => {
                let block = format!("<pre class=\"mermaid-source\">{}</pre>\n", escape(&held));
                out.push(Event::Html(CowStr::from(block)));
            }
            (event, held) => {
                diagram = held;
                out.push(event);
            }
        }
    }
    out
}

fn is_mermaid(info: &str) -> bool {
    info.split_whitespace().next() == Some("mermaid")
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Adds `overview_html` beside each `overview_markdown` of an answer: that of a check, alone or in its document.
pub(crate) fn add_overviews(answer: &mut Value) {
    let Value::Object(members) = answer else { return };
    add_overview(members);
    for name in ["check", "document"] {
        if let Some(inner) = members.get_mut(name) {
            add_overviews(inner);
        }
    }
}

fn add_overview(members: &mut Map<String, Value>) {
    let Some(markdown) = members.get("overview_markdown") else { return };
    let html = markdown.as_str().map_or(Value::Null, |markdown| Value::String(render(markdown)));
    members.insert("overview_html".into(), html);
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn words_and_tables_are_kept() {
        let html = render("# A\n\nb **c** <https://d.example>\n\n| x | y |\n|---|---|\n| 1 | 2 |\n");
        for part in ["<h1>A</h1>", "<strong>c</strong>", "href=\"https://d.example\"", "<td>1</td>"] {
            assert!(html.contains(part), "{html}");
        }
    }

    #[test]
    fn a_diagram_keeps_its_text() {
        let html = render("```mermaid\nflowchart TB\n  a[\"x < y & z\"] --> b\n```\n\n```ts\nlet a = 1;\n```\n");
        assert!(
            html.contains("<pre class=\"mermaid-source\">flowchart TB\n  a[\"x &lt; y &amp; z\"] --&gt; b\n</pre>"),
            "{html}"
        );
        assert!(html.contains("let a = 1;"), "{html}");
    }

    #[test]
    fn nothing_that_acts_is_left() {
        let hostile = "<script>x()</script><img src=x onerror=x()><a href=\"javascript:x()\">a</a>\
            <iframe src=\"//e.example\"></iframe><p style=\"position:fixed\" onclick=\"x()\" class=\"a\">b</p>\n\n\
            [c](javascript:x) ![d](https://e.example/t.png)\n\n```mermaid\n</pre><script>x()</script>\n```\n<form action=x><button>go</button></form>";
        let html = render(hostile);
        for word in
            ["<script", "<img", "javascript:", "<iframe", "style=", "onclick", "<form", "class=\"a\"", "e.example"]
        {
            assert!(!html.contains(word), "{word}: {html}");
        }
    }

    #[test]
    fn deep_nesting_ends() {
        for hostile in ["> ", "[", "* ", "<b>"] {
            let html = render(&hostile.repeat(TEXT_BYTES / hostile.len()));
            assert!(!html.is_empty(), "{hostile}");
        }
    }

    #[test]
    fn each_check_gets_its_html() {
        let mut answer =
            json!({"document": {"check": {"overview_markdown": "*a*"}}, "check": {"overview_markdown": null}});
        add_overviews(&mut answer);
        assert_eq!(answer["document"]["check"]["overview_html"], "<p><em>a</em></p>\n");
        assert_eq!(answer["check"]["overview_html"], Value::Null);
    }
}
