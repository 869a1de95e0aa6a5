use super::*;
use crate::{DATA_BYTES, DATA_LEVELS, NewAppend, RECORDS_AN_APPEND};
use playbook_model::id::message_id;
use std::collections::HashSet;

#[test]
fn a_record_comes_back_as_it_was_given() {
    let place = place();
    let playbook = key("campaigns");
    let stream = Stream::run(&playbook, run_id(1));
    let mut given =
        of_called(run_id(1), run_id(2), run_id(3), "run_started", json!({"input": {"z": 1, "a": [0.1, -0.0, 1e300]}}));
    given.context.by = "playbook:campaigns".into();
    given.context.causation_id = Some("some id".into());
    given.context.call_depth = Some(1);
    given.context.depth = Some(2);
    let appended = place.append(&stream, 0, vec![given.clone()], at(7)).unwrap();
    let read = place.stream(&stream, 0).unwrap();
    assert_eq!(appended, read);
    let record = &read[0];
    assert_eq!(record.id, message_id(stream.name(), 1));
    assert_eq!(record.stream, format!("playbook/local/campaigns/runs/{}", run_id(1)));
    assert_eq!((record.position, record.recorded_at), (1, at(7)));
    assert_eq!((&record.kind, &record.data, &record.context), (&given.kind, &given.data, &given.context));
    assert_eq!(record.data.to_string(), given.data.to_string(), "members keep their order");
    assert_eq!(place.record(&playbook, record.id).unwrap().as_ref(), Some(record));
    assert_eq!(place.record(&key("campaign"), record.id).unwrap(), None);
}

#[test]
fn many_streams_are_appended_to_in_the_order_given() {
    let place = place();
    let playbook = key("campaigns");
    let append = |number: u128, expected| NewAppend {
        stream: Stream::event(&playbook, Uuid::from_u128(number)),
        expected,
        records: vec![fact("event_published", json!({ "number": u64::try_from(number).unwrap() }))],
    };
    let mut appends: Vec<NewAppend> = (1..=600).map(|number| append(number, 0)).collect();
    appends[300].expected = 7;
    appends[400].records.clear();
    appends.push(append(1, 0));
    let outcomes = place.append_each(appends, at(3));
    let refused: Vec<usize> = (0..outcomes.len()).filter(|place| outcomes[*place].is_err()).collect();
    assert_eq!(refused, [300, 400, 600], "each is refused alone");
    let read = place.page(&page_of(&playbook)).unwrap().records;
    let numbers: Vec<u64> = read.iter().map(|record| record.data["number"].as_u64().unwrap()).collect();
    assert_eq!(numbers.len(), 598);
    assert!(numbers.is_sorted());
    assert!(place.append_each(Vec::new(), at(4)).is_empty());
    place.close();
    assert!(matches!(place.append_each(vec![append(900, 0)], at(5))[..], [Err(AppendError::Closed)]));
}

#[test]
fn the_streams_have_the_names_of_the_ids() {
    let playbook = key_of("acme_1", "campaigns");
    let names = [
        Stream::definitions(&playbook, DefinitionType::Recall),
        Stream::run(&playbook, run_id(1)),
        Stream::event(&playbook, Uuid::from_u128(2)),
        Stream::org(&playbook.org),
    ];
    assert_eq!(
        names.map(|stream| stream.name().to_owned()),
        [
            "playbook/acme_1/campaigns/definitions/recall",
            "playbook/acme_1/campaigns/runs/00000000-0000-0000-0000-000000000001",
            "playbook/acme_1/campaigns/events/00000000-0000-0000-0000-000000000002",
            "org/acme_1/playbooks",
        ]
    );
}

