//! Where answers go: every engine gives numbers of a width of its own, and the result has a type of its own.
#![allow(unsafe_code)]

use std::sync::atomic::{AtomicUsize, Ordering};

use thalweg_core::disjoint::Disjoint;
use thalweg_core::memory::try_with_large_capacity;

use super::bits::I192;
use super::integer::Wide;
use crate::{Error, Result};

/// Takes answers from all threads; engines fill every place once.
///
/// # Safety
/// Functions must be given places inside the result, and no two threads the same.
pub(super) trait Sink: Sync {
    /// The answers from a place on.
    unsafe fn put_i64(&self, start: usize, values: &[i64]);
    unsafe fn put_i128(&self, start: usize, values: &[i128]);
    unsafe fn put_i192(&self, start: usize, values: &[I192]);
}

/// A result that is being filled.
struct Places<'a, R> {
    out: Disjoint<'a, R>,
    /// The first element that does not fit, so far.
    overflow: AtomicUsize,
}

impl<R: Wide> Places<'_, R> {
    #[inline(always)]
    unsafe fn put<T: Copy>(&self, start: usize, values: &[T], convert: impl Fn(T) -> Option<R>) {
        assert!(start <= self.out.len() && values.len() <= self.out.len() - start);
        // SAFETY: inside; the caller promises that nobody else has the places.
        let out = unsafe { self.out.slice(start..start + values.len()) };
        for (i, (out, &value)) in out.iter_mut().zip(values).enumerate() {
            match convert(value) {
                Some(value) => _ = out.write(value),
                None => {
                    // After an error nothing is read.
                    self.overflow.fetch_min(start + i, Ordering::Relaxed);
                    return;
                }
            }
        }
    }
}

impl<R: Wide> Sink for Places<'_, R> {
    unsafe fn put_i64(&self, start: usize, values: &[i64]) {
        // SAFETY: the caller's promise, here and below.
        unsafe { self.put(start, values, R::from_i64) }
    }
    unsafe fn put_i128(&self, start: usize, values: &[i128]) {
        // SAFETY: as above.
        unsafe { self.put(start, values, R::from_i128) }
    }
    unsafe fn put_i192(&self, start: usize, values: &[I192]) {
        // SAFETY: as above.
        unsafe { self.put(start, values, R::from_i192) }
    }
}

/// A result of `len` elements, filled by an engine.
///
/// # Safety
/// If the engine returns without an error, it has put an answer to every place.
pub(super) unsafe fn filled<R: Wide>(len: usize, engine: impl FnOnce(&dyn Sink) -> Result<()>) -> Result<Vec<R>> {
    let mut result = try_with_large_capacity(len, "the convolution")?;
    let places = Places {
        out: Disjoint::uninit(&mut result.spare_capacity_mut()[..len]),
        overflow: AtomicUsize::new(usize::MAX),
    };
    engine(&places)?;
    let overflow = places.overflow.into_inner();
    if overflow != usize::MAX {
        return Err(Error::Overflow { element: overflow, what: R::NAME });
    }
    // SAFETY: every place has been filled, says the caller, and none was refused.
    unsafe { result.set_len(len) };
    Ok(result)
}
