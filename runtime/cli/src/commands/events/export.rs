//! `playbook events export`: every event a fold sees, oldest first, as CloudEvents.

use crate::arguments::{EventsFormat, ExportEvents};
use crate::ended::{Done, Ended, Failure, cannot};
use crate::opened;
use crate::output::{Output, complain};
use crate::progress::Progress;
use crate::written::{Existing, Written};
use playbook_host::moving::{EventsOf, LogReader, is_seen};
use playbook_model::word::count;
use serde_json::json;
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// Writes them out.
pub(crate) fn export(asked: &ExportEvents, folder: Option<&Path>, out: &mut Output) -> Done {
    if let Some(unseen) = asked.kinds.iter().find(|kind| !is_seen(kind)) {
        return Err(cannot(format!(
            "No fold sees an event of the type {unseen}: it stands in the history alone, which playbook events list shows"
        )));
    }
    let (folder, file) = opened::files(folder)?;
    let log = LogReader::open(&folder, &file).map_err(cannot)?;
    let of = EventsOf { types: asked.kinds.clone(), since: asked.since, until: asked.until };
    let to = asked.to.as_ref().filter(|to| to.as_path() != Path::new("-"));
    let written = match to {
        Some(path) => {
            let existing = if asked.force { Existing::Replaced } else { Existing::Stays };
            let mut file = Written::begin(path, existing)?;
            let unwritten = |why: io::Error| cannot(format!("{} cannot be written: {why}", path.display()));
            let progress = Progress::begin("Written");
            let written = write(log.as_ref(), &of, asked.format, &mut file, progress, &unwritten)?;
            file.finish()?;
            written
        }
        None => {
            let unread = |why: io::Error| match why.kind() {
                io::ErrorKind::BrokenPipe => Failure::Unread,
                _ => cannot(format!("The output cannot be written: {why}")),
            };
            let progress = Progress::begin_beside_results("Written");
            write(log.as_ref(), &of, asked.format, &mut BufWriter::new(io::stdout().lock()), progress, &unread)?
        }
    };
    if written.passed_over > 0 {
        let events = count(written.passed_over as u64, "event", "events");
        complain(&format!("{events} that no fold can read are left out."));
    }
    match (to, out.is_json()) {
        (Some(path), true) => {
            out.value(&json!({ "path": path, "events": written.events, "left_out": written.passed_over }))?;
        }
        (Some(path), false) => {
            let events = count(written.events, "event", "events");
            out.line(&format!("{events} written to {}.", path.display()))?;
        }
        (None, _) => {}
    }
    Ok(Ended::Fine)
}

/// What was written.
struct Wrote {
    events: u64,
    passed_over: usize,
}

/// Writes the events page by page, so that their number needs no memory.
fn write(
    log: Option<&LogReader>,
    of: &EventsOf,
    format: EventsFormat,
    out: &mut impl Write,
    mut progress: Progress,
    failed: &dyn Fn(io::Error) -> Failure,
) -> Result<Wrote, Failure> {
    let mut wrote = Wrote { events: 0, passed_over: 0 };
    let (first, between, last) = match format {
        EventsFormat::Jsonl => ("", "\n", "\n"),
        EventsFormat::Batch => ("[\n", ",\n", "\n]\n"),
    };
    out.write_all(first.as_bytes()).map_err(failed)?;
    let mut after = 0;
    while let Some(log) = log {
        let page = log.page(of, after).map_err(cannot)?;
        for seen in &page.events {
            if wrote.events > 0 {
                out.write_all(between.as_bytes()).map_err(failed)?;
            }
            serde_json::to_writer(&mut *out, &seen.event).map_err(|why| failed(why.into()))?;
            wrote.events += 1;
        }
        wrote.passed_over += page.passed_over;
        after = page.read_to;
        if !page.more {
            break;
        }
        progress.tell(wrote.events);
    }
    progress.end();
    let last = if wrote.events == 0 { last.trim_start() } else { last };
    out.write_all(last.as_bytes()).and_then(|()| out.flush()).map_err(failed)?;
    Ok(wrote)
}
