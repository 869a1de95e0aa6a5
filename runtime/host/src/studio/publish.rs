//! Publishing the open folder: a plan, choices, and what each came to.

use super::open::file_refusal;
use super::servers::{Server, shown};
use super::{Answer, Input, Studio, StudioRefusal, invalid};
use crate::folder::{PublishingFolder, mine};
use playbook_model::ending::{Reason, Rejection};
use playbook_publish::{Choice, Plan, Published, Remote, RemoteError, Secret, Target, apply, read_plan};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::Mutex;

/// The plans made and not yet let go of, each with its server.
#[derive(Default)]
pub(super) struct Plans(Mutex<HashMap<String, (String, Plan)>>);

/// A person makes a plan, reads it and applies it: a few are enough.
const PLANS_KEPT: usize = 16;

impl Studio {
    pub(super) async fn plan_publication(&self, given: &Input) -> Answer {
        let open = self.opened()?;
        let server = self.server(given.text("server")?)?;
        let remote = self.remote(&server)?;
        let (folder, compiler) = (open.folder.clone(), self.0.compiler.clone());
        let mine = tokio::task::spawn_blocking(move || mine(&folder, &compiler))
            .await
            .map_err(|why| crate::runtime::incident(&format!("the plan's check broke down: {why}")))?
            .map_err(|why| file_refusal(&why))?;
        let mut published = published(open.folder.path(), &remote)?;
        let playbook = open.playbook.lock().expect("no holder panics").clone();
        let id = uuid::Uuid::new_v4().to_string();
        let plan = read_plan(&remote, id.clone(), &playbook.name, &playbook.description, &mine, &published)
            .await
            .map_err(|why| remote_refusal(&why))?;
        published.agree(&plan).map_err(|why| Rejection::new(Reason::Unavailable, why.to_string()))?;
        let mut view = json!(plan);
        if let Some(members) = view.as_object_mut() {
            members.insert("server".into(), shown(&server));
            members.insert("unfinished".into(), json!(published.unfinished()));
        }
        let mut plans = self.0.plans.0.lock().expect("no holder panics");
        if plans.len() >= PLANS_KEPT {
            plans.clear();
        }
        plans.insert(id, (server.id, plan));
        Ok(view)
    }

    pub(super) async fn apply_publication(&self, given: &Input) -> Answer {
        let open = self.opened()?;
        let id = given.text("plan")?;
        let kept = self.0.plans.0.lock().expect("no holder panics").get(id).cloned();
        let Some((server, plan)) = kept else {
            let words = "The plan is gone; make it anew, and nothing is lost";
            return Err(Rejection::new(Reason::NotFound, words).into());
        };
        let items = given.0.get("items").cloned().unwrap_or(Value::Null);
        let choices: Vec<Choice> = serde_json::from_value(items)
            .map_err(|why| invalid("items", format!("Expected a list of type, name and action: {why}")))?;
        let remote = self.remote(&self.server(&server)?)?;
        let mut published = published(open.folder.path(), &remote)?;
        let keys: Vec<_> = choices.iter().map(|choice| choice.key.clone()).collect();
        published.begin(&keys).map_err(|why| Rejection::new(Reason::Unavailable, why.to_string()))?;
        let seen = plan.items.iter().filter_map(|item| Some((item.key.clone(), item.mine.clone()?))).collect();
        let mut folder = PublishingFolder { folder: &open.folder, published, seen };
        let results = apply(&remote, &plan, &choices, &mut folder).await;
        self.0.changes.add(json!({ "topic": "publish" }));
        self.0.changes.add(json!({ "topic": "documents" }));
        Ok(json!({ "results": results }))
    }

    fn remote(&self, server: &Server) -> Result<Remote, StudioRefusal> {
        let key = self.server_key(server)?.map(|key| Secret::new(&key));
        let target = Target::new(&server.origin, server.org.clone(), server.playbook.clone());
        target.and_then(|target| Remote::new(target, key.as_ref())).map_err(|why| remote_refusal(&why))
    }
}

fn published(folder: &std::path::Path, remote: &Remote) -> Result<Published, StudioRefusal> {
    Published::open(folder, &remote.target().id())
        .map_err(|why| Rejection::new(Reason::Conflict, why.to_string()).into())
}

fn remote_refusal(why: &RemoteError) -> StudioRefusal {
    let reason = match why {
        RemoteError::Address(_) | RemoteError::Strange(_) => Reason::Conflict,
        RemoteError::Unreachable(_) | RemoteError::Silent(_) => Reason::Unavailable,
        RemoteError::Refused(refused) if matches!(refused.status, 401 | 403) => Reason::Forbidden,
        RemoteError::Refused(_) => Reason::Conflict,
    };
    Rejection::new(reason, why.to_string()).into()
}
