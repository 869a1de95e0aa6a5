//! What a view's standing says, and what a run reads of it.

use crate::runtime::Runtime;
use playbook_engine::definition::Definition;
use playbook_engine::view::{Behind, Phase, View, not_ready};
use playbook_function::Reading;
use playbook_history::cursor;
use playbook_model::ending::Rejection;
use playbook_model::id::PlaybookKey;
use playbook_model::refusal::Refusal;
use playbook_model::time::Moment;
use serde_json::Value;
use std::time::Duration;

impl Runtime {
    /// The standing of a recall function's view.
    pub(crate) async fn standing(
        &self,
        playbook: &PlaybookKey,
        name: &str,
        definition: &Definition,
    ) -> Result<Value, Refusal> {
        let newest = self.newest_recorded(playbook).await?;
        let kept = self.0.views.get(playbook, name).filter(|view| view.version == definition.version);
        let view = match kept {
            Some(view) => (*view).clone(),
            // Saved a moment ago: the next pass makes its row.
            None => View::new(name, definition.version, definition.saved_position, &Value::Null),
        };
        Ok(view.standing(&cursor::write(playbook, view.checkpoint), newest))
    }

    /// What a run of a version reads: the view as it stands, or why it cannot.
    pub(crate) async fn reading(&self, playbook: &PlaybookKey, name: &str, version: u32) -> Result<Reading, Rejection> {
        let view = self.0.views.get(playbook, name);
        let newest = self.newest_recorded(playbook).await.ok().flatten();
        let behind = Behind { milliseconds: view.as_ref().map_or(0, |view| view.lag(newest)) };
        match (not_ready(name, version, view.as_deref(), behind), view) {
            (None, Some(view)) => Ok(Reading {
                standing: view.reading(&cursor::write(playbook, view.checkpoint)),
                view: view.view.clone(),
            }),
            (Some(rejection), _) => Err(rejection),
            (None, None) => unreachable!("only a view that is there is ready"),
        }
    }

    /// Waits until a view has read everything recorded so far or has stopped, and no longer than the bound.
    pub async fn caught_up(&self, playbook: &PlaybookKey, name: &str, bound: Duration) {
        let mut moves = self.view_moves();
        let key = playbook.clone();
        let Ok(Some((newest, _))) = self.read(move |history| history.newest(&key)).await else { return };
        let read = async {
            loop {
                let view = self.view_of(playbook, name);
                if view.is_some_and(|view| view.phase == Phase::Stalled || view.checkpoint >= newest) {
                    return;
                }
                if moves.changed().await.is_err() {
                    return;
                }
            }
        };
        // Whoever asked for the view sees how far it is, however long that takes.
        let _ = tokio::time::timeout(bound, read).await;
    }

    pub(crate) async fn newest_recorded(&self, playbook: &PlaybookKey) -> Result<Option<Moment>, Refusal> {
        let key = playbook.clone();
        Ok(self.read(move |history| history.newest(&key)).await?.map(|(_, at)| at))
    }
}
