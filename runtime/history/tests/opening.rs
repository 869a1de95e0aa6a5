//! What may lie at a history's path, and what is said of it. Nothing refused is ever changed.

#![allow(clippy::unwrap_used)]

use playbook_history::{AppendError, History, NewRecord, OpenError, PageQuery, ReadError, Stream};
use playbook_model::id::{OrgId, PlaybookId, PlaybookKey, RunId};
use playbook_model::record::Context;
use playbook_model::time::Moment;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use uuid::Uuid;

fn folder() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.sqlite");
    (folder, path)
}

fn playbook() -> PlaybookKey {
    PlaybookKey { org: OrgId::local(), playbook: PlaybookId::new("campaigns").unwrap() }
}

fn record(number: usize, bytes: usize) -> NewRecord {
    let text = format!("{number:08}").repeat(bytes / 8 + 1);
    NewRecord {
        kind: "step".into(),
        data: serde_json::json!({ "number": number, "text": text }),
        context: Context::new(Moment(0), "local"),
    }
}

fn fill(history: &History, count: usize, bytes: usize) {
    for number in 0..count {
        let stream = Stream::run(&playbook(), RunId(Uuid::from_u128(number as u128)));
        history.append(&stream, 0, vec![record(number, bytes)], Moment(0)).unwrap();
    }
}

fn count(history: &History) -> usize {
    let playbook = playbook();
    let content = playbook_history::Content::Joined;
    let query = PageQuery { playbook: &playbook, after: 0, limit: 1000, only: None, content };
    history.page(&query).unwrap().records.len()
}

/// The files of a folder with what they hold.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let read = |entry: std::io::Result<std::fs::DirEntry>| {
        let entry = entry.unwrap();
        let held = std::fs::read(entry.path()).unwrap_or_default();
        (entry.file_name().into_string().unwrap(), held)
    };
    std::fs::read_dir(folder).unwrap().map(read).collect()
}

/// Opens what must be refused, and checks that no more than an empty lock has come beside it.
fn refused(folder: &Path, path: &Path) -> OpenError {
    // SQLite's index of a write-ahead log is made anew from the log by whoever opens it.
    let known = |mut files: BTreeMap<String, Vec<u8>>| {
        files.retain(|name, held| !name.ends_with("-shm") && (name != "log.lock" || !held.is_empty()));
        files
    };
    let before = known(files(folder));
    let why = History::open(path).unwrap_err();
    let after = known(files(folder));
    assert!(after.keys().eq(before.keys()), "{why}: {:?}", after.keys());
    for (name, held) in &before {
        assert!(after[name] == *held, "{why}: {name} was changed");
    }
    let words = why.to_string();
    assert!(words.contains(path.file_name().unwrap().to_str().unwrap()), "{words}");
    assert!(!words.contains('\n') && !words.ends_with('.'), "{words}");
    why
}

#[test]
fn nothing_and_an_empty_file_become_a_history() {
    let (_folder, path) = folder();
    fill(&History::open(&path).unwrap(), 1, 10);
    assert_eq!(count(&History::open(&path).unwrap()), 1);
    std::fs::write(&path, "").unwrap();
    assert_eq!(count(&History::open(&path).unwrap()), 0);
    assert!(std::fs::metadata(&path).unwrap().len() > 0);
}

#[test]
fn a_beginning_that_was_cut_off_begins_again() {
    let (folder, path) = folder();
    for ending in [".new", ".new-journal", ".new-wal", ".new-shm"] {
        std::fs::write(folder.path().join(format!("log.sqlite{ending}")), "half").unwrap();
    }
    let history = History::open(&path).unwrap();
    fill(&history, 1, 10);
    drop(history);
    let names: Vec<String> = files(folder.path()).into_keys().collect();
    assert_eq!(names, ["log.lock", "log.sqlite"]);
}

#[test]
fn what_is_no_history_is_left_alone() {
    for held in ["words", " ", "SQLite format 4 and then some more", &"x".repeat(10_000)] {
        let (folder, path) = folder();
        std::fs::write(&path, held).unwrap();
        assert!(matches!(refused(folder.path(), &path), OpenError::Foreign { .. }));
        assert_eq!(files(folder.path()).len(), 1, "not even a lock is made beside it");
    }
    let (folder, path) = folder();
    std::fs::create_dir(&path).unwrap();
    assert!(matches!(refused(folder.path(), &path), OpenError::Foreign { .. }));
    assert!(matches!(History::open(Path::new("/")), Err(OpenError::Foreign { .. })));
}

#[test]
fn another_programs_database_is_left_alone() {
    for journal in ["DELETE", "WAL"] {
        let (folder, path) = folder();
        let conn = rusqlite::Connection::open(&path).unwrap();
        conn.query_row(&format!("PRAGMA journal_mode = {journal}"), [], |_| Ok(())).unwrap();
        conn.execute_batch("CREATE TABLE record (x); INSERT INTO record VALUES (1)").unwrap();
        let why = refused(folder.path(), &path);
        assert!(matches!(why, OpenError::Foreign { .. }), "{why}");
        assert!(
            why.to_string()
                .ends_with("is not a playbook's history, so it was left alone; move it away or choose another place")
        );
    }
}

