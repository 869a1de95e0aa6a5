//! A set of addresses that is emptied and filled again thousands of times a second.

/// Addresses of objects that were met.
#[derive(Default)]
pub(crate) struct Pointers {
    slots: Vec<usize>,
    count: usize,
}

impl Pointers {
    /// Forgets all.
    pub(crate) fn clear(&mut self) {
        if self.slots.len() > 65_536 {
            self.slots = Vec::new();
        }
        self.slots.fill(0);
        self.count = 0;
    }

    /// Adds an address, which is never zero. `false` when it was there.
    pub(crate) fn insert(&mut self, address: usize) -> bool {
        if (self.count + 1) * 2 > self.slots.len() {
            self.grow();
        }
        let new = Self::place(&mut self.slots, address);
        self.count += usize::from(new);
        new
    }

    fn place(slots: &mut [usize], address: usize) -> bool {
        let mask = slots.len() - 1;
        #[allow(clippy::cast_possible_truncation, reason = "the low bits serve as well")]
        let spread = 0x9e37_79b9_7f4a_7c15_u64 as usize;
        let mut at = ((address >> 4).wrapping_mul(spread) >> (usize::BITS / 2)) & mask;
        loop {
            match slots[at] {
                0 => {
                    slots[at] = address;
                    return true;
                }
                there if there == address => return false,
                _ => at = (at + 1) & mask,
            }
        }
    }

    fn grow(&mut self) {
        let mut slots = vec![0; (self.slots.len() * 2).max(64)];
        for address in self.slots.iter().filter(|address| **address != 0) {
            Self::place(&mut slots, *address);
        }
        self.slots = slots;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_what_it_holds() {
        let mut set = Pointers::default();
        for round in 0..3 {
            set.clear();
            for address in 1..5_000_usize {
                assert!(set.insert(address * 16), "round {round}");
            }
            for address in 1..5_000_usize {
                assert!(!set.insert(address * 16));
            }
        }
    }
}
