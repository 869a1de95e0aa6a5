//! The table of operations: name, route, permission, fields.

use super::caller::Permission;

/// The HTTP method an operation is served under.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Method {
    /// A query.
    Get,
    /// A command.
    Post,
    /// A command that replaces.
    Put,
}

impl Method {
    /// The method's word.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Put => "PUT",
        }
    }
}

/// Where a field comes from over HTTP.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Place {
    /// A segment of the path.
    Path,
    /// The query string; queries only.
    Query,
    /// A member of the body; commands only.
    Body,
}

/// What a field may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Text of so many characters, both bounds included.
    Text {
        /// Fewest characters.
        least: usize,
        /// Most characters.
        most: usize,
    },
    /// A playbook id or a definition's name: 3 to 48 lowercase letters, digits and hyphens, starting with a letter.
    Slug,
    /// An org id.
    Org,
    /// One of the definition types this runtime runs.
    Type,
    /// A UUID.
    Uuid,
    /// `started`, `succeeded`, `rejected` or `failed`.
    Status,
    /// `asc` or `desc`.
    Order,
    /// ISO 8601 with an offset.
    Time,
    /// A whole number within bounds.
    Whole {
        /// Least.
        least: i64,
        /// Most.
        most: i64,
    },
    /// True or false.
    Flag,
    /// Any JSON value.
    Any,
    /// A JSON object.
    Object,
}

/// One field of an operation's input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// Where it comes from.
    pub place: Place,
    /// Whether it must be given.
    pub needed: bool,
    /// What it may hold.
    pub shape: Shape,
    /// What it is, as a sentence.
    pub words: &'static str,
}

/// One operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Operation {
    /// Its name.
    pub name: &'static str,
    /// The method of its route.
    pub method: Method,
    /// Its route below the server's root, parameters in braces.
    pub path: &'static str,
    /// What a caller needs.
    pub permission: Permission,
    /// The status of a success.
    pub success: u16,
    /// What it does, as a sentence.
    pub summary: &'static str,
    /// Its input, path parameters included.
    pub fields: &'static [Field],
}

impl Operation {
    /// Whether it changes nothing.
    #[must_use]
    pub fn is_query(&self) -> bool {
        self.method == Method::Get
    }
}

const fn path(name: &'static str, shape: Shape, words: &'static str) -> Field {
    Field { name, place: Place::Path, needed: true, shape, words }
}

const fn query(name: &'static str, shape: Shape, words: &'static str) -> Field {
    Field { name, place: Place::Query, needed: false, shape, words }
}

const fn body(name: &'static str, shape: Shape, words: &'static str) -> Field {
    Field { name, place: Place::Body, needed: true, shape, words }
}

const fn maybe(name: &'static str, shape: Shape, words: &'static str) -> Field {
    Field { name, place: Place::Body, needed: false, shape, words }
}

const ORG: Field = path("org", Shape::Org, "The org.");
const PLAYBOOK: Field = path("playbook", Shape::Slug, "The playbook's id.");
const TYPE: Field = path("type", Shape::Type, "The definition's type.");
const NAME: Field = path("name", Shape::Slug, "The definition's name.");
const RUN: Field = path("run_id", Shape::Uuid, "The run's id.");
const LIMIT: Field = query("limit", Shape::Whole { least: 1, most: 100 }, "Rows of the page, 20 unless given.");
const CURSOR: Field = query("cursor", Shape::Text { least: 1, most: 2_000 }, "The next_cursor of the page before.");
const RETIRED: Field = query("include_retired", Shape::Flag, "Whether retired ones are listed too.");
const SOURCE: Field = body("source", Shape::Text { least: 0, most: 1_048_576 }, "The document.");
const OVERVIEW: Field = maybe(
    "overview",
    Shape::Text { least: 1, most: 16_384 },
    "The author's own overview as Markdown; left out, the one before stays.",
);
const DIAGRAM: Field = maybe(
    "diagram",
    Shape::Text { least: 1, most: 8_192 },
    "The author's own diagram as Mermaid text, or the word none; left out, the one before stays.",
);
const NEW_NAME: Field = body("name", Shape::Slug, "The new definition's name.");
const PLAYBOOK_NAME: Field = body("name", Shape::Text { least: 1, most: 100 }, "The playbook's name.");
const DESCRIPTION: Shape = Shape::Text { least: 0, most: 2_000 };

macro_rules! op {
    ($name:literal, $method:ident, $path:literal, $permission:ident, $success:literal, $summary:literal, [$($field:expr),* $(,)?]) => {
        Operation {
            name: $name,
            method: Method::$method,
            path: concat!("/v1/orgs/{org}", $path),
            permission: Permission::$permission,
            success: $success,
            summary: $summary,
            fields: &[ORG, $($field),*],
        }
    };
}

