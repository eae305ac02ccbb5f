//! One algorithm, several machines.
//!
//! Hot loops are written once, as plain loops in `#[inline(always)]` functions, and compiled again under wider
//! instruction sets by [`dispatch!`]; the compiler vectorises each copy. The choice is made at run time, so a binary
//! built for the oldest machine runs fast on the newest.

/// Defines `fn name(args)` that calls `body(args)` compiled for the best instruction set at hand.
///
/// The body must be `#[inline(always)]`, or it is compiled for the baseline only.
macro_rules! dispatch {
    ($(#[$meta:meta])* $vis:vis fn $name:ident<$($g:ident: $bound:path),* $(; const $c:ident: $ct:ty)*>($($arg:ident: $t:ty),* $(,)?) $(-> $ret:ty)? = $body:path;) => {
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
                match $crate::simd::level() {
                    // SAFETY: `level` has seen every feature that the function is compiled with.
                    $crate::simd::Level::Avx512 => return unsafe { avx512::<$($g,)* $($c,)*>($($arg),*) },
                    // SAFETY: as above.
                    $crate::simd::Level::Avx2 => return unsafe { avx2::<$($g,)* $($c,)*>($($arg),*) },
                    $crate::simd::Level::Baseline => {}
                }
            }
            $body($($arg),*)
        }
    };
}
pub(crate) use dispatch;

/// The instruction sets that [`dispatch!`] distinguishes.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Level {
    Baseline,
    Avx2,
    Avx512,
}

/// The best level of this machine; `THALWEG_SIMD=baseline|avx2` lowers it, for tests and measurements.
#[cfg(target_arch = "x86_64")]
#[inline]
pub(crate) fn level() -> Level {
    use std::sync::OnceLock;
    static LEVEL: OnceLock<Level> = OnceLock::new();
    *LEVEL.get_or_init(|| {
        let wish = std::env::var("THALWEG_SIMD").unwrap_or_default();
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
        match wish.as_str() {
            "baseline" => Level::Baseline,
            "avx2" if avx2 => Level::Avx2,
            _ if avx512 => Level::Avx512,
            _ if avx2 => Level::Avx2,
            _ => Level::Baseline,
        }
    })
}

/// Name of the instruction set whose kernels run on this machine: `AVX-512`, `AVX2` or `baseline`.
pub fn simd_level() -> &'static str {
    #[cfg(target_arch = "x86_64")]
    match level() {
        Level::Avx512 => return "AVX-512",
        Level::Avx2 => return "AVX2",
        Level::Baseline => {}
    }
    "baseline"
}

/// Asks the memory for the cache line at `index` of `slice` before it is needed. Out of bounds is harmless.
#[inline(always)]
pub(crate) fn prefetch<T>(slice: &[T], index: usize) {
    prefetch_line(slice.as_ptr().wrapping_add(index));
}

/// The same for an address, which may be anything.
#[inline(always)]
#[allow(unsafe_code)]
pub(crate) fn prefetch_line<T>(address: *const T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch of any address is allowed.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(address.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}
