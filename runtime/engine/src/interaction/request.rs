//! What a run asks: its templates rendered once, and how a run ends whose templates do not render.

use playbook_definition::{InteractionDetails, TemplateText};
use playbook_model::ending::{Issue, Kind, Reason, Rejection};
use playbook_model::limits::{MESSAGE_BYTES, PARTY_BYTES};
use playbook_model::position::LineIndex;
use playbook_model::record::InteractionRequest;
use playbook_model::time::Moment;
use playbook_model::word::thousands;
use playbook_template::{CHARGE, RENDER_MILLISECONDS, RENDERED_CHARACTERS, Stop, Structures, SystemBlock, Template};
use serde_json::{Value, json};

/// What a run of an interaction function comes to when it starts.
#[derive(Debug, Clone, PartialEq)]
pub enum Asked {
    /// It asks and waits.
    Request(Box<InteractionRequest>),
    /// It takes no answer, so it is done.
    Told,
    /// It ends without asking.
    Ended {
        /// How.
        rejection: Rejection,
        /// What the run keeps of it: the place in the document.
        record: Option<Value>,
    },
}

/// Renders what a run asks. "Starting a request".
///
/// `at` is the moment the run started: `today`, `now` and the time of the request. `time_is_up` bounds each template.
#[must_use]
pub fn request(
    details: &InteractionDetails,
    input_schema: Option<&Value>,
    input: &Value,
    at: Moment,
    time_is_up: &dyn Fn() -> bool,
) -> Asked {
    match rendered(details, input_schema, input, at, time_is_up) {
        Ok(asked) => asked,
        Err((rejection, record)) => Asked::Ended { rejection, record },
    }
}

type Refused = (Rejection, Option<Value>);

fn rendered(
    details: &InteractionDetails,
    input_schema: Option<&Value>,
    input: &Value,
    at: Moment,
    time_is_up: &dyn Fn() -> bool,
) -> Result<Asked, Refused> {
    playbook_schema::check_input(input_schema, input).map_err(plain)?;
    let now = at.iso();
    let today = Value::from(&now[..now.find('T').unwrap_or(now.len())]);
    let values = [("input", input), ("today", &today), ("now", &Value::from(now.clone()))];
    let to = render(&details.to, &PARTY, &values, time_is_up)?;
    let to = party(to.trim()).map_err(|why| unworkable(PARTY.place, format!("The party {why}")))?;
    let message = render(&details.message, &MESSAGE, &values, time_is_up)?;
    let message = message.trim();
    if message.is_empty() {
        return Err(plain(Rejection::new(Reason::InvalidInput, "The message is empty with this input").issues(vec![
            Issue { detail: "The message renders to nothing but white space".into(), pointer: "/input".into() },
        ])));
    }
    if message.len() > MESSAGE_BYTES {
        let words = format!(
            "The message is {} bytes long; at most {} are asked",
            thousands(message.len() as u64),
            thousands(MESSAGE_BYTES as u64)
        );
        return Err(unworkable(MESSAGE.place, words));
    }
    let Some(answer_schema) = &details.answer_schema else { return Ok(Asked::Told) };
    let expires = i64::try_from(details.expires).unwrap_or(i64::MAX);
    Ok(Asked::Request(Box::new(InteractionRequest {
        to: to.to_owned(),
        message: message.to_owned(),
        answer_schema: answer_schema.clone(),
        requested_at: at,
        expires_at: Moment(at.0.saturating_add(expires)),
    })))
}

/// A template of a document: how sentences name it, and where it stands.
struct Part {
    name: &'static str,
    place: &'static str,
}

const PARTY: Part = Part { name: "party", place: "/to" };
const MESSAGE: Part = Part { name: "message", place: "" };

fn plain(rejection: Rejection) -> Refused {
    (rejection, None)
}

fn unworkable(place: &str, words: String) -> Refused {
    let record = (!place.is_empty()).then(|| json!({ "place": place }));
    (Rejection::new(Reason::Conflict, words).kind(Kind::Unworkable), record)
}

/// A name for a party, or what is wrong with it.
fn party(to: &str) -> Result<&str, String> {
    if to.is_empty() {
        return Err("renders to nothing".into());
    }
    if to.len() > PARTY_BYTES {
        return Err(format!("is {} bytes long; at most {PARTY_BYTES} are taken", thousands(to.len() as u64)));
    }
    if to.chars().any(char::is_control) {
        return Err("holds a control character".into());
    }
    Ok(to)
}

