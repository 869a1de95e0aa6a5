//! `playbook inbox` and `playbook answer`: what waits for an answer, and answering it.

use crate::arguments::{Answer, Inbox};
use crate::ended::{Done, Ended, Failure, cannot};
use crate::opened::{Opened, json_of, members};
use crate::output::{Output, complain, shown};
use serde_json::{Map, Value, json};
use std::path::Path;

/// Lists the requests that wait, newest first.
pub(crate) async fn inbox(asked: &Inbox, folder: Option<&Path>, out: &mut Output) -> Done {
    let opened = Opened::open(folder).await?;
    let requests = requests(&opened, asked.to.as_deref(), asked.function.as_ref().map(|name| name.as_str())).await;
    opened.close().await;
    let requests = requests?;
    if out.is_json() {
        out.value(&json!({ "interactions": requests }))?;
        return Ok(Ended::Fine);
    }
    for request in &requests {
        show(request, out)?;
    }
    complain(&match requests.len() {
        0 => "No request waits for an answer.".to_owned(),
        1 => "1 request waits for an answer.".to_owned(),
        count => format!("{count} requests wait for an answer."),
    });
    Ok(Ended::Fine)
}

/// Answers a request, and shows how its run then stands.
pub(crate) async fn answer(asked: &Answer, folder: Option<&Path>, out: &mut Output) -> Done {
    let given = Given::read(asked)?;
    let opened = Opened::open(folder).await?;
    let done = on(&opened, asked, given).await;
    if done.is_ok() {
        opened.rest().await;
    }
    opened.close().await;
    let run = done?;
    if out.is_json() {
        out.value(&run)?;
        return Ok(Ended::Fine);
    }
    out.value(run.get("output").unwrap_or(&Value::Null))?;
    let text = |name: &str| run.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    complain(&format!("Answered: run {} of {}/{} succeeded.", text("run_id"), text("type"), text("name")));
    Ok(Ended::Fine)
}

async fn on(opened: &Opened, asked: &Answer, given: Given) -> Result<Value, Failure> {
    let run = asked.run.to_string();
    let answer = match given {
        Given::Whole(answer) => answer,
        Given::Members(pairs) => {
            let open = requests(opened, None, None).await?;
            let request = open.iter().find(|request| request["run_id"] == run.as_str());
            let schema = request.map_or(&Value::Null, |request| &request["answer_schema"]);
            let member = |(name, text): (String, String)| {
                let value = typed(&schema["properties"][&name], text);
                (name, value)
            };
            Value::Object(pairs.into_iter().map(member).collect())
        }
    };
    let fields = members([
        ("run_id", json!(run)),
        ("claimed_for", asked.claimed_for.as_ref().map_or(Value::Null, |whom| json!(whom))),
    ]);
    let fields = fields.into_iter().chain([("answer".to_owned(), answer)]).collect();
    Ok(opened.call("answer_interaction", fields).await?)
}

/// An answer as it was written.
enum Given {
    /// As JSON.
    Whole(Value),
    /// Member by member.
    Members(Vec<(String, String)>),
}

impl Given {
    fn read(asked: &Answer) -> Result<Self, Failure> {
        if let Some(file) = &asked.file {
            let value = json_of("The answer", None, Some(file))?;
            return Ok(Self::Whole(value.unwrap_or_default()));
        }
        let pair = |text: &String| text.split_once('=').filter(|(name, _)| is_name(name)).map(owned);
        if let Some(pairs) = asked.answer.iter().map(pair).collect::<Option<Vec<_>>>() {
            return Ok(Self::Members(pairs));
        }
        match asked.answer.as_slice() {
            [text] => Ok(Self::Whole(json_of("The answer", Some(text), None)?.unwrap_or_default())),
            _ => Err(cannot("The answer is either one JSON value or members as NAME=VALUE")),
        }
    }
}

fn owned((name, text): (&str, &str)) -> (String, String) {
    (name.to_owned(), text.to_owned())
}

