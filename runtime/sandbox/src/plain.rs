//! The quick walk over a view: where every part of it is plain JSON, laid out as parsing would, it is measured and held
//! against its schema in one pass, with nothing of it copied.
//!
//! Whatever is not plain ends the walk at once, and [`crate::walk`] says what it is. So this walk only ever says "yes,
//! so many bytes", and is held against the other one by the tests.

use crate::Bounds;
use crate::engine::{Core, Engine, Value};
use crate::layout::{LIST, Layout, Named, OBJECT, Object, PLAIN, Shape, Text, layout, references, text};
use crate::members::atom_bytes;
use crate::pointers::Pointers;
use crate::sink::{mended, quoted_length};
use playbook_schema::{Holding, Place, Schema, is_whole_number};
use rquickjs::qjs;
use serde_json::{Map, Number};
use std::collections::HashMap;
use std::ffi::c_void;

/// Names that are known; past this many all are forgotten.
const NAMES: usize = 4_096;
/// Bytes of the names that are known, likewise.
const NAME_BYTES: usize = 256 * 1024;
/// Shapes that are known at once.
const SHAPES: usize = 64;

/// A view that is plain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Plain {
    /// Bytes as JSON.
    pub(crate) bytes: usize,
    /// Whether it fits its schema.
    pub(crate) fits: bool,
}

/// Walks the views of one engine. What it learnt of names and shapes is kept between two walks.
pub(crate) struct PlainWalker {
    layout: Layout,
    object_proto: usize,
    list_proto: usize,
    names: Names,
    shapes: Shapes,
    shared: Pointers,
}

/// What is known of a member's name.
struct Name {
    /// As a text.
    text: Box<str>,
    /// Bytes as JSON, quotes among them.
    quoted: u32,
    /// No symbol, and no name that means something to the writing of JSON.
    plain: bool,
}

/// Names of the engine, each kept from being given to another text.
#[derive(Default)]
struct Names {
    known: HashMap<qjs::JSAtom, Name, Spread>,
    bytes: usize,
}

type Spread = std::hash::BuildHasherDefault<Spreading>;

/// Spreads the small numbers that the engine gives names.
#[derive(Default)]
struct Spreading(u64);

impl std::hash::Hasher for Spreading {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u32(u32::from(*byte)));
    }

    fn write_u32(&mut self, number: u32) {
        self.0 = (self.0 ^ u64::from(number)).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    }
}

/// What is known of a shape at a place of the schema, during one walk: shapes come and go between two.
#[derive(Clone, Copy, Default)]
struct Known {
    walk: u64,
    shape: usize,
    /// Bytes of the names, colons, commas and braces.
    bytes: u32,
    fits: bool,
    /// The places of the members, in the list of all.
    first: u32,
}

struct Shapes {
    walk: u64,
    slots: Box<[(Known, Option<Place>); SHAPES]>,
    places: Vec<Place>,
}

/// Something is not plain.
struct Otherwise;

type Walked = Result<(), Otherwise>;

impl PlainWalker {
    /// `None` where the engine's values are laid out in another way.
    pub(crate) fn new(object_proto: &Value, list_proto: &Value) -> Option<Self> {
        let layout = layout()?;
        // SAFETY: prototypes are objects.
        let address = |value: &Value| unsafe { qjs::JS_VALUE_GET_PTR(value.raw()) as usize };
        Some(Self {
            layout,
            object_proto: address(object_proto),
            list_proto: address(list_proto),
            names: Names::default(),
            shapes: Shapes { walk: 0, slots: Box::new([(Known::default(), None); SHAPES]), places: Vec::new() },
            shared: Pointers::default(),
        })
    }

    /// Measures a value and holds it against a schema; `None` for one that is not plain, or too deep, or too large.
    pub(crate) fn walk(
        &mut self,
        engine: &Engine,
        value: &Value,
        bounds: &Bounds,
        schema: Option<&Schema>,
    ) -> Option<Plain> {
        self.shared.clear();
        self.shapes.walk += 1;
        self.shapes.places.clear();
        self.names.forget_when_many(engine.core());
        let Self { layout, object_proto, list_proto, names, shapes, shared } = self;
        let mut walk = Walk {
            core: engine.core(),
            layout: *layout,
            object_proto: *object_proto,
            list_proto: *list_proto,
            names,
            shapes,
            shared,
            schema,
            levels: bounds.levels,
            most: bounds.bytes,
            bytes: 0,
            fits: true,
        };
        let place = schema.map_or(Place::FREE, Schema::root);
        match walk.value(value.raw(), place, 0) {
            Ok(()) if walk.bytes <= walk.most => Some(Plain { bytes: walk.bytes, fits: walk.fits }),
            _ => None,
        }
    }
}

