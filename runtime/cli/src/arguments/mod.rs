//! What a person may write after `playbook`.

mod events;
mod inbox;
mod runs;

pub(crate) use events::{Events, EventsCommand, EventsFormat, ExportEvents, ImportEvents, ListEvents, PublishEvent};
pub(crate) use inbox::{Answer, Inbox};
pub(crate) use runs::{Fork, History, Keep, Replay, Step};

use clap::{Args, Parser, Subcommand, ValueEnum};
use playbook_model::definition::{DefinitionKey, DefinitionType};
use playbook_model::id::{DefinitionName, OrgId, PlaybookId, RunId};
use playbook_model::time::Moment;
use std::path::PathBuf;

/// Works on playbooks: checks, runs, serves and publishes their definitions.
#[derive(Debug, Parser)]
#[command(
    name = "playbook",
    version,
    disable_help_subcommand = true,
    after_help = "Examples:
  playbook init my-playbook --sample
  playbook check my-playbook
  playbook run computation review-brief --folder my-playbook --input '{\"campaign\": \"an-idea\"}'
  playbook show recall campaign-reviews --folder my-playbook
  playbook test my-playbook
  playbook serve --folder my-playbook --ui

Ends with 0 when done, 1 on problems or a refusal, 2 on wrong usage or when it is not possible."
)]
pub(crate) struct Arguments {
    /// The playbook's folder; the current folder unless given.
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) folder: Option<PathBuf>,
    /// Answers in JSON, for programs.
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Makes a new playbook in an empty or new folder.
    Init(Init),
    /// Checks documents and tells every problem at its place.
    Check(Check),
    /// Runs a definition of a folder on an input.
    Run(Run),
    /// Tells what a run did, step by step.
    History(History),
    /// Steps through what a workflow's run did, forward and back.
    Step(Step),
    /// Replays a workflow's run on what is saved now, and says where it first differs.
    Replay(Replay),
    /// Forks a workflow's run at one of its inputs, recorded nowhere.
    Fork(Fork),
    /// Keeps a workflow's run as a test case.
    Keep(Keep),
    /// Lists the requests of a folder that wait for an answer.
    Inbox(Inbox),
    /// Answers a request, which ends its run with the answer as its output.
    Answer(Answer),
    /// Publishes, lists, exports and imports a playbook's events.
    Events(Events),
    /// Shows a definition: how it stands, and its overview.
    Show(Show),
    /// Folds a recall function's document over a history, recorded nowhere.
    Fold(Fold),
    /// Runs test cases of definitions, recorded nowhere.
    Test(Test),
    /// Serves playbooks over HTTP, and the Studio in the browser.
    Serve(Serve),
    /// Publishes a folder's definitions to a server: a plan, sent in order, each read back.
    Publish(Publish),
    /// Makes a key for a server.
    Key(Key),
    /// Writes the completion script of a shell.
    Completions(Completions),
}

/// `init`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  playbook init my-playbook
  playbook init my-playbook --sample
  playbook init my-playbook --id campaigns --name 'Our campaigns'")]
pub(crate) struct Init {
    /// The folder; the current one unless given.
    pub(crate) dir: Option<PathBuf>,
    /// Begins with the sample playbook.
    #[arg(long, conflicts_with_all = ["id", "name"])]
    pub(crate) sample: bool,
    /// The playbook's id; made from the folder's name unless given.
    #[arg(long, value_parser = playbook)]
    pub(crate) id: Option<PlaybookId>,
    /// The playbook's name for people; the folder's name unless given.
    #[arg(long)]
    pub(crate) name: Option<String>,
}

/// How problems are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// `path:line:column: sentence`.
    Text,
    /// A list of objects.
    Json,
}

/// `check`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  playbook check
  playbook check my-playbook
  playbook check recall/campaign-reviews.md computation/review-brief.md
  playbook check --format json")]
pub(crate) struct Check {
    /// Playbook folders, documents or test cases; the folder unless given.
    pub(crate) paths: Vec<PathBuf>,
    /// How problems are told.
    #[arg(long, value_enum)]
    pub(crate) format: Option<Format>,
}

/// A definition, by type and name.
#[derive(Debug, Args)]
pub(crate) struct Which {
    /// The definition's type: computation, recall, interaction or workflow.
    #[arg(value_name = "TYPE", value_parser = kind)]
    pub(crate) kind: DefinitionType,
    /// The definition's name.
    #[arg(value_parser = name)]
    pub(crate) name: DefinitionName,
}

/// `run`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  playbook run computation review-brief --input '{\"campaign\": \"an-idea\"}'
  playbook run computation review-brief --input-file inputs/computation/review-brief/spring-sale.json
  playbook run recall campaign-reviews --input '{\"campaign\": \"spring-sale\"}' --json
  playbook run workflow approve-campaign --input-file inputs/workflow/approve-campaign/spring-sale.json --follow

