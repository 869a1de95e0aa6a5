//! The compiler itself. These need it: built in, or named by `PLAYBOOK_TSC`.

use super::*;
use crate::Export;
use std::sync::LazyLock;

/// One process for all of them.
static COMPILER: LazyLock<Compiler> = LazyLock::new(Compiler::new);

const JSON: &str = "type Json = null | boolean | number | string | Json[] | { [key: string]: Json };\n";
const RECALL: &str = "
type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
type View = { [key: string]: { at: string; verdict: string; run: string }[] };
type Input = { campaign: string; last?: number };
type Output = { at: string; verdict: string; run?: string }[];
interface Event {
  specversion?: '1.0'; id: string; type: string; source: string; subject?: string; time?: string;
  datacontenttype?: string; dataschema?: string; data?: Json; causationid?: string; correlationid?: string;
  caller?: string; definitionversion?: number; depth?: number; calldepth?: number; calledby?: string;
  triggerkind?: string; triggerreference?: string;
}
";
const FOLD: Export = Export { name: "fold", parameters: "view: View, event: Event", result: "View", required: true };
const ANSWER: Export =
    Export { name: "answer", parameters: "view: View, input: Input", result: "Output", required: false };
const PROGRAM: Export = Export { name: "default", parameters: "input: Input", result: "Json", required: true };

fn checked(module: &Module<'_>) -> Vec<Diagnostic> {
    COMPILER
        .check(module)
        .expect("the compiler judges; these tests need it: run `npm ci` in ui before the build, or set PLAYBOOK_TSC")
}

fn recall(text: &str) -> Vec<Diagnostic> {
    checked(&Module { text, declarations: RECALL, exports: &[FOLD, ANSWER] })
}

/// The faults of a body, without a contract.
fn body(code: &str) -> Vec<Diagnostic> {
    let text = format!("export function f(date: Date, unknown: unknown): unknown {{\n{code}\n}}");
    checked(&Module { text: &text, declarations: JSON, exports: &[] })
}

/// The only fault's words.
fn words(code: &str) -> String {
    let found = body(code);
    assert_eq!(found.len(), 1, "{code}: {found:#?}");
    found[0].message.clone()
}

fn marks(text: &str, found: &[Diagnostic]) -> Vec<String> {
    found.iter().map(|it| format!("{} @ {}", it.code, &text[it.span.start..it.span.end])).collect()
}

const REVIEWS: &str = r#"type Review = View[string][number];

export function reviewsOf(view: View, campaign: string): Review[] {
  const kept = Object.hasOwn(view, campaign) ? view[campaign] : undefined;
  return Array.isArray(kept) ? kept : [];
}

export function fold(view: View, event: Event): View {
  const fieldOf = (value: Json | undefined, name: string): Json | undefined =>
    typeof value === 'object' && value !== null && !Array.isArray(value) ? value[name] : undefined;
  const lastAt = (reviews: Review[]): string => reviews.at(-1)?.at ?? '';
  const output = fieldOf(event.data, 'output');
  const named = fieldOf(output, 'campaign');
  const campaign = typeof named === 'string' ? named.slice(0, 100) : 'unknown';
  const given = fieldOf(output, 'verdict') ?? 'none';
  const verdict = (typeof given === 'string' ? given : JSON.stringify(given)).slice(0, 60);
  const reviews = [...reviewsOf(view, campaign), { at: event.time ?? '', verdict, run: event.source }].slice(-20);
  const latest = Object.entries({ ...view, [campaign]: reviews })
    .toSorted(([, first], [, second]) => (lastAt(first) < lastAt(second) ? -1 : lastAt(first) > lastAt(second) ? 1 : 0))
    .slice(-50);
  return Object.fromEntries(latest);
}

export function answer(view: View, input: Input): Output {
  return reviewsOf(view, input.campaign.slice(0, 100)).slice(-(input.last ?? 5));
}
"#;

