//! How the engine lays out plain values in memory, so that a view can be walked without asking for each member.
//!
//! The engine's version is pinned, and what is written here of its structures is tried once a process on sample
//! values: first that every place to be read lies in a block of the engine, then what stands there. Where anything
//! differs nothing is read this way, and views are walked by the engine's own functions, with the same results.

use crate::compile;
use crate::engine::{Core, Library};
use rquickjs::qjs;
use std::ffi::c_void;
use std::sync::OnceLock;

/// An object's first words.
#[repr(C)]
pub(crate) struct Object {
    links: [usize; 2],
    /// Nine bits; the others hold whatever was there before.
    bits: u16,
    pub(crate) class: u16,
    pub(crate) shape: *const Shape,
    pub(crate) members: *const qjs::JSValue,
    weak: usize,
    room: usize,
    /// A list's items, where it is kept as one block.
    pub(crate) items: *const qjs::JSValue,
    pub(crate) count: u32,
}

/// The names of an object's members and its prototype, shared by objects of the same making.
#[repr(C)]
pub(crate) struct Shape {
    links: [usize; 2],
    hashed: u8,
    hash: u32,
    /// The names stand behind a table of so many places and one more.
    mask: u32,
    room: i32,
    pub(crate) count: i32,
    pub(crate) deleted: i32,
    next: usize,
    pub(crate) proto: usize,
    table: [u32; 0],
}

/// A member's name and flags.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Named {
    /// The flags above 26 bits of something else.
    bits: u32,
    pub(crate) name: qjs::JSAtom,
}

impl Named {
    pub(crate) fn flags(self) -> u32 {
        self.bits >> 26
    }
}

/// A text's first words. More follow, then its units, or where they are in another text.
#[repr(C)]
struct Units {
    length: u32,
    kind: u32,
    next: u32,
    weak: usize,
}

/// Where the units may stand: behind the words above, or two links further where the engine keeps a list of all texts.
const UNITS_AT: [usize; 2] = [size_of::<Units>(), size_of::<Units>() + 2 * size_of::<usize>()];

/// A part of another text.
#[repr(C)]
struct Slice {
    parent: *const Units,
    /// In bytes.
    start: u32,
}

/// The units of a text.
#[derive(Clone, Copy)]
pub(crate) enum Text<'a> {
    /// Each below 256.
    Narrow(&'a [u8]),
    /// UTF-16.
    Wide(&'a [u16]),
}

/// What was found to be so of this build of the engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Layout {
    /// The flags of a plain object that can be extended.
    pub(crate) object_flags: u16,
    /// The flags of a list that can be extended and is kept as one block.
    pub(crate) list_flags: u16,
    /// The flags of a list's length.
    pub(crate) length_flags: u32,
    /// The name of a list's length.
    pub(crate) length_name: qjs::JSAtom,
    /// Bytes from the start of a text to its units.
    units_at: usize,
}

impl Object {
    pub(crate) fn flags(&self) -> u16 {
        self.bits & 0x1ff
    }
}

impl Shape {
    /// The names, in the order of the members.
    ///
    /// # Safety
    /// A live shape of an engine whose layout was found.
    pub(crate) unsafe fn names<'a>(this: *const Self) -> &'a [Named] {
        // SAFETY: the caller's; the table and the names lie in the shape's own block.
        unsafe {
            let table = this.byte_add(std::mem::offset_of!(Self, table)).cast::<u32>();
            let names = table.add((*this).mask as usize + 1).cast::<Named>();
            std::slice::from_raw_parts(names, usize::try_from((*this).count).unwrap_or(0))
        }
    }
}

/// The count of references to a block that the engine counts.
///
/// # Safety
/// A live object or text of an engine whose layout was found.
pub(crate) unsafe fn references(block: *const c_void) -> i32 {
    // SAFETY: the caller's; the count stands right before the block.
    unsafe { block.cast::<i32>().sub(1).read() }
}

/// The units of a text; `None` where they are kept in a way that is not read here.
///
/// # Safety
/// A live text that is no rope, of an engine whose layout was found, and not freed while the units are used.
pub(crate) unsafe fn text<'a>(text: *const c_void, layout: Layout) -> Option<Text<'a>> {
    // SAFETY: the caller's.
    unsafe { units(text.cast(), layout.units_at) }
}

/// # Safety
/// As [`text`], its units so many bytes from its start; a slice's parent is itself no slice, and lives as long.
unsafe fn units<'a>(head: *const Units, at: usize) -> Option<Text<'a>> {
    // SAFETY: the caller's.
    unsafe {
        let length = ((*head).length & LENGTH) as usize;
        let units: *const u8 = match kind(head) {
            WHOLE => head.byte_add(at).cast(),
            SLICE => {
                let slice = head.byte_add(at).cast::<Slice>();
                (*slice).parent.byte_add(at + (*slice).start as usize).cast()
            }
            _ => return None,
        };
        Some(if (*head).length > LENGTH {
            Text::Wide(std::slice::from_raw_parts(units.cast(), length))
        } else {
            Text::Narrow(std::slice::from_raw_parts(units, length))
        })
    }
}

