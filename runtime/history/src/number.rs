//! Positions between Rust, where they are never negative, and SQLite, where every number has a sign.

/// A position for SQLite. One that no log reaches stands for the last.
pub(crate) fn to_sql(position: u64) -> i64 {
    i64::try_from(position).unwrap_or(i64::MAX)
}

/// A position from SQLite. The log writes no negative one.
pub(crate) fn from_sql(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}