#[test]
fn the_formats_own_examples_pass() {
    assert_eq!(recall(REVIEWS), []);
    let kept = r"export function fold(view: View, event: Event): View {
  const bytesOf = (text: string): number => encodeURIComponent(text).replace(/%[0-9A-F]{2}/gu, '_').length;
  const data = event.data;
  const output = typeof data === 'object' && data !== null && !Array.isArray(data) ? (data['output'] ?? null) : null;
  const kept = bytesOf(JSON.stringify(output)) <= 8192 ? output : null;
  return [...view, { at: event.time ?? '', run: event.source, output: kept }].slice(-50);
}
";
    let declarations = RECALL.replace(
        "type View = { [key: string]: { at: string; verdict: string; run: string }[] };",
        "type View = Json[];",
    );
    assert_eq!(checked(&Module { text: kept, declarations: &declarations, exports: &[FOLD, ANSWER] }), []);
}

#[test]
fn the_library_is_whole() {
    // Judged as any file: a name that was cut and is still used would be a fault.
    for (name, library) in [("script", crate::library::SCRIPT), ("iterator", crate::library::ITERATOR)] {
        let files = Files { module: library.to_owned(), ..Files::default() };
        let found = COMPILER.found(&files).expect("the compiler judges");
        let faults: Vec<_> = found
            .syntax
            .iter()
            .chain(&found.module)
            // The same declared twice, and as a module: all of them come from judging it as one.
            .filter(|raw| ![1046, 2300, 2428, 2451, 2717, 2687, 2374, 2411, 2430, 2403, 2795, 2669].contains(&raw.code))
            .collect();
        assert!(faults.is_empty(), "{name}: {faults:#?}");
    }
}

