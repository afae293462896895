// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Arbitrary bytes as a source of choices. When they run out, every choice is the first one.

#[derive(Clone)]
pub struct Bytes<'a> {
    data: &'a [u8],
}

impl<'a> Bytes<'a> {
    pub fn new(data: &'a [u8]) -> Self {
        Self { data }
    }

    pub fn is_empty(&self) -> bool {
        self.data.is_empty()
    }

    /// The next `n` bytes, or what is left.
    pub fn take(&mut self, n: usize) -> &'a [u8] {
        let (taken, rest) = self.data.split_at(n.min(self.data.len()));
        self.data = rest;
        taken
    }

    pub fn rest(&mut self) -> &'a [u8] {
        self.take(usize::MAX)
    }

    /// A number of `n` bytes, at most 8.
    fn number(&mut self, n: usize) -> u64 {
        let taken = self.take(n);
        taken.iter().fold(0, |v, b| v << 8 | u64::from(*b))
    }

    pub fn u8(&mut self) -> u8 {
        self.number(1) as u8
    }

    pub fn u16(&mut self) -> u16 {
        self.number(2) as u16
    }

    pub fn u32(&mut self) -> u32 {
        self.number(4) as u32
    }

    /// A number that is often small or one of the ends of a range.
    pub fn any(&mut self) -> u64 {
        match self.u8() {
            0 => u64::MAX,
            1 => self.number(8),
            2 => self.number(4),
            3 => self.number(2),
            4 => (1 << (self.u8() % 64)) - 1,
            small => u64::from(small) - 5,
        }
    }

    /// A number less than `n`; 0 if `n` is 0.
    pub fn below(&mut self, n: usize) -> usize {
        if n <= 1 {
            0
        } else if n <= 256 {
            usize::from(self.u8()) % n
        } else {
            self.u32() as usize % n
        }
    }
}
