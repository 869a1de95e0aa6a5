//! The pool: who waits for which worker, and what happens to a worker afterwards.

use crate::child::{Lost, Worker};
use crate::evaluator::{Evaluator, Unevaluated};
use crate::frame::{Reply, Request, Telling};
use crate::job::{Haste, PageDone, PageJob, PageLost, PageStop, RunJob, RunStop};
use crate::program::WorkerProgram;
use playbook_sandbox::{Bounds, Returned, Stop};
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::{Semaphore, SemaphorePermit, watch};

/// How long past its deadline a worker may be silent before it is killed.
const GRACE: Duration = Duration::from_millis(500);
/// The same for a page, which may have to do folds again to give the view before a stop.
const PAGE_GRACE: Duration = Duration::from_secs(3);

/// How long a page keeps others waiting; one that takes longer goes on beside them.
const PATIENCE: Duration = Duration::from_millis(500);
/// Pages that go on beside the others at once: views built at once, of a playbook.
const BESIDE: usize = playbook_model::limits::RECALL_REBUILDS;

/// Worker processes, and the queues before them. Cheap to clone; all clones are the same pool.
///
/// Runs and pages have workers of their own. Each queue is first come, first served.
#[derive(Clone)]
pub struct Pool(Arc<Inner>);

struct Inner {
    program: WorkerProgram,
    runs: Lane,
    pages: Lane,
    expressions: Lane,
    /// Turns of pages of views that are being built.
    builds: Semaphore,
    /// Turns of pages that take long.
    beside: Semaphore,
    stopping: watch::Sender<bool>,
}

/// Workers of one kind of job.
struct Lane {
    size: usize,
    free: Arc<Semaphore>,
    idle: Mutex<Vec<Worker>>,
}

impl std::fmt::Debug for Pool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Inner { program, runs, pages, .. } = &*self.0;
        f.debug_struct("Pool").field("program", program).field("runs", &runs.size).field("pages", &pages.size).finish()
    }
}