#[test]
fn the_language_is_there() {
    let code = r"
  const list = [3, 1, 2].toSorted().with(0, 9).toReversed().toSpliced(0, 1).findLast((n) => n > 1);
  const groups = Object.groupBy([1, 2], (n) => (n > 1 ? 'big' : 'small'));
  const byKey = Map.groupBy([1, 2], (n) => n % 2);
  const both = new Set([1]).union(new Set([2])).isSubsetOf(new Set([1, 2]));
  const helped = Iterator.from([1, 2, 3]).map((n) => n * 2).filter((n) => n > 2).take(1).toArray();
  const big = 2n ** 64n + BigInt(1);
  const text = 'a-b'.replaceAll('-', '+').at(-1)?.padStart(3).toUpperCase().localeCompare('b');
  const own = Object.hasOwn({ a: 1 }, 'a') && Object.fromEntries(new Map([['a', 1]]));
  class Kept { #value = 1; static { } get value() { return this.#value; } has(o: object) { return #value in o; } }
  function* count() { yield 1; }
  const when = new Date(0).getTime() - new Date('2026-01-01').valueOf() + Date.UTC(2026, 0) + new Date(new Date()).getUTCDay();
  const bytes = new Uint8Array(new ArrayBuffer(8)).fill(1).toSorted();
  const view = new DataView(bytes.buffer).getBigInt64(0);
  const weak = new WeakMap<object, number>([[{}, 1]]);
  const proxy = new Proxy({}, {}); Reflect.ownKeys(proxy);
  const error = new AggregateError([new TypeError('x', { cause: 1 })], 'y').errors;
  const symbol = Symbol.iterator.toString() + Symbol('x').description;
  const found = [...'aXbX'.matchAll(/(?<letter>[a-z])X/gdu)].map((m) => m.groups?.['letter']);
  const [first = 0, ...rest] = [1, 2, 3]; const { a, ...others } = { a: 1, b: 2 };
  label: for (const x of [1]) { if (x) continue label; }
  type Deep = Readonly<Partial<Record<Uppercase<'a' | 'b'>, NonNullable<ReturnType<typeof count>>>>>;
  const typed = { a: 1 } as const satisfies { a: number };
  return [list, groups, byKey, both, helped, big, text, own, new Kept().value, [...count()], when, view, weak, error, symbol, found, first, rest, a, others, typed, globalThis.Math.trunc(1.5), structured<Deep>];
  function structured<T>(value: T): T { return value; }";
    assert_eq!(body(code), []);
}

#[test]
fn what_the_sandbox_lacks_has_no_name() {
    let lacking = [
        "setTimeout",
        "fetch",
        "WeakRef",
        "FinalizationRegistry",
        "Intl",
        "structuredClone",
        "performance",
        "crypto",
        "URL",
        "window",
        "$nope",
        "Promise",
        "Atomics",
        "SharedArrayBuffer",
        "console",
        "document",
        "process",
        "Buffer",
        "escape",
        "unescape",
        "queueMicrotask",
        "DisposableStack",
    ];
    for name in lacking {
        assert_eq!(words(&format!("return {name};")), format!("Cannot find name '{name}'."), "{name}");
    }
    for name in ["console", "setTimeout", "fetch", "Promise", "Intl", "process", "document", "WeakRef", "crypto"] {
        let found = body(&format!("return {name};"));
        assert!(found[0].hint.is_some(), "{name}");
    }
}

#[test]
fn what_the_sandbox_lacks_has_no_member() {
    let cases = [
        ("return Math.random();", "Property 'random' does not exist on type 'Math'."),
        ("return date.toLocaleString();", "Property 'toLocaleString' does not exist on type 'Date'."),
        ("return (5).toLocaleString();", "Property 'toLocaleString' does not exist on type '5'."),
        ("return date.toDateString();", "Property 'toDateString' does not exist on type 'Date'."),
        ("return date.getTimezoneOffset();", "Property 'getTimezoneOffset' does not exist on type 'Date'."),
        ("return new Date(2020, 1, 1);", "Expected 0-1 arguments, but got 3."),
        ("return Array.fromAsync([]);", "Property 'fromAsync' does not exist on type 'ArrayConstructor'."),
        ("return RegExp.$1;", "Property '$1' does not exist on type 'RegExpConstructor'."),
        ("return Symbol.asyncIterator;", "Property 'asyncIterator' does not exist on type 'SymbolConstructor'."),
    ];
    for (code, expected) in cases {
        let found = words(code);
        assert!(found.starts_with(expected), "{code}: {found}");
    }
    for name in words::LOCAL_TIME {
        let found = body(&format!("return date.{name};"));
        let utc = format!("{}UTC{}", &name[..3], &name[3..]);
        assert!(found[0].message.starts_with(&format!("Property '{name}' does not exist on type 'Date'.")), "{name}");
        assert_eq!(found[0].fix.as_ref().map(|fix| fix.edits[0].text.as_str()), Some(utc.as_str()), "{name}");
    }
    assert!(words("return Date();").starts_with("Value of type 'DateConstructor' is not callable."));
    assert!(body("return new Date(2020, 1, 1);")[0].hint.is_some());
    assert_eq!(words("return Function;"), "'Function' only refers to a type, but is being used as a value here.");
}

#[test]
fn advice_on_settings_is_cut() {
    for code in ["return Promise;", "return console;", "return process;", "return Atomics;", "return [].fromAsync;"] {
        for found in body(code) {
            for advice in ["lib", "npm", "tsconfig", "target library"] {
                assert!(!found.message.contains(advice), "{}", found.message);
            }
        }
    }
}

#[test]
fn the_nearest_name_is_a_fix() {
    let found = recall("export function fold(view: View, event: Event): View { return event.sourc ? view : {}; }");
    assert_eq!(found[0].message, "Property 'sourc' does not exist on type 'Event'. Did you mean 'source'?");
    assert_eq!(found[0].fix.as_ref().expect("a fix").edits[0].text, "source");
}

#[test]
fn strict_mode_and_exact_optional_members() {
    let cases = [
        ("const a: number = 'b'; return a;", "typescript.2322"),
        ("const g = (a) => a; return g;", "typescript.7006"),
        ("return (unknown as { a?: string }).a.length;", "typescript.2532"),
        ("const a: { b?: string } = { b: undefined }; return a;", "typescript.2375"),
        ("const a: { b: number } = { b: 1, c: 2 }; return a;", "typescript.2353"),
        ("return unknown.length;", "typescript.18046"),
    ];
    for (code, expected) in cases {
        let found = body(code);
        assert_eq!(found.len(), 1, "{code}: {found:#?}");
        assert_eq!(found[0].code, expected, "{code}");
    }
}

#[test]
fn a_signature_is_compared_and_said() {
    let found = recall("export function fold(view: View, event: Event, more: number): View { return view; }");
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].code, "module.signature");
    assert!(
        found[0]
            .message
            .starts_with("`fold` has another signature than `fold(view: View, event: Event): View`.\n  Type '"),
        "{}",
        found[0].message
    );
    assert_eq!(found[0].span, Span::new(16, 20));
    // Fewer parameters are fine.
    assert_eq!(recall("export function fold(view: View): View { return view; }"), []);
    // The optional one is compared where it is.
    let found = recall(
        "export function fold(view: View): View { return view; }\nexport function answer(view: View): number { return 1; }",
    );
    assert_eq!(found.iter().map(|it| it.code.as_str()).collect::<Vec<_>>(), ["module.signature"]);
    assert!(found[0].message.contains("`answer`"));
    // Missing.
    let found = recall("export function answer(view: View): Output { return []; }");
    assert_eq!(found.iter().map(|it| it.code.as_str()).collect::<Vec<_>>(), ["module.missing"]);
}

