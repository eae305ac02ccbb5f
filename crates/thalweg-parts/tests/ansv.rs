//! Nearest smaller values of arrays in parts against the conformance suite, for every key type and several numbers of ranks.

use thalweg_arrays::ansv::{AnsvEngine, Outputs, Sides, solve_part};
use thalweg_core::bits::Bits;
use thalweg_core::{Coding, Position, Rank, Result, by_width};
use thalweg_data::ArrayKind;
use thalweg_parts::ansv::{Open, Part, Side, pairs, solve};
use thalweg_parts::{Ranks, inside, part_of};
use thalweg_suites::ansv::suite_of;

/// Lengths of which some are less than the ranks, most are no multiples of them, and parts have several tiles.
const SIZES: &[usize] = &[0, 1, 2, 3, 5, 8, 17, 64, 257, 1025, 70_001];

/// Short arrays of few values, of which every shape of ties appears.
const SHORT: u64 = 40;

/// Bytes of a message, 1,000 unless there would be thousands of rounds.
fn limit(len: usize) -> usize {
    if len < 5000 { 1000 } else { 1 << 16 }
}

/// So many ranks, threads of this process, as an engine.
#[derive(Debug)]
struct OnRanks(usize);

impl AnsvEngine for OnRanks {
    fn name(&self) -> &'static str {
        "ranks"
    }

    fn extra_bytes(&self, _: usize, _: usize) -> usize {
        0
    }

    fn solve(&self, bits: Bits<'_>, coding: Coding, strict: bool, outputs: Outputs<'_>) -> Result<()> {
        match outputs {
            Outputs::U32(sides) => on_ranks(self.0, bits, coding, strict, sides),
            Outputs::U64(sides) => on_ranks(self.0, bits, coding, strict, sides),
        }
    }
}

fn part<'b>(bits: Bits<'b>, range: std::ops::Range<usize>) -> Bits<'b> {
    by_width!(Bits, bits, words => Rank::erase(&words[range]))
}

fn on_ranks<P: Position>(size: usize, bits: Bits<'_>, coding: Coding, strict: bool, sides: Sides<'_, P>) -> Result<()> {
    let (with_left, with_right) = (sides.left.is_some(), sides.right.is_some());
    let found = inside::run(size, limit(bits.len()), |ranks: &dyn Ranks| -> Result<_> {
        let range = part_of(bits.len(), ranks.rank(), size);
        // Poison: an entry that is not written shows.
        let (mut left, mut right) = (vec![P::new(77_777); range.len()], vec![P::new(77_777); range.len()]);
        let sides = Sides { left: with_left.then_some(&mut left[..]), right: with_right.then_some(&mut right[..]) };
        solve(ranks, part(bits, range), bits.len(), coding, strict, Outputs::of(sides))?;
        Ok((left, right))
    });
    let (left, right): (Vec<_>, Vec<_>) = found.into_iter().collect::<Result<Vec<_>>>()?.into_iter().unzip();
    for (out, found) in [(sides.left, left), (sides.right, right)] {
        out.into_iter().for_each(|out| out.copy_from_slice(&found.concat()));
    }
    Ok(())
}

/// Parts of so many elements, one after the other, as an engine.
#[derive(Debug)]
struct InTurn(usize);

impl AnsvEngine for InTurn {
    fn name(&self) -> &'static str {
        "parts in turn"
    }

    fn extra_bytes(&self, _: usize, _: usize) -> usize {
        0
    }

    fn solve(&self, bits: Bits<'_>, coding: Coding, strict: bool, outputs: Outputs<'_>) -> Result<()> {
        match outputs {
            Outputs::U32(sides) => in_turn(self.0, bits, coding, strict, sides),
            Outputs::U64(sides) => in_turn(self.0, bits, coding, strict, sides),
        }
    }
}

fn in_turn<P: Position>(
    len: usize,
    bits: Bits<'_>,
    coding: Coding,
    strict: bool,
    mut sides: Sides<'_, P>,
) -> Result<()> {
    let ranges: Vec<_> = (0..bits.len()).step_by(len).map(|start| start..(start + len).min(bits.len())).collect();
    let mut opens: Vec<Open> = Vec::new();
    for range in &ranges {
        let left = sides.left.as_deref_mut().map(|side| &mut side[range.clone()]);
        let right = sides.right.as_deref_mut().map(|side| &mut side[range.clone()]);
        let outputs = Outputs::of(Sides { left, right });
        opens.push(solve_part(part(bits, range.clone()), coding, strict, range.start, outputs)?);
    }
    let solved = |p: usize| Part::new(part(bits, ranges[p].clone()), coding, strict, ranges[p].start, &opens[p]);
    let summaries: Vec<_> = (0..ranges.len()).map(|p| solved(p).summary()).collect();
    for (side, out) in [(Side::Left, sides.left), (Side::Right, sides.right)] {
        let Some(out) = out else { continue };
        for p in 0..ranges.len() {
            let rungs = pairs(&summaries, p, side, strict)
                .into_iter()
                .map(|pair| solved(pair.with).rungs(side, pair.window))
                .collect::<Result<Vec<_>>>()?;
            solved(p).settle(side, &rungs, P::buffer(&mut out[ranges[p].clone()]))?;
        }
    }
    Ok(())
}

macro_rules! conformance {
    ($($name:ident = $engine:expr, $sizes:expr;)*) => {$(
        #[test]
        fn $name() {
            macro_rules! one {
                ($t:ident) => {
                    suite_of::<$t>(&$engine, $sizes, SHORT);
                };
            }
            thalweg_core::for_each_key!(one);
        }
    )*};
}

conformance! {
    on_1_rank = OnRanks(1), SIZES;
    on_2_ranks = OnRanks(2), SIZES;
    on_3_ranks = OnRanks(3), SIZES;
    on_4_ranks = OnRanks(4), SIZES;
    on_7_ranks = OnRanks(7), SIZES;
    in_parts_of_3 = InTurn(3), &[0, 2, 3, 64, 257];
    in_parts_of_1000 = InTurn(1000), SIZES;
}

/// How many minima ranks send, and to how many partners.
fn traffic(kind: ArrayKind, len: usize, size: usize) -> Vec<thalweg_parts::ansv::Traffic> {
    let array = kind.make::<u32>(len, 3);
    inside::run(size, usize::MAX, |ranks| {
        let range = part_of(len, ranks.rank(), size);
        let (mut left, mut right) = (vec![0u32; range.len()], vec![0u32; range.len()]);
        let outputs = Outputs::of(Sides { left: Some(&mut left[..]), right: Some(&mut right[..]) });
        let coding = Coding::of::<u32>(thalweg_core::Order::Min);
        solve(ranks, Bits::of(&array[range]), len, coding, true, outputs).unwrap()
    })
}

#[test]
fn partners_are_fewer_than_two_a_rank_and_side() {
    for &kind in ArrayKind::ALL {
        for size in [2, 3, 7, 16] {
            let traffic = traffic(kind, 40_000, size);
            let pairs: usize = traffic.iter().map(|traffic| traffic.partners).sum();
            assert!(pairs < 4 * size, "{} on {size} ranks: {pairs} pairs", kind.name());
            // A minimum goes to one partner, but for the ends of intervals.
            for (rank, traffic) in traffic.iter().enumerate() {
                let part = part_of(40_000, rank, size).len();
                assert!(traffic.sent <= 2 * part + traffic.partners, "{} rank {rank}: {traffic:?}", kind.name());
            }
        }
    }
    let random = traffic(ArrayKind::Random, 400_000, 4);
    assert!(random.iter().all(|traffic| traffic.sent < 60), "{random:?}");
}
