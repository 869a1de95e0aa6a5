//! `playbook test`: runs the test cases of a playbook.

use crate::arguments::Test;
use crate::differences::{self, Between};
use crate::ended::{Done, Ended, Failure, cannot, sentence};
use crate::opened;
use crate::output::{Output, complain};
use playbook_host::case::rewrite;
use playbook_host::cases::{Outcome, Tester, Verdict};
use playbook_host::folder::{CaseFile, FileError, Folder, Stray};
use playbook_model::difference::Difference;
use playbook_model::id::DefinitionName;
use playbook_model::problem::Problem;
use playbook_model::refusal::Refusal;
use playbook_model::word::count;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// One thing a case has to say.
struct Told {
    path: String,
    line: u32,
    column: u32,
    pointer: Option<String>,
    message: String,
    hint: Option<String>,
    differences: Vec<Difference>,
}

/// What became of a case, for people and programs.
struct Line {
    path: String,
    case: Option<CaseFile>,
    description: Option<String>,
    told: Vec<Told>,
    updated: bool,
}

/// How many of each.
#[derive(Default)]
struct Totals {
    passed: u64,
    failed: u64,
    updated: u64,
}

/// Runs them.
pub(crate) async fn test(asked: &Test, folder: Option<&Path>, out: &mut Output) -> Done {
    let mut chosen = Vec::new();
    if asked.paths.is_empty() {
        chosen.push(Chosen::at(&opened::folder(folder))?);
    }
    for path in &asked.paths {
        chosen.push(Chosen::at_or_named(path, folder)?);
    }
    let mut tester = Tester::new().map_err(cannot)?;
    let ran = all(asked, &chosen, &mut tester, out).await;
    tester.stop().await;
    let (totals, lines) = ran?;
    let whole = totals.passed + totals.failed + totals.updated;
    let narrowed =
        asked.filter.is_some() || chosen.iter().any(|chosen| !chosen.inner.is_empty() || chosen.name.is_some());
    if whole == 0 && narrowed {
        return Err(cannot("There is no such test case"));
    }
    if out.is_json() {
        let Totals { passed, failed, updated } = totals;
        out.value(&json!({ "cases": lines, "passed": passed, "failed": failed, "updated": updated }))?;
    } else if whole == 0 {
        complain("The playbook has no test cases: they lie at tests/TYPE/NAME/CASE.yaml.");
    } else {
        let updated = if totals.updated > 0 { format!(", {} updated", totals.updated) } else { String::new() };
        let failed = if totals.failed > 0 { format!(", {} failed", totals.failed) } else { String::new() };
        out.line(&format!("{} passed{updated}{failed}.", count(totals.passed, "case", "cases")))?;
    }
    Ok(if totals.failed > 0 { Ended::Problems } else { Ended::Fine })
}

async fn all(
    asked: &Test,
    chosen: &[Chosen],
    tester: &mut Tester,
    out: &mut Output,
) -> Result<(Totals, Vec<Value>), Failure> {
    let mut totals = Totals::default();
    let mut lines = Vec::new();
    let mut ran: Vec<PathBuf> = Vec::new();
    let meant = |path: &str| asked.filter.as_ref().is_none_or(|filter| path.contains(filter.as_str()));
    for chosen in chosen {
        let (cases, strays) = chosen.folder.cases().map_err(cannot)?;
        for stray in strays.into_iter().filter(|stray| chosen.takes_path(&stray.path) && meant(&stray.path)) {
            if !ran.contains(&chosen.folder.path().join(&stray.path)) {
                ran.push(chosen.folder.path().join(&stray.path));
                say(&stray_line(chosen, &stray), &mut totals, &mut lines, out)?;
            }
        }
        for case in cases.into_iter().filter(|case| chosen.takes(case) && meant(&case.relative())) {
            let path = chosen.folder.path().join(case.relative());
            if !ran.contains(&path) {
                ran.push(path);
                let line = one(asked, chosen, case, tester).await?;
                say(&line, &mut totals, &mut lines, out)?;
            }
        }
    }
    Ok((totals, lines))
}

