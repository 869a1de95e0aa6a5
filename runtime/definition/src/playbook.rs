//! `playbook.yaml`: a playbook's id, name and description, under the same strict YAML as a document's front matter.

use crate::yaml::{Yaml, load};
use playbook_model::id::PlaybookId;
use playbook_model::position::{LineIndex, Span};
use playbook_model::problem::{Place, Problem};
use serde_json::Value;

const FIELDS: [&str; 3] = ["id", "name", "description"];
const NAME_CHARACTERS: usize = 100;
const DESCRIPTION_CHARACTERS: usize = 2_000;

/// Reads `playbook.yaml`: the id, the name and the description, empty where it gives none.
///
/// # Errors
/// The first problem of the text, at its place.
pub fn read_playbook(text: &str) -> Result<(PlaybookId, String, String), Problem> {
    let index = LineIndex::new(text);
    let (yaml, problems) = load(text, Span::new(0, text.len()), &index);
    if let Some(first) = problems.into_iter().next() {
        return Err(first);
    }
    let at = |pointer: &str, key: bool, words: String| {
        let place = yaml.places.get(pointer);
        let span = place.map_or(Span::new(0, 0), |place| match place.key {
            Some(span) if key => span,
            _ => place.value,
        });
        let hint = "It holds id, name and, if you like, description";
        Problem::error("playbook.file", Place::of(&index, span, Some(pointer.into())), words).hint(hint)
    };
    let Value::Object(members) = &yaml.value else {
        return Err(at("", false, "playbook.yaml holds the playbook's id and name".into()));
    };
    if let Some(other) = members.keys().find(|key| !FIELDS.contains(&key.as_str())) {
        let pointer = playbook_model::json::join("", other);
        return Err(at(
            &pointer,
            true,
            "There is no such key in playbook.yaml: it takes id, name and description".into(),
        ));
    }
    let id = match members.get("id").and_then(Value::as_str).map(PlaybookId::new) {
        Some(Ok(id)) => id,
        _ => {
            let words = "Expected id: 3 to 48 lowercase letters, digits and hyphens, starting with a letter";
            return Err(at("/id", false, words.into()));
        }
    };
    let name = text_of(&yaml, "name", NAME_CHARACTERS).filter(|name| !name.is_empty());
    let Some(name) = name else {
        return Err(at("/name", false, format!("Expected name: a text of 1 to {NAME_CHARACTERS} characters")));
    };
    let Some(description) = text_of(&yaml, "description", DESCRIPTION_CHARACTERS) else {
        let words = format!("Expected description: a text of at most {DESCRIPTION_CHARACTERS} characters");
        return Err(at("/description", false, words));
    };
    Ok((id, name, description))
}

/// A text, trimmed; empty where the key is left out, `None` where it does not fit.
fn text_of(yaml: &Yaml, name: &str, most: usize) -> Option<String> {
    match yaml.value.get(name) {
        None => Some(String::new()),
        Some(value) => {
            let text = value.as_str()?.trim();
            (text.chars().count() <= most).then(|| text.to_owned())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn id_and_name_are_enough() {
        let (id, name, description) = read_playbook("id: campaigns\nname: ' Campaigns '\n").expect("taken");
        assert_eq!((id.as_str(), name.as_str(), description.as_str()), ("campaigns", "Campaigns", ""));
    }

    #[test]
    fn the_first_problem_has_its_place() {
        let line = |text: &str| read_playbook(text).expect_err("refused").place.line;
        assert_eq!(line("id: campaigns\nnames: x\n"), 2);
        assert_eq!(line("id: C\nname: x\n"), 1);
        assert_eq!(line("name: x\nid: campaigns\nid: other\n"), 3);
        assert_eq!(line("- a\n"), 1);
        assert_eq!(line(""), 1);
    }
}
