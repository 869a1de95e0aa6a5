//! Words that do not belong in the project: places of one machine, and the hosts of package registries.

use super::{Finding, Source};

/// Lock files name where a package came from, and are written by its tool.
const LOCKS: [&str; 2] = ["Cargo.lock", "package-lock.json"];

/// Written in two halves, so that this file does not hold what it looks for.
const FORBIDDEN: [(&str, &str, &str); 10] = [
    ("/wo", "rk/", "a path of one machine"),
    ("../sha", "red", "a path of one machine"),
    ("/ro", "ot/", "a path of one machine"),
    ("/tmp/", "t/", "a path of one machine"),
    ("arti", "factory", "the host of a registry"),
    ("://ind", "ex.crates", "the host of a registry"),
    ("://sta", "tic.crates", "the host of a registry"),
    ("registry.", "npmjs", "the host of a registry"),
    ("deb.", "debian", "the host of a registry"),
    ("files.python", "hosted", "the host of a registry"),
];

pub(super) fn check(source: &Source, against: &mut Vec<Finding>) {
    if LOCKS.iter().any(|lock| source.path.ends_with(lock)) {
        return;
    }
    for (index, line) in source.text.lines().enumerate() {
        for (start, end, what) in FORBIDDEN {
            if says(line, &format!("{start}{end}")) {
                against.push(Finding::new(&source.path, index + 1, format!("{what} does not belong in the project")));
            }
        }
    }
}

/// Whether a line holds a text; one that begins a path holds it only where a path begins.
fn says(line: &str, text: &str) -> bool {
    line.match_indices(text).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        !text.starts_with('/') || before.is_none_or(|c| !c.is_alphanumeric() && !"._-".contains(c))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(path: &str, line: &str) -> usize {
        let mut against = Vec::new();
        check(&Source { path: path.to_owned(), text: line.to_owned() }, &mut against);
        against.len()
    }

    #[test]
    fn a_path_of_one_machine_is_found_and_an_ordinary_path_is_not() {
        assert_eq!(count("README.md", &format!("see {}{}main", "/wo", "rk/")), 1);
        assert_eq!(count("ui/a.ts", &format!("import '../net{}{}x'", "/wo", "rk/")), 0);
        assert_eq!(count("README.md", "the network of the workplace, framework/ and /workers"), 0);
    }

    #[test]
    fn a_lock_file_may_name_a_registry() {
        let line = format!("https://{}{}.org/x", "registry.", "npmjs");
        assert_eq!(count("ui/package-lock.json", &line), 0);
        assert_eq!(count("ui/README.md", &line), 1);
    }
}
