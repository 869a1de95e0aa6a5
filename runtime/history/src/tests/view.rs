use super::*;
use crate::{LastEvent, Saved, ViewHead, ViewRow};

fn row(name: &str, version: u32, checkpoint: u64) -> ViewRow {
    ViewRow {
        head: ViewHead {
            name: name.into(),
            version,
            saved_position: 3,
            phase: "live".into(),
            checkpoint,
            checkpoint_at: Some(at(9)),
            last_event: Some(LastEvent { id: "ä-1".into(), time: "2026-10-03T16:40:05.000000001Z".into() }),
            folded: 12,
            tries: 2,
            stalled: Some(json!({ "kind": "raised", "event": { "id": "1" } })),
        },
        view: r#"{ "z":1,  "a":1.50 }"#.into(),
    }
}

#[test]
fn a_view_comes_back_byte_for_byte() {
    let place = place();
    let playbook = key("campaigns");
    let full = row("campaign-reviews", 1, 5);
    let mut bare = row("a-second", 1, 0);
    bare.head.checkpoint_at = None;
    bare.head.last_event = None;
    bare.head.stalled = None;
    assert_eq!(place.save_view(&playbook, full.clone(), None).unwrap(), Saved::Written);
    assert_eq!(place.save_view(&playbook, bare.clone(), None).unwrap(), Saved::Written);
    assert_eq!(place.load_view(&playbook, "campaign-reviews").unwrap(), Some(full.clone()));
    assert_eq!(place.load_view(&playbook, "a-second").unwrap(), Some(bare.clone()));
    assert_eq!(place.list_views(&playbook).unwrap(), [bare.head, full.head]);
    assert_eq!(place.load_view(&playbook, "campaign_reviews").unwrap(), None);
    assert_eq!(place.load_view(&key("others"), "a-second").unwrap(), None);
    assert_eq!(place.list_views(&key("others")).unwrap(), []);
}

#[test]
fn a_view_is_saved_only_where_nobody_wrote_in_between() {
    let place = place();
    let playbook = key("campaigns");
    let save = |row, expected| place.save_view(&playbook, row, expected).unwrap();
    assert_eq!(save(row("reviews", 1, 5), Some((1, 0))), Saved::Moved, "there is none yet");
    assert_eq!(place.load_view(&playbook, "reviews").unwrap(), None);
    assert_eq!(save(row("reviews", 1, 5), None), Saved::Written);
    assert_eq!(save(row("reviews", 1, 6), None), Saved::Moved, "there is one");
    assert_eq!(save(row("reviews", 1, 9), Some((1, 4))), Saved::Moved, "another checkpoint");
    assert_eq!(save(row("reviews", 1, 9), Some((2, 5))), Saved::Moved, "another version");
    assert_eq!(place.load_view(&playbook, "reviews").unwrap(), Some(row("reviews", 1, 5)));
    assert_eq!(save(row("reviews", 1, 9), Some((1, 5))), Saved::Written);
    assert_eq!(save(row("reviews", 2, 0), Some((1, 9))), Saved::Written, "a new version begins anew");
    assert_eq!(place.load_view(&playbook, "reviews").unwrap(), Some(row("reviews", 2, 0)));
}

#[test]
fn a_view_is_let_go_of() {
    let place = place();
    let playbook = key("campaigns");
    assert_eq!(place.drop_view(&playbook, "reviews").unwrap(), Saved::Moved);
    assert_eq!(place.save_view(&playbook, row("reviews", 1, 5), None).unwrap(), Saved::Written);
    assert_eq!(place.save_view(&key("others"), row("reviews", 1, 5), None).unwrap(), Saved::Written);
    assert_eq!(place.drop_view(&playbook, "reviews").unwrap(), Saved::Written);
    assert_eq!(place.load_view(&playbook, "reviews").unwrap(), None);
    assert!(place.load_view(&key("others"), "reviews").unwrap().is_some());
}

#[test]
fn of_many_who_save_at_once_one_wins() {
    let place = place();
    let playbook = key("campaigns");
    assert_eq!(place.save_view(&playbook, row("reviews", 1, 0), None).unwrap(), Saved::Written);
    let won = std::thread::scope(|scope| {
        let savers: Vec<_> = (1..=8)
            .map(|checkpoint| {
                let (history, playbook) = (&place.history, &playbook);
                scope.spawn(move || history.save_view(playbook, row("reviews", 1, checkpoint), Some((1, 0))).unwrap())
            })
            .collect();
        savers
            .into_iter()
            .filter(|_| true)
            .map(|saver| saver.join().unwrap())
            .filter(|saved| *saved == Saved::Written)
            .count()
    });
    assert_eq!(won, 1);
}

#[test]
fn views_and_the_largest_view_survive_reopening() {
    let place = place();
    let playbook = key("campaigns");
    let mut largest = row("reviews", 1, 5);
    largest.view = large(524_286, 1).to_string();
    assert_eq!(place.save_view(&playbook, largest.clone(), None).unwrap(), Saved::Written);
    place.close();
    let again = History::open(&place.folder.path().join("log.sqlite")).unwrap();
    assert_eq!(again.load_view(&playbook, "reviews").unwrap(), Some(largest));
}
