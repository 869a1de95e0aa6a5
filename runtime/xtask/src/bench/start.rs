//! How long the app takes from its start to its first picture.

use super::Figure;
use anyhow::{Context, Result, bail};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Starts are measured this often; the first one fills the caches and is told apart.
const STARTS: usize = 5;
/// A start that takes longer has failed.
const LONGEST: Duration = Duration::from_secs(60);
/// What the app notes when something is on the screen.
const PAINTED: &str = "first paint";

/// Measures starts of the built app, on a display of its own where there is none.
pub(super) fn measure(program: &Path) -> Result<Vec<Figure>> {
    if !program.exists() {
        bail!("the app is not built: run `make bench`, which builds it first");
    }
    let home = tempfile::tempdir().context("a folder for the app's own files")?;
    let mut starts = Vec::new();
    for _ in 0..STARTS {
        starts.push(start(program, home.path())?);
    }
    let cold = starts.remove(0);
    starts.sort_unstable();
    Ok(vec![
        Figure::milliseconds("app start to first paint, first start with the sample", cold),
        Figure::milliseconds("app start to first paint, later starts (median)", starts[starts.len() / 2]),
    ])
}

fn start(program: &Path, home: &Path) -> Result<Duration> {
    let has_display = ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| std::env::var_os(name).is_some());
    let mut command = if has_display {
        Command::new(program)
    } else {
        let mut command = Command::new("xvfb-run");
        command.args(["-a", "-s", "-screen 0 1280x900x24"]).arg(program);
        command
    };
    for (name, folder) in [("XDG_DATA_HOME", "data"), ("XDG_CONFIG_HOME", "config"), ("XDG_CACHE_HOME", "cache")] {
        command.env(name, home.join(folder));
    }
    command
        .env("PLAYBOOK_LOG", "warn,playbook_studio=info")
        .arg("--sample")
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    // A display server needs its own time; the clock starts when the app itself says that it runs.
    let mut child = command.spawn().context("the app could not be started")?;
    let painted = first_paint(&mut child);
    end(child);
    painted
}

/// The app measures from its own start, so a display server's start is not counted.
fn first_paint(child: &mut Child) -> Result<Duration> {
    let errors = child.stderr.take().context("the app's notes")?;
    let (send, lines) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        for line in BufReader::new(errors).lines().map_while(Result::ok) {
            if send.send(line).is_err() {
                return;
            }
        }
    });
    let end = Instant::now() + LONGEST;
    let mut notes = Vec::new();
    while let Ok(line) = lines.recv_timeout(end.saturating_duration_since(Instant::now())) {
        let plain = plain(&line);
        if plain.contains(PAINTED) {
            let milliseconds = plain
                .split("milliseconds=")
                .nth(1)
                .and_then(|rest| rest.split_whitespace().next())
                .and_then(|number| number.parse().ok())
                .context("the app's note of its first paint has no time")?;
            return Ok(Duration::from_millis(milliseconds));
        }
        notes.push(line);
    }
    bail!("the app painted nothing within {} s:\n{}", LONGEST.as_secs(), notes.join("\n"))
}

/// A line without the colours of a terminal.
fn plain(line: &str) -> String {
    let mut plain = String::new();
    let mut parts = line.split('\u{1b}');
    plain.push_str(parts.next().unwrap_or_default());
    for part in parts {
        plain.push_str(part.split_once('m').map_or("", |(_, rest)| rest));
    }
    plain
}

/// Asks the app to close, and waits until it has.
fn end(mut child: Child) {
    let asked = Command::new("kill").args(["-TERM", &child.id().to_string()]).status();
    if asked.is_ok_and(|status| status.success()) {
        let end = Instant::now() + Duration::from_secs(15);
        while Instant::now() < end {
            if matches!(child.try_wait(), Ok(Some(_))) {
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }
    let _ = child.kill();
    let _ = child.wait();
}

#[cfg(test)]
mod tests {
    #[test]
    fn colours_of_a_terminal_are_left_out() {
        assert_eq!(
            super::plain("\u{1b}[2mfirst\u{1b}[0m paint \u{1b}[3mmilliseconds\u{1b}[0m=12"),
            "first paint milliseconds=12"
        );
    }
}
