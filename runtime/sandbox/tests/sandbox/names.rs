use super::*;

#[test]
fn absent_names_are_absent() {
    for name in [
        "eval",
        "Function",
        "WeakRef",
        "FinalizationRegistry",
        "Promise",
        "console",
        "fetch",
        "setTimeout",
        "setInterval",
        "clearTimeout",
        "setImmediate",
        "queueMicrotask",
        "requestAnimationFrame",
        "Intl",
        "structuredClone",
        "Atomics",
        "SharedArrayBuffer",
        "performance",
        "crypto",
        "URL",
        "process",
        "require",
        "module",
        "Buffer",
        "window",
        "document",
        "navigator",
        "escape",
        "unescape",
        "DisposableStack",
        "AsyncDisposableStack",
        "SuppressedError",
        "InternalError",
        "DOMException",
        "atob",
        "btoa",
        "gc",
        "print",
        "std",
        "os",
        "scriptArgs",
        "WebAssembly",
        "Deno",
        "global",
        "self",
    ] {
        assert_eq!(value(&format!("typeof {name}")), "\"undefined\"", "{name}");
        assert!(raises(name).starts_with("ReferenceError: "), "{name}");
        assert_eq!(value(&format!("'{name}' in globalThis")), "false", "{name}");
    }
    for (name, holder) in [
        ("random", "Math"),
        ("fromAsync", "Array"),
        ("compile", "RegExp.prototype"),
        ("stackTraceLimit", "Error"),
        ("prepareStackTrace", "Error"),
        ("captureStackTrace", "Error"),
        ("$1", "RegExp"),
        ("lastMatch", "RegExp"),
        ("input", "RegExp"),
    ] {
        assert_eq!(value(&format!("'{name}' in {holder}")), "false", "{holder}.{name}");
    }
}

#[test]
fn the_global_names_are_exactly_these() {
    let names = value("Object.getOwnPropertyNames(globalThis).sort()");
    let names: Vec<String> = serde_json::from_str(&names).unwrap();
    let expected = "AggregateError Array ArrayBuffer BigInt BigInt64Array BigUint64Array Boolean DataView Date Error EvalError \
        Float16Array Float32Array Float64Array Infinity Int16Array Int32Array Int8Array Iterator JSON Map Math NaN Number \
        Object Proxy RangeError ReferenceError Reflect RegExp Set String Symbol SyntaxError TypeError URIError Uint16Array \
        Uint32Array Uint8Array Uint8ClampedArray WeakMap WeakSet decodeURI decodeURIComponent encodeURI encodeURIComponent \
        globalThis isFinite isNaN parseFloat parseInt undefined";
    assert_eq!(names.join(" "), expected);
}

#[test]
fn no_value_leads_to_code_from_text() {
    for function in [
        "(() => 1)",
        "(function () {})",
        "(function* () {})",
        "(async () => 1)",
        "(async function* () {})",
        "(class {})",
        "Math.max",
        "Object",
    ] {
        let json = value(&format!(
            "(() => {{ try {{ return typeof {function}.constructor('return 7') }} catch (e) {{ return e.name }} }})()"
        ));
        assert_ne!(json, "\"function\"", "{function}");
    }
    // The engine itself has no compiler at hand, so putting names back would not help.
    for code in [
        "(() => { const f = Object.getPrototypeOf(function* () {}); return typeof f.constructor })()",
        "(() => { const f = Object.getPrototypeOf(async function () {}); return typeof f.constructor })()",
        "(() => { const f = Object.getPrototypeOf(async function* () {}); return typeof f.constructor })()",
    ] {
        let kind = value(code);
        assert!(kind == "\"undefined\"" || kind == "\"function\"", "{kind}");
    }
    assert_eq!(value("Object.getPrototypeOf(() => 1).constructor === Object"), "true");
}

#[test]
fn there_is_no_import() {
    let stop = call("export default function (input) { return import('fs'); }", &RUN).unwrap_err();
    match stop {
        Stop::Refused { .. } | Stop::Raised { .. } | Stop::Unfit { .. } => {}
        other => panic!("{other:?}"),
    }
    let stop = call("import fs from 'fs';\nexport default function (input) { return 1; }", &RUN).unwrap_err();
    assert!(matches!(stop, Stop::Refused { line: Some(1), .. }), "{stop:?}");
}

#[test]
fn the_library_is_the_languages_own() {
    for (expression, json) in [
        ("[3, 1, 2].toSorted()", "[1,2,3]"),
        ("[1, 2].with(0, 5)", "[5,2]"),
        ("[1, 2, 3].findLast((x) => x < 3)", "2"),
        ("[...Map.groupBy([1, 2, 3], (x) => x % 2).keys()]", "[1,0]"),
        ("Object.groupBy([1, 2, 3], (x) => (x % 2 ? 'odd' : 'even'))", "{\"odd\":[1,3],\"even\":[2]}"),
        ("[...new Set([1, 2]).union(new Set([3]))]", "[1,2,3]"),
        ("[1, 2, 3].values().map((x) => x * 2).toArray()", "[2,4,6]"),
        ("String(2n ** 70n)", "\"1180591620717411303424\""),
        ("'aXbX'.replaceAll('X', '-')", "\"a-b-\""),
        ("Object.hasOwn({ a: 1 }, 'a')", "true"),
        ("new (class { #a = 1; get a() { return this.#a } })().a", "1"),
        ("[...(function* () { yield 1; yield 2 })()]", "[1,2]"),
        ("0.1 + 0.2", "0.30000000000000004"),
        ("['b', 'a', 'Z', 'é'].sort()", "[\"Z\",\"a\",\"b\",\"é\"]"),
        ("Math.sign('a'.localeCompare('b'))", "-1"),
        ("Object.keys({ b: 1, a: 2, 1: 3 })", "[\"1\",\"b\",\"a\"]"),
        ("'2026-10-03'.match(/(\\d+)-(\\d+)/)", "[\"2026-10\",\"2026\",\"10\"]"),
        ("(() => { let x = 1, y = 3; return x<!--y })()", "false"),
        ("(() => { let n = 3, m = 0; while (n --> 0) m++; return m })()", "3"),
        ("encodeURIComponent('é')", "\"%C3%A9\""),
        ("new Uint8Array([1, 2]).length", "2"),
    ] {
        assert_eq!(value(expression), json, "{expression}");
    }
}
