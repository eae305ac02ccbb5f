//! A node's sixteen children, all at once.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;

#[cfg(target_arch = "x86_64")]
pub(super) use self::{avx2::Avx2, avx512::Avx512};
use super::FAN;
use thalweg_core::Rank;

/// The children that lie in one node with entry `index` of a level.
#[inline(always)]
pub(super) fn children<R>(level: &[R], index: usize) -> &[R; FAN] {
    let start = index / FAN * FAN;
    debug_assert!(start + FAN <= level.len());
    // SAFETY: levels are filled up to whole nodes (`Lines::new`, `Lines::load`), and every index comes from a place inside
    // the array (`View::answer` and the front door check all ranges first) or from an entry of a higher level.
    unsafe { &*level.as_ptr().add(start).cast() }
}

/// The `FAN` entries of a level from `start` on, whatever nodes they lie in; there are as many.
#[inline(always)]
pub(super) fn window<R>(level: &[R], start: usize) -> &[R; FAN] {
    debug_assert!(start + FAN <= level.len());
    // SAFETY: as for `children`; whoever asks has made sure that `start` is that far from the end.
    unsafe { &*level.as_ptr().add(start).cast() }
}

/// Element `index` of a level, its offsets or the table.
#[inline(always)]
pub(super) fn at<T: Copy>(slice: &[T], index: usize) -> T {
    debug_assert!(index < slice.len());
    // SAFETY: as for `children`, but for groups named by the table, which `View::position` compares with their number; the
    // table has a row for every power of two up to the number of groups, and positions in the array are a range's ends.
    unsafe { *slice.get_unchecked(index) }
}

/// What a query asks of sixteen lanes, on some machine.
pub(super) trait Machine {
    /// Minimum of lanes `first..end`, the worst rank if there are none.
    fn least<R: Rank>(lanes: &[R; FAN], first: usize, end: usize) -> R;
    /// First lane from `first` on that holds `rank`; some lane if none does.
    fn first_with<R: Rank>(lanes: &[R; FAN], first: usize, rank: R) -> usize;
    /// The minimum and the first lane that holds it.
    fn leftmost_min<R: Rank>(lanes: &[R; FAN]) -> (R, usize);
}

/// Whatever the compiler makes of plain loops.
pub(super) struct AnyMachine;

impl Machine for AnyMachine {
    #[inline(always)]
    fn least<R: Rank>(lanes: &[R; FAN], first: usize, end: usize) -> R {
        horizontal_min(without(lanes, first, end))
    }

    #[inline(always)]
    fn first_with<R: Rank>(lanes: &[R; FAN], first: usize, rank: R) -> usize {
        first_lane_with(lanes, first, rank) % FAN
    }

    #[inline(always)]
    fn leftmost_min<R: Rank>(lanes: &[R; FAN]) -> (R, usize) {
        let rank = horizontal_min(*lanes);
        (rank, first_lane_with(lanes, 0, rank))
    }
}

/// The lanes, but the worst rank in all that are not in `first..end`.
#[inline(always)]
fn without<R: Rank>(lanes: &[R; FAN], first: usize, end: usize) -> [R; FAN] {
    let before: &[R; FAN] = R::MASK[FAN - first..].first_chunk().expect("first <= FAN");
    let behind: &[R; FAN] = R::MASK[2 * FAN - end..].first_chunk().expect("end <= FAN");
    let mut kept = *lanes;
    for i in 0..FAN {
        kept[i] = kept[i] | before[i] | behind[i];
    }
    kept
}

/// First lane from `first` on that holds `rank`; `FAN` or more if none does.
#[inline(always)]
fn first_lane_with<R: Rank>(lanes: &[R; FAN], first: usize, rank: R) -> usize {
    let before: &[R; FAN] = R::MASK[FAN - first..].first_chunk().expect("first <= FAN");
    let mut found = R::LANES;
    for i in 0..FAN {
        found[i] = (if lanes[i] == rank { found[i] } else { R::WORST }) | before[i];
    }
    horizontal_min(found).to_u64() as usize
}

/// First entry from `index` on in its node that holds `rank`; there is one.
#[inline(always)]
pub(super) fn first_entry_with<M: Machine, R: Rank>(lanes: &[R; FAN], index: usize, rank: R) -> usize {
    index / FAN * FAN + M::first_with(lanes, index % FAN, rank)
}