#[test]
fn a_default_export_is_compared_and_said() {
    let declarations = format!("{JSON}type Input = {{ a: number }};");
    let check = |text: &str| checked(&Module { text, declarations: &declarations, exports: &[PROGRAM] });
    assert_eq!(check("export default function (input: Input): Json { return input.a; }"), []);
    assert_eq!(check("export default function named() { return { a: [1, 'b', null] }; }"), []);
    let found = check("export default function (input: Input, more: Json): Json { return more; }");
    assert_eq!(marks("export default", &found), ["module.signature @ default"]);
    let found = check("export default function (input: Input) { return new Map(); }");
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].code, "module.signature");
    assert_eq!(check("export function other(): void {}")[0].code, "module.missing");
}

#[test]
fn each_fault_is_said_once_and_all_at_once() {
    let text = "import { x } from './types';
import fs = require('fs');
enum Verdict { Good }
let kept = 1;
declare global { interface More { a: 1 } }
export async function fold(view: View, event: Event): Promise<View> {
  const made = await import('fs');
  const code = new Function('1')(), more = eval('2'), needed = require('x'), meta = import.meta.url;
  const wrong: number = 'a';
  class A { constructor(private b: number) {} }
  return view;
}
";
    let found = recall(text);
    assert_eq!(
        marks(text, &found),
        [
            "module.import @ import { x } from './types';",
            "module.import @ import fs = require('fs');",
            "typescript.1294 @ Verdict",
            "module.top @ let kept = 1;",
            "module.declare @ declare global { interface More { a: 1 } }",
            "module.async @ async",
            "module.import @ import('fs')",
            "module.code @ new Function('1')",
            "module.code @ eval('2')",
            "module.import @ require('x')",
            "module.import @ import.meta",
            "typescript.2322 @ wrong",
            "typescript.1294 @ private b: number",
        ],
        "{found:#?}"
    );
    let hint = found[2].hint.as_deref().expect("our hint beside the compiler's words");
    assert!(hint.contains("type"), "{hint}");
}

#[test]
fn syntax_is_said_in_the_compilers_words_alone() {
    let text = "export function fold(view: View, event: Event): View { return view\nlet a = ;";
    let found = recall(text);
    assert!(!found.is_empty());
    assert!(found.iter().all(|it| it.code.starts_with("typescript.1")), "{found:#?}");
}

#[test]
fn a_fault_of_the_grammar_is_said_once() {
    let text = "export function await(): number { return 1; }";
    let found = checked(&Module { text, declarations: "", exports: &[] });
    assert_eq!(marks(text, &found), ["typescript.1262 @ await"], "{found:#?}");
}

