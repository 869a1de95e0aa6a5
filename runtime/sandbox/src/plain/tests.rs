//! The quick walk against the careful one.

use super::*;
use crate::compile;
use crate::engine::Outcome;
use crate::walk::Walker;
use playbook_model::limits::{VALUE_LEVELS, VIEW_BYTES};
use proptest::prelude::*;
use serde_json::{Value as Json, json};
use std::time::{Duration, Instant};

const BOUNDS: Bounds =
    Bounds { work: u32::MAX, memory: usize::MAX, milliseconds: 60_000, levels: VALUE_LEVELS, bytes: VIEW_BYTES };

fn engine() -> (Engine, Walker) {
    let engine = Engine::new(usize::MAX).expect("an engine");
    let walker = Walker::new(&engine).expect("a walker");
    (engine, walker)
}

/// A value of an engine, and what the two walks say of it.
fn made(engine: &Engine, text: &str) -> Value {
    let code = compile::script(text).unwrap_or_else(|fault| panic!("{text}: {fault:?}"));
    match engine.evaluate(&code, u32::MAX, Instant::now() + Duration::from_secs(60)) {
        Outcome::Returned(value) => value,
        Outcome::Raised { message, .. } => panic!("{text}: {message}"),
        Outcome::Halted(halt) => panic!("{text}: {halt:?}"),
    }
}

/// Holds the quick walk against the careful one; says whether the quick one took the value.
fn compare(engine: &Engine, walker: &mut Walker, value: &Value, schema: Option<&Schema>, what: &str) -> bool {
    let quick = walker.plain(engine, value, &BOUNDS, schema);
    let careful = walker.measure(engine, value, &BOUNDS);
    let Some(quick) = quick else { return false };
    let careful = careful.unwrap_or_else(|stop| panic!("{what}: {stop:?}"));
    assert!(!careful.differs, "{what}");
    assert_eq!(quick.bytes, careful.bytes, "{what}");
    let tree = walker.tree(engine, value, &BOUNDS).expect("measured before");
    assert_eq!(quick.fits, schema.is_none_or(|schema| schema.is_valid(&tree)), "{what}");
    true
}

#[test]
fn what_is_plain_is_taken() {
    crate::with_stack(|| {
        let (engine, mut walker) = engine();
        for text in [
            "null",
            "true",
            "false",
            "0",
            "-1",
            "7",
            "10",
            "-2147483648",
            "2147483647",
            "4294967296",
            "1e21",
            "0.1",
            "5e-324",
            "'x'",
            "'\\u00e9\\u4e2d\\ud83d\\ude00'",
            "'\\ud83d'",
            "'\\u0000\\u0008\\u001f\\u007f\"\\\\'",
            "'\\u0080\\u07ff\\u0800'",
            "'abcdefgh'.repeat(900).slice(3, 7000)",
            "'\\u4e2d\\u6587'.repeat(900).slice(3, 1700)",
            "'a'.repeat(100000)",
            "({})",
            "[]",
            "[[], {}, [[{}]]]",
            "({ a: 1, b: [1, 2, 3], c: { d: 'x' } })",
            "({ 1: 'a', 0: 'b', x: 'c', '01': 'd' })",
            "({ ['__proto__']: 1, constructor: 2, 'due date': 3, '\\ud83d': 4, '\\u4e2d': 5 })",
            "Object.fromEntries(Array.from({ length: 300 }, (_, at) => ['name-' + at, at]))",
            "Array.from({ length: 1000 }, (_, at) => ({ at, verdict: 'approve', run: '/runs/' + at }))",
            "JSON.parse('{\"a\":[1,{\"b\":null}]}')",
            "((a) => [{ ...a, y: 1 }, { ...a, y: 2 }])({ x: 0.5 })",
            "[3, 1, 2].toSorted()",
            "[1, 2, 3].map((n) => n * 2)",
            "(() => { const a = []; a.push(1, 2); a.pop(); return a })()",
        ] {
            let value = made(&engine, text);
            assert!(compare(&engine, &mut walker, &value, None, text), "{text} is plain");
        }
    });
}

