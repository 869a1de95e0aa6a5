//! `playbook publish`: the plan, what was sent, and what was read back.

use crate::arguments::Publish;
use crate::ended::{Done, Ended, Failure, cannot, sentence};
use crate::opened;
use crate::output::{Output, complain};
use playbook_host::Compiler;
use playbook_host::folder::{PublishingFolder, mine};
use playbook_host::publish::{
    Action, Choice, Chosen, Item, Outcome, OutcomeWord, Plan, Published, Remote, Secret, State, Target, apply,
    read_plan,
};
use serde_json::json;
use std::path::Path;

/// Plans, and unless only the plan was asked for, publishes.
pub(crate) async fn publish(asked: &Publish, folder: Option<&Path>, out: &mut Output) -> Done {
    let (folder, file) = opened::files(folder)?;
    let playbook = asked.playbook.clone().unwrap_or_else(|| file.id.clone());
    let target = Target::new(&asked.to, asked.org.clone(), playbook).map_err(cannot)?;
    let remote = Remote::new(target, key(asked)?.as_ref()).map_err(cannot)?;
    let checked = folder.clone();
    let mine = tokio::task::spawn_blocking(move || mine(&checked, &Compiler::new())).await.map_err(cannot)?;
    let mine = mine.map_err(cannot)?;
    let mut published = Published::open(folder.path(), &remote.target().id()).map_err(cannot)?;
    let id = uuid::Uuid::new_v4().to_string();
    let plan = read_plan(&remote, id, &file.name, &file.description, &mine, &published).await.map_err(cannot)?;
    published.agree(&plan).map_err(cannot)?;
    if asked.plan {
        tell_plan(&plan, out)?;
        return Ok(Ended::Fine);
    }
    let choices = choices(asked, &plan)?;
    let keys: Vec<_> = choices.iter().map(|choice| choice.key.clone()).collect();
    published.begin(&keys).map_err(cannot)?;
    let seen = plan.items.iter().filter_map(|item| Some((item.key.clone(), item.mine.clone()?))).collect();
    let mut takes = PublishingFolder { folder: &folder, published, seen };
    let outcomes = apply(&remote, &plan, &choices, &mut takes).await;
    tell(&plan, &choices, &outcomes, out)
}

fn key(asked: &Publish) -> Result<Option<Secret>, Failure> {
    let Some(file) = &asked.key_file else { return Ok(None) };
    let text = std::fs::read_to_string(file)
        .map_err(|why| cannot(format!("The key's file {} cannot be read: {why}", file.display())))?;
    if text.trim().is_empty() {
        return Err(cannot(format!("The key's file {} is empty", file.display())));
    }
    Ok(Some(Secret::new(&text)))
}

fn choices(asked: &Publish, plan: &Plan) -> Result<Vec<Choice>, Failure> {
    if let Some(unknown) = asked.overwrite.iter().find(|key| !plan.items.iter().any(|item| item.key == **key)) {
        return Err(cannot(format!("There is no {unknown} here or on the server")));
    }
    let choice = |item: &Item| {
        let overwritten = asked.overwrite.contains(&item.key) && item.action != Action::Nothing;
        let action = match item.action {
            _ if overwritten => Chosen::Overwrite,
            Action::Publish => Chosen::Publish,
            Action::Pull if asked.pull => Chosen::Pull,
            _ => return None,
        };
        Some(Choice { key: item.key.clone(), action })
    };
    Ok(plan.items.iter().filter_map(choice).collect())
}

fn tell_plan(plan: &Plan, out: &mut Output) -> Result<(), Failure> {
    if out.is_json() {
        return out.value(&json!(plan));
    }
    if !plan.playbook.exists {
        out.line(&format!("The playbook is new on this server and is made as {}.", plan.playbook.name))?;
    }
    if plan.items.is_empty() {
        out.line("There is nothing to publish.")?;
    }
    for item in &plan.items {
        out.line(&format!("{:<8}  {}: {}", action(item.action), item.key, stands(item)))?;
        for effect in &item.effects {
            out.line(&format!("          {effect}"))?;
        }
    }
    Ok(())
}

fn action(action: Action) -> &'static str {
    match action {
        Action::Publish => "publish",
        Action::Pull => "pull",
        Action::Stop => "stop",
        Action::Nothing => "nothing",
    }
}

fn stands(item: &Item) -> String {
    let there = item.version_there.map(|version| format!("version {version}")).unwrap_or_default();
    let by = item.by_there.as_ref().map(|by| format!(" by {by}")).unwrap_or_default();
    match item.state {
        State::New => "new there".into(),
        State::ChangedHere => format!("changed here since {there}"),
        State::ChangedThere => format!("changed there: {there}{by}"),
        State::ChangedBoth => format!("changed here and there: {there}{by}"),
        State::Same => format!("the same as {there}"),
        State::GoneHere => format!("not here any more, there still as {there}"),
        State::Blocked | State::RetiredThere => item.blocked.clone().unwrap_or_else(|| "blocked".into()),
    }
}

fn tell(plan: &Plan, choices: &[Choice], outcomes: &[Outcome], out: &mut Output) -> Done {
    let left: Vec<&Item> = plan
        .items
        .iter()
        .filter(|item| item.action != Action::Nothing && !choices.iter().any(|choice| choice.key == item.key))
        .collect();
    if out.is_json() {
        out.value(&json!({"plan": plan, "results": outcomes}))?;
    } else {
        for outcome in outcomes {
            out.line(&words(outcome))?;
            for problem in &outcome.problems {
                let line = problem.line.map(|line| format!("line {line}: ")).unwrap_or_default();
                out.line(&format!("  {line}{}", problem.detail))?;
            }
        }
        if outcomes.is_empty() {
            out.line("Nothing was sent.")?;
        }
        for item in &left {
            complain(&sentence(&format!("Left alone: {}, {}", item.key, stands(item))));
        }
    }
    let fine = |outcome: &Outcome| matches!(outcome.outcome, OutcomeWord::Published | OutcomeWord::Pulled);
    let stopped = left.iter().any(|item| item.action == Action::Stop);
    if outcomes.iter().all(fine) && !stopped { Ok(Ended::Fine) } else { Ok(Ended::Problems) }
}

fn words(outcome: &Outcome) -> String {
    let word = match outcome.outcome {
        OutcomeWord::Published => "published",
        OutcomeWord::Pulled => "pulled",
        OutcomeWord::Refused => "refused",
        OutcomeWord::Moved => "moved",
        OutcomeWord::Unsure => "not sure",
        OutcomeWord::Skipped => "left alone",
        OutcomeWord::NotTried => "not tried",
    };
    let version = outcome.version.map(|version| format!(", version {version}")).unwrap_or_default();
    let read_back = outcome.read_back_at.as_ref().filter(|_| outcome.outcome == OutcomeWord::Published);
    let read_back = read_back.map(|at| format!(", read back at {at}")).unwrap_or_default();
    let detail = outcome.detail.as_ref().map(|detail| format!(": {detail}")).unwrap_or_default();
    format!("{word:<10}  {}{version}{read_back}{detail}", outcome.key)
}
