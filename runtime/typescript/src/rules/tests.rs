//! Each row of the refusals that the text alone tells.

use super::*;
use playbook_model::limits;

const FOLD: Export = Export { name: "fold", parameters: "view: View, event: Event", result: "View", required: true };
const ANSWER: Export =
    Export { name: "answer", parameters: "view: View, input: Input", result: "Output", required: false };
const DEFAULT: Export = Export { name: "default", parameters: "input: Input", result: "Output", required: true };

fn judged(text: &str, exports: &[Export]) -> Vec<Diagnostic> {
    structure(&Module { text, declarations: "", exports })
}

/// Each fault as `code @ the text it lies at`.
fn marks(text: &str) -> Vec<String> {
    judged(text, &[]).iter().map(|it| format!("{} @ {}", it.code, &text[it.span.start..it.span.end])).collect()
}

#[test]
fn types_and_exported_functions_are_all_a_module_needs() {
    let text = "
type A = { b: number };
interface B extends A { c: string }
export type C = B;
export interface D {}
export function over(a: string): string;
export function over(a: number): number;
export function over(a: unknown): unknown { return a; }
export function helper(this: void, a: A = { b: 1 }, ...rest: number[]): asserts a is B {
  class Inner { #x = 1; static y = 2; get z() { return this.#x; } }
  function* inside() { yield 1; }
  let async = 1; const { of, eval: e } = { of: 1, eval: 2 };
  for (const x of inside()) async += x;
}
export default function (input: unknown) { return input; };
;
";
    assert_eq!(marks(text), Vec::<String>::new());
    let names: Vec<String> = exports(text).into_iter().map(|it| it.name).collect();
    assert_eq!(names, ["over", "helper", "default"]);
}

#[test]
fn everything_else_at_the_top_is_refused() {
    let cases = [
        ("let count = 0;", "module.top @ let count = 0;"),
        ("const a = 1,\n  b = 2;", "module.top @ const a = 1,"),
        ("export const a = 1;", "module.top @ export const a = 1;"),
        ("class A {}", "module.top @ class A {}"),
        ("export class A {}", "module.top @ export class A {}"),
        ("export default class {}", "module.top @ export default class {}"),
        ("export default (a: number) => a;", "module.top @ export default (a: number) => a;"),
        ("function f() {}", "module.top @ function f() {}"),
        ("function* g() {}", "module.top @ function* g() {}"),
        ("type A = 1;\nexport { A };", "module.top @ export { A };"),
        ("export type { A }; type A = 1;", "module.top @ export type { A };"),
        ("'use strict';", "module.top @ 'use strict';"),
        ("if (true) {}", "module.top @ if (true) {}"),
        ("for (;;) {}", "module.top @ for (;;) {}"),
        ("#!/usr/bin/env node\n", "module.top @ #!/usr/bin/env node"),
        ("export = 1;", "module.top @ export = 1;"),
        ("using x = null;", "module.top @ using x = null;"),
    ];
    for (text, expected) in cases {
        assert_eq!(marks(text), [expected], "{text}");
        assert_eq!(judged(text, &[])[0].message, TOP, "{text}");
    }
}

#[test]
fn a_function_that_is_not_exported_is_exported_by_the_fix() {
    let text = "function fold(view: View, event: Event): View { return view; }";
    let found = judged(text, &[FOLD, ANSWER]);
    assert_eq!(found.len(), 1, "its absence is not a second fault: {found:?}");
    let fix = found[0].fix.as_ref().expect("a fix");
    assert_eq!(fix.edits[0].text, "export ");
    assert_eq!(fix.edits[0].span, Span::new(0, 0));
}

#[test]
fn reaching_out_is_refused_in_one_sentence() {
    let cases = [
        ("import a from 'a';", "module.import @ import a from 'a';"),
        ("import 'a';", "module.import @ import 'a';"),
        ("import type { A } from 'a';", "module.import @ import type { A } from 'a';"),
        ("export * from 'a';", "module.import @ export * from 'a';"),
        ("export { a } from 'a';", "module.import @ export { a } from 'a';"),
        ("import fs = require('fs');", "module.import @ import fs = require('fs');"),
        ("export function f() { require('fs'); }", "module.import @ require('fs')"),
        ("export function f() { return import('fs'); }", "module.import @ import('fs')"),
        ("export function f() { return import.meta.url; }", "module.import @ import.meta"),
        ("type A = import('fs').B;", "module.import @ import('fs').B"),
        ("export function f() { eval('1'); }", "module.code @ eval('1')"),
        ("export function f() { new Function('1'); }", "module.code @ new Function('1')"),
        ("export function f() { Function('1'); }", "module.code @ Function('1')"),
        ("declare const a: number;", "module.declare @ declare const a: number;"),
        ("declare function f(): void;", "module.declare @ declare function f(): void;"),
        ("export declare function f(): void;", "module.declare @ declare function f(): void;"),
        ("declare class A {}", "module.declare @ declare class A {}"),
        ("declare enum A {}", "module.declare @ declare enum A {}"),
        ("declare global { interface A {} }", "module.declare @ declare global { interface A {} }"),
        ("declare module 'a' {}", "module.declare @ declare module 'a' {}"),
        ("declare namespace A {}", "module.declare @ declare namespace A {}"),
    ];
    for (text, expected) in cases {
        assert_eq!(marks(text), [expected], "{text}");
        assert_eq!(judged(text, &[])[0].message, REACH, "{text}");
    }
}

#[test]
fn a_function_answers_at_once() {
    let cases = [
        ("export async function fold() { await 1; }", "module.async @ async"),
        ("export default async function () {}", "module.async @ async"),
        ("export function f() { return async () => 1; }", "module.async @ async"),
        ("export function f() { return async function () {}; }", "module.async @ async"),
        ("export function f() { return { async g() {} }; }", "module.async @ async"),
        ("export function f() { return { async *g() {} }; }", "module.async @ async"),
        ("export function f() { class A { async g() {} } }", "module.async @ async"),
        ("export function f() { class A { static async #g() {} } }", "module.async @ async"),
        ("export function f() { async function g() { for await (const a of []) {} } }", "module.async @ async"),
        ("export function* fold() { yield 1; }", "module.generator @ fold"),
        ("export default function* () { yield 1; }", "module.generator @ default"),
        ("export async function* fold() { yield 1; }", "module.async @ async"),
    ];
    for (text, expected) in cases {
        assert_eq!(marks(text), [expected], "{text}");
        assert_eq!(judged(text, &[])[0].message, AT_ONCE, "{text}");
    }
    let text = "export async function fold() {}";
    let fix = judged(text, &[])[0].fix.clone().expect("a fix");
    let mut repaired = text.to_owned();
    repaired.replace_range(fix.edits[0].span.start..fix.edits[0].span.end, &fix.edits[0].text);
    assert_eq!(repaired, "export function fold() {}");
}

#[test]
fn what_is_more_than_a_type_is_refused() {
    let cases = [
        ("enum A { B }", "module.enum @ A"),
        ("export const enum A { B }", "module.enum @ A"),
        ("namespace A { export const b = 1; }", "module.namespace @ A"),
        ("export namespace A.B {}", "module.namespace @ A"),
        (
            "export function f() { class A { constructor(private b: number) {} } }",
            "module.parameter_property @ private b: number",
        ),
        ("export function f() { @f class A {} }", "module.decorator @ @f"),
        ("export function f() { class A { @f() b = 1; } }", "module.decorator @ @f()"),
        ("export function f(a: unknown) { return <number>a; }", "module.cast @ <number>"),
    ];
    for (text, expected) in cases {
        assert_eq!(marks(text), [expected], "{text}");
        let found = &judged(text, &[])[0];
        assert_eq!(found.message, ERASABLE, "{text}");
        assert!(found.hint.is_some(), "{text}");
    }
}

#[test]
fn what_only_the_compiler_knows_is_refused() {
    let text = "export function f() { class A { static accessor b = 1; } }";
    assert_eq!(marks(text), ["module.accessor @ static accessor b = 1;"]);
    // The sandbox has these.
    assert_eq!(
        marks("export function f() { using a = null; class A { static {} accessor = 1; } }"),
        Vec::<String>::new()
    );
}

#[test]
fn five_hundred_assignments_are_enough() {
    let kinds = [
        "x = 1;",
        "x += 1;",
        "x++;",
        "--x;",
        "x ??= 1;",
        "[x] = [1];",
        "({ x } = { x: 1 });",
        "(x) = 1;",
        "for (x of []) {}",
    ];
    for kind in kinds {
        let body = |times: usize| format!("export function f() {{ let x = 0; {} }}", kind.repeat(times));
        assert_eq!(marks(&body(limits::ASSIGNMENTS)), Vec::<String>::new(), "{kind}");
        let text = body(limits::ASSIGNMENTS + 1);
        let found = judged(&text, &[]);
        assert_eq!(found.len(), 1, "{kind}");
        assert_eq!(found[0].message, ASSIGNMENTS);
        // At the 501st.
        let before = text[..found[0].span.start].matches(kind).count();
        assert_eq!(before, limits::ASSIGNMENTS, "{kind}");
    }
}

#[test]
fn each_function_counts_its_own_assignments() {
    let many = "x = 1;".repeat(300);
    let text = format!("export function f() {{ let x = 0; {many} const g = () => {{ {many} }}; }}");
    assert_eq!(marks(&text), Vec::<String>::new());
    // Members are no variables, and a first value is no assignment.
    let members = "v.x = 1;".repeat(600);
    let firsts: String = (0..600).map(|at| format!("const x{at} = 1;")).collect();
    assert_eq!(marks(&format!("export function f(v: any) {{ {members} {firsts} }}")), Vec::<String>::new());
}

#[test]
fn a_missing_export_is_said_at_the_first_line() {
    let found = judged("type A = 1;\nexport function other() {}", &[FOLD, ANSWER]);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].message, "The module exports no `fold`; it needs `fold(view: View, event: Event): View`.");
    assert_eq!(found[0].span, Span::new(0, 11));
    let found = judged("", &[DEFAULT]);
    assert_eq!(
        found[0].message,
        "The module has no default export; it needs `export default function (input: Input): Output`."
    );
    assert_eq!(found[0].span, Span::new(0, 0));
}

