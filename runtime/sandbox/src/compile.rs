//! Source to bytecode, in an engine of its own where no program ever runs.
//!
//! Bytecode stays within the process; it is never stored.

use crate::engine::{Core, Library};
use playbook_model::json::cut;
use playbook_model::limits::{DOCUMENT_BYTES, ERROR_TEXT_BYTES, RUN_MEMORY};
use rquickjs::qjs;
use std::ffi::{CString, c_int};
use std::sync::OnceLock;

/// Compiled code, read only by the same build of the engine.
pub(crate) struct Bytecode(Vec<u8>);

impl Bytecode {
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }
}

/// Why source does not compile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) message: String,
    pub(crate) line: Option<u32>,
}

/// The name of a program in its stacks.
const NAME: &str = "document";

/// Bytes of a text that is compiled: a document's, with room for what a script adds to it.
const LONGEST: usize = 2 * DOCUMENT_BYTES;

/// How much is kept beside the code.
#[derive(Clone, Copy)]
enum Keep {
    /// Lines, for the stacks of errors.
    Lines,
    /// Nothing, so that no stack names a place of it.
    Nothing,
}

/// What every sandbox runs first, compiled once a process.
pub(crate) fn boot() -> &'static Bytecode {
    static BOOT: OnceLock<Bytecode> = OnceLock::new();
    BOOT.get_or_init(|| compile(include_str!("boot.js"), 1, Keep::Nothing).expect("the boot script compiles"))
}

/// Compiles a script of the host's own.
pub(crate) fn script(text: &str) -> Result<Bytecode, Fault> {
    compile(text, 1, Keep::Nothing)
}

/// Compiles a program whose first line has the given number in its document.
pub(crate) fn program(text: &str, first_line: u32) -> Result<Bytecode, Fault> {
    compile(text, first_line, Keep::Lines)
}

fn compile(text: &str, first_line: u32, keep: Keep) -> Result<Bytecode, Fault> {
    let fault = |message: &str| Fault { message: message.to_owned(), line: None };
    if text.len() > LONGEST {
        return Err(fault("SyntaxError: the program is too long"));
    }
    // A zero would end the text early.
    let Ok(source) = CString::new(text) else {
        return Err(fault("SyntaxError: a program holds no character U+0000"));
    };
    let core = Core::new(RUN_MEMORY, Library::Compiler).map_err(|_| fault("InternalError: out of memory"))?;
    core.meter.start(u32::MAX, None);
    let name = CString::new(NAME).expect("no zero in it");
    let mut options = qjs::JSEvalOptions {
        version: qjs::JS_EVAL_OPTIONS_VERSION as c_int,
        eval_flags: (qjs::JS_EVAL_TYPE_GLOBAL | qjs::JS_EVAL_FLAG_COMPILE_ONLY) as c_int,
        filename: name.as_ptr(),
        line_num: c_int::try_from(first_line.max(1)).unwrap_or(c_int::MAX),
    };
    let mut length: qjs::size_t = 0;
    let flags = match keep {
        Keep::Lines => qjs::JS_WRITE_OBJ_BYTECODE | qjs::JS_WRITE_OBJ_STRIP_SOURCE,
        Keep::Nothing => qjs::JS_WRITE_OBJ_BYTECODE | qjs::JS_WRITE_OBJ_STRIP_SOURCE | qjs::JS_WRITE_OBJ_STRIP_DEBUG,
    };
    // SAFETY: C texts that live through the calls; the result is checked before it is used.
    unsafe {
        qjs::JS_UpdateStackTop(core.rt);
        let function = qjs::JS_Eval2(core.ctx, source.as_ptr(), text.len() as _, &raw mut options);
        if qjs::JS_IsException(function) {
            return Err(read_fault(&core));
        }
        let bytes = qjs::JS_WriteObject(core.ctx, &raw mut length, function, flags as c_int);
        qjs::JS_FreeValue(core.ctx, function);
        if bytes.is_null() {
            return Err(fault("InternalError: out of memory"));
        }
        let code = std::slice::from_raw_parts(bytes, length as usize).to_vec();
        qjs::js_free(core.ctx, bytes.cast());
        Ok(Bytecode(code))
    }
}

/// Reads the error of a compilation; none of it is a program's own object.
fn read_fault(core: &Core) -> Fault {
    let thrown = core.take_exception();
    let part = |name: &std::ffi::CStr| -> Option<String> {
        let mut length: qjs::size_t = 0;
        // SAFETY: a live value and a C text; all that comes back is freed.
        unsafe {
            let value = qjs::JS_GetPropertyStr(core.ctx, thrown, name.as_ptr());
            let text = qjs::JS_ToCStringLen2(core.ctx, &raw mut length, value, false);
            qjs::JS_FreeValue(core.ctx, value);
            if text.is_null() {
                core.drop_exception();
                return None;
            }
            let bytes = std::slice::from_raw_parts(text.cast::<u8>(), length as usize);
            let copy = String::from_utf8_lossy(bytes).into_owned();
            qjs::JS_FreeCString(core.ctx, text);
            Some(copy)
        }
    };
    // SAFETY: any value has a tag.
    if !unsafe { qjs::JS_IsObject(thrown) } {
        return Fault { message: "InternalError: out of memory".into(), line: None };
    }
    let name = part(c"name").unwrap_or_else(|| "SyntaxError".into());
    let message = part(c"message").unwrap_or_default();
    let line = part(c"stack").as_deref().and_then(line_in);
    // SAFETY: owned since it was taken.
    unsafe { qjs::JS_FreeValue(core.ctx, thrown) };
    Fault { message: cut(&format!("{name}: {message}"), ERROR_TEXT_BYTES), line }
}

/// The first line of the program that a stack names.
pub(crate) fn line_in(stack: &str) -> Option<u32> {
    stack.match_indices("document:").find_map(|(at, name)| {
        let digits = &stack[at + name.len()..];
        let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
        digits[..end].parse().ok()
    })
}
