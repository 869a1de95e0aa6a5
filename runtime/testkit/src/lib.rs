//! What tests of every room share: the literate cases under `tests/spec`.
//!
//! A case is a heading of a Markdown file with the blocks below it: a document first, then what is expected of it.
//! Whoever runs the cases says what each block comes to; this crate reads the files, compares, and rewrites what is
//! expected when `UPDATE=1` is set.
//! It must not know what a document means.

pub mod literate;