#[test]
fn the_position_must_be_the_expected_one() {
    let place = place();
    let stream = Stream::definitions(&key("campaigns"), DefinitionType::Recall);
    let conflict = |expected| match place.append(&stream, expected, vec![fact("definition_updated", json!({}))], at(0))
    {
        Err(AppendError::Conflict { at }) => at,
        other => panic!("{other:?}"),
    };
    assert_eq!(conflict(1), 0);
    place.append(&stream, 0, vec![fact("definition_created", json!({})), fact("b", json!({}))], at(0)).unwrap();
    assert_eq!(conflict(0), 2);
    assert_eq!(conflict(1), 2);
    assert_eq!(conflict(3), 2);
    assert_eq!(conflict(u64::MAX), 2);
    let third = place.append(&stream, 2, vec![fact("definition_updated", json!({}))], at(0)).unwrap();
    assert_eq!(third[0].position, 3);
    assert_eq!(place.stream(&stream, 2).unwrap(), third);
    assert_eq!(place.stream(&stream, u64::MAX).unwrap(), []);
}

#[test]
fn the_bounds_of_an_append_hold() {
    let place = place();
    let stream = Stream::org(&OrgId::local());
    let append = |records| place.append(&stream, 0, records, at(0));
    let deep = |levels| (1..levels).fold(json!([]), |inner, _| json!([inner]));
    assert!(matches!(append(vec![]), Err(AppendError::Count { .. })));
    assert!(matches!(append(vec![fact("a", json!({})); RECORDS_AN_APPEND + 1]), Err(AppendError::Count { .. })));
    assert!(matches!(append(vec![fact("a", deep(DATA_LEVELS + 1))]), Err(AppendError::TooDeep { .. })));
    assert!(matches!(append(vec![fact("a", large(DATA_BYTES - 1, 0))]), Err(AppendError::TooLarge { .. })));
    let most = vec![fact("a", deep(DATA_LEVELS)), fact("b", large(DATA_BYTES - 2, 0))];
    let appended = append(most).unwrap();
    assert_eq!(place.stream(&stream, 0).unwrap(), appended);
    assert_eq!(
        append(vec![fact("a", json!({})); RECORDS_AN_APPEND]).unwrap_err().to_string(),
        "The stream's newest record is number 2, which is not the expected one"
    );
    let eight = place.append(&stream, 2, vec![fact("a", json!({})); RECORDS_AN_APPEND], at(0)).unwrap();
    assert_eq!(eight.len(), RECORDS_AN_APPEND);
}

#[test]
fn sixteen_writers_lose_nothing_and_keep_the_order() {
    const WRITERS: usize = 16;
    const EACH: usize = 40;
    let place = place();
    let playbook = key("campaigns");
    let mut follow = place.follow();
    let streams: Vec<Stream> = (0..4).map(|number| Stream::run(&playbook, run_id(number))).collect();
    let acknowledged: Vec<Record> = std::thread::scope(|scope| {
        let writers: Vec<_> = (0..WRITERS)
            .map(|writer| {
                let (history, streams) = (place.history.clone(), &streams);
                scope.spawn(move || {
                    (0..EACH)
                        .map(|number| {
                            let data = json!({ "writer": writer, "number": number });
                            let record = add(&history, &streams[(writer + number) % 4], fact("step", data));
                            // What is acknowledged can be read, and was told.
                            assert!(*history.follow().borrow() >= record.global);
                            record
                        })
                        .collect::<Vec<_>>()
                })
            })
            .collect();
        writers.into_iter().flat_map(|writer| writer.join().unwrap()).collect()
    });
    assert_eq!(acknowledged.len(), WRITERS * EACH);
    let page = place.page(&page_of(&playbook)).unwrap();
    assert!(!page.more);
    let ids = |records: &[Record]| records.iter().map(|record| record.id).collect::<HashSet<_>>();
    assert_eq!(ids(&page.records), ids(&acknowledged));
    assert!(page.records.windows(2).all(|pair| pair[0].global < pair[1].global));
    for stream in &streams {
        let records = place.stream(stream, 0).unwrap();
        assert!((1..).zip(&records).all(|(position, record)| record.position == position));
        assert!(records.windows(2).all(|pair| pair[0].global < pair[1].global));
    }
    // Each writer's own records are in the order in which they were acknowledged to it.
    for writer in 0..WRITERS {
        let numbers: Vec<_> =
            page.records.iter().filter(|r| r.data["writer"] == writer).map(|r| r.data["number"].as_u64()).collect();
        assert!(numbers.is_sorted());
    }
    assert_eq!(Some(*follow.borrow_and_update()), page.records.last().map(|record| record.global));
    assert_eq!(place.newest(&playbook).unwrap(), Some((page.read_to, at(0))));
}

