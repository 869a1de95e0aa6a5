//! The memory of one engine: every block it asks for, counted in requested bytes and kept in one list.
//!
//! The list lets an engine end without asking it to free anything: its own tear-down checks its books and ends the
//! whole process on a difference, which a program that ran out of memory can cause.
//! Knows nothing of values or of JavaScript.

use rquickjs::qjs;
use std::alloc::{Layout, alloc, alloc_zeroed, dealloc, realloc};
use std::cell::Cell;
use std::ffi::c_void;
use std::ptr;

/// What stands before each block.
#[repr(C, align(16))]
struct Head {
    next: *mut Head,
    previous: *mut Head,
    size: usize,
}

const HEAD: usize = size_of::<Head>();

/// The books of one engine. Its address is given to the engine, so it lives in a box and never moves.
pub(crate) struct Ledger {
    first: Cell<*mut Head>,
    used: Cell<usize>,
    peak: Cell<usize>,
    limit: Cell<usize>,
    hit: Cell<bool>,
}

impl Ledger {
    /// Books with nothing in them, that refuse what would take the sum of requested bytes past `limit`.
    pub(crate) fn new(limit: usize) -> Box<Self> {
        Box::new(Self {
            first: Cell::new(ptr::null_mut()),
            used: Cell::new(0),
            peak: Cell::new(0),
            limit: Cell::new(limit),
            hit: Cell::new(false),
        })
    }

    /// Whether so many bytes from an address lie whole within one block.
    pub(crate) fn holds(&self, at: *const c_void, bytes: usize) -> bool {
        let Some(end) = (at as usize).checked_add(bytes) else { return false };
        let mut head = self.first.get();
        while !head.is_null() {
            let start = head as usize + HEAD;
            // SAFETY: in the list.
            let Head { next, size, .. } = unsafe { &*head };
            if start <= at as usize && end <= start + size {
                return true;
            }
            head = *next;
        }
        false
    }

    /// Whether a block was refused, even when the program caught the engine's error about it.
    pub(crate) fn hit(&self) -> bool {
        self.hit.get()
    }

    /// Forgets that a block was refused.
    pub(crate) fn clear_hit(&self) {
        self.hit.set(false);
    }

    /// Bytes in use.
    pub(crate) fn used(&self) -> usize {
        self.used.get()
    }

    /// The most bytes in use at once since the last [`Ledger::mark_peak`].
    pub(crate) fn peak(&self) -> usize {
        self.peak.get()
    }

    /// Starts the peak again from what is in use.
    pub(crate) fn mark_peak(&self) {
        self.peak.set(self.used.get());
    }

    /// Changes the limit and returns the one before.
    pub(crate) fn set_limit(&self, limit: usize) -> usize {
        self.limit.replace(limit)
    }

    /// Gives every block back. Nothing of the engine may be used afterwards.
    pub(crate) fn free_all(&self) {
        let mut at = self.first.replace(ptr::null_mut());
        while !at.is_null() {
            // SAFETY: the list holds exactly the blocks that were allocated here and not freed.
            let (next, size) = unsafe { ((*at).next, (*at).size) };
            if let Some(layout) = layout(size) {
                // SAFETY: allocated with the same layout.
                unsafe { dealloc(at.cast(), layout) };
            }
            at = next;
        }
        self.used.set(0);
    }

    fn take(&self, size: usize) -> bool {
        match self.used.get().checked_add(size) {
            Some(used) if used <= self.limit.get() => {
                self.used.set(used);
                if used > self.peak.get() {
                    self.peak.set(used);
                }
                true
            }
            _ => {
                self.hit.set(true);
                false
            }
        }
    }

    fn give(&self, size: usize) {
        self.used.set(self.used.get().saturating_sub(size));
    }

    fn link(&self, head: *mut Head, size: usize) -> *mut c_void {
        let first = self.first.get();
        // SAFETY: `head` is a fresh block with room for its head, and `first` is in the list or null.
        unsafe {
            ptr::write(head, Head { next: first, previous: ptr::null_mut(), size });
            if !first.is_null() {
                (*first).previous = head;
            }
            self.first.set(head);
            head.cast::<u8>().add(HEAD).cast()
        }
    }

