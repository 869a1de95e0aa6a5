//! How long it takes to go to any event of a view's history in the Studio, once its events are indexed.

use super::rebuild::{fill, number_of_events};
use super::{Figure, middle_and_most, sample};
use anyhow::{Context, Result, bail};
use playbook_host::StandIns;
use playbook_host::api::Method;
use playbook_host::studio::{ROUTES, Studio, StudioOptions};
use playbook_model::id::{OrgId, PlaybookId, PlaybookKey};
use serde_json::{Map, Value, json};
use std::path::Path;
use std::time::{Duration, Instant};

/// How many events are gone to.
const VISITS: u64 = 200;

pub(super) async fn measure(root: &Path) -> Result<Vec<Figure>> {
    let events = number_of_events()?;
    let home = tempfile::tempdir_in(root.join("target")).or_else(|_| tempfile::tempdir()).context("a folder")?;
    let folder = home.path().join("playbook");
    std::fs::create_dir_all(folder.join("recall"))?;
    std::fs::write(folder.join("playbook.yaml"), "id: bench\nname: Bench\n")?;
    let options = StudioOptions {
        data_dir: home.path().join("data"),
        config_dir: home.path().join("config"),
        host: "browser",
        stand_ins: StandIns::default(),
    };
    let studio = Studio::new(options);
    open(&studio, &folder).await?;
    call(&studio, Method::Post, "/folder/close", json!({})).await?;

    let key = PlaybookKey {
        org: OrgId::local(),
        playbook: PlaybookId::new("bench").map_err(|why| anyhow::anyhow!("{why}"))?,
    };
    let log = folder.join(".playbook/log.db");
    tokio::task::spawn_blocking(move || fill(&log, &key, events)).await??;
    std::fs::write(folder.join("recall/campaign-reviews.md"), sample(root, "recall/campaign-reviews.md")?)?;
    open(&studio, &folder).await?;

    let name = || json!({ "name": "campaign-reviews" });
    wait(&studio, "/views/{name}", name(), |view| view["standing"]["state"] == "live").await?;
    let begun = Instant::now();
    wait(&studio, "/views/{name}/scrub", name(), |scrub| {
        scrub["state"] == "ready" && scrub["indexed"] == scrub["folded"] && scrub["folded"].as_u64() > Some(0)
    })
    .await?;
    let indexed = begun.elapsed();
    let mut times = Vec::new();
    for visit in 0..VISITS {
        let index = (visit.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20) % events as u64 + 1;
        let began = Instant::now();
        let frame = call(
            &studio,
            Method::Get,
            "/views/{name}/scrub/{index}",
            json!({ "name": "campaign-reviews", "index": index.to_string() }),
        )
        .await?;
        times.push(began.elapsed());
        if frame["event"].is_null() || frame["after"].is_null() {
            bail!("the event {index} came without its view");
        }
    }
    studio.stop().await;
    let (middle, most) = middle_and_most(times);
    Ok(vec![
        Figure::a_second(format!("indexing the {events} events of a view for the scrubber"), events, indexed),
        Figure::milliseconds("  going to any of them (median)", middle),
        Figure::milliseconds("  going to any of them (p95)", most),
    ])
}

async fn open(studio: &Studio, folder: &Path) -> Result<Value> {
    call(studio, Method::Post, "/folder/open", json!({ "path": folder })).await
}

async fn call(studio: &Studio, method: Method, path: &str, given: Value) -> Result<Value> {
    let route = ROUTES.iter().find(|route| route.method == method && route.path == path).context("a route")?;
    let Value::Object(given) = given else { bail!("a call has members") };
    let given: Map<String, Value> = given;
    match studio.call(route, given).await {
        Ok(answer) => Ok(answer),
        Err(refusal) => bail!("{path} was refused: {:?}", refusal.refusal),
    }
}

/// Asks until an answer will do.
async fn wait(studio: &Studio, path: &str, given: Value, will_do: impl Fn(&Value) -> bool) -> Result<()> {
    loop {
        let answer = call(studio, Method::Get, path, given.clone()).await?;
        if will_do(&answer) {
            return Ok(());
        }
        if answer["state"] == "failed" || answer["standing"]["state"] == "stalled" {
            bail!("{path}: {answer}");
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