#[test]
fn what_is_not_plain_is_left_to_the_careful_walk() {
    crate::with_stack(|| {
        let (engine, mut walker) = engine();
        for text in [
            "undefined",
            "NaN",
            "Infinity",
            "-0",
            "[-0]",
            "10n",
            "Symbol()",
            "() => 1",
            "new Date(0)",
            "new Map()",
            "/a/",
            "new Number(1)",
            "new Proxy({}, {})",
            "new Proxy([], {})",
            "new Uint8Array(2)",
            "(function () { return arguments })(1)",
            "[1, , 2]",
            "new Array(3)",
            "(() => { const a = [1]; a.length = 4; return a })()",
            "Object.assign([1], { x: 2 })",
            "'a'.match(/a/)",
            "Object.create(null)",
            "Object.create({ a: 1 })",
            "new (class A { b = 1 })()",
            "new (class extends Array {})()",
            "Object.freeze({ a: 1 })",
            "Object.freeze([1])",
            "Object.seal({})",
            "Object.preventExtensions([])",
            "({ get a() { return 1 } })",
            "({ set a(x) {} })",
            "Object.defineProperty({}, 'a', { value: 1 })",
            "Object.defineProperty([1], 0, { get() { return 1 } })",
            "Object.defineProperty([1], 'length', { writable: false })",
            "({ [Symbol('s')]: 1 })",
            "({ toJSON: 1 })",
            "Object.groupBy([1, 2], String)",
            "(() => { const a = {}; return [a, a] })()",
            "(() => { const a = {}; a.a = a; return a })()",
            "(() => { let a = 1; for (let i = 0; i < 512; i++) a = [a]; return [a] })()",
            "'a'.repeat(600000)",
            "Array.from({ length: 30000 }, () => 'x'.repeat(20))",
        ] {
            let value = made(&engine, text);
            assert!(!compare(&engine, &mut walker, &value, None, text), "{text} is not plain");
        }
        // As deep as a view may be.
        let deep = made(&engine, "(() => { let a = 1; for (let i = 0; i < 512; i++) a = [a]; return a })()");
        assert!(compare(&engine, &mut walker, &deep, None, "512 levels"));
    });
}

#[test]
fn what_was_changed_in_place_is_what_it_is_now() {
    crate::with_stack(|| {
        let (engine, mut walker) = engine();
        for text in [
            "(() => { const a = { x: 1, y: 2 }; delete a.x; a.z = 3; return a })()",
            "(() => { const a = { x: 1 }; a.x = { y: 'longer than it was' }; return a })()",
            "(() => { const a = [1, 2, 3]; a.shift(); a.unshift('x'); a[5 - 2] = null; return a })()",
            "(() => { const a = [1, 2, 3]; delete a[2]; a.length = 2; return a })()",
            "(() => { const a = {}; for (let i = 0; i < 100; i++) a['k' + i] = i; for (let i = 0; i < 90; i++) delete a['k' + i]; return a })()",
            "(() => { const a = [1, 2]; a.reverse(); a.sort(); a.splice(1, 1, 'a', 'b'); return a })()",
            "(() => { let a = ''; for (let i = 0; i < 3000; i++) a += 'part ' + i + '\\u4e2d'; return [a, a.slice(5), a.trim()] })()",
        ] {
            let value = made(&engine, text);
            compare(&engine, &mut walker, &value, None, text);
        }
    });
}

#[test]
fn names_are_forgotten_and_known_again() {
    crate::with_stack(|| {
        let (engine, mut walker) = engine();
        for round in 0..6 {
            let text =
                format!("Object.fromEntries(Array.from({{ length: 2000 }}, (_, at) => ['name {round} ' + at, [at]]))");
            let value = made(&engine, &text);
            assert!(compare(&engine, &mut walker, &value, None, &text));
        }
        let text = "Object.fromEntries(Array.from({ length: 5 }, (_, at) => ['x'.repeat(90000) + at, at]))";
        for _ in 0..4 {
            assert!(compare(&engine, &mut walker, &made(&engine, text), None, text));
        }
    });
}

