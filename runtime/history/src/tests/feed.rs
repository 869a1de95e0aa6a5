use super::*;
use crate::{CursorError, FeedPage, ReadError, cursor};

/// Every record of a feed, page by page, and how many pages it took.
fn walk(history: &History, query: &FeedQuery<'_>) -> (Vec<Record>, usize) {
    let mut read = Vec::new();
    let mut next: Option<String> = None;
    for pages in 1..1000 {
        let page = history.feed(&FeedQuery { cursor: next.as_deref(), ..query.clone() }).unwrap();
        read.extend(page.records);
        next = page.next;
        if next.is_none() {
            return (read, pages);
        }
    }
    panic!("the feed does not end");
}

#[test]
fn both_orders_give_every_record_once() {
    let place = place();
    let playbook = key("campaigns");
    let all: Vec<Record> = (0..25)
        .map(|number| {
            add(&place, &Stream::run(&key("others"), run_id(number)), fact("noise", json!({})));
            add(&place, &Stream::run(&playbook, run_id(number)), fact("step", json!({ "number": number as u64 })))
        })
        .collect();
    let reversed: Vec<Record> = all.iter().rev().cloned().collect();
    for limit in [1, 3, 24, 25, 26] {
        let query = FeedQuery { limit, ..feed_of(&playbook) };
        assert_eq!(walk(&place, &query), (all.clone(), 25_usize.div_ceil(limit)));
        let query = FeedQuery { order: Order::NewestFirst, ..query };
        assert_eq!(walk(&place, &query), (reversed.clone(), 25_usize.div_ceil(limit)));
    }
    assert_eq!(place.feed(&feed_of(&key("nothing"))).unwrap(), FeedPage { records: vec![], next: None, given: 0 });
}

#[test]
fn a_newest_first_walk_is_not_disturbed_by_new_records() {
    let place = place();
    let playbook = key("campaigns");
    let more = |number| add(&place, &Stream::run(&playbook, run_id(number)), fact("step", json!({})));
    let old: Vec<Record> = (0..4).map(more).collect();
    let query = FeedQuery { order: Order::NewestFirst, limit: 2, ..feed_of(&playbook) };
    let first = place.feed(&query).unwrap();
    more(9);
    let second = place.feed(&FeedQuery { cursor: first.next.as_deref(), ..query }).unwrap();
    assert_eq!(second.records, [old[1].clone(), old[0].clone()]);
    assert_eq!(second.next, None);
}

#[test]
fn filters_join() {
    let place = place();
    let playbook = key("campaigns");
    let (top, child, grandchild, other) = (run_id(1), run_id(2), run_id(3), run_id(4));
    let mut times = 0..;
    let mut say = |run, record| add_at(&place, &Stream::run(&playbook, run), record, at(times.next().unwrap()));
    let a = say(top, of_run(top, "run_started", json!({})));
    let b = say(child, of_called(child, top, top, "run_started", json!({})));
    let c = say(other, of_run(other, "run_started", json!({})));
    let d = say(grandchild, of_called(grandchild, child, top, "run_started", json!({})));
    let e = say(grandchild, of_called(grandchild, child, top, "run_succeeded", json!({})));
    let f = say(top, of_run(top, "run_succeeded", json!({})));
    // An event that the child emitted.
    let mut emitted = of_called(child, top, top, "event_published", json!({ "event": { "type": "x" } }));
    emitted.context.called_by = None;
    let g = add_at(&place, &Stream::event(&playbook, Uuid::from_u128(1)), emitted, at(6));
    let feed = |run, kind, since: Option<i64>| {
        let since = since.map(at);
        let mut reversed =
            walk(&place, &FeedQuery { run, kind, since, limit: 2, order: Order::NewestFirst, ..feed_of(&playbook) }).0;
        reversed.reverse();
        let found = walk(&place, &FeedQuery { run, kind, since, limit: 2, ..feed_of(&playbook) }).0;
        assert_eq!(found, reversed);
        found
    };
    assert_eq!(feed(Some(top), None, None), [&a, &b, &d, &e, &f, &g].map(Clone::clone));
    assert_eq!(feed(Some(child), None, None), [&b, &d, &e, &g].map(Clone::clone));
    assert_eq!(feed(Some(grandchild), None, None), [&d, &e].map(Clone::clone));
    assert_eq!(feed(Some(other), None, None), std::slice::from_ref(&c));
    assert_eq!(feed(Some(run_id(5)), None, None), []);
    assert_eq!(feed(None, Some("run_started"), None), [&a, &b, &c, &d].map(Clone::clone));
    assert_eq!(feed(Some(top), Some("run_started"), None), [&a, &b, &d].map(Clone::clone));
    assert_eq!(feed(Some(top), Some("run_started"), Some(1)), [&b, &d].map(Clone::clone));
    assert_eq!(feed(None, Some("run_succeeded"), Some(5)), std::slice::from_ref(&f));
    assert_eq!(feed(None, None, Some(7)), []);
}

