//! `playbook events import`: events from a file, in their order, under the rules of publishing.

use crate::arguments::ImportEvents;
use crate::ended::{Done, Ended, Failure, cannot, sentence};
use crate::opened::{self, Opened};
use crate::output::{Output, complain};
use crate::progress::Progress;
use playbook_host::moving::{EventTexts, GivenEvent, Imported, NextEvent, Recording, RefusedEvent, Taking};
use playbook_host::{Place, Runtime, Settings, Views};
use playbook_model::ending::Issue;
use playbook_model::id::PlaybookKey;
use playbook_model::refusal::Refusal;
use playbook_model::word::{count, thousands};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::path::Path;

/// Events of one batch.
const BATCH: usize = 500;
/// Refused events that a check tells; the rest is counted.
const TOLD: usize = 100;

/// Takes them in.
pub(crate) async fn import(asked: &ImportEvents, folder: Option<&Path>, out: &mut Output) -> Done {
    let mut texts = EventTexts::new(reader(&asked.file)?);
    let into = Into::open(asked, folder).await?;
    let imported = all(asked, &into, &mut texts).await;
    into.close().await;
    let (imported, untold) = imported?;
    tell(asked, &imported, untold, out)
}

fn reader(file: &Path) -> Result<Box<dyn BufRead + Send>, Failure> {
    if file == Path::new("-") {
        return Ok(Box::new(BufReader::new(std::io::stdin())));
    }
    let unread = |why: std::io::Error| cannot(format!("{} cannot be read: {why}", file.display()));
    let opened = std::fs::File::open(file).map_err(unread)?;
    if opened.metadata().map_err(unread)?.is_dir() {
        return Err(cannot(format!("{} is a folder; name a file of events", file.display())));
    }
    Ok(Box::new(BufReader::with_capacity(256 * 1024, opened)))
}

/// The playbook that events go into.
enum Into {
    /// With its documents recorded, as for every command that acts.
    Folder(Opened),
    /// With its log alone: a history comes before anything this playbook records of itself.
    Log {
        runtime: Runtime,
        key: PlaybookKey,
        /// The place of a log that is empty, where the playbook has none that events could be compared with.
        _empty: Option<tempfile::TempDir>,
    },
}

impl Into {
    async fn open(asked: &ImportEvents, folder: Option<&Path>) -> Result<Self, Failure> {
        if !asked.check && !asked.as_history {
            return Ok(Self::Folder(Opened::open_with(folder, Views::Left).await?));
        }
        let (folder, file) = opened::files(folder)?;
        // The views would be folded against the import; whoever opens the log next builds them.
        let settings = Settings { views: Views::Left, ..opened::of_runtime(&opened::settings()?) };
        let place = Place::Folder(folder.path().to_path_buf());
        if asked.check && !place.log().exists() {
            let nowhere = tempfile::tempdir().map_err(|why| cannot(format!("There is no place to check in: {why}")))?;
            let runtime = Runtime::open(Place::Data(nowhere.path().into()), settings).await.map_err(cannot)?;
            return Ok(Self::Log { runtime, key: file.key(), _empty: Some(nowhere) });
        }
        let runtime = Runtime::open(place, settings).await.map_err(cannot)?;
        let ready = async {
            let key = if asked.check { file.key() } else { runtime.adopt(&file).await? };
            if asked.as_history && runtime.has_runs(&key).await? {
                return Err(cannot(
                    "This playbook has runs of its own, so it takes in no other playbook's history: nobody could tell \
                     any more what it did itself. Make a scratch playbook with playbook init, copy the documents \
                     there, and import into that",
                ));
            }
            Ok::<_, Failure>(key)
        };
        match ready.await {
            Ok(key) => Ok(Self::Log { runtime, key, _empty: None }),
            Err(failure) => {
                runtime.stop().await;
                Err(failure)
            }
        }
    }

    async fn import(&self, given: Vec<GivenEvent>, taking: Taking, recording: Recording) -> Result<Imported, Refusal> {
        let (runtime, key) = match self {
            Self::Folder(opened) => opened.parts(),
            Self::Log { runtime, key, .. } => (runtime, key),
        };
        runtime.import_events(key, given, taking, recording).await
    }

