use super::*;
use proptest::prelude::*;
use serde_json::{Value, json};

const REVIEWS: &str = include_str!("../fixtures/campaign-reviews.js");

fn review(at: usize, output: &Value) -> String {
    json!({
        "specversion": "1.0", "id": format!("{at}"), "type": "run_succeeded", "source": format!("/runs/0199a3c4-7d2e-7c1a-9b3f-{at:012}"),
        "subject": "reasoning/review-brief", "time": Moment(1_790_000_000_000 + (at as i64) * 1_000).iso(), "data": { "output": output },
    })
    .to_string()
}

/// Folds events in pages, a sandbox for each page or one for all, and gives the view and the work of each fold.
fn pages(text: &str, events: &[String], size: usize, kept: Kept) -> (String, Vec<u32>, Option<Stop>) {
    let mut view = "{}".to_owned();
    let mut work = Vec::new();
    let mut folder = folder(text, &view);
    for page in events.chunks(size) {
        if kept == Kept::No {
            folder = super::folder(text, &view);
        }
        for event in page {
            match folder.fold(event, NOW, later()) {
                Ok(folded) => {
                    work.push(folded.work);
                    let json = folded.bytes;
                    if size == 1 {
                        assert_eq!(folder.view().unwrap().len(), json);
                    }
                }
                Err(stop) => return (folder.view().unwrap(), work, Some(stop)),
            }
        }
        view = folder.view().unwrap();
    }
    (view, work, None)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kept {
    Yes,
    No,
}

fn same_in_all_pages(text: &str, events: &[String]) -> (String, Vec<u32>, Option<Stop>) {
    let first = pages(text, events, 1_000, Kept::Yes);
    for (size, kept) in [(7, Kept::No), (7, Kept::Yes), (1, Kept::No), (1, Kept::Yes)] {
        let other = pages(text, events, size, kept);
        assert_eq!(first, other, "pages of {size}");
    }
    first
}

#[test]
fn three_reviews_give_the_view_of_the_format() {
    stacked(|| {
        let event = |campaign: &str, verdict: &str, at: &str, run: &str| {
            json!({ "id": run, "type": "run_succeeded", "source": format!("/runs/{run}"), "time": at, "data": { "output": { "campaign": campaign, "verdict": verdict } } }).to_string()
        };
        let events = [
            event("autumn-launch", "approve", "2026-09-30T14:02:11.000Z", "0199a3c4-7d2e-7c1a-9b3f-2f1e0d9c8b71"),
            event(
                "spring-sale",
                "reject: the budget is not stated",
                "2026-10-01T09:15:42.000Z",
                "0199a3c4-7d2e-7c1a-9b3f-2f1e0d9c8b72",
            ),
            event("spring-sale", "approve", "2026-10-03T16:40:05.000Z", "0199a3c4-7d2e-7c1a-9b3f-2f1e0d9c8b73"),
        ];
        let (view, work, stop) = same_in_all_pages(REVIEWS, &events);
        assert_eq!((work, stop), (vec![0; 3], None));
        assert_eq!(
            view,
            "{\"autumn-launch\":[{\"at\":\"2026-09-30T14:02:11.000Z\",\"verdict\":\"approve\",\"run\":\"/runs/0199a3c4-7d2e-7c1a-9b3f-2f1e0d9c8b71\"}],\
             \"spring-sale\":[{\"at\":\"2026-10-01T09:15:42.000Z\",\"verdict\":\"reject: the budget is not stated\",\"run\":\"/runs/0199a3c4-7d2e-7c1a-9b3f-2f1e0d9c8b72\"},\
             {\"at\":\"2026-10-03T16:40:05.000Z\",\"verdict\":\"approve\",\"run\":\"/runs/0199a3c4-7d2e-7c1a-9b3f-2f1e0d9c8b73\"}]}"
        );
        let returned =
            run(&program(REVIEWS), "answer", &[&view, "{\"campaign\":\"spring-sale\",\"last\":1}"], NOW, &RUN).unwrap();
        assert_eq!(
            returned.json,
            "[{\"at\":\"2026-10-03T16:40:05.000Z\",\"verdict\":\"approve\",\"run\":\"/runs/0199a3c4-7d2e-7c1a-9b3f-2f1e0d9c8b73\"}]"
        );
    });
}

#[test]
fn campaigns_named_like_inherited_members_keep_entries_of_their_own() {
    stacked(|| {
        let names = [
            "constructor",
            "__proto__",
            "toString",
            "hasOwnProperty",
            "__proto__",
            "constructor",
            "length",
            "0",
            "valueOf",
        ];
        let events: Vec<String> = names
            .iter()
            .enumerate()
            .map(|(at, name)| review(at, &json!({ "campaign": name, "verdict": "approve" })))
            .collect();
        let (view, _, stop) = same_in_all_pages(REVIEWS, &events);
        assert_eq!(stop, None);
        let view: Value = serde_json::from_str(&view).unwrap();
        assert_eq!(view["constructor"].as_array().unwrap().len(), 2);
        assert_eq!(view["__proto__"].as_array().unwrap().len(), 2);
        assert_eq!(view["toString"].as_array().unwrap().len(), 1);
        let returned =
            run(&program(REVIEWS), "answer", &[&view.to_string(), "{\"campaign\":\"__proto__\"}"], NOW, &RUN).unwrap();
        assert_eq!(serde_json::from_str::<Value>(&returned.json).unwrap().as_array().unwrap().len(), 2);
        let returned = run(&program(REVIEWS), "answer", &["{}", "{\"campaign\":\"constructor\"}"], NOW, &RUN).unwrap();
        assert_eq!(returned.json, "[]");
    });
}

#[test]
fn many_campaigns_in_pages_of_any_size() {
    stacked(|| {
        let events: Vec<String> = (0..250)
            .map(|at| review(at, &json!({ "campaign": format!("campaign-{}", (at * 7_919) % 100), "verdict": format!("verdict {at}") })))
            .collect();
        let (view, work, stop) = same_in_all_pages(REVIEWS, &events);
        assert_eq!(stop, None);
        assert!(work.iter().all(|work| *work == 0));
        assert_eq!(serde_json::from_str::<Value>(&view).unwrap().as_object().unwrap().len(), 50);
    });
}

fn output() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        any::<f64>().prop_filter("finite", |n| n.is_finite()).prop_map(Value::from),
        "\\PC{0,12}".prop_map(Value::from),
        prop_oneof![Just("constructor"), Just("__proto__"), Just("toString"), Just("a"), Just("b")]
            .prop_map(Value::from),
    ];
    let verdict = leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec(("[a-c_]{0,3}", inner), 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    });
    (verdict.clone(), verdict, 0..8_u8).prop_map(|(campaign, verdict, shape)| match shape {
        0 => campaign,
        1 => json!([campaign, verdict]),
        2 => json!({ "verdict": verdict }),
        _ => json!({ "campaign": campaign, "verdict": verdict }),
    })
}