impl Names {
    fn get(&mut self, core: &Core, atom: qjs::JSAtom) -> Result<&Name, Otherwise> {
        if !self.known.contains_key(&atom) {
            let name = core.unlimited(|| Self::read(core, atom)).ok_or(Otherwise)?;
            self.bytes += name.text.len();
            self.known.insert(atom, name);
        }
        self.known.get(&atom).ok_or(Otherwise)
    }

    fn read(core: &Core, atom: qjs::JSAtom) -> Option<Name> {
        // SAFETY: a live atom of this context, kept by a reference of ours until it is forgotten.
        let symbol = unsafe {
            qjs::JS_DupAtom(core.ctx, atom);
            let value = qjs::JS_AtomToValue(core.ctx, atom);
            let symbol = !qjs::JS_IsString(value);
            qjs::JS_FreeValue(core.ctx, value);
            symbol
        };
        let name = atom_bytes(core, atom, |bytes| Name {
            text: mended(bytes).into(),
            quoted: u32::try_from(quoted_length(bytes)).unwrap_or(u32::MAX),
            plain: !symbol && bytes != b"toJSON",
        });
        if name.is_none() {
            // SAFETY: taken above.
            unsafe { qjs::JS_FreeAtom(core.ctx, atom) };
        }
        name
    }

    fn forget_when_many(&mut self, core: &Core) {
        if self.known.len() <= NAMES && self.bytes <= NAME_BYTES {
            return;
        }
        for (atom, _) in self.known.drain() {
            // SAFETY: one reference of ours each.
            unsafe { qjs::JS_FreeAtom(core.ctx, atom) };
        }
        self.bytes = 0;
    }
}

struct Walk<'a> {
    core: &'a Core,
    layout: Layout,
    object_proto: usize,
    list_proto: usize,
    names: &'a mut Names,
    shapes: &'a mut Shapes,
    shared: &'a mut Pointers,
    schema: Option<&'a Schema>,
    levels: usize,
    most: usize,
    bytes: usize,
    fits: bool,
}

