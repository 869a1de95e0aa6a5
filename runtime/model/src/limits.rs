//! Every bound of the formats, once, each with the heading it comes from.
//!
//! Sizes are bytes in UTF-8, of JSON where a value is meant. Work is in checkpoints.

/// "Bounds": a document, as every definition.
pub const DOCUMENT_BYTES: usize = 65_536;
/// "How a document is checked": nesting of the front matter.
pub const FRONT_MATTER_LEVELS: usize = 72;
/// "How a document is checked": problems a refusal lists before it counts the rest.
pub const PROBLEMS_SHOWN: usize = 20;
/// "Fields": characters of a description.
pub const DESCRIPTION_CHARACTERS: usize = 1_000;
/// "Answers that are JSON": a schema as JSON.
pub const SCHEMA_BYTES: usize = 65_536;
/// "Answers that are JSON": nested levels of a schema.
pub const SCHEMA_LEVELS: usize = 64;
/// "Answers that are JSON": values in one enum.
pub const ENUM_VALUES: usize = 1_000;
/// "Answers that are JSON": issues a mismatch lists before it counts the rest.
pub const ISSUES_SHOWN: usize = 20;
/// "How a run ends": issues of an output that the detail names.
pub const OUTPUT_ISSUES_NAMED: usize = 3;

/// "Bounds": assignments to variables in one function.
pub const ASSIGNMENTS: usize = 500;
/// "Bounds": the check at save on its own ready worker.
pub const CHECK_MILLISECONDS: u64 = 2_000;
/// "The check at save": how long the checker may take to start.
pub const CHECKER_START_MILLISECONDS: u64 = 10_000;

/// "How a run works": the input of a run.
pub const INPUT_BYTES: usize = 262_144;
/// "Bounds": levels of an input, an output, a view and an answer.
pub const VALUE_LEVELS: usize = 512;
/// "Publishing events": levels of the data of a published event.
pub const EVENT_DATA_LEVELS: usize = 510;
/// "Publishing events", "The events": a whole event; past it a run's output gives its size instead.
pub const EVENT_BYTES: usize = 245_760;
/// Of our own: the text of a test case, with room for two whole views and the events between them.
pub const CASE_BYTES: usize = 4 * 1024 * 1024;
/// Of our own: problems of one test case that are told before the rest is counted.
pub const CASE_PROBLEMS_SHOWN: usize = 100;
/// "Publishing events": extension attributes of one event.
pub const EVENT_EXTENSIONS: usize = 32;

/// "Bounds": checkpoints of a computation.
pub const COMPUTATION_WORK: u32 = 20_000;
/// "Bounds": checkpoints of one fold.
pub const FOLD_WORK: u32 = 500;
/// "Bounds": checkpoints of one answer.
pub const ANSWER_WORK: u32 = 500;
/// "Filters": checkpoints of one data expression, as large as the fold's.
pub const FILTER_WORK: u32 = 500;
/// "Bounds": steps of the engine in one checkpoint.
pub const STEPS_IN_A_CHECKPOINT: i32 = 10_000;
/// "Bounds": memory of the sandbox of a run.
pub const RUN_MEMORY: usize = 256 * 1024 * 1024;
/// "Bounds": memory of the sandbox of a page of folds.
pub const FOLD_MEMORY: usize = 64 * 1024 * 1024;
/// "Bounds": the stack of the sandbox.
pub const STACK_BYTES: usize = 1024 * 1024;
/// "Bounds": one run, waiting for its turn included.
pub const RUN_MILLISECONDS: u64 = 10_000;
/// "Bounds": one fold.
pub const FOLD_MILLISECONDS: u64 = 10_000;
/// "When a view stalls": times a fold may run out of time, or its worker crash, at one event.
pub const FOLD_TRIES: u32 = 20;
/// "Bounds": error text of a program before an ellipsis.
pub const ERROR_TEXT_BYTES: usize = 1_024;