/// A fold with every habit that JSON does not keep: sharing, negative zeros, symbols, frozen parts, holes filled late.
const HABITS: &str = "export function fold(view, event) {
  const list = Array.isArray(view.list) ? view.list : [];
  const shared = { n: list.length === 0 ? -0 : -list.length * 0, output: event.data.output ?? null };
  const at = Object.is(view.n, -0) ? 'negative' : 'plain';
  const fixed = Object.freeze({ shared, again: shared, [Symbol('s')]: 1 });
  const next = { n: -0, at, list: [...list, shared, shared].slice(-9), fixed, mutable: 'no' };
  try { view.fixed.mutable = 'yes'; next.mutable = 'yes'; } catch {}
  const groups = Object.groupBy(next.list, (entry) => typeof entry.output);
  for (let i = 0; i < (event.data.output?.verdict === true ? 30000 : 10); i++);
  return { ...next, groups, same: view.fixed?.shared === view.fixed?.again, match: 'a1'.match(/(\\d)/) };
}";

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    #[test]
    fn any_events_in_pages_of_any_size(outputs in prop::collection::vec(output(), 1..25)) {
        stacked(|| {
            let events: Vec<String> = outputs.iter().enumerate().map(|(at, output)| review(at, output)).collect();
            let (_, _, stop) = same_in_all_pages(REVIEWS, &events);
            assert_eq!(stop, None);
            let (_, _, stop) = same_in_all_pages(HABITS, &events);
            assert_eq!(stop, None);
        });
    }
}