#[test]
fn syntax_that_the_rules_do_not_know_is_read() {
    for text in [
        "type A<in out T> = { a: T }; export function f(): void {}",
        "export function f<const T>(a: T): T { return a; }",
    ] {
        assert_eq!(checked(&Module { text, declarations: "", exports: &[] }), [], "{text}");
    }
}

#[test]
fn places_are_bytes_of_the_text() {
    let text = "export function f() {\n  const é = '😀'; const wrong: number = '日本'; return é + wrong;\n}\n";
    let found = checked(&Module { text, declarations: "", exports: &[] });
    assert_eq!(marks(text, &found), ["typescript.2322 @ wrong"]);
    let place = LineIndex::new(text).place(found[0].span.start);
    assert_eq!((place.line, place.column), (2, 25));
}

#[test]
fn thousands_of_faults_are_all_said() {
    let text = format!("export function f() {{\n{}}}\n", "'é😀'; missing;\n".repeat(3_000));
    let found = checked(&Module { text: &text, declarations: "", exports: &[] });
    assert_eq!(found.len(), 3_000);
    assert!(found.iter().all(|it| &text[it.span.start..it.span.end] == "missing"));
}

#[test]
fn references_to_files_reach_nothing() {
    let text = "/// <reference lib=\"dom\" />\n/// <reference path=\"/etc/passwd\" />\nexport function f() { return document; }";
    let found = checked(&Module { text, declarations: "", exports: &[] });
    assert!(found.iter().any(|it| it.message == "Cannot find name 'document'."), "{found:#?}");
    assert!(found.iter().any(|it| it.span.start < 70 && it.span.start > 20), "{found:#?}");
}

/// A type that the compiler works at for ever.
const BOMB: &str = "type Grow<T> = T extends string ? Other<`${T}a`> | Other<`${T}b`> : never;
type Other<T> = T extends string ? Grow<`${T}a`> | Grow<`${T}b`> : never;
type D<S extends string> = S extends `${infer A}${infer R}` ? D<`${R}${A}`> | D<`${R}x`> | D<`${A}${R}`> : S;
export function f(): D<'abcdefghijklmnop'> | Grow<'a'> { return 'q'; }
";

#[test]
fn a_type_that_never_ends_is_stopped_and_the_next_check_works() {
    let compiler = Compiler::new();
    compiler.warm().expect("the compiler starts");
    let before = compiler.process_id().expect("it runs");
    let bomb = Module { text: BOMB, declarations: "", exports: &[] };
    assert_eq!(compiler.check(&bomb), Err(Unjudged::OutOfTime));
    assert_eq!(compiler.process_id(), None, "it was ended");
    if cfg!(target_os = "linux") {
        assert!(!std::path::Path::new(&format!("/proc/{before}")).exists(), "nothing is left of it");
    }
    let fine = Module { text: "export function f(): number { return 1; }", declarations: "", exports: &[] };
    assert_eq!(compiler.check(&fine), Ok(vec![]));
    assert_ne!(compiler.process_id(), Some(before));
}

#[test]
fn a_compiler_that_died_is_started_again() {
    let compiler = Compiler::new();
    compiler.warm().expect("the compiler starts");
    compiler.turn().as_mut().expect("it runs").kill_for_test();
    let fine = Module { text: "export function f(): number { return 1; }", declarations: "", exports: &[] };
    assert_eq!(compiler.check(&fine), Ok(vec![]));
}

#[test]
fn the_process_ends_with_its_owner() {
    let compiler = Compiler::new();
    compiler.warm().expect("the compiler starts");
    let id = compiler.process_id().expect("it runs");
    drop(compiler);
    if cfg!(target_os = "linux") {
        assert!(!std::path::Path::new(&format!("/proc/{id}")).exists());
    }
}