#[test]
fn all_faults_come_at_once_in_the_order_of_the_text() {
    let text = "import 'a';\nlet b = 1;\nenum C {}\nexport async function d() { eval('1'); }";
    assert_eq!(
        marks(text),
        [
            "module.import @ import 'a';",
            "module.top @ let b = 1;",
            "module.enum @ C",
            "module.async @ async",
            "module.code @ eval('1')"
        ]
    );
}

#[test]
fn a_text_that_is_no_typescript_has_one_fault() {
    let found = judged("export function fold( {", &[FOLD]);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].code, "module.syntax");
    assert_eq!(exports("export function fold( {"), []);
}

#[test]
fn places_are_bytes_whatever_the_characters() {
    let text = "export function é(a: string) { const s = '日本😀'; return eval(s); }";
    assert_eq!(marks(text), ["module.code @ eval(s)"]);
    assert_eq!(exports(text)[0].name, "é");
}

#[test]
fn deep_text_is_refused_in_words() {
    let shapes: [(&str, &str, &str); 8] = [
        ("(", "1", ")"),
        ("[", "", "]"),
        ("{a:", "1", "}"),
        ("(() => ", "1", ")"),
        ("!", "1", ""),
        ("a => ", "1", ""),
        ("`${", "1", "}`"),
        ("a ? ", "1", ": 1"),
    ];
    for levels in [10_000, 30_000] {
        for (open, middle, close) in shapes {
            let text = format!(
                "export function f(a: any) {{ return {}{middle}{} }}",
                open.repeat(levels),
                close.repeat(levels)
            );
            let found = judged(&text, &[]);
            assert_eq!(found.len(), 1, "{open}");
            assert_eq!(found[0].message, "The program nests deeper than 256 levels.", "{open}");
            // Never closed.
            let text = format!("export function f(a: any) {{ return {}", open.repeat(levels));
            assert_eq!(judged(&text, &[]).len(), 1, "{open}");
        }
    }
}

