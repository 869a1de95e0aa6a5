//! The test cases of a folder: `tests/<type>/<name>/<case>.yaml`.

use super::file::{FileError, Folder, Stray, read_at_most, write};
use playbook_definition::case::{Case, CaseName};
use playbook_model::definition::{DefinitionKey, DefinitionType};
use playbook_model::id::DefinitionName;
use playbook_model::limits::CASE_BYTES;
use std::path::{Path, PathBuf};

/// The folder that holds them.
const TESTS: &str = "tests";
/// How a case's file ends.
const ENDING: &str = ".yaml";

/// A test case's file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct CaseFile {
    /// The definition it tests.
    pub key: DefinitionKey,
    /// The case's name.
    pub name: CaseName,
}

impl CaseFile {
    /// Its path within the folder, with forward slashes.
    #[must_use]
    pub fn relative(&self) -> String {
        format!("{TESTS}/{}/{}/{}{ENDING}", self.key.kind.word(), self.key.name, self.name)
    }

    /// The case a path within a folder names.
    ///
    /// # Errors
    /// A sentence: the path lies elsewhere, or one of its names keeps no rule.
    pub fn at(relative: &Path) -> Result<Self, String> {
        let parts: Vec<String> = relative.iter().map(|part| part.to_string_lossy().into_owned()).collect();
        let [folder, kind, name, file] = parts.as_slice() else {
            return Err("A test case lies at tests/TYPE/NAME/CASE.yaml".into());
        };
        let kind = DefinitionType::parse(kind).filter(|_| folder == TESTS);
        let Some(kind) = kind else { return Err("A test case lies at tests/TYPE/NAME/CASE.yaml".into()) };
        let name = DefinitionName::new(name.as_str()).map_err(|why| why.to_string())?;
        let Some(stem) = file.strip_suffix(ENDING) else {
            return Err(format!("A test case's file ends in {ENDING}"));
        };
        Ok(Self { key: DefinitionKey { kind, name }, name: CaseName::new(stem)? })
    }
}

impl Folder {
    /// Every test case, by definition and name, and what lies among them and is none.
    ///
    /// # Errors
    /// [`FileError`] when a folder cannot be read.
    pub fn cases(&self) -> Result<(Vec<CaseFile>, Vec<Stray>), FileError> {
        let mut cases = Vec::new();
        let mut strays = Vec::new();
        for kind in DefinitionType::ALL {
            let kind = self.path().join(TESTS).join(kind.word());
            for definition in entries(&kind)?.iter().filter(|path| path.is_dir()) {
                for file in entries(definition)? {
                    let inner = file.strip_prefix(self.path()).unwrap_or(&file);
                    match CaseFile::at(inner) {
                        Ok(case) if file.is_file() => cases.push(case),
                        Err(why) if file.is_file() => {
                            let parts: Vec<_> = inner.iter().map(|part| part.to_string_lossy()).collect();
                            strays.push(Stray { path: parts.join("/"), why });
                        }
                        _ => {}
                    }
                }
            }
        }
        cases.sort();
        strays.sort();
        Ok((cases, strays))
    }

    /// The text of a test case; `None` when there is no such file.
    ///
    /// # Errors
    /// [`FileError`].
    pub fn read_case(&self, case: &CaseFile) -> Result<Option<String>, FileError> {
        let file = self.path().join(case.relative());
        // One byte over the bound is read, so that the case's own words tell it.
        if file.exists() { read_at_most(&file, CASE_BYTES as u64 + 1).map(Some) } else { Ok(None) }
    }

    /// Keeps a new test case, and gives its path within the folder.
    ///
    /// # Errors
    /// [`FileError::There`] when there is one of this name already.
    pub fn keep_case(&self, file: &CaseFile, case: &Case) -> Result<String, FileError> {
        let relative = file.relative();
        let path = self.path().join(&relative);
        if path.exists() {
            return Err(FileError::There { path });
        }
        write(&path, &playbook_definition::case::write(case))?;
        Ok(relative)
    }

    /// Writes a test case's text over the one that was read from its file.
    ///
    /// # Errors
    /// [`FileError::Changed`] when the file holds another text by now; nothing was written.
    pub fn write_case(&self, file: &CaseFile, read: &str, text: &str) -> Result<(), FileError> {
        let path = self.path().join(file.relative());
        if self.read_case(file)?.as_deref() != Some(read) {
            return Err(FileError::Changed { path, theirs: None });
        }
        write(&path, text)
    }
}

