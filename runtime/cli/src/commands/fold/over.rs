//! Folding over a log or a file, to its end or to one event.

use crate::ended::{Failure, cannot};
use crate::progress::Progress;
use playbook_host::folder::Folder;
use playbook_host::moving::{EventTexts, GivenEvent, LogReader, NextEvent, RefusedEvent, as_seen};
use playbook_host::replay::{Folded as FoldedEvent, Halted, Recall, Replay, Scratch, Source};
use playbook_model::ending::Issue;
use playbook_model::event::CloudEvent;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Events of a file that are folded at once.
const PORTION: usize = 5_000;

/// What is folded over.
pub(super) enum Over {
    /// A log; `None` for a playbook that has recorded nothing.
    Log(Option<LogReader>),
    /// The events of a file.
    File(PathBuf, Box<EventTexts<BufReader<File>>>),
}

impl Over {
    /// The folder's own log, another folder's, or a file.
    pub(super) fn of(from: Option<&Path>, own: Option<LogReader>) -> Result<Self, Failure> {
        let Some(from) = from else { return Ok(Self::Log(own)) };
        if from.is_dir() {
            // One log is open at a time: the folder given may be the folder itself.
            drop(own);
            let (folder, file) = Folder::open(from).map_err(cannot)?;
            return Ok(Self::Log(LogReader::open(&folder, &file).map_err(cannot)?));
        }
        let file = File::open(from).map_err(|why| cannot(format!("{} cannot be read: {why}", from.display())))?;
        Ok(Self::File(from.into(), Box::new(EventTexts::new(BufReader::with_capacity(256 * 1024, file)))))
    }
}

/// What folding came to.
pub(super) struct Folded {
    /// How many events were folded.
    pub(super) count: u64,
    /// The view, as JSON text; of a stall, the view before it.
    pub(super) view: String,
    /// The event that was asked for, and the view before it.
    pub(super) at: Option<(FoldedEvent, String)>,
    /// What stopped it.
    pub(super) halt: Option<Box<Halted>>,
    /// Whether every event there is was folded.
    pub(super) whole: bool,
    /// Events of a file that no fold can read.
    pub(super) passed_over: u64,
}

/// The lines of a file that are no events.
pub(super) struct BadLines {
    pub(super) file: PathBuf,
    pub(super) refused: Vec<RefusedEvent>,
}

/// A recall function on its way through events.
pub(super) struct Folding<'a> {
    scratch: &'a Scratch,
    recall: Arc<Recall>,
    to_event: Option<&'a str>,
    progress: Progress,
}

impl<'a> Folding<'a> {
    pub(super) fn new(scratch: &'a Scratch, recall: Arc<Recall>, to_event: Option<&'a str>) -> Self {
        Self { scratch, recall, to_event, progress: Progress::begin("Folded") }
    }

    /// Folds; the inner error tells the lines of a file that are no events.
    pub(super) async fn over(mut self, over: Over) -> Result<Result<Folded, BadLines>, Failure> {
        let done = match over {
            Over::Log(log) => self.log(log).await.map(Ok),
            Over::File(file, texts) => self.file(file, *texts).await,
        };
        self.progress.end();
        done
    }

    fn begun(&self) -> Folded {
        Folded { count: 0, view: self.recall.initial(), at: None, halt: None, whole: false, passed_over: 0 }
    }

    async fn log(&mut self, log: Option<LogReader>) -> Result<Folded, Failure> {
        let mut folded = self.begun();
        match &log {
            Some(log) => self.source(&mut folded, log.source()).await?,
            None => folded.whole = true,
        }
        Ok(folded)
    }

    async fn file(
        &mut self,
        file: PathBuf,
        mut texts: EventTexts<BufReader<File>>,
    ) -> Result<Result<Folded, BadLines>, Failure> {
        let mut folded = self.begun();
        let mut nth = 0;
        loop {
            let (events, bad, ended) = portion(&file, &mut texts, &mut nth, &mut folded.passed_over)?;
            if let Some(bad) = bad {
                return Ok(Err(BadLines { file, refused: vec![bad] }));
            }
            let source = Source::events(&self.recall, events);
            self.source(&mut folded, source).await?;
            if ended || !folded.whole {
                return Ok(Ok(folded));
            }
        }
    }

    /// Folds on over more events, until they end, an event stalls or the one asked for was folded.
    async fn source(&mut self, folded: &mut Folded, source: Source) -> Result<(), Failure> {
        folded.whole = false;
        let mut replay = Replay::from_view(self.scratch, self.recall.clone(), source, folded.view.clone());
        loop {
            let page = replay.page().await?;
            let found = self.to_event.and_then(|id| page.events.iter().position(|event| event.event.id == id));
            if let Some(at) = found {
                return self.stop_at(folded, page.events, at).await;
            }
            folded.count += page.events.len() as u64;
            replay.view().clone_into(&mut folded.view);
            self.progress.tell(folded.count);
            if let Some(halt) = page.halt {
                folded.halt = Some(Box::new(halt));
                return Ok(());
            }
            if page.end {
                folded.whole = true;
                return Ok(());
            }
        }
    }

    /// Folds a page again, up to one of its events: a page tells the view after its last event alone.
    async fn stop_at(&self, folded: &mut Folded, mut events: Vec<FoldedEvent>, at: usize) -> Result<(), Failure> {
        events.truncate(at + 1);
        let Some(last) = events.pop() else { return Ok(()) };
        folded.count += events.len() as u64 + 1;
        let before: Vec<CloudEvent> = events.into_iter().map(|event| event.event).collect();
        self.again(folded, before).await?;
        let view_before = folded.view.clone();
        self.again(folded, vec![last.event.clone()]).await?;
        folded.at = Some((last, view_before));
        Ok(())
    }

    async fn again(&self, folded: &mut Folded, events: Vec<CloudEvent>) -> Result<(), Failure> {
        let source = Source::events(&self.recall, events);
        let mut replay = Replay::from_view(self.scratch, self.recall.clone(), source, folded.view.clone());
        loop {
            let page = replay.page().await?;
            replay.view().clone_into(&mut folded.view);
            if page.halt.is_some() {
                return Err(cannot("An event that was folded stalled when it was folded again; try again"));
            }
            if page.end {
                return Ok(());
            }
        }
    }
}

/// The next events of a file, the line that is none, and whether the file ended.
fn portion(
    file: &Path,
    texts: &mut EventTexts<BufReader<File>>,
    nth: &mut u64,
    passed_over: &mut u64,
) -> Result<(Vec<CloudEvent>, Option<RefusedEvent>, bool), Failure> {
    let mut events = Vec::new();
    while events.len() < PORTION {
        match texts.next_event().map_err(|why| cannot(format!("{} cannot be read: {why}", file.display())))? {
            NextEvent::End => return Ok((events, None, true)),
            NextEvent::Bad { line, why } => {
                let issues = vec![Issue { detail: why, pointer: String::new() }];
                return Ok((events, Some(RefusedEvent { line, issues }), false));
            }
            NextEvent::Event { line, event } => {
                *nth += 1;
                match as_seen(&GivenEvent { line, event }, *nth) {
                    Ok(Some(event)) => events.push(event),
                    Ok(None) => *passed_over += 1,
                    Err(refused) => return Ok((events, Some(refused), false)),
                }
            }
        }
    }
    Ok((events, None, false))
}
