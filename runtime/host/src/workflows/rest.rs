//! Whether anything of a playbook's workflows goes on by itself, or everything waits for the world or for a time.

use crate::runtime::Runtime;
use playbook_engine::run::{RunState, Stream as RunStream};
use playbook_history::{ChildStands, OpenCall, Stream};
use playbook_model::definition::DefinitionType;
use playbook_model::id::{PlaybookKey, RunId};
use playbook_model::refusal::Refusal;

impl Runtime {
    /// Whether nothing of a playbook's workflows and triggers moves until a time comes or someone does something.
    ///
    /// # Errors
    /// [`Refusal`]: the log cannot be read.
    pub async fn at_rest(&self, playbook: &PlaybookKey) -> Result<bool, Refusal> {
        let (key, now) = (playbook.clone(), self.now());
        // Before the log is read: what was recorded since then is newer than what was dealt with.
        let reached = self.0.followers.reached(&playbook.text());
        let read = move |history: &playbook_history::History| {
            let newest = history.newest(&key)?.map_or(0, |(global, _)| global);
            let going = history.next_due()?.is_some_and(|due| due <= now)
                || !history.pauses()?.is_empty()
                || !history.cancels()?.is_empty();
            Ok((newest, going, history.open_calls()?))
        };
        let (newest, going, calls) = self.read(read).await?;
        if going || reached.is_some_and(|reached| reached < newest) {
            return Ok(false);
        }
        if self.reactions(playbook).await?.moves(now) {
            return Ok(false);
        }
        for call in calls.into_iter().filter(|call| call.playbook == *playbook) {
            if !self.rests(call).await? {
                return Ok(false);
            }
        }
        // The calls were looked at one after the other: when something was recorded meanwhile, one may have gone on.
        let key = playbook.clone();
        let since = self.read(move |history| Ok(history.newest(&key)?.map_or(0, |(global, _)| global))).await?;
        Ok(since == newest)
    }

    /// Whether a called run waits by itself.
    async fn rests(&self, call: OpenCall) -> Result<bool, Refusal> {
        if call.stands != ChildStands::Started {
            return Ok(false);
        }
        let (playbook, child) = (call.playbook, call.child);
        let key = playbook.clone();
        let log = Stream::run_log(&playbook, child);
        let read = move |history: &playbook_history::History| Ok((history.run(&playbook, child)?, history.last(&log)?));
        let (row, last) = self.read(read).await?;
        Ok(match row.map(|row| row.definition_type) {
            Some(DefinitionType::Workflow) => last.is_some(),
            Some(DefinitionType::Interaction) => self.waits_for_answer(&key, child).await?,
            _ => false,
        })
    }

    /// Whether a run made its request, which is open and in time.
    async fn waits_for_answer(&self, playbook: &PlaybookKey, run: RunId) -> Result<bool, Refusal> {
        let state = self.run_stream(&Stream::run(playbook, run)).await?;
        let now = self.now();
        let open = |state: &RunState| state.open_request().is_some_and(|request| request.expires_at > now);
        Ok(matches!(state, RunStream::Run(state) if open(&state)))
    }
}
