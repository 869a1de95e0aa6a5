//! How many events the seed's example folds in a second, in a worker, as the runtime gives it its pages.

use super::check::checked;
use super::{Figure, sample};
use anyhow::{Result, bail};
use playbook_definition::Details;
use playbook_model::definition::DefinitionType;
use playbook_model::limits;
use playbook_model::time::Moment;
use playbook_sandbox::Program;
use playbook_typescript::Compiler;
use playbook_worker::{Haste, PageEvent, PageJob, Pool, Step, Trace, WorkerProgram};
use serde_json::json;
use std::path::Path;
use std::time::{Duration, Instant};

/// "Bounds": the seed's own measure folds this many events over runs of this many campaigns.
/// A debug build, whose figures say little, folds fewer.
const EVENTS: usize = if cfg!(debug_assertions) { 5_000 } else { 100_000 };
const CAMPAIGNS: usize = 100;

pub(super) async fn measure(root: &Path, compiler: &Compiler) -> Result<Vec<Figure>> {
    let text = sample(root, "recall/campaign-reviews.md")?;
    let definition = checked(DefinitionType::Recall, "campaign-reviews", &text, compiler)?;
    let Details::Recall(details) = definition.details else { bail!("campaign-reviews is no recall function") };
    let pool = Pool::new(WorkerProgram::find()?, 1);
    let program = Program { text: definition.stripped, first_line: details.first_line };

    let mut view = details.initial.to_string();
    let mut folded = 0;
    let mut work = 0_u64;
    let mut took = Duration::ZERO;
    while folded < EVENTS {
        let events: Vec<PageEvent> = (folded..EVENTS.min(folded + limits::PAGE_RECORDS)).map(event).collect();
        let job = PageJob {
            key: 1,
            program: program.clone(),
            filters: vec!["true".into()],
            schema: details.view_schema.clone(),
            view,
            events,
            page_milliseconds: limits::PAGE_MILLISECONDS,
            fold_milliseconds: limits::FOLD_MILLISECONDS,
            work: limits::FOLD_WORK,
            filter_work: limits::FILTER_WORK,
            memory: limits::FOLD_MEMORY,
            trace: Trace::Nothing,
        };
        let began = Instant::now();
        let done = match pool.page(job, Haste::Live).await {
            Ok(done) => done,
            Err(lost) => bail!("a page was lost: {lost:?}"),
        };
        took += began.elapsed();
        if let Some(stop) = done.stop {
            bail!("the seed's fold stopped: {stop:?}");
        }
        folded += done.steps.len();
        work += done
            .steps
            .iter()
            .map(|step| if let Step::Folded { work, .. } = step { u64::from(*work) } else { 0 })
            .sum::<u64>();
        view = done.view;
    }
    pool.stop().await;
    Ok(vec![
        Figure::a_second(format!("folds of the seed's example over {EVENTS} events, {work} checkpoints"), folded, took),
        Figure::milliseconds("  one such fold, its view written out and checked", took / u32::try_from(folded)?),
    ])
}

/// The end of a run of `review-brief`, as the fold sees it.
fn event(number: usize) -> PageEvent {
    let clock = Moment(1_790_000_000_000 + i64::try_from(number).unwrap_or(i64::MAX) * 1_000);
    let verdict = if number.is_multiple_of(3) { "reject: the budget is not stated" } else { "approve" };
    let json = json!({
        "specversion": "1.0",
        "id": format!("{number:08x}-0000-7000-8000-000000000000"),
        "type": "run_succeeded",
        "source": format!("/runs/{number:08x}-0000-7000-8000-000000000000"),
        "subject": "computation/review-brief",
        "time": clock.iso(),
        "data": { "output": { "campaign": format!("campaign-{}", number * 7 % CAMPAIGNS), "verdict": verdict } },
    });
    PageEvent { json: json.to_string(), clock, ask: Vec::new() }
}
