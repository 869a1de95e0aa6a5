//! Naming what is no JSON, and where it is.

use crate::engine::Core;
use crate::members::{atom_bytes, own_named};
use playbook_model::limits::ERROR_TEXT_BYTES;
use rquickjs::qjs;

/// One step from a value to a part of it.
pub(crate) enum Step {
    Place(u32),
    Name(qjs::JSAtom),
}

/// The path of steps from `$`. It may end early once it is past what is shown.
pub(crate) fn path(core: &Core, steps: &[Step]) -> String {
    let mut path = String::from("$");
    for step in steps {
        match step {
            Step::Place(place) => path.push_str(&format!("[{place}]")),
            Step::Name(name) => {
                let text = atom_bytes(core, *name, |bytes| String::from_utf8_lossy(bytes).into_owned());
                path.push_str(&step_of(&text.unwrap_or_default()));
            }
        }
        if path.len() > ERROR_TEXT_BYTES {
            break;
        }
    }
    path
}

/// One step of a path, after a dot where it can stand there.
fn step_of(name: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$';
    if !name.is_empty() && name.chars().all(plain) && !name.starts_with(|c: char| c.is_ascii_digit()) {
        return format!(".{name}");
    }
    format!("[{}]", serde_json::Value::String(name.to_owned()))
}

const OF_A_CLASS: &str = "an object of a class";

/// What an object of the engine's own classes is, with its article.
pub(crate) fn kind(core: &Core, value: qjs::JSValue, class: qjs::JSClassID) -> String {
    // SAFETY: a live object.
    let (proxy, function) = unsafe { (qjs::JS_IsProxy(value), qjs::JS_IsFunction(core.ctx, value)) };
    if proxy {
        return "a Proxy".into();
    }
    if function {
        return "a function".into();
    }
    // SAFETY: a live runtime; the atom is freed below.
    let name = unsafe { qjs::JS_GetClassName(core.rt, class) };
    let text = atom_bytes(core, name, |bytes| String::from_utf8_lossy(bytes).into_owned());
    // SAFETY: owned.
    unsafe { qjs::JS_FreeAtom(core.ctx, name) };
    match text.as_deref() {
        None | Some("" | "Object") => OF_A_CLASS.into(),
        Some(boxed @ ("Number" | "String" | "Boolean" | "Symbol" | "BigInt")) => format!("a {boxed} object"),
        Some("Arguments") => "an arguments object".into(),
        Some(name) => {
            let article = if name.starts_with(['A', 'E', 'I', 'O']) { "an" } else { "a" };
            format!("{article} {name}")
        }
    }
}

/// What an object with another prototype is, by its constructor's own name.
pub(crate) fn instance(core: &Core, proto: qjs::JSValue) -> String {
    constructor_name(core, proto).map_or_else(|| OF_A_CLASS.into(), |name| format!("an instance of {name}"))
}

fn constructor_name(core: &Core, proto: qjs::JSValue) -> Option<String> {
    // SAFETY: a live value.
    let readable = unsafe { qjs::JS_IsObject(proto) && !qjs::JS_IsProxy(proto) };
    if !readable {
        return None;
    }
    let constructor = own_named(core, proto, c"constructor")?;
    // SAFETY: a live value.
    let named = unsafe {
        qjs::JS_IsFunction(core.ctx, constructor.descriptor.value) && !qjs::JS_IsProxy(constructor.descriptor.value)
    };
    if constructor.is_accessor() || !named {
        return None;
    }
    let name = own_named(core, constructor.descriptor.value, c"name")?;
    // SAFETY: any value has a tag.
    if name.is_accessor() || !unsafe { qjs::JS_IsString(name.descriptor.value) } {
        return None;
    }
    let mut units: i64 = 0;
    let mut length: qjs::size_t = 0;
    // SAFETY: a live text of at most 200 units; its bytes are copied before they are freed.
    unsafe {
        if qjs::JS_GetLength(core.ctx, name.descriptor.value, &raw mut units) < 0 || !(1..=200).contains(&units) {
            return None;
        }
        let raw = qjs::JS_ToCStringLen2(core.ctx, &raw mut length, name.descriptor.value, false);
        if raw.is_null() {
            core.drop_exception();
            return None;
        }
        let bytes = std::slice::from_raw_parts(raw.cast::<u8>(), length as usize);
        let text = String::from_utf8_lossy(bytes).into_owned();
        qjs::JS_FreeCString(core.ctx, raw);
        Some(text)
    }
}
