//! Rules about the page's imports: one file knows the desktop, and no screen knows another.

use super::{Finding, Source};

const DESKTOP: &str = "@tauri-apps/";
const PAGE: &str = "ui/src/";

pub(super) fn check(sources: &[Source]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut desktop: Vec<(&str, usize)> = Vec::new();
    for source in sources.iter().filter(|source| source.path.starts_with(PAGE) && source.ends(&[".ts", ".tsx"])) {
        for (line, import) in imports(&source.text) {
            if import.starts_with(DESKTOP) {
                if !source.path.starts_with("ui/src/api/") {
                    findings.push(Finding::new(&source.path, line, "only `ui/src/api` may know the desktop"));
                }
                if desktop.iter().all(|(path, _)| *path != source.path) {
                    desktop.push((&source.path, line));
                }
            }
            let (Some(from), Some(to)) = (screen(&source.path), screen(&reached(&source.path, &import))) else {
                continue;
            };
            if from != to {
                let words = format!("the screen `{from}` may not import the screen `{to}`");
                findings.push(Finding::new(&source.path, line, words));
            }
        }
    }
    for (path, line) in desktop.iter().skip(1) {
        findings.push(Finding::new(path, *line, format!("one file knows the desktop, and `{}` is it", desktop[0].0)));
    }
    findings
}

/// What a text imports, by `from`, by `import(…)` or for its effect, with the line.
fn imports(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let code = line.trim_start();
        if code.starts_with("//") || code.starts_with('*') {
            continue;
        }
        for word in ["from ", "import(", "import "] {
            for (at, _) in code.match_indices(word) {
                let rest = &code[at + word.len()..];
                let Some(quote) = rest.chars().next().filter(|c| *c == '\'' || *c == '"') else { continue };
                if let Some(end) = rest[1..].find(quote) {
                    found.push((index + 1, rest[1..=end].to_owned()));
                }
            }
        }
    }
    found
}

/// Where an import leads, from the project's root.
fn reached(path: &str, import: &str) -> String {
    if let Some(rest) = import.strip_prefix("@/").or_else(|| import.strip_prefix("~/")) {
        return format!("{PAGE}{rest}");
    }
    if !import.starts_with('.') {
        return String::new();
    }
    let mut parts: Vec<&str> = path.split('/').collect();
    parts.pop();
    for part in import.split('/') {
        match part {
            "." => {}
            ".." => {
                parts.pop();
            }
            other => parts.push(other),
        }
    }
    parts.join("/")
}

/// The screen a path belongs to: the folder, or the file, below `screens`.
fn screen(path: &str) -> Option<String> {
    let rest = path.strip_prefix("ui/src/screens/")?;
    let (name, nested) = rest.split_once('/').map_or((rest, false), |(name, _)| (name, true));
    // A list of the screens lies beside them; it is no screen.
    let name = name.trim_end_matches(".tsx").trim_end_matches(".ts");
    (nested || name != "index").then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sentences(files: &[(&str, &str)]) -> Vec<String> {
        let sources: Vec<Source> =
            files.iter().map(|(path, text)| Source { path: (*path).to_owned(), text: (*text).to_owned() }).collect();
        check(&sources).into_iter().map(|finding| finding.sentence).collect()
    }

    #[test]
    fn one_file_of_the_api_knows_the_desktop() {
        let import = "const { invoke } = await import('@tauri-apps/api/core');\n";
        assert!(sentences(&[("ui/src/api/native.ts", import)]).is_empty());
        assert_eq!(sentences(&[("ui/src/app/shell.tsx", import)]).len(), 1);
        assert_eq!(sentences(&[("ui/src/api/native.ts", import), ("ui/src/api/other.ts", import)]).len(), 1);
    }

    #[test]
    fn a_screen_imports_no_other_screen() {
        assert!(sentences(&[("ui/src/screens/run/run.tsx", "import { Row } from './row';\n")]).is_empty());
        assert!(sentences(&[("ui/src/app/shell.tsx", "import { Run } from '../screens/run/run';\n")]).is_empty());
        let found = sentences(&[("ui/src/screens/run/run.tsx", "import { Feed } from '../feed/feed';\n")]);
        assert_eq!(found, ["the screen `run` may not import the screen `feed`"]);
        let found = sentences(&[("ui/src/screens/run.tsx", "import {\n  Feed,\n} from './feed';\n")]);
        assert_eq!(found, ["the screen `run` may not import the screen `feed`"]);
    }
}
