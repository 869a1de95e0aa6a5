//! Which crate may use which: the arrows between the rooms, and who may see which library.

use super::Finding;
use anyhow::{Context, Result};
use serde::Deserialize;
use std::path::Path;
use std::process::Command;

/// A package of the workspace, as Cargo tells it.
#[derive(Debug, Deserialize)]
pub(super) struct Package {
    name: String,
    manifest_path: String,
    dependencies: Vec<Dependency>,
}

#[derive(Debug, Deserialize)]
struct Dependency {
    name: String,
    /// `dev` or `build`; nothing for what the program itself uses.
    kind: Option<String>,
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

/// What each of our crates may use of ours. `model` first; every arrow points up this list.
const ARROWS: [(&str, &[&str]); 16] = [
    ("model", &[]),
    ("schema", &["model"]),
    ("template", &["model"]),
    ("typescript", &["model"]),
    ("sandbox", &["model", "schema"]),
    ("history", &["model"]),
    ("worker", &["model", "schema", "sandbox"]),
    ("definition", &["model", "schema", "template", "typescript"]),
    ("engine", &["model", "definition", "schema", "template"]),
    ("function", &["model", "definition", "schema", "sandbox", "worker"]),
    ("publish", &["model", "definition"]),
    (
        "host",
        &[
            "model",
            "schema",
            "typescript",
            "sandbox",
            "history",
            "worker",
            "definition",
            "engine",
            "function",
            "publish",
        ],
    ),
    ("server", &["model", "host"]),
    ("cli", &["model", "host", "server"]),
    ("studio", &["host", "server"]),
    ("tests", &["model", "history", "typescript", "host", "server", "testkit"]),
];

/// Crates that are no part of the program: they may use any.
const BESIDE: [&str; 2] = ["testkit", "xtask"];

/// Libraries that one crate hides from the others. A star stands for any ending.
const HIDDEN: [(&str, &[&str]); 9] = [
    ("tauri*", &["studio"]),
    ("wry", &["studio"]),
    ("rquickjs*", &["sandbox"]),
    ("rusqlite", &["history"]),
    ("jsonschema", &["schema"]),
    ("swc_*", &["typescript", "xtask"]),
    ("axum", &["server", "studio"]),
    ("clap*", &["cli"]),
    ("anyhow", &["cli", "studio", "tests", "testkit", "xtask"]),
];

/// Crates that stay pure, and the libraries that would bring a clock, a file, chance or waiting into them.
const PURE: [&str; 5] = ["model", "schema", "template", "definition", "engine"];
const IMPURE: [&str; 9] =
    ["tokio", "futures", "reqwest", "axum", "rand", "getrandom", "notify", "tempfile", "rusqlite"];

/// The workspace's packages, without what they bring along.
pub(super) fn packages(root: &Path) -> Result<Vec<Package>> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let told = Command::new(cargo)
        .args(["metadata", "--no-deps", "--format-version", "1", "--offline"])
        .current_dir(root)
        .output()
        .context("Cargo tells the workspace's packages")?;
    let metadata: Metadata = serde_json::from_slice(&told.stdout).context("what Cargo told could not be read")?;
    Ok(metadata.packages)
}

pub(super) fn check(packages: &[Package]) -> Vec<Finding> {
    packages.iter().flat_map(of_package).collect()
}

