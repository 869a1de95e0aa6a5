use super::*;
use crate::content::CHUNK_BYTES;
use crate::{KEPT_APART_BYTES, ReadError};

fn kept(place: &Place) -> (i64, i64) {
    let (send, receive) = std::sync::mpsc::channel();
    place.desk().try_on(move |writer| {
        let count = |table: &str| {
            writer.conn.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0)).unwrap()
        };
        send.send((count("content"), count("chunk"))).unwrap();
    });
    receive.recv().unwrap()
}

#[test]
fn large_data_is_kept_once_a_playbook_and_comes_back_whole() {
    let place = place();
    let playbook = key("campaigns");
    // Characters of four bytes fall across the ends of chunks.
    let text = format!("a{}", "🦉".repeat(CHUNK_BYTES * 3 / 4));
    let data = json!({ "input": text });
    for number in 0..3 {
        add(&place, &Stream::run(&playbook, run_id(number)), fact("run_started", data.clone()));
    }
    assert_eq!(kept(&place), (1, 4));
    add(&place, &Stream::run(&key("others"), run_id(1)), fact("run_started", data.clone()));
    assert_eq!(kept(&place), (2, 8));
    let page = place.page(&PageQuery { limit: 1, ..page_of(&playbook) }).unwrap();
    assert_eq!(page.records[0].data, data);
    assert_eq!(page.records[0].data_bytes, data.to_string().len() as u64);
}

#[test]
fn data_at_the_bound_stays_with_its_record() {
    let place = place();
    let playbook = key("campaigns");
    let stream = Stream::definitions(&playbook, DefinitionType::Recall);
    add(&place, &stream, fact("a", large(KEPT_APART_BYTES - 2, 0)));
    assert_eq!(kept(&place), (0, 0));
    add(&place, &stream, fact("a", large(KEPT_APART_BYTES - 1, 0)));
    assert_eq!(kept(&place), (1, 1));
    let sizes = place.stream_with(&stream, 0, Content::Sizes).unwrap();
    assert_eq!(sizes[0].data, large(KEPT_APART_BYTES - 2, 0));
    assert_eq!(
        (&sizes[1].data, sizes[1].content, sizes[1].data_bytes),
        (&Value::Null, Content::Sizes, KEPT_APART_BYTES as u64 + 1)
    );
    assert_eq!(place.data(&sizes[0]).unwrap(), large(KEPT_APART_BYTES - 2, 0));
    assert_eq!(place.data(&sizes[1]).unwrap(), large(KEPT_APART_BYTES - 1, 0));
}

#[test]
fn changed_content_is_told_and_the_rest_still_reads() {
    let place = place();
    let playbook = key("campaigns");
    let stream = Stream::definitions(&playbook, DefinitionType::Recall);
    let whole = add(&place, &stream, fact("a", large(20_000, 0)));
    let small = add(&place, &stream, fact("b", json!({"few": 1})));
    for change in ["UPDATE chunk SET text = replace(text, 'xx', 'xy')", "DELETE FROM chunk"] {
        place.desk().try_on(move |writer| {
            assert_eq!(writer.conn.execute(change, []).unwrap(), 1);
        });
        let why = place.record(&playbook, whole.id).unwrap_err();
        assert!(matches!(why, ReadError::Damaged { .. }), "{why}");
        assert_eq!(place.stream(&stream, 1).unwrap(), std::slice::from_ref(&small));
        assert_eq!(place.stream_with(&stream, 0, Content::Sizes).unwrap().len(), 2);
    }
}

#[test]
fn rows_that_cannot_be_read_are_told() {
    let place = place();
    let stream = Stream::org(&OrgId::local());
    add(&place, &stream, fact("a", json!({})));
    for change in [
        "UPDATE record SET data = '{'",
        "UPDATE record SET data = NULL",
        "UPDATE record SET data = '{}', context = '[]'",
    ] {
        place.desk().try_on(move |writer| {
            writer.conn.execute(change, []).unwrap();
        });
        assert!(matches!(place.stream(&stream, 0), Err(ReadError::Damaged { .. })), "{change}");
    }
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(40))]
    #[test]
    fn every_text_and_number_comes_back(text in "\\PC{0,40}|[\\x00-\\x1f\u{2028}\"\\\\]{0,9}", number in proptest::num::f64::NORMAL | proptest::num::f64::SUBNORMAL, times in 1_usize..3000) {
        let place = place();
        let stream = Stream::org(&OrgId::local());
        let data = json!({ (text.clone()): text.repeat(times), "number": number });
        let appended = add(&place, &stream, fact(&text, data));
        proptest::prop_assert_eq!(place.stream(&stream, 0).unwrap(), vec![appended]);
    }
}