#[test]
fn the_next_fold_is_given_what_json_gives_back() {
    stacked(|| {
        let mut folder = folder(HABITS, "{}");
        for at in 0..3 {
            folder.fold(&review(at, &json!(1)), NOW, later()).unwrap();
            let view: Value = serde_json::from_str(&folder.view().unwrap()).unwrap();
            assert_eq!(view["at"], json!("plain"));
            assert_eq!(view["same"], json!(at == 0));
            assert_eq!(view["mutable"], json!(if at == 0 { "no" } else { "yes" }));
        }
    });
}

#[test]
fn the_clock_is_the_events() {
    stacked(|| {
        let mut folder =
            folder("export function fold(view, event) { return [Date.now(), new Date().getTime()]; }", "[]");
        for at in [0, 1_791_045_605_123, 5] {
            folder.fold("{}", Moment(at), later()).unwrap();
            assert_eq!(folder.view().unwrap(), format!("[{at},{at}]"));
        }
    });
}

/// Stops at the event numbered 5, in the way its name says.
const HOSTILE: &str = "export function fold(view, event) {
  const next = { ...view, n: (view.n ?? 0) + 1, at: event.id };
  if (event.id !== '5') return next;
  view.n = 'written before the stop';
  switch (event.data) {
    case 'throw': throw new Error('stop');
    case 'null': throw null;
    case 'symbol': throw Symbol('s');
    case 'getter': { const e = new Error('x'); Object.defineProperty(e, 'message', { get() { throw e } }); throw e; }
    case 'loop': for (;;);
    case 'allocate': { const a = []; for (;;) a.push('x'.repeat(1e6) + a.length); }
    case 'swallow': { let a = []; try { for (;;) a.push('x'.repeat(1e6) + a.length); } catch { a = null; } return next; }
    case 'overflow': { const f = () => f() + 1; return f(); }
    case 'map': return new Map();
    case 'proxy': return new Proxy({}, {});
    case 'accessor': return { get a() { return 1; } };
    case 'cycle': { next.next = next; return next; }
    case 'deep': { let v = 1; for (let i = 0; i < 513; i++) v = [v]; return v; }
    case 'large': return { ...next, big: 'x'.repeat(524288) };
    case 'undefined': return;
    case 'class': return new (class Mine {})();
    case 'getter-class': return Object.create({ get a() { throw 1; } });
    case 'doubling': { let v = {}; for (let i = 0; i < 40; i++) v = [v, v]; return v; }
    default: return next;
  }
}";

#[test]
fn a_stop_is_the_same_in_pages_of_any_size_and_keeps_the_view_before() {
    stacked(|| {
        for (how, kind) in [
            ("throw", "Raised"),
            ("null", "Raised"),
            ("symbol", "Raised"),
            ("getter", "Raised"),
            ("loop", "Work"),
            ("allocate", "Memory"),
            ("swallow", "Memory"),
            ("overflow", "Raised"),
            ("map", "Unfit"),
            ("proxy", "Unfit"),
            ("accessor", "Unfit"),
            ("cycle", "Unfit"),
            ("deep", "TooDeep"),
            ("large", "TooLarge"),
            ("undefined", "Unfit"),
            ("class", "Unfit"),
            ("getter-class", "Unfit"),
            ("doubling", "TooLarge"),
        ] {
            let events: Vec<String> =
                (0..8).map(|at| json!({ "id": at.to_string(), "data": how }).to_string()).collect();
            let (view, work, stop) = same_in_all_pages(HOSTILE, &events);
            assert_eq!(view, "{\"n\":5,\"at\":\"4\"}", "{how}");
            assert_eq!(work.len(), 5, "{how}");
            assert!(format!("{stop:?}").starts_with(&format!("Some({kind}")), "{how}: {stop:?}");
        }
    });
}

