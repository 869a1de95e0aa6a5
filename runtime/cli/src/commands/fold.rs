//! `playbook fold`: the document on the disk, folded over a history; nothing is recorded.

mod over;
mod tell;

use crate::arguments::Fold;
use crate::ended::{Done, Ended, Failure, cannot};
use crate::opened;
use crate::output::Output;
use over::{Folding, Over};
use playbook_host::Compiler;
use playbook_host::folder::Folder;
use playbook_host::moving::LogReader;
use playbook_host::replay::{CheckedRecall, Recall, Scratch};
use playbook_model::definition::{DefinitionKey, DefinitionType};
use std::path::Path;
use std::sync::Arc;

/// Folds.
pub(crate) async fn fold(asked: &Fold, folder: Option<&Path>, out: &mut Output) -> Done {
    let (playbook, file) = opened::files(folder)?;
    let key = DefinitionKey { kind: DefinitionType::Recall, name: asked.name.clone() };
    let document = opened::folder(folder).join(Folder::relative(&key));
    let shown = document.strip_prefix(".").unwrap_or(&document).display().to_string();
    let Some(text) = playbook.read(&key).map_err(cannot)? else {
        return Err(cannot(format!("There is no document {shown}")));
    };
    let recall = match Recall::check(Arc::new(Compiler::new()), &asked.name, &text.text).await? {
        CheckedRecall::Ready(recall) => recall,
        CheckedRecall::Problems(problems) => return tell::problems(&shown, &problems, out),
    };
    let compares = asked.diff && asked.to_event.is_none();
    // A log that is not needed is left alone: it may be open in another program.
    let own = if compares || asked.from.is_none() { LogReader::open(&playbook, &file).map_err(cannot)? } else { None };
    let kept = if compares { Some(kept(own.as_ref(), asked)?) } else { None };
    let over = Over::of(asked.from.as_deref(), own)?;
    let scratch = Scratch::new().map_err(cannot)?;
    let folding = Folding::new(&scratch, recall, asked.to_event.as_deref());
    let folded = folding.over(over).await;
    scratch.stop().await;
    let folded = match folded? {
        Ok(folded) => folded,
        Err(bad) => return tell::bad_lines(&bad, out),
    };
    tell::folded(asked, &shown, &folded, kept.as_ref(), out)
}

/// The view that is kept, to be compared with.
fn kept(own: Option<&LogReader>, asked: &Fold) -> Result<playbook_host::moving::KeptView, Failure> {
    let kept = match own {
        Some(log) => log.kept_view(&asked.name).map_err(cannot)?,
        None => None,
    };
    kept.ok_or_else(|| {
        cannot(format!(
            "No view of {} is kept yet that this one could be compared with: playbook show recall {} builds it",
            asked.name, asked.name
        ))
    })
}

/// How the command ends.
fn ended(stalled: bool) -> Ended {
    if stalled { Ended::Problems } else { Ended::Fine }
}
