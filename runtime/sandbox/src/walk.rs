//! Reading a value out of the engine: what JSON can carry, how large it is, and where it stops being JSON.
//!
//! No code of a program runs: members are read with their descriptors, never called. The engine's own stringify is
//! never used, since a value of a few objects can be unbounded text.

use crate::engine::{Core, Engine, Value};
use crate::found::{self, Step};
use crate::members::{Held, Names, Own, atom_bytes, own};
use crate::plain::{Plain, PlainWalker};
use crate::pointers::Pointers;
use crate::sink::{Nowhere, Sink, Text, Tree, quoted_length};
use crate::{Bounds, Stop};
use playbook_model::json::cut;
use playbook_model::limits::ERROR_TEXT_BYTES;
use playbook_schema::Schema;
use rquickjs::qjs;
use std::ffi::c_int;

/// A value within its bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Measured {
    /// Bytes as JSON.
    pub(crate) bytes: usize,
    /// Whether reading its JSON gives a value that a program can tell from it.
    pub(crate) differs: bool,
}

/// Reads values of one engine.
pub(crate) struct Walker {
    object_proto: Value,
    array_proto: Value,
    seen: Pointers,
    plain: Option<PlainWalker>,
    undefined: Undefined,
}

/// What `undefined` is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Undefined {
    /// No JSON.
    Unfit,
    /// `null`, at the top or as a member, as an expression of a workflow has it.
    Null,
}

/// What a value is refused for.
struct Refused(Stop);

impl Walker {
    /// Takes the engine's plain prototypes from two values that were just parsed.
    pub(crate) fn new(engine: &Engine) -> Option<Self> {
        let proto = |json: &str| {
            let value = engine.parse(json)?;
            // SAFETY: a live object of this context; the prototype comes back owned.
            Some(engine.own(unsafe { qjs::JS_GetPrototype(engine.ctx(), value.raw()) }))
        };
        let (object_proto, array_proto) = (proto("{}")?, proto("[]")?);
        let plain = PlainWalker::new(&object_proto, &array_proto);
        Some(Self { object_proto, array_proto, seen: Pointers::default(), plain, undefined: Undefined::Unfit })
    }

    /// The same, with `undefined` read as something else.
    pub(crate) fn undefined(mut self, undefined: Undefined) -> Self {
        self.undefined = undefined;
        self
    }

    /// Measures a value that is plain JSON and holds it against a schema, in one quick pass.
    ///
    /// `None` says nothing of the value but that the other walks have to.
    pub(crate) fn plain(
        &mut self,
        engine: &Engine,
        value: &Value,
        bounds: &Bounds,
        schema: Option<&Schema>,
    ) -> Option<Plain> {
        self.plain.as_mut()?.walk(engine, value, bounds, schema)
    }

    /// Measures a value.
    pub(crate) fn measure(&mut self, engine: &Engine, value: &Value, bounds: &Bounds) -> Result<Measured, Stop> {
        self.walk(engine, value, bounds, &mut Nowhere)
    }

    /// Measures and writes a value.
    pub(crate) fn write(&mut self, engine: &Engine, value: &Value, bounds: &Bounds) -> Result<String, Stop> {
        let mut text = Text::default();
        self.walk(engine, value, bounds, &mut text)?;
        Ok(text.finish())
    }

    /// Measures a value and builds a tree of it.
    pub(crate) fn tree(&mut self, engine: &Engine, value: &Value, bounds: &Bounds) -> Result<serde_json::Value, Stop> {
        let mut tree = Tree::default();
        self.walk(engine, value, bounds, &mut tree)?;
        Ok(tree.finish())
    }