#[test]
fn a_folder_goes_on_after_a_stop() {
    stacked(|| {
        let mut folder = folder(HOSTILE, "{}");
        for how in ["throw", "allocate", "loop", "map"] {
            folder.fold("{\"id\":\"1\"}", NOW, later()).unwrap();
            assert!(folder.fold(&json!({ "id": "5", "data": how }).to_string(), NOW, later()).is_err());
        }
        assert_eq!(folder.view().unwrap(), "{\"n\":4,\"at\":\"1\"}");
    });
}

#[test]
fn a_fold_out_of_time_keeps_the_view_before() {
    stacked(|| {
        let bounds = Bounds { work: u32::MAX, milliseconds: 200, ..FOLD };
        let mut folder = Folder::load(&program(HOSTILE), &[], "{}", None, &bounds, 500).unwrap();
        folder.fold("{\"id\":\"1\"}", NOW, later()).unwrap();
        let soon = Instant::now() + Duration::from_millis(200);
        assert_eq!(folder.fold("{\"id\":\"5\",\"data\":\"loop\"}", NOW, soon), Err(Stop::Time { milliseconds: 200 }));
        assert_eq!(folder.view().unwrap(), "{\"n\":1,\"at\":\"1\"}");
    });
}

/// Each fold works long enough to spend a different part of a period.
const WORKS: &str =
    "export function fold(view, event) { for (let i = 0; i < event.data; i++); return { n: (view.n ?? 0) + 1 }; }";

#[test]
fn work_depends_on_nothing_that_ran_before() {
    stacked(|| {
        let amounts = [1, 4_990, 4_998, 4_999, 5_000, 3_333, 17, 2_499_998, 2_500_000, 9_999, 1];
        let events: Vec<String> = amounts.iter().map(|turns| json!({ "id": "1", "data": turns }).to_string()).collect();
        let (_, work, stop) = same_in_all_pages(WORKS, &events);
        assert_eq!(stop, None);
        assert_eq!(work, [0, 0, 0, 1, 1, 0, 0, 499, 500, 2, 0]);
        let events: Vec<String> =
            [7, 2_505_100, 3].iter().map(|turns| json!({ "id": "1", "data": turns }).to_string()).collect();
        let (view, _, stop) = same_in_all_pages(WORKS, &events);
        assert_eq!((view.as_str(), stop), ("{\"n\":1}", Some(Stop::Work { budget: 500 })));
    });
}

#[test]
fn memory_is_judged_alike_wherever_a_page_begins() {
    stacked(|| {
        // Each fold keeps garbage in cycles around, so a kept sandbox holds more than a fresh one.
        let text = "export function fold(view, event) {
          for (let i = 0; i < event.data.loops; i++) { const a = { text: 'x'.repeat(2e6) + i }; a.a = a; }
          const big = event.data.big > 0 ? 'x'.repeat(event.data.big * 1e6) : '';
          return { n: (view.n ?? 0) + 1, length: big.length, kept: event.data.text.slice(3, 60000) };
        }";
        let events: Vec<String> = [(1, 0), (8, 20), (3, 40), (2, 50), (2, 55), (8, 30), (1, 70), (1, 0)]
            .iter()
            .map(|(loops, big)| {
                json!({ "id": "1", "data": { "loops": loops, "big": big, "text": "y".repeat(200_000) } }).to_string()
            })
            .collect();
        let (_, work, stop) = same_in_all_pages(text, &events);
        assert!(matches!(stop, Some(Stop::Memory { .. })), "{stop:?}");
        assert_eq!(work.len(), 6);
    });
}