A workflow's run goes on until it ends, or waits for someone, an event or a time; it goes on by itself whenever the
folder is open again.")]
pub(crate) struct Run {
    /// The definition.
    #[command(flatten)]
    pub(crate) which: Which,
    /// The input as JSON; an empty object unless given.
    #[arg(long, value_name = "JSON", conflicts_with = "input_file")]
    pub(crate) input: Option<String>,
    /// The file that holds the input; - is the standard input.
    #[arg(long, value_name = "FILE")]
    pub(crate) input_file: Option<PathBuf>,
    /// The run's id, a UUID: the same id and input again give the same ending.
    #[arg(long, value_name = "ID", value_parser = run_id)]
    pub(crate) run_id: Option<RunId>,
    /// Tells each step of a workflow's run as it comes, and waits until it ends.
    #[arg(long)]
    pub(crate) follow: bool,
}

/// `show`.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  playbook show recall campaign-reviews --folder my-playbook")]
pub(crate) struct Show {
    /// The definition.
    #[command(flatten)]
    pub(crate) which: Which,
}

/// `fold`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  playbook fold campaign-reviews
  playbook fold campaign-reviews --diff
  playbook fold campaign-reviews --to-event 0199a3c4-7d2e-7c1a-9b3f-2f1e0d9c8b73 --diff
  playbook fold campaign-reviews --from events.jsonl --json
  playbook fold campaign-reviews --from ../last-year

The document is the file on the disk, saved or not. --diff alone compares the view that is kept with this one;
with --to-event it tells what that event changed.")]
pub(crate) struct Fold {
    /// The recall function's name.
    #[arg(value_parser = name)]
    pub(crate) name: DefinitionName,
    /// Another playbook's folder, or a file of events as events export writes it; the folder's own log unless given.
    #[arg(long, value_name = "DIR|FILE")]
    pub(crate) from: Option<PathBuf>,
    /// Stops after the event of this id.
    #[arg(long, value_name = "ID")]
    pub(crate) to_event: Option<String>,
    /// Shows a difference instead of the view.
    #[arg(long)]
    pub(crate) diff: bool,
}

/// `test`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  playbook test
  playbook test recall/campaign-reviews.md
  playbook test tests/recall/campaign-reviews --filter constructor
  playbook test approve-campaign
  playbook test --update

A case is a file tests/TYPE/NAME/CASE.yaml. Of a recall function it gives events, and the view they fold to or the
stall they lead to; of a computation function an input, and the output; of a workflow what a run of it took, as
playbook keep writes it, and how it ends. Nothing is recorded, and no network is used.")]
pub(crate) struct Test {
    /// Playbook folders, documents, folders of cases or cases, or names of definitions; the folder unless given.
    pub(crate) paths: Vec<PathBuf>,
    /// Only cases whose path holds this text.
    #[arg(long, value_name = "TEXT")]
    pub(crate) filter: Option<String>,
    /// Writes what happened into the cases that fail, as what they expect from now on.
    #[arg(long)]
    pub(crate) update: bool,
}

/// `serve`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  playbook serve --data ./data --listen 127.0.0.1:8080
  playbook serve --folder my-playbook --ui
  API_KEYS='[...]' playbook serve --data /var/lib/playbook --listen 0.0.0.0:8080

Without keys the server is for this machine alone: it listens on a loopback address only.
Settings come from the environment and from the file CONFIG_FILE names:
PORT, HOST, LOCAL_MODE, API_KEYS, ALLOWED_ORIGINS, LEDGER_FILE, LOG_FORMAT, COMPUTATION_WORKERS,
RECALL_MAX_FUNCTIONS, RECALL_MAX_REBUILDS, RECALL_PLAYBOOKS_AT_ONCE, INTERACTION_OPEN_REQUESTS,
WORKFLOW_MAX_DURATION, WORKFLOW_MAX_OPEN_CALLS, WORKFLOW_NESTED_RUNS.")]
pub(crate) struct Serve {
    /// The folder of a log that holds many playbooks; without it and without --folder, LEDGER_FILE or ./data.
    #[arg(long, value_name = "DIR", conflicts_with = "folder")]
    pub(crate) data: Option<PathBuf>,
    /// Where to listen, such as 127.0.0.1:8080; port 0 picks a free one.
    #[arg(long, value_name = "ADDR")]
    pub(crate) listen: Option<String>,
    /// Serves the Studio on /.
    #[arg(long)]
    pub(crate) ui: bool,
    /// Serves the Studio from this folder instead of from the program.
    #[arg(long, value_name = "DIR")]
    pub(crate) ui_dir: Option<PathBuf>,
}

/// `publish`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  playbook publish --to http://127.0.0.1:7700 --plan
  playbook publish --to https://playbooks.example --org acme --key-file ~/.keys/acme
  playbook publish --to https://playbooks.example --org acme --key-file key --overwrite recall/campaign-reviews