impl Walk<'_> {
    fn value(&mut self, value: qjs::JSValue, place: Place, above: usize) -> Walked {
        let Some(schema) = self.schema.filter(|schema| schema.holding(place) == Holding::Whole) else {
            return self.part(value, place, above);
        };
        // The parts are looked at first: only what is plain can be read as a tree.
        self.part(value, Place::FREE, above)?;
        // SAFETY: every part was just seen to be plain.
        self.fits &= schema.takes_whole(place, &unsafe { tree(value, self.names, self.layout) });
        Ok(())
    }

    fn part(&mut self, value: qjs::JSValue, place: Place, above: usize) -> Walked {
        // SAFETY of the readings below: each follows the tag.
        match unsafe { qjs::JS_VALUE_GET_NORM_TAG(value) } {
            qjs::JS_TAG_STRING => self.text(value, place),
            qjs::JS_TAG_OBJECT => self.object(value, place, above),
            qjs::JS_TAG_INT => {
                let number = unsafe { qjs::JS_VALUE_GET_INT(value) };
                self.bytes += digits(number);
                if let Some(schema) = self.schema {
                    self.fits &= schema.takes_number(place, true, || Number::from(number));
                }
                Ok(())
            }
            qjs::JS_TAG_FLOAT64 => self.double(unsafe { qjs::JS_VALUE_GET_FLOAT64(value) }, place),
            qjs::JS_TAG_BOOL => {
                let holds = unsafe { qjs::JS_VALUE_GET_BOOL(value) };
                self.fixed(if holds { 4 } else { 5 }, place, &serde_json::Value::Bool(holds))
            }
            qjs::JS_TAG_NULL => self.fixed(4, place, &serde_json::Value::Null),
            _ => Err(Otherwise),
        }
    }

    fn fixed(&mut self, bytes: usize, place: Place, value: &serde_json::Value) -> Walked {
        self.bytes += bytes;
        if let Some(schema) = self.schema {
            self.fits &= schema.takes_fixed(place, value);
        }
        Ok(())
    }

    fn double(&mut self, number: f64, place: Place) -> Walked {
        if !number.is_finite() || (number == 0.0 && number.is_sign_negative()) {
            return Err(Otherwise);
        }
        self.bytes += ryu_js::Buffer::new().format_finite(number).len();
        if let Some(schema) = self.schema {
            self.fits &= schema.takes_number(place, is_whole_number(number), || as_number(number));
        }
        Ok(())
    }

    fn text(&mut self, value: qjs::JSValue, place: Place) -> Walked {
        // SAFETY: a live text of an engine whose layout was found.
        let units = unsafe { text(qjs::JS_VALUE_GET_PTR(value), self.layout) }.ok_or(Otherwise)?;
        let (bytes, characters) = match units {
            Text::Narrow(units) => (narrow_length(units), units.len()),
            Text::Wide(units) => wide_length(units),
        };
        self.bytes += bytes;
        if self.bytes > self.most {
            return Err(Otherwise);
        }
        if let Some(schema) = self.schema {
            self.fits &= schema.takes_text(place, characters, || units_text(units));
        }
        Ok(())
    }

    fn object(&mut self, value: qjs::JSValue, place: Place, above: usize) -> Walked {
        if above >= self.levels || self.bytes > self.most {
            return Err(Otherwise);
        }
        // SAFETY: a live object of an engine whose layout was found; nothing of a program runs during the walk.
        let (address, object) = unsafe {
            let address: *const c_void = qjs::JS_VALUE_GET_PTR(value);
            (address, &*address.cast::<Object>())
        };
        // An object with one reference is met once.
        // SAFETY: as above.
        if unsafe { references(address) } != 1 && !self.shared.insert(address as usize) {
            return Err(Otherwise);
        }
        match object.class {
            OBJECT if object.flags() == self.layout.object_flags => self.members(object, place, above),
            LIST if object.flags() == self.layout.list_flags => self.list(object, place, above),
            _ => Err(Otherwise),
        }
    }

    fn list(&mut self, list: &Object, place: Place, above: usize) -> Walked {
        // SAFETY: a list's shape and its members are alive as long as it is.
        let (shape, length) = unsafe { (&*list.shape, list.members.read()) };
        let count = list.count as usize;
        // SAFETY: read only after its tag.
        let whole =
            length.tag == i64::from(qjs::JS_TAG_INT) && unsafe { qjs::JS_VALUE_GET_INT(length) } as usize == count;
        if shape.proto != self.list_proto || shape.count != 1 || shape.deleted != 0 || !whole {
            return Err(Otherwise);
        }
        // SAFETY: one name, as just seen.
        let named = unsafe { Shape::names(list.shape) }[0];
        if named.name != self.layout.length_name || named.flags() != self.layout.length_flags {
            return Err(Otherwise);
        }
        self.bytes += 2 + count.saturating_sub(1);
        let items = match self.schema.map_or(Some(Place::FREE), |schema| schema.takes_list(place, count)) {
            Some(items) => items,
            None => {
                self.fits = false;
                Place::FREE
            }
        };
        for at in 0..count {
            // SAFETY: a list that is kept as one block holds so many items.
            self.value(unsafe { list.items.add(at).read() }, items, above + 1)?;
        }
        Ok(())
    }

    fn members(&mut self, object: &Object, place: Place, above: usize) -> Walked {
        // SAFETY: an object's shape is alive as long as it is.
        let (shape, names) = unsafe { (&*object.shape, Shape::names(object.shape)) };
        if shape.proto != self.object_proto || shape.deleted != 0 {
            return Err(Otherwise);
        }
        let known = self.known(object.shape as usize, names, place)?;
        self.bytes += known.bytes as usize;
        self.fits &= known.fits;
        for at in 0..names.len() {
            let place = match self.schema {
                Some(_) => self.shapes.places[known.first as usize + at],
                None => Place::FREE,
            };
            // SAFETY: an object has a value for each name of its shape, and none of them is an accessor.
            self.value(unsafe { object.members.add(at).read() }, place, above + 1)?;
        }
        Ok(())
    }

    /// What a shape's names say, worked out once a walk for each place it is met at.
    fn known(&mut self, shape: usize, names: &[Named], place: Place) -> Result<Known, Otherwise> {
        let slot = (shape >> 4 ^ shape >> 10) % SHAPES;
        let (known, at) = self.shapes.slots[slot];
        if known.walk == self.shapes.walk && known.shape == shape && at == Some(place) {
            return Ok(known);
        }
        let first = self.shapes.places.len();
        let mut bytes = 2 + names.len().saturating_sub(1);
        let mut met = 0;
        for named in names {
            if named.flags() != PLAIN {
                return Err(Otherwise);
            }
            let name = self.names.get(self.core, named.name)?;
            if !name.plain {
                return Err(Otherwise);
            }
            bytes += name.quoted as usize + 1;
            if let Some(schema) = self.schema {
                let member = schema.member(place, &name.text);
                met += usize::from(member.required);
                self.shapes.places.push(member.place);
            }
        }
        let fits = self.schema.is_none_or(|schema| schema.takes_object(place, names.len()) == Some(met));
        let known = Known {
            walk: self.shapes.walk,
            shape,
            bytes: u32::try_from(bytes).map_err(|_| Otherwise)?,
            fits,
            first: u32::try_from(first).map_err(|_| Otherwise)?,
        };
        self.shapes.slots[slot] = (known, Some(place));
        Ok(known)
    }
}