/// By halves, of which compilers make vector instructions: at the baseline, with this instead of one lane after the other, an index over keys
/// of 32 and 64 bits is built 1.5 to 1.8 times as fast, over keys of 8 bits 0.7 times.
#[inline(always)]
fn horizontal_min<R: Rank>(mut lanes: [R; FAN]) -> R {
    let mut half = FAN / 2;
    while half > 0 {
        for i in 0..half {
            lanes[i] = if lanes[half + i] < lanes[i] { lanes[half + i] } else { lanes[i] };
        }
        half /= 2;
    }
    lanes[0]
}

/// Defines a function over some [`Machine`] `M`, compiled for each of them: the best one is taken that the machine at hand has and
/// `most` allows.
macro_rules! kernel {
    ($(#[$meta:meta])* $vis:vis $name:ident, $body:ident<$($g:ident: $bound:path),*>($($arg:ident: $t:ty),* $(,)?) -> $ret:ty = $answer:expr, up to $most:expr) => {
        #[inline(always)]
        fn $body<M: $crate::rmq::lines::lanes::Machine, $($g: $bound),*>($($arg: $t),*) -> $ret {
            $answer
        }
        $(#[$meta])*
        $vis fn $name<$($g: $bound),*>($($arg: $t),*) -> $ret {
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,bmi1,bmi2,lzcnt,popcnt")]
                fn avx512<$($g: $bound),*>($($arg: $t),*) -> $ret {
                    $body::<$crate::rmq::lines::lanes::Avx512, $($g),*>($($arg),*)
                }
                #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
                fn avx2<$($g: $bound),*>($($arg: $t),*) -> $ret {
                    $body::<$crate::rmq::lines::lanes::Avx2, $($g),*>($($arg),*)
                }
                match thalweg_core::simd::level().min($most) {
                    // SAFETY: `level` has seen every feature that the function is compiled with.
                    thalweg_core::simd::Level::Avx512 => return unsafe { avx512::<$($g),*>($($arg),*) },
                    // SAFETY: as above.
                    thalweg_core::simd::Level::Avx2 => return unsafe { avx2::<$($g),*>($($arg),*) },
                    _ => {}
                }
            }
            $body::<$crate::rmq::lines::lanes::AnyMachine, $($g),*>($($arg),*)
        }
    };
}
pub(super) use kernel;

#[cfg(test)]
mod tests {
    use super::*;

    /// Lanes of few ranks and of many, small and large ones, against a look at every lane.
    fn check<M: Machine, R: Rank>(machine: &str) {
        let mut state = 1u64;
        let mut random = || {
            state = state.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
            state >> 20
        };
        let kinds = [1, 2, 5, 100, u64::MAX].map(|kinds| [0, u64::MAX / 2 - 1, u64::MAX - 1].map(|low| (kinds, low)));
        for (round, (kinds, low)) in
            (0..40).flat_map(|round| kinds.as_flattened().iter().map(move |&kind| (round, kind)))
        {
            // Bits of the key's width, spread over all of it where there are many kinds.
            let lanes: [R; FAN] = std::array::from_fn(|_| {
                let low = low >> (u64::BITS - R::BITS);
                let number =
                    if kinds == u64::MAX { random() << 20 ^ random() } else { low.wrapping_add(random() % kinds) };
                R::from_u64(number & R::WORST.to_u64())
            });
            let what = || format!("{machine}, {} bits, round {round}: {lanes:?}", R::BITS);
            for first in 0..FAN {
                for end in 0..=FAN {
                    let least = lanes[first..end.max(first)].iter().copied().min().unwrap_or(R::WORST);
                    assert!(M::least(&lanes, first, end) == least, "{first}..{end}, {}", what());
                }
                for rank in lanes[first..].iter().copied() {
                    let lane = (first..FAN).find(|&lane| lanes[lane] == rank).expect("there is one");
                    assert_eq!(M::first_with(&lanes, first, rank), lane, "from {first}, {}", what());
                }
            }
            let least = lanes.iter().copied().min().expect("sixteen");
            let lane = lanes.iter().position(|&rank| rank == least).expect("there is one");
            assert!(M::leftmost_min(&lanes) == (least, lane), "{}", what());
        }
    }

    fn check_widths<M: Machine>(machine: &str) {
        check::<M, u8>(machine);
        check::<M, u16>(machine);
        check::<M, u32>(machine);
        check::<M, u64>(machine);
    }

    #[test]
    fn lanes_of_every_machine_and_width() {
        check_widths::<AnyMachine>("any");
        #[cfg(target_arch = "x86_64")]
        for &level in thalweg_core::simd::Level::available() {
            match level {
                thalweg_core::simd::Level::Avx2 => check_widths::<Avx2>("AVX2"),
                thalweg_core::simd::Level::Avx512 => check_widths::<Avx512>("AVX-512"),
                _ => {}
            }
        }
    }
}
