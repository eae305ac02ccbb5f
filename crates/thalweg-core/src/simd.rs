//! One algorithm, several machines.
//!
//! Hot loops are written once, as plain loops in `#[inline(always)]` functions, and compiled again under wider
//! instruction sets by [`dispatch!`](crate::dispatch); the compiler vectorises each copy. The choice is made at run time, so a binary
//! built for the oldest machine runs fast on the newest.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, Ordering};

use crate::{Error, Result};

/// Defines `fn name(args)` that calls `body(args)` compiled for the best instruction set at hand.
///
/// The body must be `#[inline(always)]`, or it is compiled for the baseline only. With `= body, up to level;` no higher
/// level is compiled or used, for kernels that gain nothing from it.
#[macro_export]
macro_rules! dispatch {
    ($(#[$meta:meta])* $vis:vis fn $name:ident<$($g:ident: $bound:path),* $(; const $c:ident: $ct:ty)*>($($arg:ident: $t:ty),* $(,)?) $(-> $ret:ty)? = $body:path $(, up to $most:expr)?;) => {
        $(#[$meta])*
        #[allow(unsafe_code, clippy::too_many_arguments)]
        $vis fn $name<$($g: $bound,)* $(const $c: $ct,)*>($($arg: $t),*) $(-> $ret)? {
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,bmi1,bmi2,lzcnt,popcnt")]
                fn avx512<$($g: $bound,)* $(const $c: $ct,)*>($($arg: $t),*) $(-> $ret)? {
                    $body($($arg),*)
                }
                #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
                fn avx2<$($g: $bound,)* $(const $c: $ct,)*>($($arg: $t),*) $(-> $ret)? {
                    $body($($arg),*)
                }
                match $crate::simd::level()$(.min($most))? {
                    // SAFETY: `level` has seen every feature that the function is compiled with.
                    $crate::simd::Level::Avx512 => return unsafe { avx512::<$($g,)* $($c,)*>($($arg),*) },
                    // SAFETY: as above.
                    $crate::simd::Level::Avx2 => return unsafe { avx2::<$($g,)* $($c,)*>($($arg),*) },
                    _ => {}
                }
            }
            $body($($arg),*)
        }
    };
}

/// The instruction sets that [`dispatch!`](crate::dispatch) distinguishes, in increasing order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Level {
    /// What every machine of the target has.
    Baseline,
    /// x86-64 with 256-bit vectors.
    Avx2,
    /// x86-64 with 512-bit vectors and masks.
    Avx512,
}

impl Level {
    const ALL: [Self; 3] = [Self::Baseline, Self::Avx2, Self::Avx512];

    /// The level's name, for people.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Baseline => "baseline",
            Self::Avx2 => "AVX2",
            Self::Avx512 => "AVX-512",
        }
    }

    /// The best level of this machine.
    #[inline]
    pub fn best() -> Self {
        // A dozen questions, which kernels' checks would ask again for every piece.
        static BEST: OnceLock<Level> = OnceLock::new();
        *BEST.get_or_init(Self::look)
    }

    fn look() -> Self {
        #[cfg(target_arch = "x86_64")]
        {
            let avx2 = is_x86_feature_detected!("avx2")
                && is_x86_feature_detected!("bmi1")
                && is_x86_feature_detected!("bmi2")
                && is_x86_feature_detected!("lzcnt")
                && is_x86_feature_detected!("popcnt");
            let avx512 = avx2
                && is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512cd")
                && is_x86_feature_detected!("avx512dq")
                && is_x86_feature_detected!("avx512vl");
            if avx512 {
                return Self::Avx512;
            }
            if avx2 {
                return Self::Avx2;
            }
        }
        Self::Baseline
    }

    /// Every level that this machine has.
    pub fn available() -> &'static [Self] {
        &Self::ALL[..=Self::best() as usize]
    }
}

/// The level in use, plus one; 0 while nobody has asked.
static LEVEL: AtomicU8 = AtomicU8::new(0);

/// The level in use: the best of this machine, unless `THALWEG_SIMD=baseline|avx2` or [`set_level`] says otherwise.
#[inline]
pub fn level() -> Level {
    match LEVEL.load(Ordering::Relaxed) {
        0 => first_level(&LEVEL),
        stored => of_stored(stored),
    }
}

#[inline]
fn of_stored(stored: u8) -> Level {
    match stored {
        1 => Level::Baseline,
        2 => Level::Avx2,
        _ => Level::Avx512,
    }
}

/// The first who asks decides for all; but a level that was set meanwhile, by another thread, stays.
#[cold]
fn first_level(stored: &AtomicU8) -> Level {
    let wish = match std::env::var("THALWEG_SIMD").unwrap_or_default().as_str() {
        "baseline" => Level::Baseline,
        "avx2" => Level::Avx2,
        _ => Level::Avx512,
    };
    let level = wish.min(Level::best());
    match stored.compare_exchange(0, level as u8 + 1, Ordering::Relaxed, Ordering::Relaxed) {
        Ok(_) => level,
        Err(set) => of_stored(set),
    }
}

/// Lets all kernels of the process run on a lower level, or on the best one again: for tests and measurements. Results
/// are the same on every level.
///
/// # Errors
/// [`Error::BadOption`] for a level that this machine does not have; then nothing changes.
pub fn set_level(level: Level) -> Result<()> {
    if level > Level::best() {
        let reason = format!("this machine has no {}", level.name());
        return Err(Error::BadOption { option: "instruction set", reason });
    }
    LEVEL.store(level as u8 + 1, Ordering::Relaxed);
    Ok(())
}

/// Name of the instruction set whose kernels run: `AVX-512`, `AVX2` or `baseline`.
pub fn simd_level() -> &'static str {
    level().name()
}

/// Asks the memory for the cache line at `index` of `slice` before it is needed. Out of bounds is harmless.
#[inline(always)]
pub fn prefetch<T>(slice: &[T], index: usize) {
    prefetch_line(slice.as_ptr().wrapping_add(index));
}

/// The same for an address, which may be anything.
#[inline(always)]
#[allow(unsafe_code)]
pub fn prefetch_line<T>(address: *const T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch of any address is allowed.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(address.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_levels_of_the_machine_can_be_set() {
        assert_eq!(Level::available().last(), Some(&Level::best()));
        for level in Level::ALL {
            assert_eq!(set_level(level).is_ok(), Level::available().contains(&level), "{level:?}");
        }
        set_level(Level::Baseline).unwrap();
        assert_eq!(simd_level(), "baseline");
        set_level(Level::best()).unwrap();
        assert_eq!(level(), Level::best());
    }

    #[test]
    fn a_level_that_was_set_is_not_lost_to_one_who_asks_first() {
        for level in Level::ALL {
            let set_meanwhile = AtomicU8::new(level as u8 + 1);
            assert_eq!(first_level(&set_meanwhile), level);
            assert_eq!(set_meanwhile.into_inner(), level as u8 + 1);
        }
    }
}
