use super::*;

fn unfit(expression: &str) -> (String, String) {
    match body(&format!("return ({expression});")) {
        Err(Stop::Unfit { found, path }) => (found, path),
        other => panic!("{expression}: {other:?}"),
    }
}

#[test]
fn what_json_cannot_carry_is_named_with_its_place() {
    for (expression, found, path) in [
        ("undefined", "undefined", "$"),
        ("({ a: undefined })", "undefined", "$.a"),
        ("[1, undefined]", "undefined", "$[1]"),
        ("[1, , 2]", "a hole in a list", "$[1]"),
        ("new Array(3)", "a hole in a list", "$[0]"),
        ("NaN", "NaN", "$"),
        ("({ a: [Infinity] })", "Infinity", "$.a[0]"),
        ("-Infinity", "-Infinity", "$"),
        ("10n", "a BigInt", "$"),
        ("2n ** 90n", "a BigInt", "$"),
        ("Symbol()", "a symbol", "$"),
        ("() => 1", "a function", "$"),
        ("class A {}", "a function", "$"),
        ("Math.max", "a function", "$"),
        ("new Date(0)", "a Date", "$"),
        ("({ 'due date': new Date(0) })", "a Date", "$[\"due date\"]"),
        ("({ '': new Map() })", "a Map", "$[\"\"]"),
        ("new Set()", "a Set", "$"),
        ("new WeakMap()", "a WeakMap", "$"),
        ("/a/", "a RegExp", "$"),
        ("new Number(1)", "a Number object", "$"),
        ("new String('a')", "a String object", "$"),
        ("new Boolean(true)", "a Boolean object", "$"),
        ("Object(1n)", "a BigInt object", "$"),
        ("Object(Symbol())", "a Symbol object", "$"),
        ("new Proxy({}, {})", "a Proxy", "$"),
        ("new Proxy([], {})", "a Proxy", "$"),
        ("new Uint8Array(2)", "a Uint8Array", "$"),
        ("new ArrayBuffer(2)", "an ArrayBuffer", "$"),
        ("(function () { return arguments })()", "an arguments object", "$"),
        ("new (class Review { a = 1 })()", "an instance of Review", "$"),
        ("[new (class extends Array {})()]", "an object of a class", "$[0]"),
        ("new (class List extends Array {})()", "an instance of List", "$"),
        ("Object.create({ a: 1 })", "an object of a class", "$"),
        ("new Error('x')", "an Error", "$"),
        ("(function* () {})()", "a Generator", "$"),
        ("(async () => 1)()", "a Promise", "$"),
        ("({ get a() { return 1 } })", "a member that changes when read", "$.a"),
        ("({ set a(x) {} })", "a member that changes when read", "$.a"),
        (
            "Object.defineProperty([1], 0, { get() { return 1 }, enumerable: true })",
            "a member that changes when read",
            "$[0]",
        ),
        ("({ at: { toJSON() { return 1 } } })", "a member that changes when read", "$.at.toJSON"),
        ("Object.defineProperty({}, 'toJSON', { value() {} })", "a member that changes when read", "$.toJSON"),
        ("Object.assign([1], { toJSON() {} })", "a member that changes when read", "$.toJSON"),
        ("(() => { const a = {}; a.a = { b: [a] }; return a })()", "a cycle", "$.a.b[0]"),
        ("(() => { const a = []; a.push(a); return a })()", "a cycle", "$[0]"),
        ("({ b: 1, a: NaN, c: undefined })", "NaN", "$.a"),
        ("({ x: undefined, big: 'x'.repeat(2e6) })", "undefined", "$.x"),
        ("({ big: 'x'.repeat(2e6), x: undefined })", "undefined", "$.x"),
        ("({ $a_1: { 'é': { '1a': NaN } } })", "NaN", "$.$a_1[\"é\"][\"1a\"]"),
        (
            "(() => { class A {} Object.defineProperty(A, 'name', { get() { throw 1 } }); return new A() })()",
            "an object of a class",
            "$",
        ),
    ] {
        assert_eq!(unfit(expression), (found.to_owned(), path.to_owned()), "{expression}");
    }
}

