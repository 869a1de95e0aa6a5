//! What a run and a published event cost in the runtime, the log's write to the disk included.

use super::{Figure, middle_and_most, sample};
use anyhow::{Context, Result, bail};
use playbook_host::{Clock, Place, Runtime, Settings};
use playbook_typescript::Compiler;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

const RUNS: usize = 200;
const EVENTS: usize = 500;
/// Publishers at once: the log writes those that wait together.
const PUBLISHERS: usize = 16;

pub(super) async fn measure(root: &Path, compiler: Arc<Compiler>) -> Result<Vec<Figure>> {
    // Beside the programs, since a folder for temporary files may lie in memory, which makes a write look free.
    let folder = tempfile::tempdir_in(root.join("target")).or_else(|_| tempfile::tempdir()).context("a folder")?;
    let place = Place::Data(folder.path().to_owned());
    let runtime = Runtime::open_with(place, Settings::default(), compiler, Clock::system()).await?;
    perform(&runtime, "create_playbook", json!({ "org": "local", "playbook": "bench", "name": "Bench" })).await?;
    let source = sample(root, "computation/review-brief.md")?;
    perform(
        &runtime,
        "create_definition",
        with(json!({ "type": "computation", "name": "review-brief", "source": source })),
    )
    .await?;
    let input: Value = serde_json::from_str(&sample(root, "inputs/computation/review-brief/spring-sale.json")?)?;

    let mut times = Vec::new();
    for _ in 0..RUNS {
        let run = with(json!({ "type": "computation", "name": "review-brief", "input": input }));
        let began = Instant::now();
        perform(&runtime, "run_definition", run).await?;
        times.push(began.elapsed());
    }
    let (middle, most) = middle_and_most(times);

    let began = Instant::now();
    for number in 0..EVENTS {
        perform(&runtime, "publish_event", event(number)).await?;
    }
    let alone = began.elapsed();

    let began = Instant::now();
    let mut publishers = tokio::task::JoinSet::new();
    for publisher in 0..PUBLISHERS {
        let runtime = runtime.clone();
        publishers.spawn(async move {
            for number in 0..EVENTS {
                perform(&runtime, "publish_event", event(EVENTS * (publisher + 1) + number)).await?;
            }
            anyhow::Ok(())
        });
    }
    while let Some(done) = publishers.join_next().await {
        done??;
    }
    let together = began.elapsed();
    runtime.stop().await;
    Ok(vec![
        Figure::milliseconds("one computation run, recorded (median)", middle),
        Figure::milliseconds("one computation run, recorded (p95)", most),
        Figure::a_second("publish_event on the disk, one publisher", EVENTS, alone),
        Figure::a_second(format!("publish_event on the disk, {PUBLISHERS} publishers"), EVENTS * PUBLISHERS, together),
    ])
}

pub(super) async fn perform(runtime: &Runtime, operation: &str, input: Value) -> Result<Value> {
    match runtime.local(operation, input).await {
        Ok(answer) => Ok(answer),
        Err(refusal) => bail!("{operation} was refused: {refusal:?}"),
    }
}

/// The fields of an operation on the bench's playbook.
pub(super) fn with(mut fields: Value) -> Value {
    fields["org"] = "local".into();
    fields["playbook"] = "bench".into();
    fields
}

fn event(number: usize) -> Value {
    with(json!({ "event": {
        "type": "com.example.campaign.spend",
        "source": "/finance/payments",
        "id": format!("payment-{number}"),
        "data": { "campaign": format!("campaign-{}", number % 40), "channel": "Email", "amount_cents": 1_250 },
    } }))
}