/// Every operation.
pub static OPERATIONS: &[Operation] = &[
    op!(
        "create_playbook",
        Post,
        "/playbooks",
        OrgWrite,
        201,
        "Creates a playbook.",
        [
            body("playbook", Shape::Slug, "The new playbook's id, never given back."),
            PLAYBOOK_NAME,
            maybe("description", DESCRIPTION, "What the playbook is for."),
        ]
    ),
    op!("list_playbooks", Get, "/playbooks", OrgRead, 200, "Lists the playbooks the caller may see.", [RETIRED]),
    op!("get_playbook", Get, "/playbooks/{playbook}", PlaybookRead, 200, "Reads a playbook.", [PLAYBOOK]),
    op!(
        "update_playbook",
        Put,
        "/playbooks/{playbook}",
        PlaybookWrite,
        200,
        "Changes a playbook's name and description.",
        [PLAYBOOK, PLAYBOOK_NAME, body("description", DESCRIPTION, "What the playbook is for."),]
    ),
    op!(
        "retire_playbook",
        Post,
        "/playbooks/{playbook}/retire",
        PlaybookWrite,
        200,
        "Retires a playbook for good.",
        [PLAYBOOK]
    ),
    op!(
        "create_definition",
        Post,
        "/playbooks/{playbook}/definitions/{type}",
        PlaybookWrite,
        201,
        "Saves the first version of a definition.",
        [PLAYBOOK, TYPE, NEW_NAME, SOURCE, OVERVIEW, DIAGRAM,]
    ),
    op!(
        "list_definitions",
        Get,
        "/playbooks/{playbook}/definitions/{type}",
        PlaybookRead,
        200,
        "Lists the definitions of a type.",
        [PLAYBOOK, TYPE, RETIRED,]
    ),
    op!(
        "get_definition",
        Get,
        "/playbooks/{playbook}/definitions/{type}/{name}",
        PlaybookRead,
        200,
        "Reads a definition with its document and overview.",
        [PLAYBOOK, TYPE, NAME,]
    ),
    op!(
        "update_definition",
        Put,
        "/playbooks/{playbook}/definitions/{type}/{name}",
        PlaybookWrite,
        200,
        "Saves a new version of a definition.",
        [PLAYBOOK, TYPE, NAME, SOURCE, OVERVIEW, DIAGRAM,]
    ),
    op!(
        "retire_definition",
        Post,
        "/playbooks/{playbook}/definitions/{type}/{name}/retire",
        PlaybookWrite,
        200,
        "Retires a definition for good.",
        [PLAYBOOK, TYPE, NAME,]
    ),
    op!(
        "run_definition",
        Post,
        "/playbooks/{playbook}/definitions/{type}/{name}/run",
        PlaybookWrite,
        200,
        "Runs a definition on an input.",
        [
            PLAYBOOK,
            TYPE,
            NAME,
            maybe("input", Shape::Any, "The input, an empty object unless given."),
            maybe("run_id", Shape::Uuid, "The run's id, to read the run later or to try again under it."),
        ]
    ),
    op!(
        "get_run",
        Get,
        "/playbooks/{playbook}/runs/{run_id}",
        PlaybookRead,
        200,
        "Reads a run with its output and record.",
        [PLAYBOOK, RUN]
    ),
    op!(
        "list_runs",
        Get,
        "/playbooks/{playbook}/runs",
        PlaybookRead,
        200,
        "Lists runs, newest first.",
        [
            PLAYBOOK,
            query("type", Shape::Type, "Only runs of definitions of this type."),
            query("name", Shape::Slug, "Only runs of definitions of this name."),
            query("status", Shape::Status, "Only runs that stand so."),
            LIMIT,
            CURSOR,
        ]
    ),
    op!(
        "cancel_run",
        Post,
        "/playbooks/{playbook}/runs/{run_id}/cancel",
        PlaybookWrite,
        200,
        "Asks to cancel a run.",
        [PLAYBOOK, RUN, body("reason", Shape::Text { least: 1, most: 1_024 }, "Why, for whoever reads the run."),]
    ),
    op!(
        "list_interactions",
        Get,
        "/playbooks/{playbook}/interactions",
        PlaybookRead,
        200,
        "Lists the requests that wait for an answer, newest first.",
        [
            PLAYBOOK,
            query("to", Shape::Text { least: 1, most: 256 }, "Only requests to this party."),
            query("function", Shape::Slug, "Only requests of the interaction function of this name."),
            LIMIT,
            CURSOR,
        ]
    ),
    op!(
        "answer_interaction",
        Post,
        "/playbooks/{playbook}/runs/{run_id}/answer",
        PlaybookWrite,
        200,
        "Answers a request, which ends its run with the answer as its output.",
        [
            PLAYBOOK,
            RUN,
            body("answer", Shape::Any, "The answer, of the schema that the request shows."),
            maybe(
                "claimed_for",
                Shape::Text { least: 1, most: 256 },
                "For whom it is answered; kept and never checked."
            ),
        ]
    ),
    op!(
        "send_run_event",
        Post,
        "/playbooks/{playbook}/runs/{run_id}/events",
        PlaybookWrite,
        200,
        "Sends an event to a run of a workflow that goes on.",
        [
            PLAYBOOK,
            RUN,
            body("event", Shape::Object, "The event: its type, and perhaps an id, a source, a subject and data."),
        ]
    ),
    op!(
        "publish_event",
        Post,
        "/playbooks/{playbook}/events",
        PlaybookWrite,
        200,
        "Publishes a CloudEvent to the playbook.",
        [PLAYBOOK, body("event", Shape::Object, "The CloudEvent."),]
    ),
    op!(
        "list_playbook_events",
        Get,
        "/playbooks/{playbook}/events",
        PlaybookRead,
        200,
        "Lists the playbook's history.",
        [
            PLAYBOOK,
            query("type", Shape::Text { least: 1, most: 256 }, "Only rows of this type."),
            query("since", Shape::Time, "Only rows recorded at this time or later."),
            query("run_id", Shape::Uuid, "Only this run and every run under it."),
            query("order", Shape::Order, "asc or desc; newest first unless given, a run's history oldest first."),
            LIMIT,
            CURSOR,
        ]
    ),
    op!(
        "get_event",
        Get,
        "/playbooks/{playbook}/events/{event_id}",
        PlaybookRead,
        200,
        "Reads one row of the history whole.",
        [PLAYBOOK, path("event_id", Shape::Text { least: 1, most: 300 }, "The row's id."),]
    ),
];

/// The operation of a name.
#[must_use]
pub fn operation(name: &str) -> Option<&'static Operation> {
    OPERATIONS.iter().find(|op| op.name == name)
}