#[test]
fn plain_values_pass() {
    for (expression, json) in [
        ("null", "null"),
        ("true", "true"),
        ("-0", "0"),
        ("[-0, { a: -0 }]", "[0,{\"a\":0}]"),
        ("1e21", "1e+21"),
        ("1e-7", "1e-7"),
        ("123456789012345680000", "123456789012345680000"),
        ("0.1 + 0.2", "0.30000000000000004"),
        ("5e-324", "5e-324"),
        ("Number.MAX_VALUE", "1.7976931348623157e+308"),
        ("2 ** 53", "9007199254740992"),
        ("''", "\"\""),
        ("'a\\u2028\\u{1F600}é\\u0000\\n\"\\\\/'", "\"a\u{2028}😀é\\u0000\\n\\\"\\\\/\""),
        ("'\\ud83d'", "\"\\ud83d\""),
        ("'\\ude00\\ud83d'", "\"\\ude00\\ud83d\""),
        ("({ '\\ud83d': 1 })", "{\"\\ud83d\":1}"),
        ("({ [Symbol('s')]: 1, a: 2 })", "{\"a\":2}"),
        ("Object.defineProperty({ a: 1 }, 'hidden', { value: 2 })", "{\"a\":1}"),
        ("Object.create(null)", "{}"),
        ("Object.assign(Object.create(null), { a: 1 })", "{\"a\":1}"),
        ("Object.freeze({ a: Object.freeze([1]) })", "{\"a\":[1]}"),
        ("((s) => s)`a${1}b`", "[\"a\",\"b\"]"),
        ("Object.assign([1], { extra: 2 })", "[1]"),
        ("'ab'.match(/(?<x>a)/)", "[\"a\",\"a\"]"),
        ("(() => { const a = { n: 1 }; return [a, a, { a }] })()", "[{\"n\":1},{\"n\":1},{\"a\":{\"n\":1}}]"),
        ("JSON.parse('{\"__proto__\": 1, \"constructor\": 2}')", "{\"__proto__\":1,\"constructor\":2}"),
        ("({ ['__proto__']: 1 })", "{\"__proto__\":1}"),
        ("({ b: 1, a: 2, 10: 3, 2: 4 })", "{\"2\":4,\"10\":3,\"b\":1,\"a\":2}"),
        ("({ toJSON: 1 })", "{\"toJSON\":1}"),
    ] {
        assert_eq!(value(expression), json, "{expression}");
        assert!(
            serde_json::from_str::<serde_json::Value>(&value(expression)).is_ok() || expression.contains("\\u"),
            "{json}"
        );
    }
}

#[test]
fn written_as_the_language_writes_it() {
    let odd = "[0, -1, 1.5, 1e300, 123456789, 0.000001, 1e-7, 1e21, 999999999999999900000, [], {}, [[]], '\\u007f\\u0080\\ud800x', 'tab\\t', \
        '\\b\\f\\n\\r\\t\\v\\0\\x1f', { a: [1, { b: null }], '\"': '\\\\' }, true, false, null, 'é', '日本', '😀', '\\ud83d\\ude00']";
    let json = value(odd);
    assert_eq!(value(&format!("JSON.stringify({odd})")), serde_json::Value::String(json.clone()).to_string());
}

fn nested(levels: usize) -> String {
    format!("(() => {{ let v = 1; for (let i = 0; i < {levels}; i++) v = i % 2 ? [v] : {{ v }}; return v }})()")
}

#[test]
fn depth_is_bounded_exactly() {
    assert!(body(&format!("return {}", nested(512))).is_ok());
    assert_eq!(body(&format!("return {}", nested(513))), Err(Stop::TooDeep));
    assert_eq!(body(&format!("return {}", nested(100_000))), Err(Stop::TooDeep));
    let text = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    let program = program("export default function (input) { return input; }");
    stacked(|| {
        assert_eq!(run(&program, "default", &[&text(512)], NOW, &RUN).unwrap().json, text(512));
    });
}

#[test]
fn size_is_bounded_exactly() {
    let bounds = Bounds { bytes: limits::VIEW_BYTES, ..RUN };
    for (unit, width) in [("x", 1), ("é", 2), ("\\u0000", 6), ("\\ud83d", 6), ("\\n", 2), ("😀", 4)] {
        let room = limits::VIEW_BYTES - 2;
        let text = |more: usize| {
            let filler = "y".repeat(room % width + more);
            call(
                &format!(
                    "export default function (input) {{ return '{unit}'.repeat({}) + '{filler}'; }}",
                    room / width
                ),
                &bounds,
            )
        };
        let fits = text(0).unwrap();
        assert_eq!(fits.json.len(), limits::VIEW_BYTES, "{unit}");
        assert_eq!(text(1), Err(Stop::TooLarge { bytes: limits::VIEW_BYTES + 1 }), "{unit}");
    }
    let list = |count: usize| {
        call(
            &format!("export default function (input) {{ return Array.from({{ length: {count} }}, () => ({{}})); }}"),
            &bounds,
        )
    };
    // Two brackets, and three bytes an object but for the last.
    let most = (limits::VIEW_BYTES - 1) / 3;
    assert!(list(most).is_ok());
    assert!(matches!(list(most + 1), Err(Stop::TooLarge { .. })));
}

#[test]
fn values_of_unbounded_text_end_at_the_bound() {
    // The first two have more parts than could ever be walked.
    for expression in [
        "(() => { let v = {}; for (let i = 0; i < 40; i++) v = { a: v, b: v }; return v })()",
        "(() => { let v = []; for (let i = 0; i < 40; i++) v = [v, v]; return v })()",
        "'x'.repeat(1e8)",
        "new Array(4e9 - 1)",
        "Array(1e6).fill(0).map(() => ({}))",
    ] {
        assert!(matches!(body(&format!("return {expression}")), Err(Stop::TooLarge { .. })), "{expression}");
    }
}

#[test]
fn a_changed_library_changes_no_writing() {
    for body_text in [
        "Object.prototype.toJSON = () => 1; return { a: 1 };",
        "String.prototype.toJSON = () => 1; return { a: 1 };",
        "Object.defineProperty(Object.prototype, 'b', { get() { throw 1 }, enumerable: true }); return { a: 1 };",
        "JSON.stringify = () => 'no'; Array.prototype.map = null; return { a: 1 };",
    ] {
        assert_eq!(body(body_text).as_deref(), Ok("{\"a\":1}"), "{body_text}");
    }
}