#[test]
fn a_newer_format_is_left_alone() {
    let (folder, path) = folder();
    drop(History::open(&path).unwrap());
    let conn = rusqlite::Connection::open(&path).unwrap();
    conn.pragma_update(None, "user_version", 99).unwrap();
    conn.close().unwrap();
    let why = refused(folder.path(), &path);
    assert!(matches!(why, OpenError::Newer { found: 99, known: 2, .. }), "{why}");
    // Also when the newer format is still in the write-ahead log.
    let conn = rusqlite::Connection::open(&path).unwrap();
    conn.pragma_update(None, "user_version", 98).unwrap();
    assert!(matches!(refused(folder.path(), &path), OpenError::Newer { found: 98, .. }));
}

#[test]
fn a_file_cut_short_is_damaged_and_stays_as_it_is() {
    let (folder, path) = folder();
    let history = History::open(&path).unwrap();
    fill(&history, 20, 3000);
    drop(history);
    let whole = std::fs::read(&path).unwrap();
    for length in [1, 15, 16, 50, 99, 100, 1000, 4096, 4097, whole.len() / 2, whole.len() - 4096, whole.len() - 1] {
        std::fs::write(&path, &whole[..length]).unwrap();
        let why = refused(folder.path(), &path);
        assert!(matches!(why, OpenError::Damaged { .. }), "{length}: {why}");
    }
    std::fs::write(&path, &whole).unwrap();
    assert_eq!(count(&History::open(&path).unwrap()), 20);
}

/// The files as a crash leaves them: the write-ahead log holds what the file does not.
fn crashed() -> (TempDir, PathBuf, usize) {
    let (_original, path) = folder();
    let history = History::open(&path).unwrap();
    fill(&history, 60, 3000);
    let (copy, to) = folder();
    for ending in ["", "-wal"] {
        let name = format!("log.sqlite{ending}");
        std::fs::copy(path.with_file_name(&name), to.with_file_name(&name)).unwrap();
    }
    (copy, to, 60)
}

#[test]
fn what_only_the_write_ahead_log_holds_is_there_after_a_crash() {
    let (folder, path, recorded) = crashed();
    let log = std::fs::metadata(folder.path().join("log.sqlite-wal")).unwrap().len();
    assert!(log > 100_000, "the log holds records");
    let history = History::open(&path).unwrap();
    assert_eq!(count(&history), recorded);
    fill_one_more(&history, recorded);
    drop(history);
    assert_eq!(count(&History::open(&path).unwrap()), recorded + 1);
}

fn fill_one_more(history: &History, number: usize) {
    let stream = Stream::run(&playbook(), RunId(Uuid::from_u128(number as u128)));
    history.append(&stream, 0, vec![record(number, 10)], Moment(0)).unwrap();
}

#[test]
fn a_log_torn_at_any_byte_gives_the_records_before_the_tear() {
    let (folder, path, recorded) = crashed();
    let (whole, log_path) = (std::fs::read(&path).unwrap(), folder.path().join("log.sqlite-wal"));
    let log = std::fs::read(&log_path).unwrap();
    let mut most = 0;
    for tenth in 0..=10 {
        for off in [0, 1, 13] {
            std::fs::write(&path, &whole).unwrap();
            std::fs::write(&log_path, &log[..(log.len() * tenth / 10).saturating_sub(off)]).unwrap();
            let history = History::open(&path).unwrap();
            let found = count(&history);
            assert!(found <= recorded);
            most = most.max(found);
        }
    }
    assert_eq!(most, recorded);
}

#[test]
fn a_file_cut_short_beside_its_log_is_damaged_unless_the_log_has_the_rest() {
    let (folder, path, recorded) = crashed();
    let log_path = folder.path().join("log.sqlite-wal");
    let log = std::fs::read(&log_path).unwrap();
    // A file with pages that its log does not hold: close, and lay the old log of another place beside it.
    let history = History::open(&path).unwrap();
    fill_one_more(&history, recorded);
    let newer = std::fs::read(&log_path).unwrap();
    drop(history);
    let whole = std::fs::read(&path).unwrap();
    for log in [&log, &newer] {
        for pages in [1, 2, 10, whole.len() / 4096 - 1] {
            std::fs::write(&path, &whole[..pages * 4096]).unwrap();
            std::fs::write(&log_path, log).unwrap();
            let _ = std::fs::remove_file(folder.path().join("log.sqlite-shm"));
            match History::open(&path) {
                Ok(history) => assert!(count(&history) >= recorded, "{pages} pages"),
                Err(OpenError::Damaged { .. }) => {
                    assert_eq!(std::fs::read(&path).unwrap(), whole[..pages * 4096]);
                    assert_eq!(&std::fs::read(&log_path).unwrap(), log);
                }
                Err(why) => panic!("{why}"),
            }
        }
    }
}

