//! What a person may write after `playbook events`.

use super::{moment, run_id};
use clap::{Args, Subcommand, ValueEnum};
use playbook_model::id::RunId;
use playbook_model::time::Moment;
use std::path::PathBuf;

/// `events`.
#[derive(Debug, Args)]
pub(crate) struct Events {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: EventsCommand,
}

/// What to do with events.
#[derive(Debug, Subcommand)]
pub(crate) enum EventsCommand {
    /// Publishes one CloudEvent.
    Publish(PublishEvent),
    /// Lists the history, newest first.
    List(ListEvents),
    /// Writes out every event a fold sees, oldest first, as CloudEvents.
    Export(ExportEvents),
    /// Takes in events from a file.
    Import(ImportEvents),
}

/// `events publish`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  playbook events publish --type ad_spend --source /ads --data '{\"campaign\": \"spring-sale\", \"amount\": 120}'
  playbook events publish --event-file event.json")]
pub(crate) struct PublishEvent {
    /// The whole event as JSON.
    #[arg(long, value_name = "JSON", conflicts_with_all = ["event_file", "kind", "source", "subject", "id", "time", "data"])]
    pub(crate) event: Option<String>,
    /// The file that holds the whole event; - is the standard input.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["kind", "source", "subject", "id", "time", "data"])]
    pub(crate) event_file: Option<PathBuf>,
    /// The event's type.
    #[arg(long = "type", value_name = "TYPE", required_unless_present_any = ["event", "event_file"])]
    pub(crate) kind: Option<String>,
    /// Where it happened, a URI reference.
    #[arg(long, value_name = "URI", required_unless_present_any = ["event", "event_file"])]
    pub(crate) source: Option<String>,
    /// What it is about.
    #[arg(long)]
    pub(crate) subject: Option<String>,
    /// Its id; made unless given.
    #[arg(long)]
    pub(crate) id: Option<String>,
    /// When it happened, RFC 3339; now unless given.
    #[arg(long)]
    pub(crate) time: Option<String>,
    /// Its data as JSON.
    #[arg(long, value_name = "JSON")]
    pub(crate) data: Option<String>,
}

/// `events list`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  playbook events list
  playbook events list --type run_succeeded --limit 5
  playbook events list --run 0f8fad5b-d9cb-469f-a165-70867728950e")]
pub(crate) struct ListEvents {
    /// Only rows of this type.
    #[arg(long = "type", value_name = "TYPE")]
    pub(crate) kind: Option<String>,
    /// Only rows recorded at this time or later, ISO 8601 with an offset.
    #[arg(long, value_name = "TIME")]
    pub(crate) since: Option<String>,
    /// Only this run and every run under it, oldest first.
    #[arg(long, value_name = "ID", value_parser = run_id)]
    pub(crate) run: Option<RunId>,
    /// Oldest first (asc) or newest first (desc).
    #[arg(long, value_parser = ["asc", "desc"])]
    pub(crate) order: Option<String>,
    /// Rows of the page, 1 to 100.
    #[arg(long, value_parser = clap::value_parser!(u8).range(1..=100))]
    pub(crate) limit: Option<u8>,
    /// The next_cursor of the page before.
    #[arg(long)]
    pub(crate) cursor: Option<String>,
}

/// How events are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum EventsFormat {
    /// CloudEvents, one on a line.
    Jsonl,
    /// CloudEvents in a JSON list: application/cloudevents-batch+json.
    Batch,
}

/// `events export`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  playbook events export --folder my-playbook > events.jsonl
  playbook events export --to october.jsonl --since 2026-10-01T00:00:00Z --until 2026-11-01T00:00:00Z
  playbook events export --type run_succeeded --type run_rejected --format batch --to runs.json

The events are those a recall function's fold sees: the starts and endings of runs with their outputs, the
definitions saved, and the events published. The rest of the history, such as a run's input, is not among them.")]
pub(crate) struct ExportEvents {
    /// The file to write; the standard output unless given, and for -.
    #[arg(long, value_name = "FILE")]
    pub(crate) to: Option<PathBuf>,
    /// Writes over a file that is there.
    #[arg(long, requires = "to")]
    pub(crate) force: bool,
    /// How they are written.
    #[arg(long, value_enum, default_value = "jsonl")]
    pub(crate) format: EventsFormat,
    /// Only events of this type; may be given again.
    #[arg(long = "type", value_name = "TYPE")]
    pub(crate) kinds: Vec<String>,
    /// Only events that happened at this time or later.
    #[arg(long, value_name = "TIME", value_parser = moment)]
    pub(crate) since: Option<Moment>,
    /// Only events that happened before this time.
    #[arg(long, value_name = "TIME", value_parser = moment)]
    pub(crate) until: Option<Moment>,
}

/// `events import`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  playbook events import events.jsonl --check
  playbook events import events.jsonl
  cat events.jsonl | playbook events import -
  playbook events import whole.jsonl --as-history --folder scratch

Takes CloudEvents as JSON Lines or as a JSON list, in their order. An event that is there already, by its source and
id, is passed over. Without --as-history, events that only a playbook records, such as run_succeeded, are refused.

--as-history takes those too, to fold another playbook's history in a scratch playbook: one without runs of its own,
since what a playbook has done must stay told apart from what was imported.")]
pub(crate) struct ImportEvents {
    /// The file; - is the standard input.
    pub(crate) file: PathBuf,
    /// Only checks, and tells everything that would be refused.
    #[arg(long)]
    pub(crate) check: bool,
    /// Takes over another playbook's whole history, into a playbook without runs of its own.
    #[arg(long)]
    pub(crate) as_history: bool,
}
