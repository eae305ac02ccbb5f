//! What engines add up and where the sums go: C words of 64 bits an element, which wrap around.
#![allow(unsafe_code)]

use std::array;

use super::weight::Numbers;
use thalweg_core::Position;
use thalweg_core::disjoint::Disjoint;

/// Word by word.
#[inline(always)]
pub(super) fn plus<const C: usize>(a: [u64; C], b: [u64; C]) -> [u64; C] {
    array::from_fn(|c| a[c].wrapping_add(b[c]))
}

/// Word by word.
#[inline(always)]
pub(super) fn minus<const C: usize>(a: [u64; C], b: [u64; C]) -> [u64; C] {
    array::from_fn(|c| a[c].wrapping_sub(b[c]))
}

/// What is summed along the lists. Sums include the element itself.
#[derive(Clone, Copy, Debug)]
pub(super) enum Load<'w> {
    /// One for every element; of links there is one fewer than of elements.
    Ones,
    /// The numbers from `first` on of every `count`.
    Numbers { numbers: Numbers<'w>, count: usize, first: usize },
}

impl<'w> Load<'w> {
    /// Sums that are to be summed again.
    pub(super) fn of_sums<const C: usize>(sums: &'w [[u64; C]]) -> Self {
        Self::Numbers { numbers: Numbers::U64(sums.as_flattened()), count: C, first: 0 }
    }

    /// What an element weighs. Which type it is does not change from one element to the next, so a processor guesses it.
    #[inline(always)]
    pub(super) fn of<const C: usize>(&self, element: usize) -> [u64; C] {
        let Self::Numbers { numbers, count, first } = *self else { return [1; C] };
        let at = element * count + first;
        match numbers {
            Numbers::I32(numbers) => words(numbers, at).map(|number| number as u64),
            Numbers::U32(numbers) => words(numbers, at).map(u64::from),
            Numbers::I64(numbers) => words(numbers, at).map(|number| number as u64),
            Numbers::U64(numbers) => words(numbers, at),
        }
    }
}

#[inline(always)]
fn words<T: Copy, const C: usize>(numbers: &[T], at: usize) -> [T; C] {
    *numbers[at..].first_chunk().expect("as many numbers as elements")
}

/// Where the sums go.
pub(super) trait Store<const C: usize>: Sync {
    /// For how many elements there is room. Engines see to it that these are all.
    fn room(&self) -> usize;
    /// Keeps the sum of an element.
    ///
    /// # Safety
    /// The element is one of those that there is room for, and nobody else puts its sum at the same time.
    unsafe fn put(&self, element: usize, sum: [u64; C]);
}

/// Numbers of links: the sum of ones, without the element itself.
#[derive(Debug)]
pub(super) struct Ranks<'o, P>(pub(super) Disjoint<'o, P>);

impl<P: Position> Store<1> for Ranks<'_, P> {
    fn room(&self) -> usize {
        self.0.len()
    }

    #[inline(always)]
    unsafe fn put(&self, element: usize, [sum]: [u64; 1]) {
        // SAFETY: the caller's promise.
        unsafe { self.0.put(element, P::new(sum.wrapping_sub(1) as usize)) };
    }
}

/// The words from `first` on of every `count`.
#[derive(Debug)]
pub(super) struct Sums<'o> {
    pub(super) out: Disjoint<'o, u64>,
    pub(super) count: usize,
    pub(super) first: usize,
}

impl<const C: usize> Store<C> for Sums<'_> {
    fn room(&self) -> usize {
        assert!(self.first + C <= self.count);
        self.out.len() / self.count
    }

    #[inline(always)]
    unsafe fn put(&self, element: usize, sum: [u64; C]) {
        for (c, word) in sum.into_iter().enumerate() {
            // SAFETY: the caller's promise; there are `count` words an element.
            unsafe { self.out.put(element * self.count + self.first + c, word) };
        }
    }
}