impl Pool {
    /// A pool of `size` runs at once, 1 at the least, and of a page for each core, 2 at the least. Workers start when
    /// needed.
    #[must_use]
    pub fn new(program: WorkerProgram, size: usize) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let pages = Lane::new(cores.max(2));
        Self(Arc::new(Inner {
            program,
            runs: Lane::new(size),
            builds: Semaphore::new(pages.size - 1),
            pages,
            expressions: Lane::new(cores.clamp(2, 8)),
            beside: Semaphore::new(BESIDE),
            stopping: watch::Sender::new(false),
        }))
    }

    /// Calls an export in a fresh sandbox. Waiting for a worker counts inside the deadline.
    ///
    /// # Errors
    /// [`RunStop`] says why there is no output.
    pub async fn run(&self, job: RunJob) -> Result<Returned, RunStop> {
        let mut stopping = self.0.stopping.subscribe();
        tokio::select! {
            biased;
            _ = stopping.wait_for(|stopping| *stopping) => Err(RunStop::Stopping),
            done = self.run_in_turn(job) => done,
        }
    }

    /// Folds a page. Its time counts from when a worker takes it.
    ///
    /// # Errors
    /// [`PageLost`] says what became of the worker; the view is as before.
    pub async fn page(&self, job: PageJob, haste: Haste) -> Result<PageDone, PageLost> {
        let mut stopping = self.0.stopping.subscribe();
        tokio::select! {
            biased;
            _ = stopping.wait_for(|stopping| *stopping) => Err(PageLost::Stopping),
            done = self.page_in_turn(job, haste) => done,
        }
    }

    /// A worker for the expressions of one input, once one is free. None starts before the first expression.
    ///
    /// # Errors
    /// [`Unevaluated::Stopping`] when the pool stops meanwhile.
    pub async fn evaluator(&self) -> Result<Evaluator, Unevaluated> {
        let mut stopping = self.0.stopping.subscribe();
        tokio::select! {
            biased;
            _ = stopping.wait_for(|stopping| *stopping) => Err(Unevaluated::Stopping),
            turn = self.0.expressions.free.clone().acquire_owned() => {
                let turn = turn.expect("the queue is never closed");
                Ok(Evaluator { pool: self.clone(), worker: None, _turn: turn })
            }
        }
    }

    pub(crate) fn is_stopping(&self) -> bool {
        *self.0.stopping.borrow()
    }

    pub(crate) fn expression_worker(&self) -> io::Result<Worker> {
        self.worker(&self.0.expressions, None)
    }

    pub(crate) fn keep_expression_worker(&self, worker: Worker) {
        self.0.expressions.keep(worker, &self.0.stopping);
    }

    /// Starts a worker for runs and one for pages, so that the first job finds one ready.
    ///
    /// # Errors
    /// The system's, when it starts no process.
    pub fn warm(&self) -> io::Result<()> {
        for lane in [&self.0.runs, &self.0.pages] {
            if lane.idle().is_empty() {
                let worker = Worker::start(&self.0.program)?;
                lane.idle().push(worker);
            }
        }
        Ok(())
    }

    /// Stops: jobs waiting or going end as stopping, and every worker is ended.
    pub async fn stop(&self) {
        self.0.stopping.send_replace(true);
        for lane in [&self.0.runs, &self.0.pages, &self.0.expressions] {
            let idle = std::mem::take(&mut *lane.idle());
            for mut worker in idle {
                worker.kill().await;
            }
        }
    }

    async fn run_in_turn(&self, job: RunJob) -> Result<Returned, RunStop> {
        let lane = &self.0.runs;
        let RunJob { program, export, arguments, clock, bounds, deadline } = job;
        let busy = RunStop::Busy { milliseconds: bounds.milliseconds, at_once: lane.size };
        let turn = tokio::time::timeout_at(deadline.into(), lane.turn()).await;
        let Ok(_turn) = turn else { return Err(busy) };
        let crashed = |why: String| RunStop::Crashed { why };
        let mut worker =
            self.worker(lane, None).map_err(|why| crashed(format!("no worker could be started: {why}")))?;
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            lane.keep(worker, &self.0.stopping);
            return Err(busy);
        }
        let milliseconds = u64::try_from(left.as_millis()).unwrap_or(u64::MAX);
        let own = Bounds { milliseconds: milliseconds.min(bounds.milliseconds).max(1), ..bounds };
        let late = Err(RunStop::Program(Stop::Time { milliseconds: bounds.milliseconds }));
        match worker.ask(&Request::Run { program, export, arguments, clock, bounds: own }, deadline + GRACE).await {
            Ok(Reply::Run(Ok(returned))) => {
                lane.keep(worker, &self.0.stopping);
                Ok(returned)
            }
            Ok(Reply::Run(Err(Stop::Time { .. }))) => late,
            Ok(Reply::Run(Err(stop))) => {
                if !spoils(&stop) {
                    lane.keep(worker, &self.0.stopping);
                }
                Err(RunStop::Program(stop))
            }
            Ok(_) => Err(crashed("the worker answered something else".into())),
            Err(Lost::Late { .. }) => late,
            Err(Lost::Crashed { why, .. }) => {
                tracing::error!(why, "a worker was lost in a run");
                Err(crashed(why))
            }
        }
    }

    async fn page_in_turn(&self, job: PageJob, haste: Haste) -> Result<PageDone, PageLost> {
        let build = match haste {
            Haste::Live => None,
            Haste::Build => Some(self.0.builds.acquire().await.expect("the queue is never closed")),
        };
        let turn = self.0.pages.turn().await;
        let mut page = std::pin::pin!(self.page_at_once(job));
        tokio::select! {
            biased;
            done = &mut page => return done,
            () = tokio::time::sleep(PATIENCE) => {}
        }
        // It takes long: while there is room beside, nobody waits for it any more.
        let _beside = tokio::select! {
            biased;
            done = &mut page => return done,
            beside = self.0.beside.acquire() => beside.expect("the queue is never closed"),
        };
        drop((build, turn));
        page.await
    }

    async fn page_at_once(&self, job: PageJob) -> Result<PageDone, PageLost> {
        let request = Request::Page(Box::new(job), Telling::Now);
        match self.ask_page(&request).await {
            // Where a worker that tells from time to time was lost is not known: one that tells each event says it.
            Err(PageLost::Crashed { .. }) => {
                let Request::Page(job, _) = request else { unreachable!("made above") };
                self.ask_page(&Request::Page(job, Telling::Each)).await
            }
            done => done,
        }
    }

    async fn ask_page(&self, request: &Request) -> Result<PageDone, PageLost> {
        let lane = &self.0.pages;
        let Request::Page(job, _) = request else { unreachable!("a page is asked for") };
        let mut worker = self.worker(lane, Some(job.key)).map_err(|why| {
            tracing::error!(%why, "no worker could be started for a page");
            PageLost::Stopping
        })?;
        let own = Duration::from_millis(job.page_milliseconds.saturating_add(job.fold_milliseconds));
        let until = Instant::now() + own + PAGE_GRACE;
        match worker.ask(request, until).await {
            Ok(Reply::Page(done)) => {
                let spoiled = match &done.stop {
                    Some(PageStop::Fold(stop) | PageStop::Filter(stop)) => spoils(stop),
                    Some(PageStop::Schema { .. }) | None => false,
                };
                if !spoiled {
                    lane.keep(worker, &self.0.stopping);
                }
                Ok(done)
            }
            Ok(_) => Err(PageLost::Crashed { at: 0 }),
            Err(Lost::Late { at }) => {
                tracing::warn!(at, "a worker was killed: its page was late");
                Err(PageLost::Late { at })
            }
            Err(Lost::Crashed { why, at }) => {
                tracing::error!(why, at, "a worker was lost in a page");
                Err(PageLost::Crashed { at })
            }
        }
    }

    /// An idle worker: the one whose last page had this key, else one that knows the key, else any; or a new one.
    ///
    /// So a view that is built and one that follows keep to workers of their own, and to the sandboxes kept there.
    fn worker(&self, lane: &Lane, key: Option<u64>) -> io::Result<Worker> {
        let mut idle = lane.idle();
        idle.retain_mut(Worker::goes);
        let last = key.and_then(|key| idle.iter().position(|worker| worker.did_last(key)));
        let known = last.or_else(|| key.and_then(|key| idle.iter().position(|worker| worker.knows(key))));
        match known.map(|at| idle.remove(at)).or_else(|| idle.pop()) {
            Some(worker) => Ok(worker),
            None => Worker::start(&self.0.program),
        }
    }
}

/// Whether a stop leaves a worker whose memory or time is not to be trusted.
fn spoils(stop: &Stop) -> bool {
    matches!(stop, Stop::Memory { .. } | Stop::Time { .. })
}

impl Lane {
    fn new(size: usize) -> Self {
        let size = size.clamp(1, 64);
        Self { size, free: Arc::new(Semaphore::new(size)), idle: Mutex::default() }
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Worker>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn turn(&self) -> SemaphorePermit<'_> {
        self.free.acquire().await.expect("the queue is never closed")
    }

    /// Keeps a worker for the next job, unless the pool stops: then dropping it ends it.
    fn keep(&self, worker: Worker, stopping: &watch::Sender<bool>) {
        let mut idle = self.idle();
        // One that went on beside the others is one too many by now.
        if !*stopping.borrow() && idle.len() < self.size {
            idle.push(worker);
        }
    }
}
