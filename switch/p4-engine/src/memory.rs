// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! The memory of a switch that compiled code uses beside Rust: words, registers, counters.
#![allow(unsafe_code)]

use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;

use crate::budget::WORDS;

/// A counter cell: BMv2 always counts both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CounterValue {
    /// Packets counted.
    pub packets: u64,
    /// Bytes counted: the lengths of the packets as they arrived.
    pub bytes: u64,
}

/// A slice on the heap whose address never changes, and which compiled code may use beside Rust:
/// references to it exist only while a method is called.
pub(crate) struct Array<T> {
    first: NonNull<T>,
    len: usize,
    owned: PhantomData<T>,
}

// SAFETY: an `Array` owns its elements, as a `Box<[T]>` does.
unsafe impl<T: Send> Send for Array<T> {}
// SAFETY: as above; shared references to an `Array` give only shared references to its elements.
unsafe impl<T: Sync> Sync for Array<T> {}

impl<T> From<Vec<T>> for Array<T> {
    fn from(content: Vec<T>) -> Self {
        let slice = Box::into_raw(content.into_boxed_slice());
        // SAFETY: a pointer from `Box::into_raw` is not null.
        let first = unsafe { NonNull::new_unchecked(slice.cast::<T>()) };
        Self {
            first,
            len: slice.len(),
            owned: PhantomData,
        }
    }
}

impl<T> Drop for Array<T> {
    fn drop(&mut self) {
        let slice = std::ptr::slice_from_raw_parts_mut(self.first.as_ptr(), self.len);
        // SAFETY: pointer and length are those that `Box::into_raw` gave, and it is freed once.
        drop(unsafe { Box::from_raw(slice) });
    }
}

impl<T> Deref for Array<T> {
    type Target = [T];
    #[inline]
    fn deref(&self) -> &[T] {
        // SAFETY: `len` elements are allocated and initialised at `first`. No other reference to
        // them can be mutable: this one borrows `self`, and compiled code runs only inside
        // `jit::raw::enter`, which has the only reference to the switch.
        unsafe { std::slice::from_raw_parts(self.first.as_ptr(), self.len) }
    }
}

impl<T> DerefMut for Array<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as for `deref`; this borrow of `self` is exclusive.
        unsafe { std::slice::from_raw_parts_mut(self.first.as_ptr(), self.len) }
    }
}

/// The word array.
pub(crate) struct Words(Array<u64>);

impl Words {
    /// Where the words are, for compiled code.
    pub fn as_mut_ptr(&mut self) -> *mut u64 {
        self.0.first.as_ptr()
    }

    /// The array with this content (at most `WORDS` words) and zeros after it.
    pub fn new(content: &[u64]) -> Self {
        let mut words = vec![0; WORDS];
        words[..content.len()].copy_from_slice(content);
        Self(words.into())
    }
}

impl Deref for Words {
    type Target = [u64; WORDS];
    #[inline]
    fn deref(&self) -> &Self::Target {
        // SAFETY: as for `Array`, whose length here is `WORDS`.
        unsafe { self.0.first.cast().as_ref() }
    }
}

impl DerefMut for Words {
    #[inline]
    fn deref_mut(&mut self) -> &mut Self::Target {
        // SAFETY: as for `Array`, whose length here is `WORDS`.
        unsafe { self.0.first.cast().as_mut() }
    }
}

/// Arrays of cells (registers, counters), with a list of where each begins for compiled code.
pub(crate) struct Cells<T> {
    arrays: Vec<Array<T>>,
    places: Array<NonNull<T>>,
}

// SAFETY: `places` only repeats the addresses of `arrays`, which are `Send`.
unsafe impl<T: Send> Send for Cells<T> {}
// SAFETY: as above; nothing is reached through `places` by Rust code.
unsafe impl<T: Sync> Sync for Cells<T> {}

impl<T> Cells<T> {
    /// The list of where each array begins, for compiled code.
    pub fn places(&mut self) -> *const NonNull<T> {
        self.places.first.as_ptr()
    }
}

impl<T> FromIterator<Vec<T>> for Cells<T> {
    fn from_iter<I: IntoIterator<Item = Vec<T>>>(iter: I) -> Self {
        let arrays: Vec<Array<T>> = iter.into_iter().map(Array::from).collect();
        let places: Vec<_> = arrays.iter().map(|a| a.first).collect();
        Self {
            arrays,
            places: places.into(),
        }
    }
}

impl<T> Deref for Cells<T> {
    type Target = [Array<T>];
    #[inline]
    fn deref(&self) -> &[Array<T>] {
        &self.arrays
    }
}

impl<T> DerefMut for Cells<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [Array<T>] {
        // The elements cannot be replaced by others of which `places` knows nothing: `Array` has
        // no constructor outside of this module but `From`, and nobody assigns one.
        &mut self.arrays
    }
}
