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
mod settle;

pub use self::part::{Pair, Part, Side, Summary, Window, pairs};
pub use self::rungs::Rungs;
pub use thalweg_arrays::ansv::Open;

use thalweg_arrays::ansv::{Engine, Outputs, engine, solve_bits, solve_part};
use thalweg_core::bits::Bits;
use thalweg_core::error::expect_len;
use thalweg_core::memory::large_zeroed;
use thalweg_core::{Coding, Result};

use crate::Ranks;
use crate::ranks::{exchange_items, gather_one, in_rounds, largest};

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
/// whole array. See [`solve_bits`] for the rest.
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
    if ranks.size() == 1 {
        // Nobody asks for what is open.
        solve_bits(bits, coding, strict, &*engine(Engine::Tiles)?, outputs)?;
        return Ok(Traffic::default());
    }
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
    let mut meetings = Vec::new();
    for side in [Side::Left, Side::Right].into_iter().filter(|&side| wanted[side as usize]) {
        for Pair { with, window } in pairs(&summaries, own, side, strict) {
            let rungs = Rungs::from_words(std::mem::take(&mut words[with]), coding.bytes())?;
            meetings.push(Meeting { with, side, left: part.seekers(side, window.limit), rungs });
        }
    }
    meet(ranks, &part, coding.bytes(), &runs, meetings, outputs)?;
    Ok(traffic)
}

/// Bytes of a run that are sent at once: the memory for them is used again, stays in a core's cache, and threads share the work on them. Two ranks took
/// as long with pieces of 256 KiB to 16 MiB, or with all at once; 16 ranks a tenth longer with 4 MiB, and with 128 KiB.
const PIECE: usize = 1 << 21;

/// Minima of another rank, and who looks for them.
struct Meeting<'m> {
    with: usize,
    side: Side,
    /// How many of this rank's elements without a neighbour on that side, the best, have not been served.
    left: usize,
    rungs: Rungs<'m>,
}

/// Settles with all partners. Minima that lie in a row come now, in pieces, the worst first: `runs` are those that this rank sends.
fn meet(
    ranks: &dyn Ranks,
    part: &Part<'_>,
    width: usize,
    runs: &[&[u8]],
    mut meetings: Vec<Meeting<'_>>,
    mut outputs: Outputs<'_>,
) -> Result<()> {
    let longest = largest(ranks, runs.iter().map(|run| run.len()).max().unwrap_or(0) as u64)? as usize;
    let (own, limit) = (ranks.rank(), ranks.limit().max(1));
    // Whole keys.
    let piece = (PIECE.min(limit) / width * width).max(width);
    let mut coming = vec![0; ranks.size()];
    for meeting in &mut meetings {
        coming[meeting.with] = meeting.rungs.bytes_to_come();
        if let (0, Some(mut out)) = (coming[meeting.with], part::side_of(&mut outputs, meeting.side)) {
            part.settle_some(meeting.side, meeting.left, &meeting.rungs, &mut out)?;
        }
    }
    meetings.retain(|meeting| coming[meeting.with] > 0);
    let room =
        |&bytes: &usize| large_zeroed::<u64>(bytes.min(piece).div_ceil(size_of::<u64>()), "minima of other parts");
    let mut rooms = coming.iter().map(room).collect::<Result<Vec<_>>>()?;
    for k in 0..longest.div_ceil(piece) {
        // Who looks to the left meets the last first.
        let cut = |len: usize, to_left: bool| {
            let [start, end] = [k, k + 1].map(|k| k.saturating_mul(piece).min(len));
            if to_left { len - end..len - start } else { start..end }
        };
        let out = runs.iter().enumerate().map(|(to, run)| &run[cut(run.len(), own < to)]);
        let into = rooms.iter_mut().enumerate().map(|(from, room)| {
            let bytes = cut(coming[from], from < own).len();
            &mut bytemuck::cast_slice_mut(room)[..bytes]
        });
        in_rounds(ranks, &out.collect::<Vec<_>>(), &mut into.collect::<Vec<_>>(), piece.div_ceil(limit))?;
        for Meeting { with, side, left, rungs } in &mut meetings {
            let bytes = cut(coming[*with], *with < own);
            let keys = &bytemuck::cast_slice(&rooms[*with])[..bytes.len()];
            if let (false, Some(mut out)) = (keys.is_empty(), part::side_of(&mut outputs, *side)) {
                *left = part.settle_some(*side, *left, &rungs.piece(bytes.start / width, keys), &mut out)?;
            }
        }
    }
    Ok(())
}
