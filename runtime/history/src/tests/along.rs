use super::page::{kind, mixed};
use super::*;
use crate::Wanted;

fn published(name: &str) -> Wanted {
    Wanted::Published(name.into())
}

#[test]
fn counts_between_two_places_and_no_further_than_asked() {
    let place = place();
    let (playbook, all) = mixed(&place);
    let wanted = [kind("run_succeeded"), published("order.placed")];
    let end = all.last().unwrap().global;
    assert_eq!(place.count(&playbook, &wanted, (0, u64::MAX), 1_000).unwrap(), 40);
    assert_eq!(place.count(&playbook, &wanted, (0, end), 35).unwrap(), 35);
    assert_eq!(place.count(&playbook, &wanted, (end, u64::MAX), 1_000).unwrap(), 0);
    let (after, up_to) = (all[1].global, all[4].global);
    assert_eq!(place.count(&playbook, &[kind("run_succeeded")], (after, up_to), 9).unwrap(), 1);
    assert_eq!(place.count(&playbook, &[], (0, u64::MAX), 9).unwrap(), 0);
    assert_eq!(place.count(&key("nobody"), &wanted, (0, u64::MAX), 9).unwrap(), 0);
}

#[test]
fn finds_the_last_places_before_one() {
    let place = place();
    let (playbook, all) = mixed(&place);
    let wanted = [kind("run_succeeded"), published("order.placed")];
    let fits = |record: &&Record| record.kind == "run_succeeded" || record.data["event"]["type"] == "order.placed";
    let mut places: Vec<u64> = all.iter().filter(fits).map(|record| record.global).collect();
    places.reverse();
    assert_eq!(place.before(&playbook, &wanted, u64::MAX, 100).unwrap(), places);
    assert_eq!(place.before(&playbook, &wanted, places[3], 5).unwrap(), places[4..9]);
    assert!(place.before(&playbook, &wanted, 0, 5).unwrap().is_empty());
    assert!(place.before(&key("nobody"), &wanted, u64::MAX, 5).unwrap().is_empty());
}

#[test]
fn reads_what_is_at_places_of_the_playbook_alone() {
    let place = place();
    let (playbook, all) = mixed(&place);
    let chosen = [all[7].clone(), all[2].clone(), all[40].clone()];
    let places: Vec<u64> = chosen.iter().map(|record| record.global).collect();
    assert_eq!(place.at(&playbook, &places).unwrap(), chosen);
    let foreign = place.before(&key("campaigns-2"), &[kind("run_succeeded")], u64::MAX, 1).unwrap();
    assert_eq!(place.at(&playbook, &[places[0], foreign[0], places[1]]).unwrap(), chosen[..1]);
    assert!(place.at(&playbook, &[0]).unwrap().is_empty());

    let large = json!("x".repeat(3 << 20));
    let stream = Stream::event(&playbook, Uuid::from_u128(99));
    let mut places = Vec::new();
    for number in 0..3 {
        let added = place.append(&stream, number, vec![fact("event_published", large.clone())], at(0)).unwrap();
        places.push(added[0].global);
    }
    assert_eq!(place.at(&playbook, &places).unwrap().len(), 1, "a page's bytes bound it");
}

#[test]
fn lists_each_type_once() {
    let place = place();
    let (playbook, _) = mixed(&place);
    let all = [kind("event_published"), kind("run_started"), kind("run_succeeded")];
    let types = place.types(&playbook, 100).unwrap();
    assert_eq!(types[..3], all);
    assert_eq!(types[3..], [published("order.paid"), published("order.placed")]);
    assert_eq!(place.types(&playbook, 1).unwrap(), [kind("event_published"), published("order.paid")]);
    assert!(place.types(&key("nobody"), 9).unwrap().is_empty());
}
