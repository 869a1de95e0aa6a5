use super::*;
use crate::{CursorError, ReadError, RequestsPage, RequestsQuery};

fn query(playbook: &PlaybookKey) -> RequestsQuery<'_> {
    RequestsQuery { playbook, to: None, function: None, limit: 100, cursor: None }
}

fn ids(page: &RequestsPage) -> Vec<u128> {
    let run = |record: &Record| RunId::parse(record.context.run_id.as_deref().unwrap()).unwrap().0.as_u128();
    page.requests.iter().map(|request| run(&request.record)).collect()
}

/// A request of a run to a party, which expires so many seconds in.
fn ask(number: u128, to: &str, expires: i64) -> NewRecord {
    let data = json!({ "interaction": { "to": to, "message": "?", "expires_at": at(expires).0 } });
    of_run(run_id(number), "run_deferred", data)
}

fn of(number: u128, kind: &str) -> NewRecord {
    of_run(run_id(number), kind, json!({ "output": 1, "record": {} }))
}

#[test]
fn a_request_is_open_until_its_run_ends() {
    let place = place();
    let playbook = key("campaigns");
    let say = |number, record| add(&place, &Stream::run(&playbook, run_id(number)), record);
    for (number, to, expires) in [(1, "anna", 60), (2, "bert", 50), (3, "anna", 70)] {
        say(number, of(number, "run_started"));
        say(number, ask(number, to, expires));
    }
    let open = place.requests(&query(&playbook)).unwrap();
    assert_eq!(ids(&open), [3, 2, 1]);
    assert_eq!(open.requests[0].record.data["interaction"]["message"], "?");
    assert_eq!(place.open_requests(&playbook).unwrap(), 3);
    assert_eq!(place.next_expiry().unwrap(), Some(at(50)));
    assert_eq!(place.expired(at(49), 9).unwrap(), []);
    assert_eq!(
        place.expired(at(60), 9).unwrap(),
        [(playbook.clone(), run_id(2), at(50)), (playbook.clone(), run_id(1), at(60))]
    );
    assert_eq!(place.expired(at(60), 1).unwrap(), [(playbook.clone(), run_id(2), at(50))]);

    say(2, of(2, "run_cancel_requested"));
    assert!(place.requests(&query(&playbook)).unwrap().requests[1].cancelling);
    say(2, of(2, "run_rejected"));
    say(3, of(3, "run_succeeded"));
    let open = place.requests(&query(&playbook)).unwrap();
    assert_eq!(ids(&open), [1]);
    assert!(!open.requests[0].cancelling);
    assert_eq!(place.next_expiry().unwrap(), Some(at(60)));
    assert_eq!(place.open_requests(&key("others")).unwrap(), 0);
}

#[test]
fn requests_are_listed_in_pages_by_party_and_function() {
    let place = place();
    let playbook = key("campaigns");
    for number in 1..=5 {
        let mut record = ask(number, if number % 2 == 0 { "bert" } else { "anna" }, 60);
        if number == 5 {
            record.context.definition.as_mut().unwrap().name = "other".into();
        }
        add(&place, &Stream::run(&playbook, run_id(number)), record);
    }
    let first = place.requests(&RequestsQuery { limit: 2, ..query(&playbook) }).unwrap();
    assert_eq!(ids(&first), [5, 4]);
    let cursor = first.next.as_deref();
    assert_eq!(ids(&place.requests(&RequestsQuery { cursor, ..query(&playbook) }).unwrap()), [3, 2, 1]);
    let to = RequestsQuery { to: Some("anna"), ..query(&playbook) };
    assert_eq!(ids(&place.requests(&to).unwrap()), [5, 3, 1]);
    let both = RequestsQuery { function: Some("other"), ..to };
    assert_eq!(ids(&place.requests(&both).unwrap()), [5]);
    assert_eq!(ids(&place.requests(&RequestsQuery { function: Some("other"), ..query(&playbook) }).unwrap()), [5]);
    let wrong = RequestsQuery { cursor: Some("x"), ..query(&playbook) };
    assert!(matches!(place.requests(&wrong), Err(ReadError::Cursor(CursorError::Malformed))));
}

#[test]
fn the_open_requests_are_built_again_from_the_records() {
    let place = place();
    let playbook = key("campaigns");
    let say = |number, record| add(&place, &Stream::run(&playbook, run_id(number)), record);
    say(1, ask(1, "anna", 60));
    say(2, ask(2, "anna", 60));
    say(2, of(2, "run_failed"));
    // An earlier program has no such table.
    let path = place.folder.path().join("log.sqlite");
    place.desk().try_on(|writer| {
        writer.conn.execute_batch(&format!("DROP TABLE {}", crate::requests::OPEN.table)).unwrap();
    });
    place.close();
    let again = History::open(&path).unwrap();
    assert_eq!(ids(&again.requests(&query(&playbook)).unwrap()), [1]);
    assert_eq!(again.next_expiry().unwrap(), Some(at(60)));
}