#[test]
fn the_deepest_text_let_through_is_parsed() {
    let shapes: [(&str, &str, &str); 6] = [
        ("(", "1", ")"),
        ("[", "", "]"),
        ("({a:", "1", "})"),
        ("(() => ", "1", ")"),
        ("(function () { return ", "1", "})"),
        ("class { a = ", "1", "}"),
    ];
    for (open, middle, close) in shapes {
        for levels in [20, 60, 100, 127, 250] {
            let text =
                format!("export function f() {{ return {}{middle}{} }}", open.repeat(levels), close.repeat(levels));
            // Either verdict is fine; that there is one is what counts.
            let found = judged(&text, &[]);
            assert!(found.is_empty() || found[0].code == "module.nesting", "{open} {levels}: {found:?}");
        }
    }
    for chain in [" + 1", ".a", "()", "[0]", " || 1", " as any", "!", " ? 1 : 1"] {
        let text = format!("export function f(a: any) {{ return a{} }}", chain.repeat(450));
        let found = judged(&text, &[]);
        assert!(found.is_empty() || found[0].code == "module.nesting", "{chain}: {found:?}");
    }
}

#[test]
fn texts_that_read_two_ways_are_read_once() {
    let shapes: [(&str, &str, &str); 48] = [
        ("a ? (b) : c => ", "1", ""),
        ("a ? (b) : ", "1", ""),
        ("a ? (b, c) : d ? (e) : ", "1", ""),
        ("a ? (b) : (c) => ", "1", ""),
        ("a ? (b): number => c : ", "1", ""),
        ("a ? (b = ", "1", ") : (c)"),
        ("a ? ((b) => ", "1", ") : (c)"),
        ("a ? (b) => ", "1", " : (c)"),
        ("a ? (", "1", ") : c => 1"),
        ("(a = ", "1", ") => 1"),
        ("(a = (", "1", ")) => 1"),
        ("(a): b => ", "1", ""),
        ("(a): { b: ", "1", "} => 1"),
        ("async (a = ", "1", ") => 1"),
        ("async (a) => ", "1", ""),
        ("async(", "1", ")"),
        ("<T>(a = ", "1", ") => 1"),
        ("<T>(a) => ", "1", ""),
        ("async <T>(a) => ", "1", ""),
        ("({ a = ", "1", "}) => 1"),
        ("f<T>(", "1", ")"),
        ("f<{ a: ", "1", "}>(1)"),
        ("f<typeof f<", "1", ">>(1)"),
        ("a < (b) => ", "1", ""),
        ("f<(a: f) => ", "1", ">"),
        ("f<(a = ", "1", ")>"),
        ("new f<a>(", "1", ")"),
        ("a < b > (", "1", ")"),
        ("class { [", "1", "]() {} }"),
        ("class { a<T>(b = ", "1", ") {} }"),
        ("function (a = ", "1", ") {}"),
        ("b as (", "c", ")"),
        ("(a?: number) => ", "1", ""),
        ("({ a }: ", "b", ") => 1"),
        ("(a: (b: ", "c", ") => 1) => 1"),
        ("a ? async (b) : c => ", "1", ""),
        ("(async (", "1", "))"),
        ("a?.[", "1", "]"),
        ("a![", "1", "]"),
        ("async a => ", "1", ""),
        ("a ? b => ", "1", " : 1"),
        ("a ? async b => ", "1", " : 1"),
        ("a ? (b): c is d => ", "1", ""),
        ("a ? ({ b }) : c => ", "1", ""),
        ("a satisfies {b: ", "c", "}"),
        ("@(a = ", "1", ") class {}"),
        ("a<b, ", "c", ">"),
        ("`${a ? (b) : c => ", "1", "}`"),
    ];
    for (open, middle, close) in shapes {
        for levels in [12, 30, 100] {
            for end in [close, "", "@@"] {
                let text = format!("x = {}{middle}{}", open.repeat(levels), end.repeat(levels));
                // That it ends is what counts: read two ways at each level it would not.
                assert!(!judged(&text, &[]).is_empty(), "{text}");
            }
        }
    }
}
