use super::*;

fn stop(text: &str) -> Stop {
    call(text, &RUN).unwrap_err()
}

#[test]
fn an_error_gives_its_words_and_the_documents_line() {
    let text = "\nexport default function (input) {\n  const f = () => {\n    throw new RangeError('no such campaign');\n  };\n  return [1].map(f);\n}\n";
    assert_eq!(stop(text), Stop::Raised { message: "RangeError: no such campaign".into(), line: Some(4) });
    let program = Program { text: text.into(), first_line: 50 };
    let stop = run(&program, "default", &["null"], NOW, &RUN).unwrap_err();
    assert_eq!(stop, Stop::Raised { message: "RangeError: no such campaign".into(), line: Some(53) });
}

#[test]
fn an_error_of_the_engines_has_a_line_too() {
    match stop("export default function (input) {\n\n  return input.campaign.length;\n}") {
        Stop::Raised { message, line } => {
            assert!(message.starts_with("TypeError: "), "{message}");
            assert_eq!(line, Some(3));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_is_no_error_gives_its_text_and_no_line() {
    for (thrown, message) in [
        ("'a text'", "a text"),
        ("42", "42"),
        ("null", "null"),
        ("undefined", "undefined"),
        ("true", "true"),
        ("10n", "10"),
        ("Symbol('sign')", "Symbol(sign)"),
        ("{ a: 1 }", "[object Object]"),
        ("[1, 2]", "1,2"),
        ("{ toString() { throw 1 } }", "a value that has no text"),
        ("Object.create(null)", "a value that has no text"),
        ("{ toString() { for (;;); } }", "a value that has no text"),
        ("new Proxy({}, { get() { throw 1 } })", "a value that has no text"),
        ("new Proxy(new Error('x'), { get() { for (;;); } })", "a value that has no text"),
        ("new Date(0)", "a value that has no text"),
        ("''", ""),
    ] {
        let text = format!("export default function (input) {{ throw {thrown}; }}");
        assert_eq!(stop(&text), Stop::Raised { message: message.into(), line: None }, "{thrown}");
    }
}

#[test]
fn errors_with_odd_members_are_read_with_care() {
    for (setup, message) in [
        ("const e = new Error('x'); Object.defineProperty(e, 'message', { get() { throw 1 } });", "Error"),
        ("const e = new Error('x'); Object.defineProperty(e, 'name', { get() { throw 1 } });", "x"),
        ("const e = new Error('x'); e.message = { toString() { throw 1 } };", "Error"),
        ("const e = new Error('x'); e.message = Symbol('s');", "Error: Symbol(s)"),
        ("const e = new Error('x'); e.name = ''; e.message = '';", "Error"),
        ("const e = new Error(''); ", "Error"),
        ("class Mine extends Error { get name() { return 'Mine' } } const e = new Mine('m');", "Mine: m"),
        ("const e = new Error('x'); e.stack = 'document:999:1';", "Error: x"),
        ("const e = new AggregateError([new Error('a')], 'many');", "AggregateError: many"),
    ] {
        let text = format!("export default function (input) {{\n{setup}\nthrow e; }}");
        match stop(&text) {
            Stop::Raised { message: told, line } => {
                assert_eq!(told, message, "{setup}");
                assert_eq!(line, Some(2), "{setup}");
            }
            other => panic!("{setup}: {other:?}"),
        }
    }
}

#[test]
fn a_getter_that_never_ends_does_not_hold_the_host() {
    let text = "export default function (input) { const e = new Error('x'); Object.defineProperty(e, 'message', { get() { for (;;); } }); throw e; }";
    let started = Instant::now();
    match stop(text) {
        Stop::Raised { message, .. } => assert_eq!(message, "a value that has no text"),
        other => panic!("{other:?}"),
    }
    assert!(started.elapsed() < Duration::from_secs(3));
}

#[test]
fn long_words_are_cut() {
    let text = "export default function (input) { throw new Error('é'.repeat(1e6)); }";
    match stop(text) {
        Stop::Raised { message, .. } => {
            assert!(message.ends_with("é…"), "{message}");
            assert!((1020..=1024 + 3).contains(&message.len()), "{}", message.len());
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_module_that_does_not_load_is_refused_at_its_line() {
    let program = Program { text: "\nexport default function (input) {\n  return 1 +;\n}".into(), first_line: 20 };
    match run(&program, "default", &["null"], NOW, &RUN).unwrap_err() {
        Stop::Refused { message, line } => {
            assert!(message.starts_with("SyntaxError: "), "{message}");
            assert_eq!(line, Some(22));
        }
        other => panic!("{other:?}"),
    }
    for text in ["", "export function other() {}", "}", "`", "export default 5;", "\0", "throw 1;", "for (;;);"] {
        assert!(matches!(stop(text), Stop::Refused { .. }), "{text}");
    }
    let brackets = format!("export default function () {{ return {} }}", "[".repeat(30_000));
    assert!(matches!(stop(&brackets), Stop::Refused { .. }));
}