    fn unlink(&self, head: *mut Head) {
        // SAFETY: `head` is in the list.
        unsafe {
            let Head { next, previous, .. } = *head;
            if previous.is_null() {
                self.first.set(next);
            } else {
                (*previous).next = next;
            }
            if !next.is_null() {
                (*next).previous = previous;
            }
        }
    }

    fn request(&self, size: usize, zeroed: Zeroed) -> *mut c_void {
        let Some(layout) = layout(size) else {
            self.hit.set(true);
            return ptr::null_mut();
        };
        if !self.take(size) {
            return ptr::null_mut();
        }
        // SAFETY: the layout has a size above zero, since it holds the head.
        let block = unsafe {
            match zeroed {
                Zeroed::Yes => alloc_zeroed(layout),
                Zeroed::No => alloc(layout),
            }
        };
        if block.is_null() {
            self.give(size);
            self.hit.set(true);
            return ptr::null_mut();
        }
        self.link(block.cast(), size)
    }
}

impl Drop for Ledger {
    fn drop(&mut self) {
        self.free_all();
    }
}

#[derive(Clone, Copy)]
enum Zeroed {
    Yes,
    No,
}

fn layout(size: usize) -> Option<Layout> {
    Layout::from_size_align(size.checked_add(HEAD)?, align_of::<Head>()).ok()
}

/// The functions an engine is given.
pub(crate) fn functions() -> qjs::JSMallocFunctions {
    qjs::JSMallocFunctions {
        js_calloc: Some(calloc),
        js_malloc: Some(malloc),
        js_free: Some(free),
        js_realloc: Some(resize),
        js_malloc_usable_size: Some(usable),
    }
}

fn head_of(block: *const c_void) -> *mut Head {
    block.cast::<u8>().wrapping_sub(HEAD).cast_mut().cast()
}

// SAFETY of the five functions below: the engine passes back the opaque pointer it was made with, which is a ledger
// that outlives it, and only blocks that these functions returned. All run on the engine's one thread.

unsafe extern "C" fn calloc(opaque: *mut c_void, count: qjs::size_t, size: qjs::size_t) -> *mut c_void {
    let ledger = unsafe { &*opaque.cast::<Ledger>() };
    match (count as usize).checked_mul(size as usize) {
        Some(bytes) => ledger.request(bytes, Zeroed::Yes),
        None => {
            ledger.hit.set(true);
            ptr::null_mut()
        }
    }
}

unsafe extern "C" fn malloc(opaque: *mut c_void, size: qjs::size_t) -> *mut c_void {
    let ledger = unsafe { &*opaque.cast::<Ledger>() };
    ledger.request(size as usize, Zeroed::No)
}

unsafe extern "C" fn free(opaque: *mut c_void, block: *mut c_void) {
    if block.is_null() {
        return;
    }
    let ledger = unsafe { &*opaque.cast::<Ledger>() };
    let head = head_of(block);
    let size = unsafe { (*head).size };
    ledger.unlink(head);
    ledger.give(size);
    if let Some(layout) = layout(size) {
        unsafe { dealloc(head.cast(), layout) };
    }
}

unsafe extern "C" fn resize(opaque: *mut c_void, block: *mut c_void, size: qjs::size_t) -> *mut c_void {
    let ledger = unsafe { &*opaque.cast::<Ledger>() };
    let size = size as usize;
    if block.is_null() {
        return ledger.request(size, Zeroed::No);
    }
    let head = head_of(block);
    let before = unsafe { (*head).size };
    let (Some(old), Some(new)) = (layout(before), layout(size)) else {
        ledger.hit.set(true);
        return ptr::null_mut();
    };
    if size > before && !ledger.take(size - before) {
        return ptr::null_mut();
    }
    ledger.unlink(head);
    let moved = unsafe { realloc(head.cast(), old, new.size()) };
    if moved.is_null() {
        ledger.link(head, before);
        ledger.give(size.saturating_sub(before));
        ledger.hit.set(true);
        return ptr::null_mut();
    }
    ledger.give(before.saturating_sub(size));
    ledger.link(moved.cast(), size)
}

unsafe extern "C" fn usable(block: *const c_void) -> qjs::size_t {
    if block.is_null() {
        return 0;
    }
    unsafe { (*head_of(block)).size as qjs::size_t }
}