#[test]
fn since_goes_by_store_time_even_when_the_clock_went_back() {
    let place = place();
    let playbook = key("campaigns");
    let times = [10, 20, 30, 5, 15, 25, 40, 35];
    for (number, time) in (0..).zip(times) {
        add_at(&place, &Stream::run(&playbook, run_id(number)), fact("step", json!({})), at(time));
    }
    for since in 0..45 {
        let expected: Vec<Moment> = times.iter().filter(|time| **time >= since).map(|time| at(*time)).collect();
        for order in [Order::OldestFirst, Order::NewestFirst] {
            let (records, _) =
                walk(&place, &FeedQuery { since: Some(at(since)), order, limit: 3, ..feed_of(&playbook) });
            let mut found: Vec<Moment> = records.iter().map(|record| record.recorded_at).collect();
            if order == Order::NewestFirst {
                found.reverse();
            }
            assert_eq!(found, expected, "since {since}");
        }
    }
}

#[test]
fn a_page_ends_after_a_thousand_examined_and_may_be_empty() {
    let place = place();
    let playbook = key("campaigns");
    let stream = Stream::run(&playbook, run_id(1));
    let mut expected = 0;
    for _ in 0..150 {
        let records: Vec<NewRecord> = (0..8).map(|_| of_run(run_id(1), "step", json!({}))).collect();
        expected = place.append(&stream, expected, records, at(0)).unwrap().last().unwrap().position;
    }
    let last = place.append(&stream, expected, vec![of_run(run_id(1), "run_failed", json!({}))], at(5)).unwrap();
    let query = FeedQuery { run: Some(run_id(1)), kind: Some("run_failed"), ..feed_of(&playbook) };
    let first = place.feed(&query).unwrap();
    assert!(first.records.is_empty());
    let second = place.feed(&FeedQuery { cursor: first.next.as_deref(), ..query }).unwrap();
    assert_eq!((second.records, second.next), (last.clone(), None));
    // A lower bound in time spares the walk over what is older.
    for order in [Order::OldestFirst, Order::NewestFirst] {
        let recent = place.feed(&FeedQuery { since: Some(at(5)), order, ..feed_of(&playbook) }).unwrap();
        assert_eq!((recent.records, recent.next), (last.clone(), None));
    }
}

#[test]
fn a_page_ends_before_its_data_is_too_much() {
    let place = place();
    let playbook = key("campaigns");
    for number in 0..5 {
        add(&place, &Stream::run(&playbook, run_id(number)), fact("run_succeeded", large(1_000_000, number as usize)));
    }
    let (records, pages) = walk(&place, &feed_of(&playbook));
    assert_eq!((records.len(), pages), (5, 2));
}

#[test]
fn a_cursor_must_be_of_this_playbook() {
    let place = place();
    let (playbook, others) = (key("campaigns"), key("others"));
    for number in 0..3 {
        for of in [&playbook, &others] {
            add(&place, &Stream::run(of, run_id(number)), fact("step", json!({})));
        }
    }
    let next = place.feed(&FeedQuery { limit: 1, ..feed_of(&others) }).unwrap().next.unwrap();
    let refused = |cursor| match place.feed(&FeedQuery { cursor: Some(cursor), ..feed_of(&playbook) }) {
        Err(ReadError::Cursor(why)) => why,
        other => panic!("{other:?}"),
    };
    assert_eq!(refused(&next), CursorError::AnotherPlaybook);
    assert_eq!(refused("nonsense"), CursorError::Malformed);
    assert_ne!(CursorError::Malformed.to_string(), CursorError::AnotherPlaybook.to_string());
    // A position that no record has still says where to go on.
    let far = cursor::write(&playbook, 1_000_000);
    let page = place.feed(&FeedQuery { cursor: Some(&far), ..feed_of(&playbook) }).unwrap();
    assert_eq!(page, FeedPage { records: vec![], next: None, given: 0 });
    // A playbook without a record refuses a bad cursor too.
    assert!(place.feed(&FeedQuery { cursor: Some("nonsense"), ..feed_of(&key("nothing")) }).is_err());
}