    async fn close(self) {
        match self {
            Self::Folder(opened) => opened.close().await,
            Self::Log { runtime, .. } => runtime.stop().await,
        }
    }
}

async fn all(
    asked: &ImportEvents,
    into: &Into,
    texts: &mut EventTexts<Box<dyn BufRead + Send>>,
) -> Result<(Imported, usize), Failure> {
    let taking = if asked.as_history { Taking::History } else { Taking::Published };
    let recording = if asked.check { Recording::CheckOnly } else { Recording::Record };
    let mut whole = Imported::default();
    let mut untold = 0;
    let mut progress = Progress::begin("Gone through");
    let mut ended = false;
    while !ended {
        let mut batch = Vec::new();
        let mut bad = None;
        while batch.len() < BATCH && bad.is_none() {
            match texts.next_event().map_err(|why| cannot(format!("{} cannot be read: {why}", shown(asked))))? {
                NextEvent::Event { line, event } => batch.push(GivenEvent { line, event }),
                NextEvent::Bad { line, why } => {
                    let issues = vec![Issue { detail: why, pointer: String::new() }];
                    bad = Some(RefusedEvent { line, issues });
                }
                NextEvent::End => {
                    ended = true;
                    break;
                }
            }
        }
        let done = into.import(batch, taking, recording).await?;
        whole.recorded += done.recorded;
        whole.there += done.there;
        whole.refused.extend(done.refused);
        whole.stopped = done.stopped;
        // What stands before a bad line is recorded first, and tells first what is wrong with it.
        if recording == Recording::CheckOnly || (whole.refused.is_empty() && whole.stopped.is_none()) {
            whole.refused.extend(bad);
        }
        ended |= recording == Recording::Record && !(whole.refused.is_empty() && whole.stopped.is_none());
        untold += whole.refused.len().saturating_sub(TOLD);
        whole.refused.truncate(TOLD);
        progress.tell((whole.recorded + whole.there + whole.refused.len() + untold) as u64);
    }
    progress.end();
    Ok((whole, untold))
}

fn shown(asked: &ImportEvents) -> String {
    if asked.file == Path::new("-") { "The standard input".into() } else { asked.file.display().to_string() }
}

fn tell(asked: &ImportEvents, imported: &Imported, untold: usize, out: &mut Output) -> Done {
    let Imported { recorded, there, refused, stopped } = imported;
    if out.is_json() {
        let problems: Vec<Value> =
            refused.iter().map(|refused| json!({ "line": refused.line, "issues": refused.issues })).collect();
        let counted = if asked.check { "would_import" } else { "imported" };
        let more = json!({ counted: recorded, "there_already": there, "problems": problems, "more_problems": untold });
        out.value(&more)?;
    } else {
        for refused in refused {
            for issue in &refused.issues {
                let at = if issue.pointer.is_empty() { String::new() } else { format!("{}: ", issue.pointer) };
                out.line(&format!("{}:{}: {at}{}", shown(asked), refused.line, sentence(&issue.detail)))?;
            }
        }
        if untold > 0 {
            out.line(&format!("and {} are refused.", count(untold as u64, "more event", "more events")))?;
        }
        let events = count(*recorded as u64, "event", "events");
        let passed = match there {
            0 => String::new(),
            1 => ", 1 was there already".into(),
            there => format!(", {} were there already", thousands(*there as u64)),
        };
        let words = match (asked.check, refused.len() + untold) {
            (true, 0) => format!("{events} can be imported{passed}; nothing was recorded."),
            (true, bad) => {
                let bad = count(bad as u64, "would be refused", "would be refused");
                format!("{events} can be imported{passed}, and {bad}; nothing was recorded.")
            }
            (false, 0) if stopped.is_none() => format!("{events} imported{passed}."),
            (false, 0) => format!("{events} imported before that{passed}; the rest was not."),
            (false, _) => format!("{events} imported before it{passed}; the rest was not. Mend it and import again."),
        };
        if refused.is_empty() && stopped.is_none() { out.line(&words)? } else { complain(&words) }
    }
    match stopped {
        Some(refusal) => Err(refusal.clone().into()),
        None if refused.is_empty() => Ok(Ended::Fine),
        None => Ok(Ended::Problems),
    }
}
