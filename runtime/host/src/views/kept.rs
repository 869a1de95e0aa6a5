//! A view between the log's row and the engine's value.

use playbook_engine::view::{LastEvent, Phase, Tries, View};
use playbook_history::{ViewHead, ViewRow};

/// Both counts of tries in the row's one number: the crashes above, the times below.
const CRASH_SHIFT: u32 = 16;

/// The row of a view.
pub(super) fn row(view: &View) -> ViewRow {
    ViewRow {
        head: ViewHead {
            name: view.name.clone(),
            version: view.version,
            saved_position: view.saved_position,
            phase: view.phase.word().into(),
            checkpoint: view.checkpoint,
            checkpoint_at: view.checkpoint_at,
            last_event: view
                .last_event
                .as_ref()
                .map(|event| playbook_history::LastEvent { id: event.id.clone(), time: event.time.clone() }),
            folded: view.folded,
            tries: view.tries.time | (view.tries.crash << CRASH_SHIFT),
            stalled: view
                .stalled
                .as_ref()
                .map(|stall| serde_json::to_value(stall).expect("a stall holds nothing JSON cannot")),
        },
        view: view.view.clone(),
    }
}

/// The view of a row; a phase or a stall this program cannot read makes the view be built again.
pub(super) fn view(row: ViewRow) -> Option<View> {
    let head = row.head;
    let stalled = match head.stalled {
        Some(stall) => Some(serde_json::from_value(stall).ok()?),
        None => None,
    };
    Some(View {
        name: head.name,
        version: head.version,
        saved_position: head.saved_position,
        phase: Phase::parse(&head.phase)?,
        view: row.view,
        checkpoint: head.checkpoint,
        checkpoint_at: head.checkpoint_at,
        last_event: head.last_event.map(|event| LastEvent { id: event.id, time: event.time }),
        folded: head.folded,
        tries: Tries { time: head.tries & 0xFFFF, crash: head.tries >> CRASH_SHIFT },
        stalled,
    })
}