fn render(
    template: &TemplateText,
    part: &Part,
    values: &[(&str, &Value)],
    time_is_up: &dyn Fn() -> bool,
) -> Result<String, Refused> {
    let Ok(parsed) = Template::parse(&template.text, SystemBlock::Unknown) else {
        // A document whose templates do not parse is not saved; one saved otherwise cannot be asked.
        return Err(unworkable(part.place, format!("The {} cannot be read; save the function again", part.name)));
    };
    let stop = match parsed.render(values, Structures::Refused, time_is_up) {
        Ok(rendered) => return Ok(rendered.message),
        Err(stop) => stop,
    };
    let line = LineIndex::new(&template.text).place(stop.span().start).line + template.first_line - 1;
    let name = part.name;
    let invalid = |summary: String, detail: String, pointer: String| {
        let issue = Issue { detail: format!("Line {line}: {detail}"), pointer };
        Err(plain(Rejection::new(Reason::InvalidInput, summary).issues(vec![issue])))
    };
    match stop {
        Stop::Missing { path, .. } => {
            let read = path.join(".");
            let pointer = match path.split_first() {
                Some((root, steps)) if root == "input" => {
                    steps.iter().fold("/input".to_owned(), |pointer, step| playbook_model::json::join(&pointer, step))
                }
                _ => "/input".to_owned(),
            };
            invalid(
                format!("The {name} reads a field that the input does not have"),
                format!("the {name} reads {read}, which is not there"),
                pointer,
            )
        }
        Stop::Refused { words, .. } => {
            invalid(format!("The {name} cannot be rendered with this input"), words, "/input".into())
        }
        Stop::TooLong { .. } => invalid(
            format!("The {name} would be longer than may be rendered"),
            format!("the {name} passes {} characters", thousands(RENDERED_CHARACTERS as u64)),
            "/input".into(),
        ),
        Stop::TooMuch { .. } => invalid(
            format!("The {name} takes more memory than a render may"),
            format!("its filters and ranges pass {} characters and items", thousands(CHARGE as u64)),
            "/input".into(),
        ),
        Stop::TimeUp { .. } => invalid(
            format!("The {name} takes more time than a render may"),
            format!("the {name} takes longer than {RENDER_MILLISECONDS} milliseconds"),
            "/input".into(),
        ),
        Stop::Structure { .. } => Err(unworkable(
            part.place,
            format!("Line {line}: The {name} writes a list or an object as text; write it with the filter json"),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn details(to: &str, message: &str) -> InteractionDetails {
        InteractionDetails {
            to: TemplateText { text: to.into(), first_line: 3 },
            expires: 60_000,
            message: TemplateText { text: message.into(), first_line: 10 },
            answer_schema: Some(json!({"type": "object"})),
        }
    }

    fn asked(to: &str, message: &str, input: Value) -> Asked {
        request(&details(to, message), None, &input, Moment(1_791_045_605_000), &|| false)
    }

    fn ended(to: &str, message: &str, input: Value) -> (Reason, Option<Kind>, String, Vec<Issue>, Option<Value>) {
        match asked(to, message, input) {
            Asked::Ended { rejection, record } => {
                (rejection.reason, rejection.kind, rejection.detail, rejection.issues, record)
            }
            other => panic!("it did not end: {other:?}"),
        }
    }

    #[test]
    fn a_request_is_rendered_once_with_the_time_of_its_start() {
        let found = asked(" {{ input.owner }} ", "\nDue {{ today }}, {{ now }}.\n", json!({"owner": "anna"}));
        assert_eq!(
            found,
            Asked::Request(Box::new(InteractionRequest {
                to: "anna".into(),
                message: "Due 2026-10-03, 2026-10-03T16:40:05.000Z.".into(),
                answer_schema: json!({"type": "object"}),
                requested_at: Moment(1_791_045_605_000),
                expires_at: Moment(1_791_045_665_000),
            }))
        );
        let told = InteractionDetails { answer_schema: None, ..details("a", "b") };
        assert_eq!(request(&told, None, &json!({}), Moment(0), &|| false), Asked::Told);
    }

    #[test]
    fn a_missing_field_is_told_at_its_pointer_with_its_line() {
        let (reason, kind, detail, issues, _) = ended("a", "one\n{{ input.review }}", json!({}));
        assert_eq!((reason, kind), (Reason::InvalidInput, None));
        assert_eq!(detail, "The message reads a field that the input does not have");
        assert_eq!(issues[0].pointer, "/input/review");
        assert_eq!(issues[0].detail, "Line 11: the message reads input.review, which is not there");
        let (_, _, _, issues, _) = ended("a", "{% for x in input.l %}{{ x.b }}{% endfor %}", json!({"l": [{}]}));
        assert_eq!(issues[0].pointer, "/input");
    }

    #[test]
    fn a_party_is_a_short_text() {
        for input in [json!({"to": ""}), json!({"to": "a\nb"}), json!({"to": "a".repeat(257)}), json!({"to": ["a"]})] {
            let (reason, kind, _, _, record) = ended("{{ input.to }}", "hello", input);
            assert_eq!((reason, kind), (Reason::Conflict, Some(Kind::Unworkable)));
            assert_eq!(record, Some(json!({"place": "/to"})));
        }
        assert!(matches!(asked("{{ input.to }}", "hello", json!({"to": "a".repeat(256)})), Asked::Request(_)));
    }

    #[test]
    fn a_message_has_its_bounds() {
        let fits = json!({"text": "a".repeat(MESSAGE_BYTES)});
        assert!(matches!(asked("a", "{{ input.text }}", fits), Asked::Request(_)));
        let over = json!({"text": "a".repeat(MESSAGE_BYTES + 1)});
        let (reason, kind, _, _, record) = ended("a", "{{ input.text }}", over);
        assert_eq!((reason, kind, record), (Reason::Conflict, Some(Kind::Unworkable), None));
        assert_eq!(ended("a", "{{ input.text }}", json!({"text": " "})).0, Reason::InvalidInput);
        assert_eq!(ended("a", "{{ input }}", json!({})).1, Some(Kind::Unworkable));
        assert_eq!(ended("a", "{{ 'x' | money }}", json!({})).0, Reason::InvalidInput);
        let long = ended("a", "{% for i in (1..200001) %}a{% endfor %}", json!({}));
        assert_eq!((long.0, long.1), (Reason::InvalidInput, None));
    }

    #[test]
    fn time_and_input_are_checked() {
        let up = request(&details("a", "b"), None, &json!({}), Moment(0), &|| true);
        assert!(matches!(up, Asked::Ended { rejection, .. } if rejection.reason == Reason::InvalidInput));
        let schema = json!({"type": "object", "required": ["owner"], "properties": {"owner": {"type": "string"}}});
        let unfit = request(&details("a", "b"), Some(&schema), &json!({}), Moment(0), &|| false);
        assert!(matches!(unfit, Asked::Ended { rejection, .. } if rejection.issues[0].pointer == "/input/owner"));
    }
}
