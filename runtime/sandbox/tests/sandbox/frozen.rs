use super::*;

/// Folds one event with the body and gives the view, or the message it raised.
fn fold(body: &str) -> Result<String, String> {
    let mut folder = folder(&format!("export function fold(view, event) {{ {body} }}"), "{}");
    match folder.fold("{\"id\":\"1\"}", NOW, later()) {
        Ok(_) => Ok(folder.view().unwrap()),
        Err(Stop::Raised { message, .. }) => Err(message),
        Err(other) => panic!("{body}: {other:?}"),
    }
}

#[test]
fn nothing_of_the_library_can_be_written() {
    stacked(|| {
        for write in [
            "Math.kept = 1",
            "Math.max = 1",
            "globalThis.kept = 1",
            "globalThis.Math = 1",
            "Array.prototype.kept = 1",
            "Array.prototype[0] = 1",
            "Object.prototype.kept = 1",
            "Object.prototype.toString = 1",
            "Object.setPrototypeOf(Math, null)",
            "Object.setPrototypeOf(Object.prototype, {})",
            "Object.defineProperty(Math, 'kept', { value: 1 })",
            "Object.defineProperty(globalThis, 'kept', { value: 1 })",
            "String.prototype.kept = 1",
            "JSON.kept = 1",
            "Date.kept = 1",
            "Date.prototype.kept = 1",
            "Date.now = 1",
            "Error.kept = 1",
            "Error.stackTraceLimit = 1",
            "Error.prepareStackTrace = 1",
            "Error.prototype.name = 1",
            "Error.prototype.message = 1",
            "TypeError.prototype.name = 1",
            "Symbol.iterator.kept = 1; Symbol.kept = 1",
            "RegExp.prototype.kept = 1",
            "Object.getPrototypeOf([].values()).kept = 1",
            "Object.getPrototypeOf(new Map().entries()).kept = 1",
            "Object.getPrototypeOf(new Set().values()).kept = 1",
            "Object.getPrototypeOf(''[Symbol.iterator]()).kept = 1",
            "Object.getPrototypeOf('a'.matchAll(/a/g)).kept = 1",
            "Object.getPrototypeOf([].values().map((x) => x)).kept = 1",
            "Object.getPrototypeOf(Iterator.from({ next() {} })).kept = 1",
            "Object.getPrototypeOf(function* () {}).kept = 1",
            "Object.getPrototypeOf(function* () {}).prototype.kept = 1",
            "Object.getPrototypeOf(async function* () {}).kept = 1",
            "Object.getPrototypeOf(async function* () {}).prototype.kept = 1",
            "Object.getPrototypeOf(Object.getPrototypeOf(async function* () {}).prototype).kept = 1",
            "Object.getPrototypeOf(async () => {}).kept = 1",
            "Object.getPrototypeOf(Int8Array).kept = 1",
            "Object.getPrototypeOf(Int8Array.prototype).kept = 1",
            "Object.getPrototypeOf((async () => {})()).kept = 1",
            "Object.getOwnPropertyDescriptor(Object.prototype, '__proto__').get.kept = 1",
            "Object.getPrototypeOf(Iterator.concat([])).kept = 1",
            "Object.getPrototypeOf(Iterator.zip([[1]])).kept = 1",
            "Object.getPrototypeOf(Iterator.zipKeyed({ a: [1] })).kept = 1",
            "Object.getPrototypeOf(Object.getPrototypeOf((function* () {})())).kept = 1",
            "Object.getPrototypeOf(Object.getPrototypeOf((async function* () {})())).kept = 1",
            "fold.kept = 1",
            "fold.prototype.kept = 1",
            "fold.prototype.constructor = 1",
            "Object.setPrototypeOf(fold, null)",
            "fold = 1",
            "Symbol.prototype.kept = 1",
            "((s) => s)`a`.kept = 1",
            "((s) => s)`a`.raw.push(1)",
        ] {
            let message = fold(&format!("{write}; return {{}};")).expect_err(write);
            assert!(message.starts_with("TypeError: "), "{write}: {message}");
        }
    });
}