#[test]
fn one_flush_serves_those_who_wait() {
    use std::sync::mpsc;
    let place = place();
    let playbook = key("campaigns");
    let (go, wait) = mpsc::channel::<()>();
    let mut waiting = Vec::new();
    std::thread::scope(|scope| {
        // The writer is held until everything waits for it.
        let desk = place.desk();
        let (begun, begins) = mpsc::channel();
        let held = scope.spawn(move || {
            desk.try_on(move |_| {
                begun.send(()).unwrap();
                wait.recv().unwrap();
            });
        });
        begins.recv().unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            for number in 0..20_u128 {
                let (history, playbook) = (place.history.clone(), playbook.clone());
                waiting.push(tokio::task::spawn(async move {
                    // Every fourth expects too much and is refused alone.
                    let expected = u64::from(number % 4 == 3);
                    let stream = Stream::run(&playbook, run_id(number));
                    history.append_async(&stream, expected, vec![fact("step", json!({}))], at(0)).await
                }));
            }
            // Each task runs up to the point where it waits for the writer.
            for _ in 0..waiting.len() {
                tokio::task::yield_now().await;
            }
            go.send(()).unwrap();
            held.join().unwrap();
            let mut moments = HashSet::new();
            for (number, task) in waiting.drain(..).enumerate() {
                let outcome = task.await.unwrap();
                assert_eq!(outcome.is_err(), number % 4 == 3, "{outcome:?}");
                if let Ok(records) = outcome {
                    moments.insert(records[0].global);
                }
            }
            assert_eq!(moments.len(), 15);
        });
    });
    assert_eq!(place.page(&page_of(&playbook)).unwrap().records.len(), 15);
    place.desk().try_on(|writer| assert_eq!(writer.commits, 1, "all that waited went into one transaction"));
}

#[test]
fn a_call_given_up_is_still_recorded() {
    let place = place();
    let stream = Stream::org(&OrgId::local());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let mut follow = place.follow();
    runtime.block_on(async {
        let records = vec![fact("playbook_created", json!({}))];
        let append = place.append_async(&stream, 0, records, at(0));
        tokio::select! { biased; _ = append => {}, () = std::future::ready(()) => {} }
        follow.changed().await.unwrap();
    });
    assert_eq!(place.stream(&stream, 0).unwrap().len(), 1);
}

#[test]
fn after_closing_every_call_is_refused_in_words() {
    let place = place();
    let playbook = key("campaigns");
    let stream = Stream::org(&OrgId::local());
    add(&place, &stream, fact("playbook_created", json!({})));
    place.close();
    place.close();
    let append = place.append(&stream, 1, vec![fact("a", json!({}))], at(0)).unwrap_err();
    assert_eq!(append.to_string(), "The history is closed; open the playbook again");
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let append = runtime.block_on(place.append_async(&stream, 1, vec![fact("a", json!({}))], at(0)));
    assert!(matches!(append, Err(AppendError::Closed)));
    assert!(matches!(place.stream(&stream, 0), Err(crate::ReadError::Closed)));
    assert!(matches!(place.drop_view(&playbook, "view"), Err(AppendError::Closed)));
    let path = place.folder.path().join("log.sqlite");
    let log = crate::check::sibling(&path, "-wal");
    assert!(!log.exists(), "a closed history is one file");
    let again = History::open(&path).unwrap();
    assert_eq!(again.stream(&stream, 0).unwrap().len(), 1);
    assert_eq!(*again.follow().borrow(), 1);
}