fn of_package(package: &Package) -> Vec<Finding> {
    let Some(name) = package.name.strip_prefix("playbook-") else {
        return vec![finding(package, "a package is named `playbook-` and its folder")];
    };
    let beside = BESIDE.contains(&name);
    let allowed = ARROWS.iter().find(|(of, _)| *of == name).map(|(_, uses)| *uses);
    if allowed.is_none() && !beside {
        return vec![finding(package, &format!("`{name}` is a new room: say in ARROWS what it may use"))];
    }
    let mut findings = Vec::new();
    for dependency in &package.dependencies {
        let in_tests = dependency.kind.as_deref() == Some("dev");
        if let Some(ours) = dependency.name.strip_prefix("playbook-") {
            let may = beside || (in_tests && ours == "testkit") || allowed.is_some_and(|uses| uses.contains(&ours));
            if !may {
                findings.push(finding(package, &format!("`{name}` may not use `{ours}`")));
            }
            continue;
        }
        if let Some((library, owners)) = HIDDEN.iter().find(|(library, _)| fits(library, &dependency.name))
            && !owners.contains(&name)
            && !(in_tests && *library == "anyhow")
        {
            let words = format!("only {} may see `{}`", owners.join(" and "), dependency.name);
            findings.push(finding(package, &words));
        }
        if PURE.contains(&name) && !in_tests && IMPURE.contains(&dependency.name.as_str()) {
            findings.push(finding(package, &format!("`{name}` stays pure, so it may not use `{}`", dependency.name)));
        }
    }
    findings
}

fn fits(pattern: &str, name: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => name == pattern,
    }
}

/// A finding at the package's manifest, said from the project's root.
fn finding(package: &Package, sentence: &str) -> Finding {
    let root = super::root();
    let path = Path::new(&package.manifest_path);
    let path = path.strip_prefix(&root).unwrap_or(path);
    Finding::new(&path.to_string_lossy().replace('\\', "/"), 1, sentence)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(name: &str, dependencies: &[(&str, Option<&str>)]) -> Package {
        Package {
            name: format!("playbook-{name}"),
            manifest_path: format!("runtime/{name}/Cargo.toml"),
            dependencies: dependencies
                .iter()
                .map(|(name, kind)| Dependency { name: (*name).to_owned(), kind: kind.map(str::to_owned) })
                .collect(),
        }
    }

    fn sentences(name: &str, dependencies: &[(&str, Option<&str>)]) -> Vec<String> {
        check(&[package(name, dependencies)]).into_iter().map(|finding| finding.sentence).collect()
    }

    #[test]
    fn arrows_point_one_way() {
        assert_eq!(sentences("schema", &[("playbook-model", None)]), Vec::<String>::new());
        assert_eq!(sentences("model", &[("playbook-schema", None)]), ["`model` may not use `schema`"]);
        assert_eq!(sentences("engine", &[("playbook-history", None)]), ["`engine` may not use `history`"]);
        assert_eq!(sentences("engine", &[("playbook-testkit", Some("dev"))]), Vec::<String>::new());
        assert_eq!(sentences("engine", &[("playbook-testkit", None)]), ["`engine` may not use `testkit`"]);
    }

    #[test]
    fn a_new_room_says_what_it_may_use() {
        assert!(sentences("attic", &[])[0].contains("ARROWS"));
    }

    #[test]
    fn a_library_is_seen_by_its_room_alone() {
        assert_eq!(sentences("studio", &[("tauri", None), ("tauri-build", Some("build"))]), Vec::<String>::new());
        assert_eq!(sentences("host", &[("tauri", None)]), ["only studio may see `tauri`"]);
        assert_eq!(sentences("worker", &[("rquickjs-core", None)]), ["only sandbox may see `rquickjs-core`"]);
        assert_eq!(sentences("host", &[("rusqlite", Some("dev"))]), ["only history may see `rusqlite`"]);
        assert_eq!(sentences("model", &[("anyhow", None)]).len(), 1);
        assert_eq!(sentences("model", &[("anyhow", Some("dev"))]), Vec::<String>::new());
    }

    #[test]
    fn a_pure_room_brings_in_no_clock_and_no_file() {
        assert_eq!(sentences("engine", &[("tokio", None)]), ["`engine` stays pure, so it may not use `tokio`"]);
        assert_eq!(sentences("engine", &[("tempfile", Some("dev"))]), Vec::<String>::new());
    }

    #[test]
    fn every_arrow_points_to_a_room_further_up() {
        for (place, (name, uses)) in ARROWS.iter().enumerate() {
            for used in *uses {
                let found = ARROWS.iter().position(|(other, _)| other == used);
                assert!(BESIDE.contains(used) || found.is_some_and(|found| found < place), "{name} -> {used}");
            }
        }
    }
}
