//! `playbook check`: every problem of documents and of the texts of test cases, each at its place.

use crate::arguments::{Check, Format};
use crate::ended::{Done, Ended, Failure, cannot, sentence};
use crate::opened;
use crate::output::{Output, complain};
use crate::places;
use playbook_host::folder::{CaseFile, FileError, Folder};
use playbook_host::studio::{ROUTES, Studio};
use playbook_model::definition::{DefinitionKey, DefinitionType};
use playbook_model::id::DefinitionName;
use playbook_model::word::count;
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};

/// One line of the answer.
struct Found {
    path: String,
    line: u64,
    column: u64,
    pointer: Option<String>,
    code: String,
    message: String,
    hint: Option<String>,
    severity: String,
}

/// Everything a check has to say.
#[derive(Default)]
struct Report {
    found: Vec<Found>,
    /// Why something was not judged.
    not_judged: Option<String>,
    files: usize,
}

/// Checks.
pub(crate) async fn check(asked: &Check, folder: Option<&Path>, out: &mut Output) -> Done {
    let paths = if asked.paths.is_empty() { vec![opened::folder(folder)] } else { asked.paths.clone() };
    let studio = Studio::new(places::none());
    let mut report = Report::default();
    for path in &paths {
        if path.is_dir() {
            of_folder(path, &studio, &mut report).await?;
        } else if let Some(case) = case_of(path) {
            self::case(path, &case, &mut report)?;
        } else {
            let key = key_of(path)?;
            document(path, &key, &studio, &mut report).await?;
        }
    }
    let json = asked.format.map_or(out.is_json(), |format| format == Format::Json);
    tell(&report, json, out)
}

async fn of_folder(path: &Path, studio: &Studio, report: &mut Report) -> Result<(), Failure> {
    let folder = match Folder::open(path) {
        Ok((folder, _)) => folder,
        Err(FileError::Playbook { path: file, line, column, message }) => {
            report.found.push(plain(&file, u64::from(line), u64::from(column), "playbook", &message));
            return Ok(());
        }
        Err(error) => return Err(cannot(error)),
    };
    let (keys, strays) = folder.list().map_err(cannot)?;
    for stray in strays {
        report.found.push(plain(&path.join(stray.path), 1, 1, "document.name", &stray.why));
    }
    for key in keys {
        document(&path.join(Folder::relative(&key)), &key, studio, report).await?;
    }
    let (cases, strays) = folder.cases().map_err(cannot)?;
    for stray in strays {
        report.found.push(plain(&path.join(stray.path), 1, 1, "case.name", &stray.why));
    }
    for case in cases {
        self::case(&path.join(case.relative()), &case, report)?;
    }
    Ok(())
}

/// Reads a test case; what it comes to is told by running it.
fn case(path: &Path, case: &CaseFile, report: &mut Report) -> Result<(), Failure> {
    let bytes = std::fs::read(path).map_err(|why| cannot(format!("{} cannot be read: {why}", path.display())))?;
    report.files += 1;
    let Ok(text) = String::from_utf8(bytes) else {
        report.found.push(plain(path, 1, 1, "case.text", "The test case is not text in UTF-8"));
        return Ok(());
    };
    for problem in playbook_host::case::read(case.key.kind, &text).problems {
        report.found.push(Found {
            pointer: problem.place.pointer,
            hint: problem.hint,
            ..plain(path, problem.place.line.into(), problem.place.column.into(), &problem.code, &problem.message)
        });
    }
    Ok(())
}

/// The test case a path names, where it lies in a playbook's folder of them.
fn case_of(path: &Path) -> Option<CaseFile> {
    let whole = std::path::absolute(path).ok()?;
    let root = whole.ancestors().find(|folder| folder.join("playbook.yaml").is_file())?;
    CaseFile::at(whole.strip_prefix(root).ok()?).ok()
}

