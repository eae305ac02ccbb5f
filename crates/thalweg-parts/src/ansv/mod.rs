//! All nearest smaller values of an array in parts.
//!
//! Tile pairs (`thalweg_arrays::ansv`, engine `tiles`) carry over to parts. A part is solved by itself; what finds no left
//! neighbour in it are its prefix minima, what finds no right one its suffix minima: sorted lists. The prefix minima of a part
//! look for the nearest part to the left whose minimum serves them, and find their neighbours among that part's suffix minima;
//! those that are better than that go on to the next better part. The right side is the mirror image.
//!
//! Who meets whom follows from the parts' [`Summary`]: their best ranks and those at their ends. So there is one exchange of
//! summaries, a few numbers each, and one of [`Rungs`]: to every partner the minima between the best and the worst that it can
//! ask for. Matches never cross, so there are fewer than two partners a part and side, and a minimum is sent once, but for the
//! ends of intervals. Random data has about ln(n/p) minima a part and side; at worst, an array that rises and falls, they are
//! n/p.
//!
//! The pieces serve parts that are taken one after the other as well: [`solve_part`] each and keep its [`Summary`] and
//! [`Open`]; then, for each part and side, [`pairs`] tells whose [`Part::rungs`] it [settles](Part::settle) with.
//!
//! ```
//! use thalweg_arrays::ansv::{Open, Outputs, Sides, solve_part};
//! use thalweg_core::{Coding, Order, PositionsMut, bits::Bits};
//! use thalweg_parts::ansv::{Part, Side, pairs};
//! let (array, mut left) = ([1u8, 3, 5, 4, 2, 6], [0u32; 6]);
//! let coding = Coding::of::<u8>(Order::Min);
//! // Two parts, solved one after the other.
//! let mut opens: Vec<Open> = Vec::new();
//! for (first, left) in [0, 3].into_iter().zip(left.chunks_mut(3)) {
//!     let outputs = Outputs::of(Sides { left: Some(left), right: None });
//!     opens.push(solve_part(Bits::of(&array[first..first + 3]), coding, true, first, outputs)?);
//! }
//! let part = |p: usize| Part::new(Bits::of(&array[3 * p..3 * p + 3]), coding, true, 3 * p, &opens[p]);
//! let summaries = [part(0).summary(), part(1).summary()];
//! for p in 0..2 {
//!     let mut rungs = Vec::new();
//!     for pair in pairs(&summaries, p, Side::Left, true) {
//!         rungs.push(part(pair.with).rungs(Side::Left, pair.window)?);
//!     }
//!     part(p).settle(Side::Left, &rungs, PositionsMut::U32(&mut left[3 * p..3 * p + 3]))?;
//! }
//! assert_eq!(left, [u32::MAX, 0, 1, 1, 0, 4]);
//! # Ok::<(), thalweg_core::Error>(())
//! ```

mod part;
mod rungs;

pub use self::part::{Pair, Part, Side, Summary, Window, pairs};
pub use self::rungs::Rungs;
pub use thalweg_arrays::ansv::Open;

use thalweg_arrays::ansv::{Outputs, solve_part};
use thalweg_core::bits::Bits;
use thalweg_core::error::expect_len;
use thalweg_core::{Coding, Result};

use crate::Ranks;
use crate::ranks::{exchange_items, exchange_words, gather_one};

/// What it took to let ranks know of each other, seen from one of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Minima that were sent to other ranks.
    pub sent: usize,
    /// Their bytes.
    pub bytes: usize,
    /// Ranks that they were sent to.
    pub partners: usize,
}

/// The neighbours of this rank's part ([`Ranks::part`]) of an array of `len` elements on all ranks: positions in the
/// whole array. See [`solve_bits`](thalweg_arrays::ansv::solve_bits) for the rest.
///
/// Work O(n/p), on all threads of the current rayon pool; one exchange of summaries, one of minima.
///
/// # Errors
/// [`Error::Length`](thalweg_core::Error::Length) if the part is not this rank's, [`Error::Width`](thalweg_core::Error::Width)
/// if positions of the whole array do not fit the outputs, and those of the transport. The former are found before anything is
/// sent, and are the same on all ranks if they are called alike.
pub fn solve(
    ranks: &dyn Ranks,
    bits: Bits<'_>,
    len: usize,
    coding: Coding,
    strict: bool,
    mut outputs: Outputs<'_>,
) -> Result<Traffic> {
    let range = ranks.part(len);
    expect_len("the part of this rank", bits.len(), range.len())?;
    part::expect_outputs(&outputs, len)?;
    let open = solve_part(bits, coding, strict, range.start, part::lent(&mut outputs))?;
    let part = Part::new(bits, coding, strict, range.start, &open);
    let summaries: Vec<Summary> =
        gather_one(ranks, part.summary().to_words())?.into_iter().map(Summary::from_words).collect();

    let (own, mut traffic) = (ranks.rank(), Traffic::default());
    let wanted = [Side::Left, Side::Right].map(|side| part::side_of(&mut outputs, side).is_some());
    let (mut words, mut runs) = (vec![Vec::new(); ranks.size()], vec![&[][..]; ranks.size()]);
    for to in (0..ranks.size()).filter(|&to| to != own) {
        let side = if own < to { Side::Left } else { Side::Right };
        // Whoever asks for a side asks for it on all ranks.
        let pair =
            pairs(&summaries, to, side, strict).into_iter().find(|pair| pair.with == own && wanted[side as usize]);
        if let Some(pair) = pair {
            let rungs = part.rungs(side, pair.window)?;
            traffic.sent += rungs.len();
            traffic.partners += 1;
            (words[to], runs[to]) = rungs.into_message();
            traffic.bytes += size_of_val(&words[to][..]) + runs[to].len();
        }
    }
    let mut words = exchange_items(ranks, &words)?;
    let mut runs = exchange_words(ranks, &runs)?.unwrap_or_else(|| vec![Vec::new(); ranks.size()]);
    for side in [Side::Left, Side::Right] {
        let Some(out) = part::side_of(&mut outputs, side) else { continue };
        let mut rungs = Vec::new();
        for pair in pairs(&summaries, own, side, strict) {
            let [words, run] = [&mut words, &mut runs].map(|messages| std::mem::take(&mut messages[pair.with]));
            rungs.push(Rungs::from_message(words, run, coding.bytes())?);
        }
        part.settle(side, &rungs, out)?;
    }
    Ok(traffic)
}
