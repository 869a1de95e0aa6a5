//! `playbook run`: one run of a definition of the folder.

use super::follow::{Manner, along, waits};
use crate::arguments::Run;
use crate::ended::{Done, Ended, Failure, sentence};
use crate::opened::{Opened, json_of, members};
use crate::output::{Output, complain};
use playbook_model::definition::{DefinitionKey, DefinitionType};
use playbook_model::ending::{Kind, Reason, Rejection};
use playbook_model::id::RunId;
use playbook_model::refusal::Refusal;
use serde_json::{Map, Value, json};
use std::path::Path;
use std::time::{Duration, Instant};

/// How long a run waits for a view that is being built.
const BUILDING: Duration = Duration::from_secs(60);

/// Runs, and shows the output.
pub(crate) async fn run(asked: &Run, folder: Option<&Path>, out: &mut Output) -> Done {
    let input = json_of("The input", asked.input.as_deref(), asked.input_file.as_deref())?.unwrap_or_else(|| json!({}));
    let key = DefinitionKey { kind: asked.which.kind, name: asked.which.name.clone() };
    let run_id = asked.run_id.map_or_else(|| uuid::Uuid::now_v7().to_string(), |id| id.to_string());
    let opened = Opened::open(folder).await?;
    let done = async {
        let run = on(&opened, &key, input, &run_id).await?;
        match (key.kind, RunId::parse(&run_id)) {
            (DefinitionType::Workflow, Ok(id)) if run["status"] == "started" => {
                let manner = if asked.follow { Manner::Told } else { Manner::Rest };
                let run = along(&opened, id, manner, out).await?;
                let waits = if run["status"] == "started" { waits(&opened, id).await? } else { Vec::new() };
                Ok((run, waits))
            }
            _ => Ok::<_, Failure>((run, Vec::new())),
        }
    };
    let done = done.await;
    opened.close().await;
    let (run, waits) = done?;
    if let Ok(rejection) = serde_json::from_value::<Rejection>(run["rejection"].clone()) {
        return Err(Refusal::from(rejection).into());
    }
    if out.is_json() {
        out.value(&run)?;
        return Ok(Ended::Fine);
    }
    if run.get("status").and_then(Value::as_str) == Some("started") {
        complain(&format!("Started: run {run_id} of {key} goes on. What waits for an answer: playbook inbox."));
        waits.iter().for_each(|wait| complain(wait));
        return Ok(Ended::Fine);
    }
    out.value(run.get("output").unwrap_or(&Value::Null))?;
    let record = |name: &str| run.get("record").and_then(|record| record.get(name)).and_then(Value::as_u64);
    let took = record("duration_ms").map(|ms| format!(" in {ms} ms")).unwrap_or_default();
    let work = record("work").map(|work| format!(", work {work}")).unwrap_or_default();
    complain(&format!("Succeeded{took}{work}: run {run_id} of {key}."));
    Ok(Ended::Fine)
}

async fn on(opened: &Opened, key: &DefinitionKey, input: Value, run_id: &str) -> Result<Value, Failure> {
    if let Some(rejection) = opened.unrecorded(key) {
        let known = opened.call("get_definition", named(key)).await;
        let Ok(known) = known else { return Err(Refusal::from(rejection.clone()).into()) };
        let version = known.get("version").and_then(Value::as_u64).unwrap_or_default();
        complain(&format!(
            "The file of {key} was not recorded, so version {version} runs: {}",
            sentence(&rejection.detail)
        ));
        for issue in &rejection.issues {
            complain(&format!("  {}", issue.detail));
        }
    }
    opened.caught_up(key).await;
    let started = Instant::now();
    loop {
        let mut fields = named(key);
        fields.insert("input".into(), input.clone());
        fields.insert("run_id".into(), run_id.into());
        match opened.call("run_definition", fields).await {
            Err(refusal) if is_building(&refusal) && started.elapsed() < BUILDING => {
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
            other => return Ok(other?),
        }
    }
}

/// The view is on its way: the same run succeeds in a moment.
fn is_building(refusal: &Refusal) -> bool {
    matches!(refusal, Refusal::Rejected(rejection)
        if rejection.reason == Reason::Unavailable && rejection.kind == Some(Kind::Rebuilding))
}

/// The fields that name a definition.
pub(crate) fn named(key: &DefinitionKey) -> Map<String, Value> {
    members([("type", json!(key.kind)), ("name", json!(key.name))])
}