/// The bits of a text's length; the one above says that its units are wide.
const LENGTH: u32 = 0x7fff_ffff;
/// The kind of a text whose units follow.
const WHOLE: u32 = 0;
/// The kind of a part of another text.
const SLICE: u32 = 1;

/// # Safety
/// A text's first words.
unsafe fn kind(head: *const Units) -> u32 {
    // SAFETY: the caller's.
    unsafe { ((*head).kind >> 28) & 3 }
}

/// What holds of this build of the engine; `None` when not all of it could be seen to.
pub(crate) fn layout() -> Option<Layout> {
    static FOUND: OnceLock<Option<Layout>> = OnceLock::new();
    *FOUND.get_or_init(|| {
        let found = Samples::new().and_then(|samples| samples.layout());
        if found.is_none() {
            tracing::warn!("the engine lays out its values in another way; views are walked more slowly");
        }
        found
    })
}

/// Values whose looks are known.
struct Samples {
    core: Core,
    list: qjs::JSValue,
}

const SAMPLES: &str = "(() => { const long = 'abcdefgh'.repeat(512); const wide = '\\u4e2d\\u6587'.repeat(512); \
     return [{ first: 11, second: 'x\\u00e9', third: [21, 22, 23], fourth: null }, \
     Object.preventExtensions({ first: 12, second: 2, third: 3, fourth: 4 }), [31, 32], Object.preventExtensions([41]), \
     'narrow', '\\u4e2d\\u6587!', long.slice(9, 3001), wide.slice(3, 903), {}, (() => { const a = [1]; a.length = 9; return a })()]; })()";

impl Samples {
    fn new() -> Option<Self> {
        if size_of::<usize>() != 8 || cfg!(target_endian = "big") {
            return None;
        }
        let core = Core::new(usize::MAX, Library::Program).ok()?;
        let list = core.evaluate(&compile::script(SAMPLES).ok()?);
        // SAFETY: any value has a tag.
        (unsafe { qjs::JS_VALUE_GET_TAG(list) } == qjs::JS_TAG_OBJECT).then_some(Self { core, list })
    }

    /// One of the samples, kept alive by the list.
    fn at(&self, place: u32) -> *const c_void {
        // SAFETY: a live list; the value stays in it after this reference is given back.
        unsafe {
            let value = qjs::JS_GetPropertyUint32(self.core.ctx, self.list, place);
            qjs::JS_FreeValue(self.core.ctx, value);
            qjs::JS_VALUE_GET_PTR(value).cast_const()
        }
    }

    /// A block that lies whole within the engine's memory, so that it can be read whatever stands there.
    fn block<T>(&self, at: *const T, bytes: usize) -> Option<*const T> {
        (at.is_aligned() && self.core.ledger.holds(at.cast(), bytes)).then_some(at)
    }

    fn object(&self, place: u32) -> Option<&Object> {
        let object = self.block(self.at(place).cast::<Object>(), size_of::<Object>())?;
        // SAFETY: within the engine's memory.
        Some(unsafe { &*object })
    }

    /// The names of an object's members, once its shape is seen to be one.
    fn names(&self, object: &Object, count: i32, proto: usize) -> Option<&[Named]> {
        let shape = self.block(object.shape, size_of::<Shape>())?;
        // SAFETY: within the engine's memory.
        let seen = unsafe { &*shape };
        let all = size_of::<Shape>() + (seen.mask as usize + 1).checked_mul(4)? + size_of::<Named>() * 8;
        let fits = seen.count == count && seen.deleted == 0 && seen.proto == proto && seen.mask < 64;
        self.block(shape.cast::<u8>(), if fits { all } else { return None })?;
        // SAFETY: within the engine's memory, as just seen.
        Some(unsafe { Shape::names(shape) })
    }

    fn atom(&self, name: &str) -> qjs::JSAtom {
        // SAFETY: a live context; the engine itself holds the name as long as the samples do.
        unsafe {
            let atom = qjs::JS_NewAtomLen(self.core.ctx, name.as_ptr().cast(), name.len() as _);
            qjs::JS_FreeAtom(self.core.ctx, atom);
            atom
        }
    }

    fn proto(&self, place: u32) -> usize {
        // SAFETY: a live list; both values stay alive after their references are given back.
        unsafe {
            let value = qjs::JS_GetPropertyUint32(self.core.ctx, self.list, place);
            let proto = qjs::JS_GetPrototype(self.core.ctx, value);
            qjs::JS_FreeValue(self.core.ctx, value);
            qjs::JS_FreeValue(self.core.ctx, proto);
            qjs::JS_VALUE_GET_PTR(proto) as usize
        }
    }