#[test]
fn a_log_without_its_file_is_damaged_and_stays() {
    for empty in [false, true] {
        let (folder, path, _) = crashed();
        std::fs::remove_file(&path).unwrap();
        if empty {
            std::fs::write(&path, "").unwrap();
        }
        let why = refused(folder.path(), &path);
        assert!(matches!(why, OpenError::Damaged { .. }), "{why}");
    }
}

#[test]
fn changed_bytes_never_break_the_program() {
    let (_folder, path) = folder();
    let history = History::open(&path).unwrap();
    fill(&history, 30, 20_000);
    drop(history);
    let whole = std::fs::read(&path).unwrap();
    let mut state = 88_172_645_463_325_252_u64;
    let mut chance = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state % 1_000_000_007).unwrap()
    };
    let mut told = 0;
    for round in 0..60 {
        let mut changed = whole.clone();
        for _ in 0..20 {
            // Half of them where the schema and the first pages are.
            let within = if round % 2 == 0 { 16_384 } else { changed.len() };
            let place = 100 + chance() % (within - 100);
            changed[place] = u8::try_from(chance() % 256).unwrap();
        }
        std::fs::write(&path, changed).unwrap();
        let Ok(history) = History::open(&path) else {
            told += 1;
            continue;
        };
        let playbook = playbook();
        let content = playbook_history::Content::Joined;
        let query = PageQuery { playbook: &playbook, after: 0, limit: 1000, only: None, content };
        match history.page(&query) {
            Ok(_) => {}
            Err(ReadError::Damaged { .. } | ReadError::Io { .. }) => told += 1,
            Err(why) => panic!("{why}"),
        }
        let stream = Stream::run(&playbook, RunId(Uuid::from_u128(1_000)));
        match history.append(&stream, 0, vec![record(0, 10)], Moment(0)) {
            Ok(_) | Err(AppendError::Io { .. } | AppendError::Conflict { .. }) => {}
            Err(why) => panic!("{why}"),
        }
    }
    assert!(told > 0, "some changes are found");
}

#[test]
fn one_file_is_open_once() {
    let (folder, path) = folder();
    let history = History::open(&path).unwrap();
    fill(&history, 1, 10);
    let why = History::open(&path).unwrap_err();
    assert!(matches!(why, OpenError::Locked { holder: Some(pid), .. } if pid == std::process::id()));
    // Another way to the same file.
    let around = folder.path().join("..").join(folder.path().file_name().unwrap()).join("log.sqlite");
    assert!(matches!(History::open(&around), Err(OpenError::Locked { .. })));
    #[cfg(unix)]
    {
        let link = folder.path().join("link.sqlite");
        std::os::unix::fs::symlink(&path, &link).unwrap();
        assert!(matches!(History::open(&link), Err(OpenError::Locked { .. })));
    }
    let clone = history.clone();
    drop(history);
    assert!(matches!(History::open(&path), Err(OpenError::Locked { .. })), "a clone holds it");
    clone.close();
    let again = History::open(&path).unwrap();
    assert_eq!(count(&again), 1);
}

#[test]
fn someones_own_file_is_not_taken_for_a_lock() {
    let (folder, path) = folder();
    let own = folder.path().join("log.lock");
    std::fs::write(&own, "[[package]]").unwrap();
    let why = History::open(&path).unwrap_err();
    assert!(matches!(why, OpenError::Foreign { path } if path.ends_with("log.lock")));
    assert_eq!(std::fs::read_to_string(&own).unwrap(), "[[package]]");
    // Of a process that is long gone.
    std::fs::write(&own, "4194304").unwrap();
    fill(&History::open(&path).unwrap(), 1, 10);
    let odd = folder.path().join("odd.lock");
    fill(&History::open(&odd).unwrap(), 1, 10);
    assert_eq!(count(&History::open(&odd).unwrap()), 1);
}

#[test]
fn a_folder_that_is_not_there_is_told() {
    let (folder, _) = folder();
    let why = History::open(&folder.path().join("none").join("log.sqlite")).unwrap_err();
    assert!(matches!(why, OpenError::Io { .. }));
    assert!(files(folder.path()).is_empty());
}

#[test]
fn the_sizes_are_those_of_the_files() {
    let (_folder, path) = folder();
    let history = History::open(&path).unwrap();
    fill(&history, 5, 3000);
    let sizes = history.sizes().unwrap();
    assert_eq!(sizes.file_bytes, std::fs::metadata(&path).unwrap().len());
    assert!(sizes.log_bytes > 15_000);
    assert!(sizes.free_bytes.unwrap() > 0);
}
