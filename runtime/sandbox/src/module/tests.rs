use super::*;

fn names(text: &str) -> Vec<String> {
    script(text).expect("a script").exports.into_iter().map(|export| export.name).collect()
}

#[test]
fn a_function_becomes_a_constant_of_as_many_columns() {
    let text = "export function fold(view, event) { return view; }\nexport function* many(a) { yield a; }\n";
    let script = script(text).expect("a script");
    let body = script.text.strip_prefix("(function(){\"use strict\";").expect("wrapped");
    for (before, after) in text.lines().zip(body.lines()) {
        assert_eq!(before.len(), after.len(), "{before} against {after}");
        assert_eq!(before.find('{'), after.find('{'));
    }
    assert!(body.starts_with(";const fold=function(view, event)"), "{body}");
    assert!(body.contains(";const many=function*(a)"), "{body}");
}

#[test]
fn default_exports_have_names_too() {
    assert_eq!(names("export default function (input) { return input; }"), ["default"]);
    assert_eq!(names("export default function run(input) { return input; }"), ["default"]);
    assert_eq!(names("export default (input) => input;"), ["default"]);
    assert_eq!(names("export\ndefault\nfunction\n(input) { return 1; }"), ["default"]);
    let script = script("\nexport default function run(input) { return run; }").expect("a script");
    assert!(script.text.contains(";const run=function"), "{}", script.text);
    assert!(script.text.ends_with("return [run,]})"), "{}", script.text);
}

#[test]
fn every_line_stays() {
    let text = "export\n/* a\r\n b */ default\nfunction\nrun(input) {\n return 1;\n}\nexport function b() {}";
    let script = script(text).expect("a script");
    let place = |text: &str, part: &str| text[..text.find(part).expect("in it")].matches('\n').count();
    assert_eq!(place(text, "return 1"), place(&script.text, "return 1"));
    assert_eq!(names(text), ["default", "b"]);
}

#[test]
fn the_word_export_elsewhere_is_left_alone() {
    let text = r#"
// export function a() {}
/* export function b() {} */
export function c(x) {
  const s = "export function d() {}", t = 'export default', u = `
export function e() {}
${ `nested ${ x }
export function f() {}` }`;
  const object = { export: 1, "export": 2 };
  const r = /export function g\(\) {[/`]/.test(s), y = object.export / 2 / 3;
  if (x) /[}{`"']/.exec(s);
  const v = x++ / 2; const w = (x) / 2; const z = [1] / 2; const q = {}/1;
  for (const k of /`/.exec(s) ?? []) { }
  return () => /`/;
}
export function h() { return /}/; }
"#;
    assert_eq!(names(text), ["c", "h"]);
    let script = script(text).expect("a script");
    assert!(script.text.contains("`\nexport function e() {}"));
    assert!(script.text.contains("// export function a() {}"));
}

#[test]
fn any_text_gives_a_script_or_none() {
    for text in
        ["", "export", "export default", "`${", "/", "/*", "'", "export function", "}}}}", "export { a }", "é/`", "\\"]
    {
        let _ = script(text);
    }
}

#[test]
fn operators_of_a_module_begin_no_comment() {
    let text = "export function f(x, y) {\n  return '<!--' + `<!--${x<!--y}`;\n}";
    let script = script(text).expect("a script");
    assert!(script.text.contains("'<!--' + `<!--${x< !--y}`"), "{}", script.text);
    assert!(expression("$data.a<!--$data.b", &["$data"]).contains("$data.a< !--$data.b"));
}

proptest::proptest! {
    #[test]
    fn no_text_breaks_the_reader(parts in proptest::collection::vec(part(), 0..40)) {
        let text = parts.concat();
        let script = script(&text).expect("a script");
        proptest::prop_assert_eq!(
            script.text.matches('\n').count(),
            text.matches('\n').count() + 1 + lone_breaks(&text, &script.text)
        );
        let _ = expression(&text, &["$data"]);
    }
}

/// Breaks that a rewritten export gives as `\n` in place of another kind.
fn lone_breaks(text: &str, script: &str) -> usize {
    let others = |text: &str| text.matches(['\r', '\u{2028}', '\u{2029}']).count();
    let pairs = text.matches("\r\n").count().saturating_sub(script.matches("\r\n").count());
    others(text) - others(script) - pairs
}

fn part() -> impl proptest::strategy::Strategy<Value = String> {
    use proptest::prelude::*;
    let words = [
        "export", "default", "function", "async", "f", "(", ")", "{", "}", "[", "]", "`", "${", "'", "\"", "/", "\\",
        "//", "/*", "*/", "\n", " ", "é", "😀", "=>", "++", "<!--", "...", ".", ";", "*", "return", "1", "\u{feff}",
        "#", "$",
    ];
    prop_oneof![proptest::sample::select(words.to_vec()).prop_map(str::to_owned), any::<char>().prop_map(String::from)]
}