    fn walk(
        &mut self,
        engine: &Engine,
        value: &Value,
        bounds: &Bounds,
        sink: &mut impl Sink,
    ) -> Result<Measured, Stop> {
        self.seen.clear();
        let core = engine.core();
        // SAFETY: any value has a tag; prototypes are objects.
        let address = |value: &Value| unsafe { qjs::JS_VALUE_GET_PTR(value.raw()) as usize };
        // SAFETY: a live context. The stack is measured from here.
        let to_json = unsafe {
            qjs::JS_UpdateStackTop(core.rt);
            qjs::JS_NewAtomLen(core.ctx, c"toJSON".as_ptr(), 6)
        };
        let mut walk = Walk {
            core,
            object_proto: address(&self.object_proto),
            array_proto: address(&self.array_proto),
            to_json,
            levels: bounds.levels,
            bytes: bounds.bytes,
            size: 0,
            differs: false,
            seen: &mut self.seen,
            above: Vec::new(),
            path: Vec::new(),
            undefined: self.undefined,
            sink,
        };
        let done = core.unlimited(|| walk.value(value.raw()));
        let (size, differs) = (walk.size, walk.differs);
        // SAFETY: made above.
        unsafe { qjs::JS_FreeAtom(core.ctx, to_json) };
        match done {
            Err(Refused(stop)) => Err(stop),
            Ok(()) if size > bounds.bytes => Err(Stop::TooLarge { bytes: size }),
            Ok(()) => Ok(Measured { bytes: size, differs }),
        }
    }
}

struct Walk<'a, S: Sink> {
    core: &'a Core,
    object_proto: usize,
    array_proto: usize,
    to_json: qjs::JSAtom,
    levels: usize,
    bytes: usize,
    size: usize,
    differs: bool,
    seen: &'a mut Pointers,
    above: Vec<usize>,
    path: Vec<Step>,
    undefined: Undefined,
    sink: &'a mut S,
}

const PLAIN: c_int = qjs::JS_PROP_C_W_E as c_int;
const LIST: qjs::JSClassID = 2;
pub(crate) const OBJECT: qjs::JSClassID = 1;

impl<'a, S: Sink> Walk<'a, S> {
    fn value(&mut self, value: qjs::JSValue) -> Result<(), Refused> {
        // SAFETY of the readings below: each follows the tag.
        let tag = unsafe { qjs::JS_VALUE_GET_NORM_TAG(value) };
        match tag {
            qjs::JS_TAG_NULL => {
                self.sink.null();
                self.add(4)
            }
            qjs::JS_TAG_BOOL => {
                let holds = unsafe { qjs::JS_VALUE_GET_BOOL(value) };
                self.sink.boolean(holds);
                self.add(if holds { 4 } else { 5 })
            }
            qjs::JS_TAG_INT => {
                let number = unsafe { qjs::JS_VALUE_GET_INT(value) };
                self.number(f64::from(number))
            }
            qjs::JS_TAG_FLOAT64 => {
                let number = unsafe { qjs::JS_VALUE_GET_FLOAT64(value) };
                if !number.is_finite() {
                    let found = if number.is_nan() {
                        "NaN"
                    } else if number > 0.0 {
                        "Infinity"
                    } else {
                        "-Infinity"
                    };
                    return Err(self.unfit(found));
                }
                if number == 0.0 && number.is_sign_negative() {
                    self.differs = true;
                    return self.number(0.0);
                }
                self.number(number)
            }
            qjs::JS_TAG_STRING | qjs::JS_TAG_STRING_ROPE => self.text(value),
            qjs::JS_TAG_OBJECT => self.object(value),
            qjs::JS_TAG_UNDEFINED if self.undefined == Undefined::Null => {
                self.differs = true;
                self.sink.null();
                self.add(4)
            }
            qjs::JS_TAG_UNDEFINED => Err(self.unfit("undefined")),
            qjs::JS_TAG_SYMBOL => Err(self.unfit("a symbol")),
            qjs::JS_TAG_BIG_INT | qjs::JS_TAG_SHORT_BIG_INT => Err(self.unfit("a BigInt")),
            _ => Err(self.unfit("a value that is not JSON")),
        }
    }

    /// Counts bytes, and goes on past the bound for a while: a value that is no JSON is refused as that first.
    fn add(&mut self, bytes: usize) -> Result<(), Refused> {
        self.size = self.size.saturating_add(bytes);
        if self.size > self.bytes.saturating_mul(4) {
            return Err(Refused(Stop::TooLarge { bytes: self.size }));
        }
        Ok(())
    }