#[test]
fn one_shape_at_two_places_of_a_schema_is_told_apart() {
    crate::with_stack(|| {
        let (engine, mut walker) = engine();
        let at = |kind: &str| json!({ "type": "object", "properties": { "n": { "type": kind } }, "required": ["n"] });
        let schema =
            json!({ "properties": { "a": at("integer"), "b": at("string"), "c": { "items": at("integer") } } });
        let schema = Schema::compile(&schema).expect("a schema");
        for (text, fits) in [
            ("({ a: { n: 1 }, b: { n: 'x' }, c: [{ n: 1 }, { n: 2 }] })", true),
            ("({ a: { n: 1 }, b: { n: 2 } })", false),
            ("({ a: { n: 'x' }, b: { n: 'x' } })", false),
            ("({ a: { m: 1 } })", false),
            ("({ c: [{ n: 1 }, { n: 1.5 }] })", false),
        ] {
            let value = made(&engine, text);
            assert_eq!(
                walker.plain(&engine, &value, &BOUNDS, Some(&schema)).map(|plain| plain.fits),
                Some(fits),
                "{text}"
            );
            assert!(compare(&engine, &mut walker, &value, Some(&schema), text));
        }
    });
}

fn json_value() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::from),
        any::<i32>().prop_map(Json::from),
        (-3..4_i32).prop_map(Json::from),
        any::<f64>()
            .prop_filter("finite", |n| n.is_finite() && !(*n == 0.0 && n.is_sign_negative()))
            .prop_map(Json::from),
        "\\PC{0,12}".prop_map(Json::from),
        "[ab\\x00-\\x1f\"\\\\é\u{4e2d}😀]{0,40}".prop_map(Json::from),
        Just(json!("2026-04-01")),
    ];
    leaf.prop_recursive(6, 80, 8, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..8).prop_map(Json::from),
            prop::collection::vec(("[a-d0-9é\"]{0,3}", inner), 0..8)
                .prop_map(|members| Json::Object(members.into_iter().collect())),
        ]
    })
}

/// A schema over the same names as the values have.
fn json_schema() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        Just(json!({})),
        Just(json!(false)),
        prop::sample::subsequence(vec!["string", "number", "integer", "null", "object", "array", "boolean"], 1..5)
            .prop_map(|types| json!({ "type": types })),
        (0_u64..6).prop_map(|n| json!({ "maxLength": n })),
        (0_u64..4).prop_map(|n| json!({ "maxItems": n, "minProperties": n / 2 })),
        (-2_i64..3).prop_map(|n| json!({ "minimum": n })),
        prop::collection::vec(json_value(), 1..3).prop_map(|values| json!({ "enum": values })),
        json_value().prop_map(|value| json!({ "const": value })),
        Just(json!({ "format": "date" })),
        Just(json!({ "uniqueItems": true })),
        Just(json!({ "$ref": "#/$defs/x" })),
    ];
    let part = leaf.prop_recursive(3, 24, 3, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone(), any::<bool>()).prop_map(|(a, b, open)| json!({ "properties": { "a": a, "b": b }, "required": ["a"], "additionalProperties": open })),
            inner.clone().prop_map(|items| json!({ "items": items })),
            inner.clone().prop_map(|members| json!({ "additionalProperties": members })),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| json!({ "anyOf": [a, b] })),
            (inner.clone(), inner).prop_map(|(a, b)| json!({ "allOf": [a, b] })),
        ]
    });
    (part.clone(), part).prop_map(|(root, x)| {
        json!({ "allOf": [root], "$defs": { "x": x } }).as_object().map_or(Json::Null, |map| {
            // The root itself is walked part by part where it can be.
            let mut root = map["allOf"][0].clone();
            match root.as_object_mut() {
                Some(members) => {
                    members.insert("$defs".into(), map["$defs"].clone());
                    root
                }
                None => Json::Object(map.clone()),
            }
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn any_json_is_walked_alike(values in prop::collection::vec(json_value(), 8), schema in json_schema()) {
        crate::with_stack(|| {
            let (engine, mut walker) = engine();
            let schema = Schema::compile(&schema).ok();
            for value in &values {
                let parsed = engine.parse(&value.to_string()).expect("JSON");
                let what = format!("{value} against {:?}", schema.as_ref().map(|schema| schema.source().to_string()));
                assert!(compare(&engine, &mut walker, &parsed, schema.as_ref(), &what) || value.to_string().contains("toJSON"), "{what}");
            }
        });
    }
}
