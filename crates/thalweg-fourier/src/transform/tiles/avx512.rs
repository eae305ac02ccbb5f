//! Tiles of one cache line squared, turned in registers: eight by eight elements of 8 bytes, or four by four of 16.
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use thalweg_core::simd::prefetch_line;

/// Turns eight vectors of eight 64-bit elements.
#[inline]
#[target_feature(enable = "avx512f")]
fn turn_8(r: [__m512i; 8]) -> [__m512i; 8] {
    // Pairs of rows, then pairs of pairs, then fours.
    let (mut even, mut odd) = ([r[0]; 4], [r[0]; 4]);
    for i in 0..4 {
        even[i] = _mm512_unpacklo_epi64(r[2 * i], r[2 * i + 1]);
        odd[i] = _mm512_unpackhi_epi64(r[2 * i], r[2 * i + 1]);
    }
    let (even, odd) = (turn_4(even), turn_4(odd));
    [even[0], odd[0], even[1], odd[1], even[2], odd[2], even[3], odd[3]]
}

/// Turns four vectors of four 128-bit elements.
#[inline]
#[target_feature(enable = "avx512f")]
fn turn_4(r: [__m512i; 4]) -> [__m512i; 4] {
    let [a, b, c, d] = r;
    let (u, v) = (_mm512_shuffle_i64x2::<0x88>(a, b), _mm512_shuffle_i64x2::<0x88>(c, d));
    let (x, y) = (_mm512_shuffle_i64x2::<0xdd>(a, b), _mm512_shuffle_i64x2::<0xdd>(c, d));
    [
        _mm512_shuffle_i64x2::<0x88>(u, v),
        _mm512_shuffle_i64x2::<0x88>(x, y),
        _mm512_shuffle_i64x2::<0xdd>(u, v),
        _mm512_shuffle_i64x2::<0xdd>(x, y),
    ]
}

/// How the turned lines are written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Store {
    /// To be read again soon.
    Cached,
    /// Past the caches: whole lines at their place.
    Streamed,
}

/// Copies `rows` rows of `columns` elements, `from_pitch` elements apart, to columns that are rows `to_pitch` elements apart.
/// Both counts are multiples of the elements of a line.
///
/// # Safety
/// Both sides are as large as that, the machine has AVX-512, elements have 8 or 16 bytes, and lines to be streamed lie at
/// multiples of 64 bytes.
#[target_feature(enable = "avx512f")]
pub(super) unsafe fn turn<E: Copy>(
    from: *const E,
    from_pitch: usize,
    to: *mut E,
    to_pitch: usize,
    [rows, columns]: [usize; 2],
    store: Store,
) {
    // Along the longer side, so that what is far apart is touched once. Plain loops: a closure that a function of the
    // standard library calls would not be compiled for AVX-512.
    let tile = 64 / size_of::<E>();
    if rows >= columns {
        for row in (0..rows).step_by(tile) {
            for column in (0..columns).step_by(tile) {
                // SAFETY: the caller's promise.
                unsafe {
                    turn_tile(
                        from.add(row * from_pitch + column),
                        from_pitch,
                        to.add(column * to_pitch + row),
                        to_pitch,
                        store,
                    )
                };
            }
        }
    } else {
        for column in (0..columns).step_by(tile) {
            if store == Store::Cached {
                // What is written is fetched first: two tiles ahead of time.
                for k in 0..tile {
                    for row in (0..rows).step_by(tile) {
                        prefetch_line(to.wrapping_add((column + 2 * tile + k) * to_pitch + row));
                    }
                }
            }
            for row in (0..rows).step_by(tile) {
                // SAFETY: the caller's promise.
                unsafe {
                    turn_tile(
                        from.add(row * from_pitch + column),
                        from_pitch,
                        to.add(column * to_pitch + row),
                        to_pitch,
                        store,
                    )
                };
            }
        }
    }
    if store == Store::Streamed {
        // Before others are told that the work is done.
        _mm_sfence();
    }
}

/// One tile.
///
/// # Safety
/// As [`turn`].
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn turn_tile<E: Copy>(from: *const E, from_pitch: usize, to: *mut E, to_pitch: usize, store: Store) {
    let tile = 64 / size_of::<E>();
    let mut lines = [_mm512_setzero_si512(); 8];
    for (k, line) in lines.iter_mut().enumerate().take(tile) {
        // SAFETY: the caller's promise.
        *line = unsafe { _mm512_loadu_si512(from.add(k * from_pitch).cast()) };
    }
    if tile == 8 {
        lines = turn_8(lines);
    } else {
        let [a, b, c, d, ..] = lines;
        lines[..4].copy_from_slice(&turn_4([a, b, c, d]));
    }
    for (k, &line) in lines.iter().enumerate().take(tile) {
        // SAFETY: the caller's promise.
        unsafe {
            match store {
                Store::Cached => _mm512_storeu_si512(to.add(k * to_pitch).cast(), line),
                Store::Streamed => _mm512_stream_si512(to.add(k * to_pitch).cast(), line),
            }
        }
    }
}