    fn number(&mut self, number: f64) -> Result<(), Refused> {
        let mut buffer = ryu_js::Buffer::new();
        let text = buffer.format_finite(number);
        self.sink.number(text);
        self.add(text.len())
    }

    fn text(&mut self, value: qjs::JSValue) -> Result<(), Refused> {
        self.long(value)?;
        let mut length: qjs::size_t = 0;
        // SAFETY: a live text; what comes back is freed below.
        let raw = unsafe { qjs::JS_ToCStringLen2(self.core.ctx, &raw mut length, value, false) };
        if raw.is_null() {
            self.core.drop_exception();
            return Err(Refused(Stop::TooLarge { bytes: self.bytes.saturating_add(1) }));
        }
        // SAFETY: the engine returned this many bytes.
        let bytes = unsafe { std::slice::from_raw_parts(raw.cast::<u8>(), length as usize) };
        let quoted = quoted_length(bytes);
        let fits = self.add(quoted);
        if fits.is_ok() {
            self.sink.text(bytes);
        }
        // SAFETY: returned above, and no longer read.
        unsafe { qjs::JS_FreeCString(self.core.ctx, raw) };
        fits
    }

    /// Refuses what has more units or places than bytes are left, before any of it is copied. Returns its length.
    fn long(&mut self, value: qjs::JSValue) -> Result<usize, Refused> {
        let mut length: i64 = 0;
        // SAFETY: a live text or list, whose length no program can redefine.
        if unsafe { qjs::JS_GetLength(self.core.ctx, value, &raw mut length) } < 0 {
            self.core.drop_exception();
        }
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        if length > self.bytes.saturating_mul(4) {
            return Err(Refused(Stop::TooLarge { bytes: self.size.saturating_add(length) }));
        }
        Ok(length)
    }

    fn object(&mut self, value: qjs::JSValue) -> Result<(), Refused> {
        // SAFETY: a live object.
        let (class, address) = unsafe { (qjs::JS_GetClassID(value), qjs::JS_VALUE_GET_PTR(value) as usize) };
        if class != OBJECT && class != LIST {
            let found = found::kind(self.core, value, class);
            return Err(self.unfit(&found));
        }
        // SAFETY: a plain object or a list, so no trap of a proxy runs.
        let proto = Held(self.core, unsafe { qjs::JS_GetPrototype(self.core.ctx, value) });
        // SAFETY: any value has a tag.
        let proto_address = unsafe {
            match qjs::JS_VALUE_GET_TAG(proto.1) {
                qjs::JS_TAG_OBJECT => qjs::JS_VALUE_GET_PTR(proto.1) as usize,
                _ => 0,
            }
        };
        let expected = if class == LIST { self.array_proto } else { self.object_proto };
        if proto_address != expected {
            if class == LIST || proto_address != 0 {
                let found = found::instance(self.core, proto.1);
                return Err(self.unfit(&found));
            }
            self.differs = true;
        }
        if !self.seen.insert(address) {
            if self.above.contains(&address) {
                return Err(self.unfit("a cycle"));
            }
            self.differs = true;
        }
        if self.above.len() >= self.levels {
            return Err(Refused(Stop::TooDeep));
        }
        // SAFETY: a live object.
        if unsafe { qjs::JS_IsExtensible(self.core.ctx, value) } == 0 {
            self.differs = true;
        }
        self.above.push(address);
        if class == LIST {
            self.list(value)?
        } else {
            self.members(value)?
        }
        self.above.pop();
        Ok(())
    }

    /// Judges an own member: an accessor may give another value each time, so it is no JSON.
    fn taken(&mut self, own: &Own<'_>) -> Result<(), Refused> {
        if own.is_accessor() {
            return Err(self.unfit("a member that changes when read"));
        }
        if own.descriptor.flags & PLAIN != PLAIN {
            self.differs = true;
        }
        Ok(())
    }