/// What a folder holds, by name; nothing for one that is not there. What begins with a dot is left alone.
fn entries(folder: &Path) -> Result<Vec<PathBuf>, FileError> {
    let io = |why| FileError::Io { path: folder.into(), why };
    let listed = match std::fs::read_dir(folder) {
        Ok(listed) => listed,
        Err(why) if why.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(why) => return Err(io(why)),
    };
    let mut paths = Vec::new();
    for entry in listed {
        let entry = entry.map_err(io)?;
        if !entry.file_name().to_string_lossy().starts_with('.') {
            paths.push(entry.path());
        }
    }
    paths.sort();
    Ok(paths)
}

#[cfg(test)]
mod tests {
    use super::*;
    use playbook_definition::case::{Answer, ComputationCase, read as read_case};
    use serde_json::json;

    fn folder() -> (tempfile::TempDir, Folder) {
        let place = tempfile::tempdir().expect("a folder");
        std::fs::write(place.path().join("playbook.yaml"), "id: campaigns\nname: Campaigns\n").expect("written");
        let (folder, _) = Folder::open(place.path()).expect("a playbook");
        (place, folder)
    }

    fn file(name: &str) -> CaseFile {
        let name = CaseName::new(name).expect("a name");
        let key = DefinitionKey {
            kind: DefinitionType::Computation,
            name: DefinitionName::new("review-brief").expect("a name"),
        };
        CaseFile { key, name }
    }

    fn case(output: i64) -> Case {
        let expect = Answer::Output(json!(output));
        Case::Computation(ComputationCase { description: None, input: json!({}), expect })
    }

    #[test]
    fn a_case_is_kept_once_and_found_again() {
        let (_place, folder) = folder();
        assert_eq!(folder.cases().expect("none"), (vec![], vec![]));
        let path = folder.keep_case(&file("one"), &case(1)).expect("kept");
        assert_eq!(path, "tests/computation/review-brief/one.yaml");
        assert_eq!(CaseFile::at(Path::new(&path)), Ok(file("one")));
        assert!(matches!(folder.keep_case(&file("one"), &case(2)), Err(FileError::There { .. })));
        let text = folder.read_case(&file("one")).expect("read").expect("there");
        assert_eq!(read_case(DefinitionType::Computation, &text).case, Some(case(1)));
        assert_eq!(folder.cases().expect("read").0, [file("one")]);
        assert_eq!(folder.read_case(&file("two")).expect("read"), None);
    }

    #[test]
    fn a_case_that_changed_meanwhile_is_not_written_over() {
        let (_place, folder) = folder();
        let path = folder.path().join(folder.keep_case(&file("one"), &case(1)).expect("kept"));
        let text = std::fs::read_to_string(&path).expect("read");
        std::fs::write(&path, "mine").expect("written");
        assert!(matches!(folder.write_case(&file("one"), &text, "yours"), Err(FileError::Changed { .. })));
        folder.write_case(&file("one"), "mine", "yours").expect("written");
        assert_eq!(std::fs::read_to_string(&path).expect("read"), "yours");
    }

    #[test]
    fn what_is_no_case_is_a_stray() {
        let (place, folder) = folder();
        for path in [
            "tests/computation/review-brief/Upper.yaml",
            "tests/computation/x/one.yaml",
            "tests/computation/abc/one.yml",
        ] {
            write(&place.path().join(path), "").expect("written");
        }
        for path in ["tests/computation/abc/.hidden.yaml", "tests/README.md", "tests/other/README.md"] {
            write(&place.path().join(path), "").expect("written");
        }
        let (cases, strays) = folder.cases().expect("read");
        let paths: Vec<&str> = strays.iter().map(|stray| stray.path.as_str()).collect();
        assert_eq!(cases, []);
        assert_eq!(
            paths,
            [
                "tests/computation/abc/one.yml",
                "tests/computation/review-brief/Upper.yaml",
                "tests/computation/x/one.yaml"
            ]
        );
        for path in
            ["one.yaml", "tests/recall/abc/one/two.yaml", "other/recall/abc/one.yaml", "tests/nothing/abc/a.yaml"]
        {
            assert!(CaseFile::at(Path::new(path)).is_err(), "{path}");
        }
    }
}