#[test]
fn nothing_leads_to_an_object_that_can_be_written() {
    stacked(|| {
        let view = fold(
            "const open = [globalThis], seen = new Set(), loose = []; \
             while (open.length) { const o = open.pop(); \
               if ((typeof o !== 'object' && typeof o !== 'function') || o === null || o === open || seen.has(o)) continue; \
               seen.add(o); if (!Object.isFrozen(o)) loose.push(String(o)); \
               open.push(Object.getPrototypeOf(o)); \
               for (const k of Reflect.ownKeys(o)) { const d = Object.getOwnPropertyDescriptor(o, k); open.push(d.value, d.get, d.set); } } \
             return { loose, enough: seen.size > 500 };",
        );
        assert_eq!(view.unwrap(), "{\"loose\":[],\"enough\":true}");
    });
}

#[test]
fn at_least_636_objects_are_frozen() {
    stacked(|| {
        let folder = folder("export function fold(view, event) { return view; }", "{}");
        let frozen = folder.frozen().unwrap();
        assert!(frozen >= 636, "{frozen}");
    });
}

#[test]
fn frozen_prototypes_do_not_forbid_own_members() {
    stacked(|| {
        for (body, json) in [
            (
                "const v = {}; v['constructor'] = 1; v.toString = 2; v.valueOf = 3; return v;",
                "{\"constructor\":1,\"toString\":2,\"valueOf\":3}",
            ),
            ("const v = { ...view }; v.hasOwnProperty = 1; return v;", "{\"hasOwnProperty\":1}"),
            (
                "class Mine extends Error { constructor(m) { super(m); this.name = 'Mine'; this.message = 'm'; } } const e = new Mine('x'); return { text: String(e) };",
                "{\"text\":\"Mine: m\"}",
            ),
            (
                "class Mine extends TypeError {} Mine.prototype.name = 'Mine'; return { text: String(new Mine('x')) };",
                "{\"text\":\"Mine: x\"}",
            ),
            ("function F() {} F.prototype.toString = () => 'f'; return { text: `${new F()}` };", "{\"text\":\"f\"}"),
            (
                "const e = new Error('a'); e.message = 'b'; return { text: e.message, own: Object.hasOwn(e, 'message') };",
                "{\"text\":\"b\",\"own\":true}",
            ),
            (
                "const o = Object.create({}); o.constructor = 1; return { own: Object.hasOwn(o, 'constructor') };",
                "{\"own\":true}",
            ),
            (
                "return { same: ({}).constructor === Object, text: ({}).toString(), err: new Error('x').name };",
                "{\"same\":true,\"text\":\"[object Object]\",\"err\":\"Error\"}",
            ),
            (
                "return { keys: Object.keys(Object.prototype), loop: (() => { const k = []; for (const n in {}) k.push(n); return k })() };",
                "{\"keys\":[],\"loop\":[]}",
            ),
        ] {
            assert_eq!(fold(body).as_deref(), Ok(json), "{body}");
        }
    });
}

#[test]
fn no_fold_leaves_anything_for_the_next() {
    stacked(|| {
        let mut folder = folder(
            "export function note(x) { return x; }\n\
             export function fold(view, event) {\n\
               const tries = [() => { note.kept = 1 }, () => { globalThis.kept = 1 }, () => { note = 1 }, () => { Symbol.for('a').kept = 1 },\n\
                 () => { Error.stackTraceLimit = 0 }, () => { const t = ((s) => s)`a`; t.kept = 1 }, () => { /a/.lastIndex = 3 }];\n\
               for (const t of tries) { try { t() } catch {} }\n\
               return { kept: [note.kept, globalThis.kept, ((s) => s)`a`.kept, typeof note, /a/.lastIndex, view.n].map(String), n: (view.n ?? 0) + 1 };\n\
             }",
            "{}",
        );
        folder.fold("{}", NOW, later()).unwrap();
        let first = folder.view().unwrap();
        folder.fold("{}", NOW, later()).unwrap();
        let second = folder.view().unwrap();
        assert_eq!(first, second.replace("\"1\"", "\"undefined\"").replace("\"n\":2", "\"n\":1"));
    });
}

#[test]
fn a_run_is_not_frozen() {
    assert_eq!(
        value("(() => { Array.prototype.last = function () { return this.at(-1) }; return [1, 2].last() })()"),
        "2"
    );
}