    /// A `toJSON` that is a function makes its object another value when it is written.
    fn refuse_to_json(&mut self, value: qjs::JSValue, name: qjs::JSAtom) -> Result<(), Refused> {
        if name != self.to_json {
            return Ok(());
        }
        let own = own(self.core, value, name);
        // SAFETY: a live value.
        let is_function = own.is_some_and(|own| unsafe { qjs::JS_IsFunction(self.core.ctx, own.descriptor.value) });
        if is_function {
            return Err(self.unfit("a member that changes when read"));
        }
        Ok(())
    }

    fn list(&mut self, value: qjs::JSValue) -> Result<(), Refused> {
        let length = self.long(value)?;
        let names = self.names(value, qjs::JS_GPN_STRING_MASK | qjs::JS_GPN_SYMBOL_MASK)?;
        // `length` itself is one of the names. Where places are missing, the loop below meets the first.
        if names.list().len() != length + 1 {
            self.differs = true;
            for name in names.list() {
                self.path.push(Step::Name(name.atom));
                self.refuse_to_json(value, name.atom)?;
                self.path.pop();
            }
        }
        drop(names);
        self.sink.open_list();
        // The brackets and the commas.
        self.add(2 + length.saturating_sub(1))?;
        for at in 0..length {
            let place = u32::try_from(at).unwrap_or(u32::MAX);
            self.path.push(Step::Place(place));
            // SAFETY: a live context; the atom is freed below.
            let atom = unsafe { qjs::JS_NewAtomUInt32(self.core.ctx, place) };
            let found = own(self.core, value, atom);
            // SAFETY: made above.
            unsafe { qjs::JS_FreeAtom(self.core.ctx, atom) };
            let Some(found) = found else {
                return Err(self.unfit("a hole in a list"));
            };
            self.taken(&found)?;
            self.value(found.descriptor.value)?;
            self.path.pop();
        }
        self.sink.close_list();
        Ok(())
    }

    fn members(&mut self, value: qjs::JSValue) -> Result<(), Refused> {
        if !self.names(value, qjs::JS_GPN_SYMBOL_MASK)?.list().is_empty() {
            self.differs = true;
        }
        let names = self.names(value, qjs::JS_GPN_STRING_MASK | qjs::JS_GPN_SET_ENUM)?;
        self.sink.open_object();
        self.add(2)?;
        let mut follows = false;
        for name in names.list() {
            self.path.push(Step::Name(name.atom));
            if !name.is_enumerable {
                self.differs = true;
                self.refuse_to_json(value, name.atom)?;
                self.path.pop();
                continue;
            }
            let Some(found) = own(self.core, value, name.atom) else {
                self.path.pop();
                continue;
            };
            self.taken(&found)?;
            self.refuse_to_json(value, name.atom)?;
            self.name(name.atom, follows)?;
            follows = true;
            self.value(found.descriptor.value)?;
            self.path.pop();
        }
        self.sink.close_object();
        Ok(())
    }

    fn names(&self, value: qjs::JSValue, flags: u32) -> Result<Names<'a>, Refused> {
        Names::of(self.core, value, flags)
            .ok_or_else(|| Refused(Stop::TooLarge { bytes: self.bytes.saturating_add(1) }))
    }

    fn name(&mut self, name: qjs::JSAtom, follows: bool) -> Result<(), Refused> {
        let core = self.core;
        let written = atom_bytes(core, name, |bytes| {
            // The colon, and the comma after another member.
            let length = quoted_length(bytes) + 1 + usize::from(follows);
            let fits = self.add(length);
            if fits.is_ok() {
                self.sink.name(bytes);
            }
            fits
        });
        written.unwrap_or_else(|| Err(Refused(Stop::TooLarge { bytes: self.bytes.saturating_add(1) })))
    }

    /// A refusal at the place where the walk is.
    fn unfit(&self, found: &str) -> Refused {
        let path = cut(&found::path(self.core, &self.path), ERROR_TEXT_BYTES);
        Refused(Stop::Unfit { found: found.to_owned(), path })
    }
}
