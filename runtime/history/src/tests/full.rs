//! A full disk, by SQLite's own bound on the file's pages, and a real small disk where the system lets one be made.

use super::*;

/// How many bytes of new large content fit until the history refuses.
fn fill(history: &History, stream: &Stream) -> (Vec<Record>, AppendError) {
    let mut recorded = history.stream(stream, 0).unwrap();
    loop {
        let number = recorded.len();
        let records = vec![fact("step", large(100_000, number))];
        match history.append(stream, number as u64, records, at(0)) {
            Ok(more) => recorded.extend(more),
            Err(why) => return (recorded, why),
        }
        assert!(recorded.len() < 10_000, "the disk never fills");
    }
}

#[test]
fn a_full_file_refuses_in_words_and_goes_on_once_there_is_room() {
    let place = place();
    let stream = Stream::run(&key("campaigns"), run_id(1));
    place.desk().try_on(|writer| writer.conn.pragma_update(None, "max_page_count", 200).unwrap());
    let (recorded, why) = fill(&place, &stream);
    assert!(matches!(why, AppendError::NoSpace), "{why}");
    assert_eq!(
        why.to_string(),
        "The disk that holds the history is full, so nothing was recorded; free some space, then try again"
    );
    assert!(!recorded.is_empty());
    assert_eq!(place.stream(&stream, 0).unwrap(), recorded, "what was acknowledged is there, and nothing else");
    place.desk().try_on(|writer| writer.conn.pragma_update(None, "max_page_count", 100_000).unwrap());
    let next = place.append(&stream, recorded.len() as u64, vec![fact("step", json!({}))], at(0)).unwrap();
    assert_eq!(next[0].position, recorded.len() as u64 + 1);
}

#[test]
fn one_that_does_not_fit_takes_no_other_with_it() {
    let place = place();
    let playbook = key("campaigns");
    place.desk().try_on(|writer| writer.conn.pragma_update(None, "max_page_count", 200).unwrap());
    let (go, wait) = std::sync::mpsc::channel::<()>();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    std::thread::scope(|scope| {
        let desk = place.desk();
        let (begun, begins) = std::sync::mpsc::channel();
        let held = scope.spawn(move || {
            desk.try_on(move |_| {
                begun.send(()).unwrap();
                wait.recv().unwrap();
            });
        });
        begins.recv().unwrap();
        runtime.block_on(async {
            let tasks: Vec<_> = [100, 2_000_000, 100]
                .into_iter()
                .enumerate()
                .map(|(number, bytes)| {
                    let (history, playbook) = (place.history.clone(), playbook.clone());
                    tokio::task::spawn(async move {
                        let stream = Stream::run(&playbook, run_id(number as u128));
                        history.append_async(&stream, 0, vec![fact("step", large(bytes, number))], at(0)).await
                    })
                })
                .collect();
            for _ in 0..tasks.len() {
                tokio::task::yield_now().await;
            }
            go.send(()).unwrap();
            held.join().unwrap();
            let mut outcomes = Vec::new();
            for task in tasks {
                outcomes.push(task.await.unwrap());
            }
            assert!(outcomes[0].is_ok() && outcomes[2].is_ok());
            assert!(matches!(outcomes[1], Err(AppendError::NoSpace)));
        });
    });
    assert_eq!(place.page(&page_of(&playbook)).unwrap().records.len(), 2);
}

#[test]
fn too_little_room_is_refused_before_the_disk_is_full() {
    let folder = tempfile::tempdir().unwrap();
    let history = History::open_sparing(&folder.path().join("log.sqlite"), Some(u64::MAX)).unwrap();
    let stream = Stream::org(&OrgId::local());
    let refused = history.append(&stream, 0, vec![fact("a", json!({}))], at(0));
    assert!(matches!(refused, Err(AppendError::NoSpace)));
    history.desk().try_on(|writer| writer.spared = Some(0));
    history.append(&stream, 0, vec![fact("a", json!({}))], at(0)).unwrap();
}

/// A disk of a few MiB, gone when dropped; none where this process may not make one.
#[cfg(target_os = "linux")]
struct SmallDisk(TempDir);

#[cfg(target_os = "linux")]
impl SmallDisk {
    fn make() -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let mounted = std::process::Command::new("mount")
            .args(["-t", "tmpfs", "-o", "size=4m", "tmpfs"])
            .arg(folder.path())
            .stderr(std::process::Stdio::null())
            .status();
        mounted.is_ok_and(|status| status.success()).then(|| Self(folder))
    }
}

#[cfg(target_os = "linux")]
impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = std::process::Command::new("umount").arg(self.0.path()).status();
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_real_disk_may_fill_up_and_be_freed() {
    let Some(disk) = SmallDisk::make() else {
        println!("not tried: this process may not mount a disk");
        return;
    };
    let path = disk.0.path().join("log.sqlite");
    let stream = Stream::run(&key("campaigns"), run_id(1));
    let ballast = disk.0.path().join("ballast");
    std::fs::write(&ballast, vec![1; 1_500_000]).unwrap();
    let recorded = {
        let history = History::open_sparing(&path, None).unwrap();
        let (recorded, why) = fill(&history, &stream);
        assert!(matches!(why, AppendError::NoSpace), "{why}");
        assert_eq!(history.stream(&stream, 0).unwrap(), recorded);
        // Even without room for a checkpoint the history closes and opens again.
        recorded
    };
    std::fs::remove_file(&ballast).unwrap();
    let history = History::open_sparing(&path, None).unwrap();
    assert_eq!(history.stream(&stream, 0).unwrap(), recorded);
    let (more, why) = fill(&history, &stream);
    assert!(matches!(why, AppendError::NoSpace), "{why}");
    assert!(more.len() > recorded.len(), "the freed room is used");
    drop(history);
    let history = History::open_sparing(&path, Some(0)).unwrap();
    assert_eq!(history.stream(&stream, 0).unwrap(), more);
    // The check of free space says the same before SQLite has to.
    let (same, why) = fill(&history, &stream);
    assert!(matches!(why, AppendError::NoSpace), "{why}");
    assert_eq!(same, more);
}
