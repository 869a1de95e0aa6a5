//! The desktop shell: a window on the runtime, which runs in this process.
//!
//! It starts the runtime, shows the page that was built in, carries the page's requests to the runtime's own
//! router, and does what only a desktop can: pick a folder, open a file, open a link in a browser.
//! It must not know definitions, runs or the log: no decision about a playbook is made here.

#![cfg_attr(not(debug_assertions), windows_subsystem = "windows")]

mod arguments;
mod commands;
mod places;
mod renderer;
mod runtime;
mod scheme;
mod shell;

use arguments::Wish;
use std::io::Write;
use std::process::ExitCode;

fn main() -> ExitCode {
    // A worker process of the sandbox is this same program; it never gets to the rest.
    playbook_host::main_if_worker();

    let wish = match arguments::read(std::env::args_os().skip(1)) {
        Ok(wish) => wish,
        Err(sentence) => return say(&mut std::io::stderr(), &sentence, ExitCode::from(2)),
    };
    let open = match wish {
        Wish::Help => return say(&mut std::io::stdout(), arguments::HELP, ExitCode::SUCCESS),
        Wish::Version => {
            let words = format!("playbook-studio {}", env!("CARGO_PKG_VERSION"));
            return say(&mut std::io::stdout(), &words, ExitCode::SUCCESS);
        }
        Wish::Open(open) => open,
    };

    keep_a_log();
    let places = match places::Places::find() {
        Ok(places) => places,
        Err(error) => return say(&mut std::io::stderr(), &format!("{error:#}"), ExitCode::FAILURE),
    };
    // Before GTK starts: it reads the environment once.
    let renderer = renderer::choose(&places);
    match shell::run(open, places, renderer) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => say(&mut std::io::stderr(), &format!("Playbook Studio stopped: {error:#}"), ExitCode::FAILURE),
    }
}

/// Writes a line; a closed terminal is no reason to fail.
fn say(to: &mut dyn Write, words: &str, code: ExitCode) -> ExitCode {
    let _ = writeln!(to, "{words}");
    code
}

/// Sends what the program notes to standard error; `PLAYBOOK_LOG` says how much.
fn keep_a_log() {
    let filter = tracing_subscriber::EnvFilter::try_from_env("PLAYBOOK_LOG")
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new("warn,playbook_studio=info"));
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).init();
}
