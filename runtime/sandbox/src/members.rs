//! Reading an object's own members without running any of a program's code.

use crate::engine::Core;
use rquickjs::qjs;
use std::ffi::{CStr, c_int};
use std::ptr;

/// A value that is freed when the walk leaves it.
pub(crate) struct Held<'a>(pub(crate) &'a Core, pub(crate) qjs::JSValue);

impl Drop for Held<'_> {
    fn drop(&mut self) {
        // SAFETY: owned.
        unsafe { qjs::JS_FreeValue(self.0.ctx, self.1) };
    }
}

/// The names of an object's own members.
pub(crate) struct Names<'a> {
    core: &'a Core,
    table: *mut qjs::JSPropertyEnum,
    length: u32,
}

impl<'a> Names<'a> {
    /// Of a plain object or a list; `None` when the engine has no room for the table.
    pub(crate) fn of(core: &'a Core, object: qjs::JSValue, flags: u32) -> Option<Self> {
        let mut table = ptr::null_mut();
        let mut length = 0;
        // SAFETY: a live object that is no proxy; the table is owned by what is returned.
        let failed = unsafe {
            qjs::JS_GetOwnPropertyNames(core.ctx, &raw mut table, &raw mut length, object, flags as c_int) < 0
        };
        if failed {
            core.drop_exception();
            return None;
        }
        Some(Self { core, table, length })
    }

    pub(crate) fn list(&self) -> &[qjs::JSPropertyEnum] {
        if self.table.is_null() {
            return &[];
        }
        // SAFETY: the engine returned a table of this length, freed when this is dropped.
        unsafe { std::slice::from_raw_parts(self.table, self.length as usize) }
    }
}

impl Drop for Names<'_> {
    fn drop(&mut self) {
        // SAFETY: owned.
        unsafe { qjs::JS_FreePropertyEnum(self.core.ctx, self.table, self.length) };
    }
}

/// The descriptor of an own member, its values freed when dropped.
pub(crate) struct Own<'a> {
    core: &'a Core,
    pub(crate) descriptor: qjs::JSPropertyDescriptor,
}

impl Own<'_> {
    /// Whether it is read by calling a function.
    pub(crate) fn is_accessor(&self) -> bool {
        self.descriptor.flags & qjs::JS_PROP_GETSET as c_int != 0
    }
}

impl Drop for Own<'_> {
    fn drop(&mut self) {
        let Self { core, descriptor } = self;
        // SAFETY: owned.
        unsafe {
            qjs::JS_FreeValue(core.ctx, descriptor.value);
            qjs::JS_FreeValue(core.ctx, descriptor.getter);
            qjs::JS_FreeValue(core.ctx, descriptor.setter);
        }
    }
}

/// Reads an own member of an object that is no proxy; nothing of a program runs.
pub(crate) fn own(core: &Core, object: qjs::JSValue, name: qjs::JSAtom) -> Option<Own<'_>> {
    let mut descriptor = qjs::JSPropertyDescriptor {
        flags: 0,
        value: qjs::JS_UNDEFINED,
        getter: qjs::JS_UNDEFINED,
        setter: qjs::JS_UNDEFINED,
    };
    // SAFETY: a live object and a live atom.
    match unsafe { qjs::JS_GetOwnProperty(core.ctx, &raw mut descriptor, object, name) } {
        1.. => Some(Own { core, descriptor }),
        0 => None,
        _ => {
            core.drop_exception();
            None
        }
    }
}

/// The same by a name.
pub(crate) fn own_named<'a>(core: &'a Core, object: qjs::JSValue, name: &CStr) -> Option<Own<'a>> {
    // SAFETY: a C text; the atom is freed once used.
    unsafe {
        let atom = qjs::JS_NewAtomLen(core.ctx, name.as_ptr(), name.count_bytes() as _);
        let found = own(core, object, atom);
        qjs::JS_FreeAtom(core.ctx, atom);
        found
    }
}

/// Lends the text of a name, in the engine's bytes.
pub(crate) fn atom_bytes<T>(core: &Core, atom: qjs::JSAtom, read: impl FnOnce(&[u8]) -> T) -> Option<T> {
    let mut length: qjs::size_t = 0;
    // SAFETY: a live atom; the text is freed once read.
    unsafe {
        let raw = qjs::JS_AtomToCStringLen(core.ctx, &raw mut length, atom);
        if raw.is_null() {
            core.drop_exception();
            return None;
        }
        let done = read(std::slice::from_raw_parts(raw.cast::<u8>(), length as usize));
        qjs::JS_FreeCString(core.ctx, raw);
        Some(done)
    }
}
