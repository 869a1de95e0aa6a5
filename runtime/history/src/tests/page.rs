use super::*;
use crate::Wanted;

/// A playbook with runs that end, published events, and records of a neighbour in between.
pub(super) fn mixed(place: &Place) -> (PlaybookKey, Vec<Record>) {
    let playbook = key("campaigns");
    let mut records = Vec::new();
    for number in 0..30_u128 {
        let run = Stream::run(&playbook, run_id(number));
        records.push(add_at(place, &run, of_run(run_id(number), "run_started", json!({})), at(number as i64)));
        records.push(add_at(place, &run, of_run(run_id(number), "run_succeeded", json!({})), at(number as i64)));
        let event = json!({ "event": { "type": if number % 3 == 0 { "order.placed" } else { "order.paid" } } });
        let stream = Stream::event(&playbook, Uuid::from_u128(number));
        records.push(add_at(place, &stream, fact("event_published", event), at(number as i64)));
        add(place, &Stream::run(&key("campaigns-2"), run_id(number)), fact("run_succeeded", json!({})));
    }
    (playbook, records)
}

pub(super) fn kind(name: &str) -> Wanted {
    Wanted::Kind(name.into())
}

#[test]
fn pages_of_every_size_give_the_same_records() {
    let place = place();
    let (playbook, all) = mixed(&place);
    let wanted = [kind("run_succeeded"), Wanted::Published("order.placed".into()), Wanted::Published("none".into())];
    let fits = |record: &&Record| record.kind == "run_succeeded" || record.data["event"]["type"] == "order.placed";
    let chosen: Vec<Record> = all.iter().filter(fits).cloned().collect();
    assert_eq!(chosen.len(), 40);
    for limit in [1, 7, 39, 40, 41, 1000] {
        for (only, expected) in [(None, &all), (Some(&wanted[..]), &chosen)] {
            let mut read = Vec::new();
            let mut after = 0;
            loop {
                let page = place.page(&PageQuery { after, limit, only, ..page_of(&playbook) }).unwrap();
                assert!(page.records.len() <= limit);
                assert!(page.read_to >= after);
                after = page.read_to;
                let more = page.more;
                assert_eq!(page.records.is_empty(), read.len() == expected.len());
                read.extend(page.records);
                if !more {
                    break;
                }
            }
            assert_eq!(&read, expected, "limit {limit}");
            assert_eq!(after, all.last().unwrap().global, "the reader stands at the playbook's newest record");
        }
    }
}

#[test]
fn a_page_says_where_the_reader_stands() {
    let place = place();
    let (playbook, all) = mixed(&place);
    let newest = all.last().unwrap();
    let nothing = place.page(&PageQuery { only: Some(&[kind("none")]), ..page_of(&playbook) }).unwrap();
    assert_eq!(
        (nothing.records.len(), nothing.read_to, nothing.read_to_at, nothing.more),
        (0, newest.global, Some(at(29)), false)
    );
    let none = place.page(&PageQuery { only: Some(&[]), ..page_of(&playbook) }).unwrap();
    assert_eq!((none.records.len(), none.read_to), (0, newest.global));
    let first = place.page(&PageQuery { limit: 2, ..page_of(&playbook) }).unwrap();
    assert_eq!((first.read_to, first.read_to_at, first.more), (all[1].global, Some(at(0)), true));
    let exact = place.page(&PageQuery { limit: all.len(), ..page_of(&playbook) }).unwrap();
    assert_eq!((exact.records.len(), exact.more), (all.len(), false));
    let end = place.page(&PageQuery { after: newest.global, ..page_of(&playbook) }).unwrap();
    assert_eq!((end.records.len(), end.read_to, end.read_to_at), (0, newest.global, Some(at(29))));
    let beyond = place.page(&PageQuery { after: u64::MAX, ..page_of(&playbook) }).unwrap();
    assert_eq!((beyond.records.len(), beyond.read_to), (0, u64::MAX));
    let empty = place.page(&page_of(&key("nothing"))).unwrap();
    assert_eq!((empty.records.len(), empty.read_to, empty.read_to_at, empty.more), (0, 0, None, false));
    assert_eq!(place.newest(&key("nothing")).unwrap(), None);
}

#[test]
fn a_page_ends_before_its_data_is_too_much() {
    let place = place();
    let playbook = key("campaigns");
    for number in 0..6 {
        add(&place, &Stream::run(&playbook, run_id(number)), fact("run_succeeded", large(1_500_000, number as usize)));
    }
    add(&place, &Stream::run(&playbook, run_id(9)), fact("run_succeeded", large(6_000_000, 9)));
    let page = place.page(&page_of(&playbook)).unwrap();
    assert_eq!((page.records.len(), page.more, page.read_to), (2, true, 2));
    let alone = place.page(&PageQuery { after: 6, ..page_of(&playbook) }).unwrap();
    assert_eq!((alone.records.len(), alone.more), (1, false));
    let sizes = place.page(&PageQuery { content: Content::Sizes, ..page_of(&playbook) }).unwrap();
    assert_eq!((sizes.records.len(), sizes.more), (7, false));
    assert!(sizes.records.iter().all(|record| record.data == Value::Null));
    assert_eq!(place.data(&sizes.records[6]).unwrap(), large(6_000_000, 9));
}

#[test]
fn a_playbook_is_matched_by_its_whole_key() {
    let place = place();
    let keys = [
        key_of("acme", "campaigns"),
        key_of("acme", "campaigns-2"),
        key_of("ac_e", "campaigns"),
        key_of("Acme", "campaigns"),
        key_of("acme-campaigns", "runs"),
    ];
    for playbook in &keys {
        add(
            &place,
            &Stream::run(playbook, run_id(1)),
            of_run(run_id(1), "run_started", json!({ "of": playbook.text() })),
        );
    }
    for playbook in &keys {
        let records = place.page(&page_of(playbook)).unwrap().records;
        assert_eq!(records.len(), 1);
        assert_eq!(records[0].data["of"], playbook.text());
        assert_eq!(place.feed(&feed_of(playbook)).unwrap().records, records);
    }
    let runs = Stream::run(&keys[0], run_id(1));
    assert_eq!(place.stream(&runs, 0).unwrap().len(), 1);
    // Texts that are patterns elsewhere are only texts here.
    for odd in ["run_%", "%", "run-started", "RUN_STARTED", "' OR 1=1 --", "run_started\0"] {
        assert_eq!(place.page(&PageQuery { only: Some(&[kind(odd)]), ..page_of(&keys[0]) }).unwrap().records, []);
        assert_eq!(place.feed(&FeedQuery { kind: Some(odd), ..feed_of(&keys[0]) }).unwrap().records, []);
    }
}

#[test]
fn event_types_may_be_any_text() {
    let place = place();
    let playbook = key("campaigns");
    let types = ["bestellung.größe", "%", "a_b", "aXb", "🦉", "'"];
    for (number, of) in (1..).zip(types) {
        let data = json!({ "event": { "type": of } });
        add(&place, &Stream::event(&playbook, Uuid::from_u128(number)), fact("event_published", data));
    }
    for of in types {
        let only = [Wanted::Published(of.into())];
        let records = place.page(&PageQuery { only: Some(&only), ..page_of(&playbook) }).unwrap().records;
        assert_eq!(records.len(), 1);
        assert_eq!(records[0].data["event"]["type"], of);
    }
}