#[test]
fn a_program_that_is_no_compiler_is_not_ready() {
    for program in ["/no/such/program", "/bin/true", "/bin/cat"] {
        let compiler = Compiler::of(program);
        let refused = compiler.warm().expect_err("it is no compiler");
        assert!(matches!(refused, Unjudged::NotReady { .. }), "{program}: {refused:?}");
        assert!(refused.to_string().starts_with("The TypeScript compiler is not ready: "), "{refused}");
    }
}

#[test]
fn deep_text_never_reaches_the_compiler() {
    for levels in [10_000, 30_000] {
        let text = format!("export function f() {{ return {}1{} }}", "(".repeat(levels), ")".repeat(levels));
        let found = Compiler::of("/no/such/program").check(&Module { text: &text, declarations: "", exports: &[] });
        assert_eq!(found.expect("judged without it")[0].code, "module.nesting");
    }
}

#[test]
fn checks_from_many_threads_take_turns() {
    std::thread::scope(|scope| {
        for at in 0..8 {
            scope.spawn(move || {
                let text = format!("export function f(): string {{ const x{at}: number = ''; return missing{at}; }}");
                let found = checked(&Module { text: &text, declarations: "", exports: &[] });
                assert_eq!(found.len(), 2);
                assert_eq!(found[1].message, format!("Cannot find name 'missing{at}'."));
            });
        }
    });
}

#[test]
fn expressions_name_only_what_their_place_has() {
    let data = &["$data"][..];
    let all = ["$context", "$input"];
    let expressions = [
        Expression { text: "$data.revenue > 100", names: data },
        Expression { text: "$data.é === '😀' && $dat > 1", names: data },
        Expression { text: "event.id", names: data },
        Expression {
            text: "$context.x + $input.map((each: any) => each.y).filter(Boolean).length // done",
            names: &all,
        },
        Expression { text: "a; 5", names: data },
        Expression { text: "1) + (2", names: data },
        Expression { text: "{ a: $data, nope }", names: data },
        Expression { text: "fetch('x')", names: data },
        Expression { text: "await $data", names: data },
        Expression { text: "", names: data },
        Expression { text: "Math.random() + new Date(1, 2)", names: data },
        Expression { text: "console.log(1)", names: data },
        Expression { text: "eval('1')", names: data },
        Expression { text: "$data as Missing", names: data },
        Expression { text: "$data.a ? \n $data.b", names: data },
    ];
    let found = COMPILER.check_expressions(&expressions).expect("the compiler judges");
    let said: Vec<Vec<String>> = expressions
        .iter()
        .zip(&found)
        .map(|(expression, found)| {
            found
                .iter()
                .map(|it| format!("{} @ {}", it.message, &expression.text[it.span.start..it.span.end]))
                .collect()
        })
        .collect();
    assert_eq!(said[0], Vec::<String>::new());
    assert_eq!(said[1], ["Cannot find name '$dat'. Did you mean '$data'? @ $dat"]);
    assert_eq!(found[1][0].fix.as_ref().expect("a fix").edits[0].text, "$data");
    assert!(said[2][0].starts_with("Cannot find name 'event'."), "{:?}", said[2]);
    assert_eq!(said[3], Vec::<String>::new());
    assert_eq!(said[4], ["The expression ends before this; it is one expression. @ ;"]);
    assert_eq!(said[5], ["The expression ends before this; it is one expression. @ )"]);
    assert!(said[6][0].contains("'nope'"), "{:?}", said[6]);
    assert_eq!(said[7], ["Cannot find name 'fetch'. @ fetch"]);
    assert_eq!(found[8][0].code, "module.await");
    assert_eq!(said[9], ["An expression is missing. @ "]);
    assert_eq!(said[10], Vec::<String>::new());
    assert_eq!(said[11], ["Cannot find name 'console'. @ console"]);
    assert_eq!(found[12][0].code, "module.code");
    assert_eq!(said[13], ["Cannot find name 'Missing'. @ Missing"]);
    assert_eq!(found[14][0].code, "expression.syntax");
}