What changed on the server is never overwritten but by name.")]
pub(crate) struct Publish {
    /// The server's origin.
    #[arg(long, value_name = "URL")]
    pub(crate) to: String,
    /// The file that holds the key, alone.
    #[arg(long, value_name = "FILE")]
    pub(crate) key_file: Option<PathBuf>,
    /// The org there.
    #[arg(long, default_value = "local", value_parser = org)]
    pub(crate) org: OrgId,
    /// The playbook there; the folder's own id unless given.
    #[arg(long, value_name = "ID", value_parser = playbook)]
    pub(crate) playbook: Option<PlaybookId>,
    /// Shows what would happen and sends nothing.
    #[arg(long)]
    pub(crate) plan: bool,
    /// Takes what changed on the server alone into the folder.
    #[arg(long)]
    pub(crate) pull: bool,
    /// Publishes this definition over what changed on the server; may be given again.
    #[arg(long, value_name = "TYPE/NAME", value_parser = definition)]
    pub(crate) overwrite: Vec<DefinitionKey>,
}

/// `key`.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  playbook key ci --org acme

The key is shown once; the server keeps only the entry, in API_KEYS or in api_keys of its file.")]
pub(crate) struct Key {
    /// The key's id: 1 to 32 lowercase letters, digits and hyphens.
    pub(crate) id: String,
    /// The org it is for.
    #[arg(long, value_parser = org)]
    pub(crate) org: OrgId,
}

/// `completions`.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  playbook completions bash > ~/.local/share/bash-completion/completions/playbook")]
pub(crate) struct Completions {
    /// The shell.
    pub(crate) shell: clap_complete::Shell,
}

fn kind(text: &str) -> Result<DefinitionType, String> {
    match DefinitionType::parse(text) {
        Some(kind) if kind.is_run() => Ok(kind),
        _ => Err(format!("expected {}", DefinitionType::run_words("or"))),
    }
}

fn name(text: &str) -> Result<DefinitionName, String> {
    DefinitionName::new(text).map_err(|why| why.to_string())
}

fn playbook(text: &str) -> Result<PlaybookId, String> {
    PlaybookId::new(text).map_err(|why| why.to_string())
}

fn org(text: &str) -> Result<OrgId, String> {
    OrgId::new(text).map_err(|why| why.to_string())
}

fn moment(text: &str) -> Result<Moment, String> {
    Moment::parse(text).ok_or_else(|| "expected a time with an offset, such as 2026-10-03T16:40:05Z".into())
}

fn run_id(text: &str) -> Result<RunId, String> {
    RunId::parse(text).map_err(|why| why.to_string())
}

fn definition(text: &str) -> Result<DefinitionKey, String> {
    let (kind_text, name_text) = text.split_once('/').ok_or("expected a type, a slash and a name")?;
    let kind = DefinitionType::parse(kind_text).ok_or("expected a type of definition before the slash")?;
    Ok(DefinitionKey { kind, name: name(name_text)? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    #[test]
    fn the_arguments_hold_together() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn every_example_of_the_help_is_taken() {
        let mut seen = 0;
        let mut open = vec![Arguments::command()];
        while let Some(command) = open.pop() {
            open.extend(command.get_subcommands().cloned());
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            for line in help.lines().filter_map(|line| line.strip_prefix("  playbook ")) {
                let words = shell_words(line.split(" > ").next().unwrap_or(line));
                let parsed = Arguments::try_parse_from(std::iter::once("playbook".to_owned()).chain(words));
                assert!(parsed.is_ok(), "{line}: {}", parsed.err().map(|e| e.to_string()).unwrap_or_default());
                seen += 1;
            }
        }
        assert!(seen > 15, "{seen}");
    }

    #[test]
    fn every_command_of_the_pages_is_taken() {
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../");
        let mut seen = 0;
        for page in ["README.md", "docs/guide.md"] {
            let text = std::fs::read_to_string(format!("{root}{page}")).expect("the page");
            for line in text.lines().filter_map(|line| line.strip_prefix("playbook ")) {
                // What it does stands behind it.
                let words = shell_words(line.split("  ").next().unwrap_or(line));
                let parsed = Arguments::try_parse_from(std::iter::once("playbook".to_owned()).chain(words));
                let why = parsed.err().filter(clap::Error::use_stderr);
                assert!(why.is_none(), "{page}: {line}: {}", why.map(|e| e.to_string()).unwrap_or_default());
                seen += 1;
            }
        }
        assert!(seen > 20, "{seen}");
    }

    /// Splits at spaces outside single quotes, as a shell does with these lines.
    fn shell_words(line: &str) -> Vec<String> {
        let mut words = vec![String::new()];
        let mut quoted = false;
        for c in line.chars() {
            match c {
                '\'' => quoted = !quoted,
                ' ' if !quoted => words.push(String::new()),
                c => words.last_mut().expect("never empty").push(c),
            }
        }
        words
    }
}