/// A plain value as a tree; half a surrogate pair is U+FFFD in it.
///
/// # Safety
/// A live value that a walk went through whole, of an engine whose layout was found.
unsafe fn tree(value: qjs::JSValue, names: &Names, layout: Layout) -> serde_json::Value {
    // SAFETY: the caller's; each reading follows the tag.
    unsafe {
        match qjs::JS_VALUE_GET_NORM_TAG(value) {
            qjs::JS_TAG_BOOL => qjs::JS_VALUE_GET_BOOL(value).into(),
            qjs::JS_TAG_INT => qjs::JS_VALUE_GET_INT(value).into(),
            qjs::JS_TAG_FLOAT64 => as_number(qjs::JS_VALUE_GET_FLOAT64(value)).into(),
            qjs::JS_TAG_STRING => text(qjs::JS_VALUE_GET_PTR(value), layout).map(units_text).unwrap_or_default().into(),
            qjs::JS_TAG_OBJECT => {
                let object = &*qjs::JS_VALUE_GET_PTR(value).cast::<Object>();
                if object.class == LIST {
                    (0..object.count as usize).map(|at| tree(object.items.add(at).read(), names, layout)).collect()
                } else {
                    let shape = Shape::names(object.shape);
                    let named = |named: &Named| names.known.get(&named.name).map(|name| name.text.to_string());
                    let members = shape.iter().enumerate().map(|(at, name)| {
                        (named(name).unwrap_or_default(), tree(object.members.add(at).read(), names, layout))
                    });
                    members.collect::<Map<_, _>>().into()
                }
            }
            _ => serde_json::Value::Null,
        }
    }
}

/// A double as the number that its JSON text is read as.
fn as_number(number: f64) -> Number {
    let mut buffer = ryu_js::Buffer::new();
    serde_json::from_str(buffer.format_finite(number)).unwrap_or_else(|_| Number::from(0))
}

fn units_text(units: Text<'_>) -> String {
    match units {
        Text::Narrow(units) => units.iter().map(|unit| char::from(*unit)).collect(),
        Text::Wide(units) => String::from_utf16_lossy(units),
    }
}

/// The characters of a whole number's text.
fn digits(number: i32) -> usize {
    number.unsigned_abs().checked_ilog10().unwrap_or(0) as usize + 1 + usize::from(number < 0)
}

/// The bytes of a text as JSON, its quotes among them, each unit below 256.
fn narrow_length(units: &[u8]) -> usize {
    /// Short enough for the sums below to stay in a byte, so that many units are looked at in one step.
    const STEP: usize = 32;
    let mut bytes = 2 + units.len();
    for part in units.chunks(STEP) {
        let (mut more, mut controls) = (0_u8, 0_u8);
        for unit in part {
            more += u8::from(*unit >= 0x80 || *unit == b'"' || *unit == b'\\');
            controls += u8::from(*unit < 0x20);
        }
        bytes += usize::from(more);
        if controls > 0 {
            bytes += part.iter().map(|unit| control(u16::from(*unit))).sum::<usize>();
        }
    }
    bytes
}

/// The bytes of a text as JSON, its quotes among them, and its characters.
fn wide_length(units: &[u16]) -> (usize, usize) {
    let (mut bytes, mut characters) = (2, 0);
    let mut at = 0;
    while at < units.len() {
        let unit = units[at];
        let pair =
            (0xd800..0xdc00).contains(&unit) && units.get(at + 1).is_some_and(|low| (0xdc00..0xe000).contains(low));
        bytes += match unit {
            0x22 | 0x5c => 2,
            0..0x20 => 1 + control(unit),
            0x20..0x80 => 1,
            0x80..0x800 => 2,
            _ if pair => 4,
            // Half a pair is written as its escape.
            0xd800..0xe000 => 6,
            _ => 3,
        };
        characters += 1;
        at += if pair { 2 } else { 1 };
    }
    (bytes, characters)
}

/// The bytes that the escape of a control character adds.
fn control(unit: u16) -> usize {
    match unit {
        0x08 | 0x09 | 0x0a | 0x0c | 0x0d => 1,
        0..0x20 => 5,
        _ => 0,
    }
}

#[cfg(test)]
mod tests;
