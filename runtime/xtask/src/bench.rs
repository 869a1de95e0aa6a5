//! `cargo xtask bench`: the figures by which a change is judged, on the machine it runs on.
//!
//! Knows how each room is driven from outside. A figure is printed with its unit; nothing here passes or fails.

mod check;
mod folds;
mod host;
mod rebuild;
mod scrub;
mod start;
mod workflows;

use anyhow::{Context, Result};
use playbook_typescript::Compiler;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// What was measured.
struct Figure {
    what: String,
    value: f64,
    unit: &'static str,
}

impl Figure {
    fn milliseconds(what: impl Into<String>, time: Duration) -> Self {
        Self { what: what.into(), value: time.as_secs_f64() * 1_000.0, unit: "ms" }
    }

    fn microseconds(what: impl Into<String>, time: Duration) -> Self {
        Self { what: what.into(), value: time.as_secs_f64() * 1_000_000.0, unit: "µs" }
    }

    fn megabytes(what: impl Into<String>, bytes: u64) -> Self {
        Self { what: what.into(), value: bytes as f64 / 1_000_000.0, unit: "MB" }
    }

    /// Something to be said instead of a figure.
    fn note(what: impl Into<String>) -> Self {
        Self { what: what.into(), value: f64::NAN, unit: "" }
    }

    fn a_second(what: impl Into<String>, count: usize, time: Duration) -> Self {
        Self { what: what.into(), value: count as f64 / time.as_secs_f64(), unit: "a second" }
    }
}

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.value.is_nan() {
            return f.write_str(&self.what);
        }
        let digits = if self.value < 10.0 { 2 } else { usize::from(self.value < 1_000.0) };
        write!(f, "{:<88} {:>10.digits$} {}", self.what, self.value, self.unit)
    }
}

/// Measures everything, or the parts that are named.
///
/// # Errors
/// When something cannot be measured, with what to do about it.
pub(crate) fn run(parts: &[&str]) -> Result<()> {
    const PARTS: [&str; 7] = ["check", "folds", "host", "rebuild", "scrub", "start", "workflows"];
    if let Some(unknown) = parts.iter().find(|part| !PARTS.contains(part)) {
        anyhow::bail!("there is no part {unknown}; the parts are {}", PARTS.join(", "));
    }
    let wanted = |part: &str| parts.is_empty() || parts.contains(&part);
    let kind = if cfg!(debug_assertions) { "debug" } else { "release" };
    println!("{kind} build, {} cores\n", std::thread::available_parallelism().map_or(1, usize::from));

    let show = |figures: Vec<Figure>| figures.iter().for_each(|figure| println!("{figure}"));
    let compiler = Arc::new(Compiler::new());
    if wanted("check") {
        show(check::measure(&root())?);
    }
    let runtime = tokio::runtime::Runtime::new().context("a runtime for what waits")?;
    if wanted("host") {
        show(runtime.block_on(host::measure(&root(), Arc::clone(&compiler)))?);
    }
    if wanted("folds") {
        show(folds::measure(&root(), &compiler)?);
    }
    if wanted("rebuild") {
        show(runtime.block_on(rebuild::measure(&root(), Arc::clone(&compiler)))?);
    }
    if wanted("scrub") {
        show(runtime.block_on(scrub::measure(&root()))?);
    }
    if wanted("workflows") {
        show(runtime.block_on(workflows::measure(&root(), Arc::clone(&compiler)))?);
    }
    if wanted("start") {
        show(start::measure(&beside("playbook-studio")?)?);
    }
    Ok(())
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("the crate lies two folders deep").to_owned()
}

/// A program of ours that was built beside this one.
fn beside(name: &str) -> Result<PathBuf> {
    let own = std::env::current_exe().context("where this program lies")?;
    Ok(own.with_file_name(format!("{name}{}", std::env::consts::EXE_SUFFIX)))
}

/// The sample playbook's text of a definition.
fn sample(root: &Path, path: &str) -> Result<String> {
    let path = root.join("sample").join(path);
    std::fs::read_to_string(&path).with_context(|| format!("the sample's {}", path.display()))
}

/// The middle one of some times, and the one that nineteen in twenty stay under.
fn middle_and_most(mut times: Vec<Duration>) -> (Duration, Duration) {
    times.sort_unstable();
    (times[times.len() / 2], times[times.len() * 19 / 20])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_and_the_most_of_times() {
        let times: Vec<Duration> = (1..=100).rev().map(Duration::from_millis).collect();
        assert_eq!(middle_and_most(times), (Duration::from_millis(51), Duration::from_millis(96)));
        assert_eq!(middle_and_most(vec![Duration::from_millis(7)]).1, Duration::from_millis(7));
    }

    #[test]
    fn a_figure_says_its_unit() {
        let line = Figure::a_second("folds", 500, Duration::from_secs(2)).to_string();
        assert!(line.starts_with("folds ") && line.ends_with(" 250.0 a second"), "{line}");
    }
}
