//! Folding a page in the worker: filters, folds and the schema, event by event, in a sandbox that may be kept.
//!
//! "How the view is kept" and "When a view stalls". What a page gives does not depend on the sandbox being kept.

use crate::job::{Added, PageDone, PageEvent, PageJob, PageStop, Step, Trace, name_hash};
use playbook_model::limits::{VALUE_LEVELS, VIEW_BYTES};
use playbook_sandbox::{Bounds, Folder, Program, Stop};
use playbook_schema::Schema;
use serde_json::Value;
use std::collections::HashSet;
use std::time::{Duration, Instant};

/// Sandboxes a worker keeps between pages, each of about a third of a megabyte.
const KEPT: usize = 8;

/// The sandboxes of a worker, the one used last at the end.
#[derive(Default)]
pub(crate) struct Pages(Vec<Kept>);

/// One view's sandbox between two pages.
struct Kept {
    loaded: Loaded,
    folder: Folder,
    /// The view's text, as this worker gave it.
    view: String,
}

/// What a sandbox was made from: all of it must be the same to go on in it.
#[derive(PartialEq)]
struct Loaded {
    key: u64,
    program: Program,
    filters: Vec<String>,
    schema: Option<Value>,
    bounds: Bounds,
    filter_work: u32,
}

impl Pages {
    /// Folds a page, saying before each event that it is at it.
    ///
    /// # Errors
    /// Words for the log, when this worker is of no further use.
    pub(crate) fn fold(&mut self, job: PageJob, mut at: impl FnMut(u32)) -> Result<PageDone, String> {
        let PageJob { key, program, filters, schema, view, events, .. } = job;
        if events.is_empty() {
            return Ok(PageDone { view, steps: Vec::new(), stop: None, added: Vec::new() });
        }
        let bounds = Bounds {
            work: job.work,
            memory: job.memory,
            milliseconds: job.fold_milliseconds,
            levels: VALUE_LEVELS,
            bytes: VIEW_BYTES,
        };
        at(0);
        let loaded = Loaded { key, program, filters, schema, bounds, filter_work: job.filter_work };
        let mut kept = match self.take(loaded, &view) {
            Ok(kept) => kept,
            Err(stop) => {
                let stop = Some(PageStop::Fold(stop));
                return Ok(PageDone { view, steps: Vec::new(), stop, added: Vec::new() });
            }
        };
        let page = Duration::from_millis(job.page_milliseconds);
        let mut steps = Vec::with_capacity(events.len());
        let mut stop = None;
        let mut begun = None;
        let mut tracing = match job.trace {
            Trace::Nothing => None,
            Trace::Added => Some(Tracing::new(&mut kept.folder).map_err(broken)?),
        };
        for (place, event) in events.iter().enumerate() {
            let now = Instant::now();
            if *begun.get_or_insert(now) + page <= now && !steps.is_empty() {
                break;
            }
            if place > 0 {
                at(u32::try_from(place).unwrap_or(u32::MAX));
            }
            match kept.step(event, now + Duration::from_millis(job.fold_milliseconds)) {
                Ok(step) => {
                    if let (Some(tracing), Step::Folded { .. }) = (&mut tracing, step) {
                        tracing.fold(&mut kept.folder, place).map_err(broken)?;
                    }
                    steps.push(step);
                }
                Err(why) => {
                    stop = Some(why);
                    break;
                }
            }
        }
        let view = kept.folder.view().map_err(broken)?;
        if stop.is_none() {
            kept.view.clone_from(&view);
            self.0.push(kept);
        }
        Ok(PageDone { view, steps, stop, added: tracing.map(|tracing| tracing.added).unwrap_or_default() })
    }

    /// Takes the kept sandbox of a view, or makes one.
    fn take(&mut self, loaded: Loaded, view: &str) -> Result<Kept, Stop> {
        let known = self.0.iter().position(|kept| kept.loaded.key == loaded.key);
        if let Some(kept) = known.map(|place| self.0.remove(place))
            && kept.loaded == loaded
            && kept.view == view
        {
            return Ok(kept);
        }
        if self.0.len() >= KEPT {
            self.0.remove(0);
        }
        let schema = match loaded.schema.as_ref().map(Schema::compile) {
            None => None,
            Some(Ok(schema)) => Some(schema),
            Some(Err(_)) => {
                return Err(Stop::Refused {
                    message: "view.schema is no schema that can be checked".into(),
                    line: None,
                });
            }
        };
        let Loaded { program, filters, bounds, filter_work, .. } = &loaded;
        let folder = Folder::load(program, filters, view, schema, bounds, *filter_work)?;
        Ok(Kept { loaded, folder, view: view.to_owned() })
    }
}

fn broken(stop: Stop) -> String {
    format!("the view could not be read: {stop:?}")
}

/// The names of a view's top-level members from fold to fold, each as its hash.
struct Tracing {
    names: HashSet<u64>,
    next: HashSet<u64>,
    added: Vec<Added>,
}

impl Tracing {
    fn new(folder: &mut Folder) -> Result<Self, Stop> {
        let mut names = HashSet::new();
        folder.names(|name| {
            names.insert(name_hash(name));
        })?;
        Ok(Self { names, next: HashSet::new(), added: Vec::new() })
    }

    fn fold(&mut self, folder: &mut Folder, place: usize) -> Result<(), Stop> {
        let Self { names, next, added } = self;
        let step = u32::try_from(place).unwrap_or(u32::MAX);
        next.clear();
        folder.names(|name| {
            let name = name_hash(name);
            next.insert(name);
            if !names.contains(&name) {
                added.push(Added { step, name });
            }
        })?;
        std::mem::swap(names, next);
        Ok(())
    }
}

impl Kept {
    fn step(&mut self, event: &PageEvent, deadline: Instant) -> Result<Step, PageStop> {
        if !self.takes(event, deadline)? {
            return Ok(Step::Passed);
        }
        let folded = self.folder.fold(&event.json, event.clock, deadline).map_err(PageStop::Fold)?;
        if !folded.fits {
            let issue = self.folder.issue().map_err(PageStop::Fold)?;
            self.folder.take_back();
            let (pointer, detail) = issue.map(|issue| (issue.pointer, issue.detail)).unwrap_or_default();
            return Err(PageStop::Schema { pointer, detail });
        }
        Ok(Step::Folded { work: folded.work, bytes: folded.bytes })
    }

    fn takes(&mut self, event: &PageEvent, deadline: Instant) -> Result<bool, PageStop> {
        for filter in &event.ask {
            if *filter >= self.loaded.filters.len() {
                let message = "the page asks a filter that it does not give".into();
                return Err(PageStop::Filter(Stop::Refused { message, line: None }));
            }
            if self.folder.holds(*filter, &event.json, event.clock, deadline).map_err(PageStop::Filter)? {
                return Ok(true);
            }
        }
        Ok(event.ask.is_empty())
    }
}