async fn one(asked: &Test, chosen: &Chosen, case: CaseFile, tester: &mut Tester) -> Result<Line, Failure> {
    let path = chosen.shown(&case.relative());
    // A case that cannot be read, or breaks the program down, keeps no other from being run.
    let broken = match tester.run(&chosen.folder, &case).await {
        Ok(Ok(outcome)) => return judged(asked, chosen, case, path, &outcome),
        Ok(Err(Refusal::Rejected(rejection))) => plain(&path, sentence(&rejection.detail)),
        Ok(Err(Refusal::Incident { id })) => {
            plain(&path, format!("The program broke down over this case; its log has it under {id}."))
        }
        Err(FileError::NotText { path }) => plain(&chosen.inside(&path), "The file is not text in UTF-8.".into()),
        Err(FileError::Huge { path }) => plain(&chosen.inside(&path), "The file is far too large.".into()),
        Err(FileError::Io { path, why }) => plain(&chosen.inside(&path), format!("The file cannot be read: {why}.")),
        Err(other) => plain(&path, sentence(&other.to_string())),
    };
    Ok(Line { path, case: Some(case), description: None, told: vec![broken], updated: false })
}

fn judged(asked: &Test, chosen: &Chosen, case: CaseFile, path: String, outcome: &Outcome) -> Result<Line, Failure> {
    let told = told(chosen, &path, outcome);
    let updated = match &outcome.verdict {
        Verdict::Failed { mended: Some(mended), .. } if asked.update => {
            let text = rewrite(&outcome.text, mended);
            chosen.folder.write_case(&case, &outcome.text, &text).map_err(cannot)?;
            true
        }
        _ => false,
    };
    Ok(Line { path, case: Some(case), description: outcome.description.clone(), told, updated })
}

fn told(chosen: &Chosen, path: &str, outcome: &Outcome) -> Vec<Told> {
    match &outcome.verdict {
        Verdict::Passed => Vec::new(),
        Verdict::Failed { mismatches, .. } => mismatches
            .iter()
            .map(|mismatch| Told {
                path: path.into(),
                line: mismatch.place.line,
                column: mismatch.place.column,
                pointer: Some(mismatch.pointer.clone()),
                message: sentence(&mismatch.sentence),
                hint: None,
                differences: mismatch.differences.clone(),
            })
            .collect(),
        Verdict::Unreadable(problems) => problems.iter().map(|problem| of_problem(path, problem)).collect(),
        Verdict::NoDefinition => {
            let document = Folder::relative(&outcome.file.key);
            vec![plain(path, format!("There is no document {document}, which this case tests."))]
        }
        Verdict::Definition(problems) => {
            let document = chosen.shown(&Folder::relative(&outcome.file.key));
            problems.iter().map(|problem| of_problem(&document, problem)).collect()
        }
        Verdict::Unjudged(why) => {
            let document = chosen.shown(&Folder::relative(&outcome.file.key));
            vec![plain(&document, format!("The document was not judged: {}", sentence(why)))]
        }
    }
}

fn plain(path: &str, message: String) -> Told {
    let (hint, differences) = (None, Vec::new());
    Told { path: path.into(), line: 1, column: 1, pointer: None, message, hint, differences }
}

fn of_problem(path: &str, problem: &Problem) -> Told {
    Told {
        path: path.into(),
        line: problem.place.line,
        column: problem.place.column,
        pointer: problem.place.pointer.clone(),
        message: problem.message.clone(),
        hint: problem.hint.clone(),
        differences: Vec::new(),
    }
}

fn stray_line(chosen: &Chosen, stray: &Stray) -> Line {
    let path = chosen.shown(&stray.path);
    let told = vec![plain(&path, sentence(&stray.why))];
    Line { path, case: None, description: None, told, updated: false }
}

fn say(line: &Line, totals: &mut Totals, lines: &mut Vec<Value>, out: &mut Output) -> Result<(), Failure> {
    let word = match (line.told.is_empty(), line.updated) {
        (true, _) => {
            totals.passed += 1;
            "ok     "
        }
        (false, true) => {
            totals.updated += 1;
            "updated"
        }
        (false, false) => {
            totals.failed += 1;
            "FAILED "
        }
    };
    if out.is_json() {
        lines.push(value(line));
        return Ok(());
    }
    out.line(&format!("{word} {}", line.path))?;
    for told in &line.told {
        out.line(&format!("  {}:{}:{}: {}", told.path, told.line, told.column, told.message))?;
        if let Some(hint) = &told.hint {
            out.line(&format!("    try: {hint}"))?;
        }
        for difference in differences::lines(&told.differences, Between::ExpectedAndFound) {
            out.line(&format!("    {difference}"))?;
        }
    }
    Ok(())
}

