use super::*;

/// A body whose loop runs so many turns, at two steps each.
fn turns(turns: u32) -> String {
    format!("export default function (input) {{ for (let i = 0; i < {turns}; i++); return 1; }}")
}

#[test]
fn work_is_counted_every_10_000_steps() {
    // Entering the function is a step, a turn of an empty loop two, and the last condition one.
    assert_eq!(call(&turns(4_998), &RUN).unwrap().work, 0);
    assert_eq!(call(&turns(4_999), &RUN).unwrap().work, 1);
    assert_eq!(call(&turns(1_000_000), &RUN).unwrap().work, 200);
}

#[test]
fn the_budget_is_exact() {
    let bounds = Bounds { work: 500, ..RUN };
    let at = call(&turns(2_500_000), &bounds).unwrap();
    assert_eq!(at.work, 500);
    // Two steps a turn and two more: the 501st checkpoint comes with the turn that fills its period.
    assert_eq!(call(&turns(2_504_998), &bounds).unwrap().work, 500);
    assert_eq!(call(&turns(2_504_999), &bounds), Err(Stop::Work { budget: 500 }));
}

#[test]
fn work_can_not_be_caught() {
    let bounds = Bounds { work: 10, ..RUN };
    for body in [
        "try { for (;;); } catch { return 1; }",
        "try { for (;;); } finally { return 1; }",
        "for (;;) { try { for (;;); } catch {} }",
        "[1].forEach(() => { try { for (;;); } catch {} }); return 1;",
        "const f = async () => { for (;;); }; f(); return 1;",
        "return /(a+)+b/.test('a'.repeat(40));",
        "const f = () => f; let g = f; for (;;) g = g();",
        "new Array(1e6).fill(1).sort(() => { for (;;); });",
    ] {
        let text = format!("export default function (input) {{ {body} }}");
        assert_eq!(call(&text, &bounds), Err(Stop::Work { budget: 10 }), "{body}");
    }
}

#[test]
fn memory_is_bounded_caught_or_not() {
    let bounds = Bounds { memory: limits::FOLD_MEMORY, ..RUN };
    for body in [
        "const a = []; for (;;) a.push('x'.repeat(1e6) + a.length);",
        "const a = []; try { for (;;) a.push('x'.repeat(1e6) + a.length); } catch (e) { return 1; }",
        "try { return 'x'.repeat(2e8).length; } catch { return 1; }",
        "const m = new Map(); for (let i = 0; ; i++) m.set(i, i);",
        "let m = new Map(); try { for (let i = 0; ; i++) m.set(i, i); } catch { m = null; return 1; }",
        "let s = 'x'; for (;;) { s = s + s; s.charCodeAt(1); }",
        "let o = {}; for (;;) o = { o };",
        "new ArrayBuffer(2 ** 30); return 1;",
        "return Array(1e8).fill(0).length;",
    ] {
        let text = format!("export default function (input) {{ {body} }}");
        match call(&text, &bounds) {
            Err(Stop::Memory { .. }) => {}
            other => panic!("{body}: {other:?}"),
        }
    }
    assert_eq!(body("return 'x'.repeat(1e8).length;").as_deref(), Ok("100000000"));
}

#[test]
fn a_stack_overflow_is_an_error_like_any_other() {
    match call("export default function (input) {\n const f = (n) => f(n + 1) + 1;\n return f(0); }", &RUN) {
        Err(Stop::Raised { message, line }) => {
            assert_eq!(message, "RangeError: Maximum call stack size exceeded");
            assert_eq!(line, Some(2));
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(
        body("const f = (n) => f(n + 1) + 1; try { f(0) } catch (e) { return e.name }").as_deref(),
        Ok("\"RangeError\"")
    );
    for deep in [
        "JSON.parse('['.repeat(1e5))",
        "JSON.stringify((() => { let v = []; for (let i = 0; i < 1e5; i++) v = [v]; return v })())",
        "new RegExp('('.repeat(1e5) + ')'.repeat(1e5))",
        "[1].map(function f() { return [1].map(f) })",
    ] {
        assert!(matches!(body(&format!("return {deep}")), Err(Stop::Raised { .. })), "{deep}");
    }
}

#[test]
fn the_same_depth_of_calls_every_time() {
    let depth = "let n = 0; const f = () => { n++; f(); }; try { f() } catch {} return n;";
    let first = body(depth).unwrap();
    assert!(first.parse::<u32>().unwrap() > 1_000, "{first}");
    for _ in 0..3 {
        assert_eq!(body(depth).unwrap(), first);
    }
}

#[test]
fn the_deadline_holds_for_loops_and_for_native_work() {
    let bounds = Bounds { milliseconds: 300, work: u32::MAX, memory: 1024 * 1024 * 1024, ..RUN };
    for body in [
        "for (;;);",
        "try { for (;;); } finally { return 1; }",
        "let n = 0; for (let i = 0; i < 1000; i++) n += 'x'.repeat(3e7).length; return n;",
        "const a = Array.from({ length: 2e6 }, (_, i) => 2e6 - i); for (let i = 0; i < 1000; i++) a.toSorted(); return 1;",
        "const s = 'x,'.repeat(1e6); for (let i = 0; i < 1000; i++) s.split(','); return 1;",
    ] {
        let text = format!("export default function (input) {{ {body} }}");
        let started = Instant::now();
        assert_eq!(call(&text, &bounds), Err(Stop::Time { milliseconds: 300 }), "{body}");
        assert!(started.elapsed() < Duration::from_secs(6), "{body}: {:?}", started.elapsed());
    }
}

#[test]
fn the_same_program_gives_the_same_work() {
    let text = "export default function (input) { const m = new Map(); for (let i = 0; i < 50000; i++) m.set(`k${i % 977}`, i); \
        return [...m.values()].toSorted((a, b) => b - a).slice(0, 5).map(String).join(); }";
    let first = call(text, &RUN).unwrap();
    assert!(first.work > 5, "{}", first.work);
    for _ in 0..3 {
        assert_eq!(call(text, &RUN).unwrap(), first);
    }
}

#[test]
fn the_engine_is_the_one_that_work_is_counted_by() {
    assert_eq!(playbook_sandbox::engine_version(), "0.16.2");
}