/// Whether a text can stand before the equals sign; JSON with one in it cannot.
fn is_name(text: &str) -> bool {
    !text.is_empty() && !text.contains(['{', '}', '[', ']', '"', ' '])
}

/// A member's value: text where the schema takes text, else JSON where it reads as such.
fn typed(schema: &Value, text: String) -> Value {
    let takes = |kind: &str| match &schema["type"] {
        Value::String(one) => one == kind,
        Value::Array(many) => many.iter().any(|one| one == kind),
        _ => false,
    };
    let listed = schema["enum"].as_array().is_some_and(|values| values.contains(&json!(text)));
    if takes("string") || listed {
        return Value::String(text);
    }
    match json_of("The value", Some(&text), None) {
        Ok(Some(value)) => value,
        _ => Value::String(text),
    }
}

/// Every open request, page by page.
async fn requests(opened: &Opened, to: Option<&str>, function: Option<&str>) -> Result<Vec<Value>, Failure> {
    let text = |text: Option<&str>| text.map_or(Value::Null, Value::from);
    let mut all = Vec::new();
    let mut cursor = Value::Null;
    loop {
        let mut fields: Map<String, Value> =
            members([("to", text(to)), ("function", text(function)), ("limit", json!(100))]);
        if !cursor.is_null() {
            fields.insert("cursor".into(), cursor);
        }
        let mut page = opened.call("list_interactions", fields).await?;
        if let Value::Array(rows) = page["interactions"].take() {
            all.extend(rows);
        }
        cursor = page["next_cursor"].take();
        if cursor.is_null() {
            return Ok(all);
        }
    }
}

fn show(request: &Value, out: &mut Output) -> Result<(), Failure> {
    let text = |name: &str| shown(request[name].as_str().unwrap_or_default());
    out.line(&format!("{} asks {}", text("function"), text("to")))?;
    let cancelling = if request["standing"] == "cancelling" { "; it is being cancelled" } else { "" };
    out.line(&format!("  asked {}, open until {}{cancelling}", text("requested_at"), text("expires_at")))?;
    for line in request["message"].as_str().unwrap_or_default().lines() {
        out.line(format!("  | {}", shown(line)).trim_end())?;
    }
    out.line(&format!("  playbook answer {} {}", text("run_id"), example(&request["answer_schema"])))?;
    out.line("")
}

/// What an answer looks like, on one line: `verdict=approve|revise [note=…]`.
fn example(schema: &Value) -> String {
    let Some(properties) = schema["properties"].as_object().filter(|properties| !properties.is_empty()) else {
        return "JSON".into();
    };
    let required = |name: &str| schema["required"].as_array().is_some_and(|names| names.iter().any(|it| it == name));
    let member = |(name, of): (&String, &Value)| {
        let values = of["enum"].as_array().map(|values| {
            let words = values.iter().map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned));
            words.collect::<Vec<_>>().join("|")
        });
        let pair = shown(&format!("{name}={}", values.unwrap_or_else(|| "…".into())));
        if required(name) { pair } else { format!("[{pair}]") }
    };
    properties.iter().map(member).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_member_is_text_where_the_schema_takes_text() {
        assert_eq!(typed(&json!({ "type": "string" }), "12".into()), json!("12"));
        assert_eq!(typed(&json!({ "type": "number" }), "12".into()), json!(12));
        assert_eq!(typed(&json!({ "enum": ["1", "2"] }), "1".into()), json!("1"));
        assert_eq!(typed(&Value::Null, "true".into()), json!(true));
        assert_eq!(typed(&Value::Null, "approve".into()), json!("approve"));
    }

    #[test]
    fn an_answer_is_shown_as_it_is_written() {
        let schema = json!({
            "required": ["verdict"],
            "properties": { "verdict": { "enum": ["approve", "revise"] }, "note": { "type": "string" } },
        });
        assert_eq!(example(&schema), "verdict=approve|revise [note=…]");
        assert_eq!(example(&json!({ "type": "boolean" })), "JSON");
        assert_eq!(shown("a\u{1b}[2Jb"), "a\u{fffd}[2Jb");
    }
}