fn value(line: &Line) -> Value {
    let problems: Vec<Value> = line
        .told
        .iter()
        .map(|told| {
            json!({
                "path": told.path, "line": told.line, "column": told.column, "pointer": told.pointer,
                "message": told.message, "hint": told.hint,
                "differences": differences::value(&told.differences, Between::ExpectedAndFound),
            })
        })
        .collect();
    json!({
        "path": line.path,
        "type": line.case.as_ref().map(|case| case.key.kind),
        "name": line.case.as_ref().map(|case| case.key.name.as_str()),
        "case": line.case.as_ref().map(|case| case.name.as_str()),
        "description": line.description,
        "passed": line.told.is_empty(),
        "updated": line.updated,
        "problems": problems,
    })
}

/// The cases a path names: of a whole playbook, of a document, of a folder, or one.
struct Chosen {
    folder: Folder,
    /// The playbook's folder as it is shown.
    root: PathBuf,
    /// The path within the playbook, with forward slashes; empty for all of it.
    inner: String,
    /// The definition whose cases are meant, where it was named and no path given.
    name: Option<DefinitionName>,
}

impl Chosen {
    /// A path, or the name of a definition of the folder.
    fn at_or_named(path: &Path, folder: Option<&Path>) -> Result<Self, Failure> {
        let name = path.to_str().and_then(|text| DefinitionName::new(text).ok());
        match name {
            Some(name) if !path.exists() => {
                let chosen = match Self::at(&opened::folder(folder)) {
                    Ok(chosen) => chosen,
                    // Outside of a playbook no name means anything.
                    Err(_) if folder.is_none() => return Self::at(path),
                    Err(why) => return Err(why),
                };
                let (cases, _) = chosen.folder.cases().map_err(cannot)?;
                if !cases.iter().any(|case| case.key.name == name) {
                    let words = format!("There is no {name}, and no definition of this name has test cases");
                    return Err(cannot(words));
                }
                Ok(Self { name: Some(name), ..chosen })
            }
            _ => Self::at(path),
        }
    }

    fn at(path: &Path) -> Result<Self, Failure> {
        if !path.exists() {
            return Err(cannot(format!("There is no {}", path.display())));
        }
        let whole = path.canonicalize().map_err(|why| cannot(format!("{}: {why}", path.display())))?;
        let root = whole.ancestors().find(|folder| folder.join("playbook.yaml").is_file());
        let Some(root) = root else {
            // The folder's own words say what a playbook is.
            let (_, _) = Folder::open(path).map_err(cannot)?;
            return Err(cannot(format!("{} lies in no playbook", path.display())));
        };
        let (folder, _) = Folder::open(root).map_err(cannot)?;
        let inner = whole.strip_prefix(root).unwrap_or(Path::new(""));
        let parts: Vec<_> = inner.iter().map(|part| part.to_string_lossy()).collect();
        let here = std::env::current_dir().and_then(|here| here.canonicalize()).unwrap_or_default();
        let shown = root.strip_prefix(&here).unwrap_or(root).to_path_buf();
        Ok(Self { root: shown, inner: parts.join("/"), folder, name: None })
    }

    fn takes_path(&self, path: &str) -> bool {
        if let Some(name) = &self.name {
            return path.split('/').nth(2) == Some(name.as_str());
        }
        self.inner.is_empty() || path == self.inner || path.starts_with(&format!("{}/", self.inner))
    }

    fn takes(&self, case: &CaseFile) -> bool {
        self.takes_path(&case.relative()) || self.name.is_none() && self.inner == Folder::relative(&case.key)
    }

    /// A file of the playbook as it is shown.
    fn inside(&self, file: &Path) -> String {
        let inner = file.strip_prefix(self.folder.path()).unwrap_or(file);
        self.root.join(inner).display().to_string()
    }

    fn shown(&self, relative: &str) -> String {
        let inner: PathBuf = relative.split('/').collect();
        self.root.join(inner).display().to_string()
    }
}