    /// The whole numbers in a block of values.
    fn whole(&self, values: *const qjs::JSValue, count: usize) -> Option<Vec<Option<i32>>> {
        self.block(values, count * size_of::<qjs::JSValue>())?;
        let read = |at: usize| {
            // SAFETY: within the engine's memory; a number is read only after its tag.
            unsafe {
                let value = values.add(at).read();
                (value.tag == i64::from(qjs::JS_TAG_INT)).then(|| qjs::JS_VALUE_GET_INT(value))
            }
        };
        Some((0..count).map(read).collect())
    }

    fn layout(&self) -> Option<Layout> {
        let (object_proto, list_proto) = (self.proto(0), self.proto(2));
        let object = self.object(0)?;
        let names = self.names(object, 4, object_proto)?;
        let words = ["first", "second", "third", "fourth"];
        let named =
            names.iter().zip(words).all(|(named, word)| named.name == self.atom(word) && named.flags() == PLAIN);
        let members = self.whole(object.members, 4)?;
        let sealed = self.object(1)?;
        let list = self.object(2)?;
        let sealed_list = self.object(3)?;
        let lengths = self.names(list, 1, list_proto)?;
        let length = self.whole(list.members, 1)?;
        let overlong = self.object(9)?;
        let fits = named
            && object.class == OBJECT
            && list.class == LIST
            && members == [Some(11), None, None, None]
            && self.whole(sealed.members, 4)? == [Some(12), Some(2), Some(3), Some(4)]
            && self.names(sealed, 4, object_proto)?.len() == 4
            // One bit alone says that members can be added.
            && (object.flags() ^ sealed.flags()).is_power_of_two()
            && object.flags() ^ sealed.flags() == list.flags() ^ sealed_list.flags()
            && self.object(8)?.flags() == object.flags()
            && self.names(self.object(8)?, 0, object_proto)?.is_empty()
            && list.count == 2
            && self.whole(list.items, 2)? == [Some(31), Some(32)]
            && length == [Some(2)]
            && sealed_list.count == 1
            && self.whole(sealed_list.items, 1)? == [Some(41)]
            && lengths[0].name == self.atom("length")
            // A list whose length was set past its items shows it.
            && self.whole(overlong.members, 1)? == [Some(9)]
            && (overlong.flags() != list.flags() || overlong.count == 1)
            && self.counts_references()?;
        let units_at = UNITS_AT.into_iter().find(|at| self.texts(*at) == Some(true))?;
        fits.then_some(Layout {
            object_flags: object.flags(),
            list_flags: list.flags(),
            length_flags: lengths[0].flags(),
            length_name: lengths[0].name,
            units_at,
        })
    }

    fn counts_references(&self) -> Option<bool> {
        let object = self.block(self.at(0).cast::<u8>().wrapping_sub(8), 8)?.wrapping_add(8).cast();
        // SAFETY: within the engine's memory, with the count before it; a reference more is taken and given back.
        unsafe {
            let before = references(object);
            let more = qjs::JS_GetPropertyUint32(self.core.ctx, self.list, 0);
            let during = references(object);
            qjs::JS_FreeValue(self.core.ctx, more);
            Some((before, during, references(object)) == (1, 2, 1))
        }
    }

    fn texts(&self, at: usize) -> Option<bool> {
        let long: Vec<u8> = b"abcdefgh".iter().copied().cycle().skip(9).take(2_992).collect();
        let many: Vec<u16> = [0x4e2d, 0x6587].into_iter().cycle().skip(3).take(900).collect();
        let narrow = |place: u32, expected: &[u8]| {
            self.reads(place, at, |text| matches!(text, Text::Narrow(units) if units == expected))
        };
        let wide = |place: u32, expected: &[u16]| {
            self.reads(place, at, |text| matches!(text, Text::Wide(units) if units == expected))
        };
        Some(narrow(4, b"narrow")? && wide(5, &[0x4e2d, 0x6587, 0x21])? && narrow(6, &long)? && wide(7, &many)?)
    }

    fn reads(&self, place: u32, at: usize, fits: impl FnOnce(Text<'_>) -> bool) -> Option<bool> {
        let head = self.block(self.at(place).cast::<Units>(), at + size_of::<Slice>())?;
        // SAFETY: within the engine's memory, as is each place below once it was asked for.
        unsafe {
            let bytes = (((*head).length & LENGTH) as usize) << ((*head).length >> 31);
            match kind(head) {
                WHOLE => self.block(head, at + bytes)?,
                SLICE => {
                    let slice = head.byte_add(at).cast::<Slice>();
                    let parent = self.block((*slice).parent, at + ((*slice).start as usize).checked_add(bytes)?)?;
                    // A slice of a slice would be read wrongly.
                    if kind(parent) != WHOLE {
                        return None;
                    }
                    parent
                }
                _ => return None,
            };
            units(head, at).map(fits)
        }
    }
}

/// The flags of a member that can be written, listed and removed.
pub(crate) const PLAIN: u32 = qjs::JS_PROP_C_W_E;
/// The class of lists.
pub(crate) const LIST: u16 = 2;
/// The class of plain objects.
pub(crate) const OBJECT: u16 = 1;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_layout_is_found_on_this_system() {
        crate::with_stack(|| assert!(layout().is_some()));
    }
}