#[test]
fn readers_and_closing_do_not_wait_for_each_other_for_ever() {
    let place = place();
    let playbook = key("campaigns");
    let stream = Stream::run(&playbook, run_id(1));
    add(&place, &stream, fact("step", json!({})));
    std::thread::scope(|scope| {
        let readers: Vec<_> = (0..12)
            .map(|_| {
                scope.spawn(|| {
                    let mut read = 0;
                    loop {
                        match place.stream(&stream, 0) {
                            Ok(records) => {
                                assert!(records.len() >= read, "a later read knows no less");
                                read = records.len();
                            }
                            Err(crate::ReadError::Closed) => return read,
                            Err(why) => panic!("{why}"),
                        }
                    }
                })
            })
            .collect();
        for _ in 0..30 {
            add(&place, &stream, fact("step", json!({})));
        }
        place.close();
        assert!(readers.into_iter().all(|reader| reader.join().unwrap() <= 31));
    });
}

#[test]
fn after_a_lost_flush_nothing_is_taken_until_the_file_is_opened_again() {
    let place = place();
    let stream = Stream::org(&OrgId::local());
    let first = add(&place, &stream, fact("playbook_created", json!({})));
    place.desk().try_on(|writer| writer.lost = true);
    for _ in 0..2 {
        let why = place.append(&stream, 1, vec![fact("a", json!({}))], at(0)).unwrap_err();
        assert!(matches!(why, AppendError::Io { .. }), "{why}");
    }
    assert_eq!(place.stream(&stream, 0).unwrap(), [first]);
    place.close();
    let again = History::open(&place.folder.path().join("log.sqlite")).unwrap();
    again.append(&stream, 1, vec![fact("a", json!({}))], at(0)).unwrap();
}

#[test]
fn every_commit_is_flushed() {
    let place = place();
    place.desk().try_on(|writer| {
        let synchronous: i64 = writer.conn.pragma_query_value(None, "synchronous", |row| row.get(0)).unwrap();
        let journal: String = writer.conn.pragma_query_value(None, "journal_mode", |row| row.get(0)).unwrap();
        assert_eq!((synchronous, journal.as_str()), (2, "wal"));
    });
}

/// Writes, and then finds that it may not.
struct Regretful(std::sync::mpsc::Sender<Result<(), AppendError>>);

impl crate::writer::Job for Regretful {
    fn bytes(&self) -> usize {
        0
    }
    fn perform(&mut self, conn: &rusqlite::Connection) -> rusqlite::Result<crate::writer::Kept> {
        conn.execute("INSERT INTO owner (key) VALUES ('regretted')", [])?;
        Ok(crate::writer::Kept::No)
    }
    fn newest(&self) -> Option<u64> {
        None
    }
    fn answer(self: Box<Self>, ending: Result<(), AppendError>) {
        self.0.send(ending).unwrap();
    }
}

#[test]
fn what_a_refused_job_wrote_is_undone() {
    let place = place();
    let (send, receive) = std::sync::mpsc::channel();
    place.desk().hand(Box::new(Regretful(send)));
    receive.recv().unwrap().unwrap();
    place.desk().try_on(|writer| {
        let owners: i64 = writer.conn.query_row("SELECT count(*) FROM owner", [], |row| row.get(0)).unwrap();
        assert_eq!(owners, 0);
    });
}

#[test]
fn a_history_whose_folder_vanished_takes_nothing_more() {
    let folder = tempfile::tempdir().unwrap();
    let inner = folder.path().join("inner");
    std::fs::create_dir(&inner).unwrap();
    let history = History::open(&inner.join("log.db")).unwrap();
    let stream = Stream::run(&key("campaigns"), run_id(1));
    let one = |n: u64| vec![fact("happened", json!(n))];
    history.append(&stream, 0, one(1), at(1)).unwrap();
    std::fs::rename(&inner, folder.path().join("moved")).unwrap();
    let refused = history.append(&stream, 1, one(2), at(2)).unwrap_err();
    assert!(matches!(refused, AppendError::Gone { .. }), "{refused}");
    std::fs::rename(folder.path().join("moved"), &inner).unwrap();
    history.append(&stream, 1, one(3), at(3)).unwrap();
}
