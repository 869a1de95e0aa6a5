//! The `playbook` program: everything without a desktop.
//!
//! Reads what was asked, lets one command do it through the host or the server, and ends with a code:
//! 0 done, 1 problems or a refusal, 2 wrong usage or not possible.

mod arguments;
mod commands;
mod differences;
mod ended;
mod logging;
mod opened;
mod output;
mod places;
mod progress;
mod signals;
mod written;

use arguments::{Arguments, Command};
use clap::Parser as _;
use ended::Done;
use output::Output;
use std::process::ExitCode;

fn main() -> ExitCode {
    playbook_host::main_if_worker();
    let arguments = Arguments::parse();
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            output::complain(&format!("The program cannot start: {error}."));
            return ExitCode::from(2);
        }
    };
    let mut out = Output::new(arguments.json);
    let done = runtime.block_on(perform(arguments, &mut out));
    // What is left on other threads has been asked to stop; it is not waited for without end.
    runtime.shutdown_timeout(std::time::Duration::from_secs(5));
    ended::code(done, &mut out)
}

async fn perform(arguments: Arguments, out: &mut Output) -> Done {
    if !matches!(arguments.command, Command::Serve(_)) {
        logging::quiet();
    }
    let folder = arguments.folder.as_deref();
    match arguments.command {
        Command::Init(asked) => commands::init::init(&asked, folder, out),
        Command::Check(asked) => commands::check::check(&asked, folder, out).await,
        Command::Run(asked) => commands::run::run(&asked, folder, out).await,
        Command::History(asked) => commands::history::history(&asked, folder, out).await,
        Command::Step(asked) => commands::step::step(&asked, folder, out).await,
        Command::Replay(asked) => commands::again::replay(&asked, folder, out).await,
        Command::Fork(asked) => commands::again::fork(&asked, folder, out).await,
        Command::Keep(asked) => commands::again::keep(&asked, folder, out).await,
        Command::Inbox(asked) => commands::inbox::inbox(&asked, folder, out).await,
        Command::Answer(asked) => commands::inbox::answer(&asked, folder, out).await,
        Command::Events(asked) => commands::events::events(&asked, folder, out).await,
        Command::Show(asked) => commands::show::show(&asked, folder, out).await,
        Command::Fold(asked) => commands::fold::fold(&asked, folder, out).await,
        Command::Test(asked) => commands::test::test(&asked, folder, out).await,
        Command::Serve(asked) => commands::serve::serve(&asked, folder, out).await,
        Command::Publish(asked) => commands::publish::publish(&asked, folder, out).await,
        Command::Key(asked) => commands::key::key(&asked, out),
        Command::Completions(asked) => commands::completions::completions(&asked, out),
    }
}
