//! After a restart: what the program that ended before was about to do.

use super::decide::refused;
use crate::runtime::Runtime;
use playbook_engine::workflow::Called;
use playbook_engine::workflow::Input;
use playbook_history::{NewCommit, OpenCall, WaitChange};
use playbook_model::id::{PlaybookKey, RunId};
use playbook_model::refusal::Refusal;

impl Runtime {
    /// Goes on with every call that was open, every run that was going, and every wish to cancel.
    pub(crate) async fn recover_runs(&self) -> Result<(), Refusal> {
        let (calls, pauses) = self.read(|history| Ok((history.open_calls()?, history.pauses()?))).await?;
        for pause in pauses {
            let runtime = self.clone();
            tokio::spawn(async move {
                let input = Input::TimerFired { timer: pause.number };
                if let Err(refusal) = runtime.deliver(&pause.playbook, pause.run, input).await {
                    tracing::warn!(?refusal, "a run did not go on");
                }
            });
        }
        self.go_cancel();
        if !calls.is_empty() {
            let runtime = self.clone();
            tokio::spawn(async move {
                for call in calls {
                    runtime.recover_call(call).await;
                }
            });
        }
        Ok(())
    }

    async fn recover_call(&self, open: OpenCall) {
        let OpenCall { playbook, run, number, child, .. } = open;
        let called = self.called(&playbook, run, number).await;
        self.go_call(&playbook, run, number, child, None, called);
    }

    /// What a call asks for, by the state of its run.
    async fn called(&self, playbook: &PlaybookKey, run: RunId, number: u64) -> Option<Called> {
        let mut slot = self.0.runs.turn(playbook, run).await;
        let loaded = self.load(playbook, run, &mut slot).await.ok()?;
        loaded.state.as_ref()?.called(number)
    }

    /// Lets go of a timer that nobody waits for.
    pub(super) async fn drop_timer(&self, playbook: &PlaybookKey, run: RunId, number: u64) -> Result<(), Refusal> {
        let waits = vec![WaitChange::Disarm { run, number }];
        let commit = NewCommit { playbook: playbook.clone(), parts: Vec::new(), waits };
        self.0.history.commit(commit, self.now()).await.map(|_| ()).map_err(refused)
    }
}
