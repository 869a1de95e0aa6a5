//! The project's own chores, run as `cargo xtask <chore>`.
//!
//! Knows how generated files are made; nothing here runs in the program.

#![expect(clippy::print_stderr, clippy::print_stdout, reason = "a chore speaks to the person who runs it")]

use anyhow::{Result, bail};

mod bench;
mod lib_declarations;
mod tidy;

fn main() -> Result<()> {
    // The bench folds and runs in workers, which are this same program.
    playbook_host::main_if_worker();
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["lib"] => lib_declarations::write(),
        ["tidy"] => tidy::run(),
        ["bench", parts @ ..] => bench::run(parts),
        _ => bail!(
            "Usage: cargo xtask <chore>\n\n  lib     write runtime/typescript/lib from the TypeScript package\n  tidy    check the rules of the house\n  bench   measure checks, runs, folds, the log and the app's start; or the parts named: check, host, folds, start"
        ),
    }
}
