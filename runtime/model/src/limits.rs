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
/// "Limits": checkpoints of a workflow's expression, and of a filter's.
pub const EXPRESSION_WORK: u32 = 250;
/// "Limits": checkpoints of the expressions of one input together, and of one filter.
pub const INPUT_WORK: u32 = 500;
/// "Limits": wall-clock time of the expressions of one input together.
pub const INPUT_MILLISECONDS: u64 = 2_000;
/// "Limits": memory of the sandbox of a workflow's expressions.
pub const EXPRESSION_MEMORY: usize = 64 * 1024 * 1024;
/// "Event filters": wall-clock time of one filter.
pub const MATCH_MILLISECONDS: u64 = 200;
/// "Event filters": times in a row a filter may be stopped by its deadline or memory.
pub const MATCH_STOPS: u32 = 3;
/// "Calling a function": what a task waits beyond its function's longest run.
pub const CALL_GRACE_MILLISECONDS: u64 = 60_000;
/// "Limits": calls above a run.
pub const CALL_DEPTH: u32 = 8;
/// "Limits": calls waiting under one run at the top, unless the setting says otherwise.
pub const OPEN_CALLS: usize = 1_000;
/// "Configuration": calls of workflows performed at once, unless the setting says otherwise.
pub const NESTED_RUNS: usize = 32;
/// "Limits": the output of a workflow's run.
pub const WORKFLOW_OUTPUT_BYTES: usize = 1_048_574;
/// "Limits": data a run holds at once.
pub const RUN_HELD_BYTES: usize = 4 * 1024 * 1024;
/// "Limits": what a task under way counts of that.
pub const TASK_BYTES: usize = 4_096;
/// "Limits": one recorded change of a run.
pub const CHANGE_BYTES: usize = 1_572_864;
/// "Limits": tasks without waiting.
pub const TASKS_WITHOUT_WAITING: u32 = 10_000;
/// "Limits": inputs a run takes.
pub const RUN_INPUTS: u64 = 100_000;
/// "Limits": recorded history of a run.
pub const RUN_HISTORY_BYTES: u64 = 512 * 1024 * 1024;
/// "Limits": an event sent to a run.
pub const SENT_EVENT_BYTES: usize = 262_144;
/// "Limits": events that wait to be taken.
pub const EVENTS_WAITING: usize = 64;
/// "Limits": bytes of the events that wait to be taken.
pub const EVENTS_WAITING_BYTES: usize = 1_048_576;
/// "Limits": events over a run's life.
pub const RUN_EVENTS: u32 = 1_024;
/// "Limits": bytes of the events over a run's life.
pub const RUN_EVENTS_BYTES: u64 = 4 * 1024 * 1024;
/// "Limits": events a run emits.
pub const EVENTS_EMITTED: u32 = 1_024;
/// "Limits": bytes of the events a run emits.
pub const EVENTS_EMITTED_BYTES: u64 = 4 * 1024 * 1024;
/// "Limits": workflows with triggers a playbook may have.
pub const TRIGGERED_WORKFLOWS: usize = 1_024;
/// "Limits": tasks of a playbook that hear its events at once.
pub const LISTENERS: usize = 4_096;
/// "Limits": runs an event trigger starts a minute.
pub const STARTS_A_MINUTE: usize = 60;
/// "Limits": runs of an event trigger that wait for a later minute.
pub const STARTS_WAITING: usize = 1_000;
/// "Limits": depth of a chain of triggers.
pub const TRIGGER_DEPTH: u32 = 8;
/// Of our own: tasks a run does before others have their turn.
pub const TASKS_A_TURN: u32 = 100;
/// Of our own: checkpoints a run spends before others have their turn.
pub const WORK_A_TURN: u32 = 250;
/// Of our own: steps that the record of one input tells of.
pub const STEPS_AN_INPUT: usize = 1_000;