/// The definition a document's path names: its folder is the type, its name the name.
fn key_of(path: &Path) -> Result<DefinitionKey, Failure> {
    let whole = std::path::absolute(path).map_err(cannot)?;
    let shown = path.display();
    let kind = whole.parent().and_then(Path::file_name).and_then(|name| DefinitionType::parse(&name.to_string_lossy()));
    let Some(kind) = kind else {
        return Err(cannot(format!("{shown} does not lie in a folder named by its type, such as recall/NAME.md")));
    };
    let file = whole.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let Some(stem) = file.strip_suffix(&format!(".{}", kind.extension())) else {
        return Err(cannot(format!("{shown} is no document: a {} ends in .{}", kind.noun(), kind.extension())));
    };
    let name = DefinitionName::new(stem).map_err(|why| cannot(format!("{shown}: {why}")))?;
    Ok(DefinitionKey { kind, name })
}

async fn document(path: &Path, key: &DefinitionKey, studio: &Studio, report: &mut Report) -> Result<(), Failure> {
    let bytes = std::fs::read(path).map_err(|why| cannot(format!("{} cannot be read: {why}", path.display())))?;
    report.files += 1;
    let Ok(text) = String::from_utf8(bytes) else {
        report.found.push(plain(path, 1, 1, "document.text", "The document is not text in UTF-8"));
        return Ok(());
    };
    let mut input = Map::new();
    input.insert("type".into(), json!(key.kind));
    input.insert("name".into(), json!(key.name));
    input.insert("text".into(), text.into());
    let route = ROUTES.iter().find(|route| route.path == "/check");
    let route = route.ok_or_else(|| cannot("The program has lost its check"))?;
    let checked = studio.call(route, input).await.map_err(|refused| Failure::Refused(refused.refusal))?;
    if let Some(why) = checked.get("not_judged").and_then(Value::as_str) {
        report.not_judged = Some(why.to_owned());
    }
    for problem in checked.get("problems").and_then(Value::as_array).into_iter().flatten() {
        let text = |pointer: &str| problem.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
        let number = |pointer: &str| problem.pointer(pointer).and_then(Value::as_u64).unwrap_or(1);
        report.found.push(Found {
            path: shown(path),
            line: number("/place/line"),
            column: number("/place/column"),
            pointer: text("/place/pointer"),
            code: text("/code").unwrap_or_default(),
            message: text("/message").unwrap_or_default(),
            hint: text("/hint"),
            severity: text("/severity").unwrap_or_else(|| "error".into()),
        });
    }
    Ok(())
}

fn plain(path: &Path, line: u64, column: u64, code: &str, message: &str) -> Found {
    Found {
        path: shown(path),
        line,
        column,
        pointer: None,
        code: code.into(),
        message: message.into(),
        hint: None,
        severity: "error".into(),
    }
}

/// A path as a person wrote it, without the dot of the current folder.
fn shown(path: &Path) -> String {
    let short: PathBuf = path.strip_prefix(".").unwrap_or(path).to_path_buf();
    short.display().to_string()
}

fn tell(report: &Report, json: bool, out: &mut Output) -> Done {
    if json {
        let list: Vec<Value> = report
            .found
            .iter()
            .map(|found| {
                json!({
                    "path": found.path, "line": found.line, "column": found.column, "pointer": found.pointer,
                    "code": found.code, "message": found.message, "hint": found.hint, "severity": found.severity,
                })
            })
            .collect();
        out.value(&Value::Array(list))?;
    } else {
        for found in &report.found {
            let severity = if found.severity == "error" { "" } else { "warning: " };
            out.line(&format!("{}:{}:{}: {severity}{}", found.path, found.line, found.column, found.message))?;
            if let Some(hint) = &found.hint {
                out.line(&format!("  try: {hint}"))?;
            }
        }
    }
    let errors = report.found.iter().filter(|found| found.severity == "error").count();
    if let Some(why) = &report.not_judged {
        complain(&sentence(&format!("Not everything was checked: {why}")));
    }
    if errors > 0 {
        return Ok(Ended::Problems);
    }
    if report.not_judged.is_some() {
        return Err(cannot("No problem was found in what could be checked, and that is not everything"));
    }
    if !json {
        complain(&format!("{} checked, no errors.", count(report.files as u64, "file", "files")));
    }
    Ok(Ended::Fine)
}