#[test]
fn filters_hold_unless_false_or_null() {
    stacked(|| {
        let filters = [
            "$data.revenue > 100",
            "null",
            "undefined",
            "0",
            "''",
            "$data",
            "false",
            "$data.a.b.c",
            "(() => { throw 1 })()",
            "NaN",
            "new Map()",
            "$data.list.push(1)",
            "[].concat($data.list).length === 2",
        ];
        let filters: Vec<String> = filters.iter().map(|text| (*text).to_owned()).collect();
        let mut folder = Folder::load(&program(WORKS), &filters, "{}", None, &FOLD, 500).unwrap();
        let event = "{\"id\":\"1\",\"data\":{\"revenue\":101,\"list\":[1,2]}}";
        let mut held = Vec::new();
        for at in 0..filters.len() {
            held.push(folder.holds(at, event, NOW, later()).unwrap());
        }
        assert_eq!(held, [true, false, false, true, true, true, false, false, false, true, true, true, true]);
        assert!(!folder.holds(0, "{\"id\":\"1\"}", NOW, later()).unwrap());
        assert!(!folder.holds(5, "{\"id\":\"1\"}", NOW, later()).unwrap());
    });
}

#[test]
fn a_filter_has_bounds_of_its_own() {
    stacked(|| {
        let filters = [
            "(() => { for (;;); })()",
            "'x'.repeat(2e8)",
            "(() => { try { 'x'.repeat(2e8) } catch {} return true })()",
            "true",
        ];
        let filters: Vec<String> = filters.iter().map(|text| (*text).to_owned()).collect();
        let mut folder = Folder::load(&program(WORKS), &filters, "{}", None, &FOLD, 5).unwrap();
        let event = "{\"id\":\"1\",\"data\":2400000}";
        for _ in 0..2 {
            assert_eq!(folder.holds(0, event, NOW, later()), Err(Stop::Work { budget: 5 }));
            assert!(matches!(folder.holds(1, event, NOW, later()), Err(Stop::Memory { .. })));
            assert!(matches!(folder.holds(2, event, NOW, later()), Err(Stop::Memory { .. })));
            assert_eq!(folder.holds(3, event, NOW, later()), Ok(true));
            assert_eq!(folder.fold(event, NOW, later()).unwrap().work, 480);
        }
        assert_eq!(folder.view().unwrap(), "{\"n\":2}");
        let stop = Folder::load(&program(WORKS), &["1 +".to_owned()], "{}", None, &FOLD, 5).err();
        assert!(matches!(stop, Some(Stop::Refused { line: None, .. })), "{stop:?}");
    });
}

#[test]
fn a_fold_can_be_taken_back() {
    stacked(|| {
        let mut folder = folder(WORKS, "{\"n\":3}");
        for at in 0..150 {
            folder.fold("{\"data\":1}", NOW, later()).unwrap();
            assert_eq!(folder.value().unwrap(), json!({ "n": 4 + at }));
        }
        folder.take_back();
        assert_eq!(folder.view().unwrap(), "{\"n\":152}");
        folder.fold("{\"data\":1}", NOW, later()).unwrap();
        folder.take_back();
        assert_eq!(folder.value().unwrap(), json!({ "n": 152 }));
    });
}

#[test]
fn a_tree_is_what_the_json_reads_as() {
    stacked(|| {
        let text = "export function fold(view, event) { return [0, -0, 1.5, 1e21, 12345678901234567890, -5, 2 ** 53, 1e-7, 'a\\ud83d', '😀', { b: [null, true, {}], a: [[]] }, '']; }";
        let mut folder = folder(text, "[]");
        folder.fold("{}", NOW, later()).unwrap();
        let tree = folder.value().unwrap();
        let json = folder.view().unwrap();
        assert_eq!(tree, playbook_model::json::parse_script(&json, 512).unwrap());
    });
}

#[test]
fn the_module_is_needed_with_a_fold() {
    let stop =
        Folder::load(&program("export function answer(view) { return view; }"), &[], "{}", None, &FOLD, 500).err();
    assert_eq!(stop, Some(Stop::Refused { message: "The module exports no function `fold`".into(), line: None }));
}
