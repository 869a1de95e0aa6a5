//! The sizes of a view over its folds, in few points however many folds there are.

use serde_json::{Value, json};

/// The most points.
const POINTS: usize = 400;

/// For each of equally many folds in a row the largest view, and the largest of all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sizes {
    /// Folds of one point.
    width: u64,
    count: u64,
    /// The fold of a point, counted from 1, and the bytes after it.
    points: Vec<(u64, u64)>,
}

impl Sizes {
    pub(crate) fn new() -> Self {
        Self { width: 1, count: 0, points: Vec::new() }
    }

    /// Adds the bytes of the view after the next fold.
    pub(crate) fn add(&mut self, bytes: u64) {
        self.count += 1;
        let begins = (self.count - 1).is_multiple_of(self.width);
        match self.points.last_mut() {
            Some(last) if !begins => *last = larger(*last, (self.count, bytes)),
            _ => self.points.push((self.count, bytes)),
        }
        if self.points.len() > POINTS {
            self.width *= 2;
            let pairs = self.points.chunks(2);
            self.points = pairs.map(|pair| pair.iter().copied().reduce(larger).expect("a chunk holds one")).collect();
        }
    }

    /// The fold after which the view was largest, the first of several, and its bytes.
    pub(crate) fn peak(&self) -> Option<(u64, u64)> {
        self.points.iter().copied().reduce(larger)
    }

    /// The points as lists of two numbers.
    pub(crate) fn shown(&self) -> Value {
        self.points.iter().map(|(at, bytes)| json!([at, bytes])).collect()
    }
}

/// The larger of two, the first where both are equal.
fn larger(a: (u64, u64), b: (u64, u64)) -> (u64, u64) {
    if b.1 > a.1 { b } else { a }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_point_is_the_largest_of_its_folds() {
        for folds in [0_u64, 1, 399, 400, 401, 5_000] {
            let mut sizes = Sizes::new();
            let bytes = |at: u64| at * 7_919 % 1_009;
            (1..=folds).for_each(|at| sizes.add(bytes(at)));
            assert!(sizes.points.len() <= POINTS, "{folds}");
            assert!(folds < 400 || sizes.points.len() >= POINTS / 2, "{folds}");
            for (nth, (at, size)) in (0_u64..).zip(&sizes.points) {
                let of = nth * sizes.width + 1..=((nth + 1) * sizes.width).min(folds);
                assert!(of.contains(at));
                assert_eq!(*size, of.map(bytes).max().expect("some"));
            }
            assert_eq!(sizes.peak().map(|(_, size)| size), (1..=folds).map(bytes).max());
        }
    }
}