/// "Bounds": a view as JSON.
pub const VIEW_BYTES: usize = 524_288;
/// "Fields": filters of a recall function.
pub const FILTERS: usize = 8;
/// "Filters": characters of an attribute's name.
pub const ATTRIBUTE_CHARACTERS: usize = 20;
/// "Bounds": output and record of any run.
pub const OUTPUT_AND_RECORD_BYTES: usize = 1_048_576;
/// "Bounds": output of a computation, 256 bytes kept for its record.
pub const COMPUTATION_OUTPUT_BYTES: usize = 1_048_320;
/// "Bounds": output of a recall function, 2,048 bytes kept for its record.
pub const RECALL_OUTPUT_BYTES: usize = 1_046_528;
/// "How the view is kept": records of one page.
pub const PAGE_RECORDS: usize = 1_000;
/// "Bounds": folding time of a page, checked before each fold.
pub const PAGE_MILLISECONDS: u64 = 2_000;
/// "Bounds": pages of one pass over a playbook.
pub const PAGES_A_PASS: usize = 10;
/// "How the view is kept": time between two passes.
pub const PASS_MILLISECONDS: u64 = 1_000;
/// "Bounds": recall functions a playbook keeps, unless the setting says otherwise.
pub const RECALL_FUNCTIONS: usize = 32;
/// "Bounds": views a playbook builds at once, unless the setting says otherwise.
pub const RECALL_REBUILDS: usize = 4;
/// "Bounds": playbooks followed at once, unless the setting says otherwise.
pub const RECALL_PLAYBOOKS_AT_ONCE: usize = 4;
/// "The sandbox": runs at once, unless the setting says otherwise.
pub const COMPUTATION_WORKERS: usize = 4;

/// "A workflow document": the shortest time a request stays open.
pub const EXPIRES_LEAST_MILLISECONDS: u64 = 60 * 1_000;
/// "A workflow document": the longest time a request stays open.
pub const EXPIRES_MOST_MILLISECONDS: u64 = 30 * 24 * 60 * 60 * 1_000;
/// "Templates": a rendered message.
pub const MESSAGE_BYTES: usize = 8 * 1024;
/// "Templates": a rendered party, and what an answer claims of who answered.
pub const PARTY_BYTES: usize = 256;
/// "Answering": an answer as JSON.
pub const ANSWER_BYTES: usize = 65_536;
/// "Starting a request": open requests of a playbook, unless the setting says otherwise.
pub const INTERACTION_OPEN_REQUESTS: usize = 10_000;

/// "Transport": the body of a request.
pub const BODY_BYTES: usize = 1_048_576;
/// "Paging": rows of a page, unless asked for.
pub const PAGE_ROWS: usize = 20;
/// "Paging": the most rows of a page.
pub const PAGE_ROWS_MOST: usize = 100;
/// "Paging": stored data a page reads before it ends.
pub const PAGE_BYTES: usize = 4 * 1024 * 1024;
/// "Paging": records a page examines under a filter before it ends.
pub const PAGE_EXAMINED: usize = 1_000;
/// "The feed": a large member shown whole.
pub const ROW_MEMBER_BYTES: usize = 2_048;
/// "The feed": a row's data.
pub const ROW_DATA_BYTES: usize = 4_096;
/// "Problem documents": errors of one document.
pub const ERRORS_SHOWN: usize = 100;

/// "Limits" of workflows: nested task lists.
pub const TASK_LISTS: usize = 64;
/// "Limits" of workflows: the reference of a `call` task.
pub const CALL_REFERENCE_BYTES: usize = 256;
/// "Limits" of workflows: branches of a fork.
pub const FORK_BRANCHES: usize = 32;
/// "Limits" of workflows: filters of an event trigger.
pub const TRIGGER_FILTERS: usize = 64;
/// "Limits" of workflows: `schedule.every`.
pub const EVERY_MILLISECONDS: u64 = 60_000;
/// "Limits" of workflows: the longest a run may last, unless the setting says otherwise.
pub const WORKFLOW_MILLISECONDS: u64 = 30 * 24 * 60 * 60 * 1_000;
