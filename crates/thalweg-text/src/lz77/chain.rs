//! The chain of phrases, followed by many threads at once.
//!
//! Where a phrase begins is known when the one before it ends: a linked list through the text, that a textbook would rank.
//! But this list has two properties that make it easier. The end p + max(1, LPF[p]) of the phrase at p never falls as p
//! rises, so chains from different beginnings interleave; and once two of them meet they are one. They soon do: a few
//! phrases' ends suffice in texts of any kind.
//!
//! So the text is cut into parts. In every part a chain starts at its first position, as if a phrase began there, and all
//! are followed in parallel. Then, in order, the true chain comes in from the left and is followed until it meets the
//! part's own, which it is from there on. If it never does, the true chain has been followed alone, at twice the work. The
//! result is the sequential one, phrase for phrase.
//!
//! A thread follows [`LANES`] chains at a time, a phrase of each in turn, so that the misses of one, which are nearly all
//! of the time, pass during the others' work.
#![allow(unsafe_code)]

use std::ops::Range;

use super::factors::Entry;
use thalweg_core::memory::try_with_large_capacity;
use thalweg_core::parallel::{for_each_chunk, for_each_chunk_mut};
use thalweg_core::primitives::disjoint::Disjoint;
use thalweg_core::{Position, Result};

/// Chains that a thread follows at a time.
const LANES: usize = 16;

/// Positions of a part at least: meeting takes a few phrases at its beginning.
const PART: usize = 1 << 14;

/// Tasks for every thread, as far as parts are not too short.
const TASKS: usize = 4;

/// What the phrase at a position is, found in steps that can be interleaved.
pub(super) trait Chain<P>: Sync {
    /// A phrase may begin here: asks the memory for what [`Chain::prepare`] reads.
    fn expect(&self, position: usize);
    /// Asks the memory for what [`Chain::phrase`] reads.
    fn prepare(&self, position: usize);
    /// The phrase.
    fn phrase(&self, position: usize) -> Entry<P>;
}

/// Symbols that a phrase stands for.
#[inline(always)]
fn extent<P: Position>(phrase: Entry<P>) -> usize {
    phrase[1].get().max(1)
}

/// The chain of one part.
struct Link<P> {
    range: Range<usize>,
    /// Where the next phrase begins; in the end, the first one beyond the part.
    position: usize,
    phrases: Vec<Entry<P>>,
}

/// A stretch of the true chain.
struct Piece<'l, P> {
    own: Vec<Entry<P>>,
    tail: &'l [Entry<P>],
}

impl<P> Piece<'_, P> {
    fn len(&self) -> usize {
        self.own.len() + self.tail.len()
    }
}

/// The phrases of a text of `len` symbols.
pub(super) fn phrases<P: Position>(len: usize, chain: &impl Chain<P>) -> Result<Vec<Entry<P>>> {
    let part = len.div_ceil(LANES * TASKS * rayon::current_num_threads()).max(PART);
    let mut links: Vec<Link<P>> = (0..len.div_ceil(part))
        .map(|i| Link { range: i * part..len.min((i + 1) * part), position: i * part, phrases: Vec::new() })
        .collect();
    for_each_chunk_mut(&mut links, LANES, &|_, links| follow(links, chain));

    // The true chain: some phrases of its own in every part, then the tail of the part's.
    let mut position = 0;
    let mut pieces = Vec::with_capacity(links.len());
    for link in &links {
        let mut own = Vec::new();
        let (mut theirs, mut met) = (link.range.start, 0);
        let tail = loop {
            if position >= link.range.end {
                break &[][..];
            } else if position == theirs {
                position = link.position;
                break &link.phrases[met..];
            } else if theirs < position {
                // The part's chain ends behind the part, where the true one has not got to.
                theirs += extent(link.phrases[met]);
                met += 1;
            } else {
                let phrase = chain.phrase(position);
                position += extent(phrase);
                own.push(phrase);
            }
        };
        pieces.push(Piece { own, tail });
    }
    debug_assert_eq!(position, len);
    concatenate(&pieces)
}

/// Follows chains to the ends of their parts, a phrase of each in turn.
fn follow<P: Position>(links: &mut [Link<P>], chain: &impl Chain<P>) {
    let mut active: Vec<&mut Link<P>> = links.iter_mut().collect();
    while !active.is_empty() {
        for link in &active {
            chain.prepare(link.position);
        }
        active.retain_mut(|link| {
            let phrase = chain.phrase(link.position);
            link.phrases.push(phrase);
            link.position += extent(phrase);
            chain.expect(link.position);
            link.position < link.range.end
        });
    }
}

/// All pieces in one list.
fn concatenate<P: Position>(pieces: &[Piece<'_, P>]) -> Result<Vec<Entry<P>>> {
    let total = pieces.iter().map(Piece::len).sum();
    let mut end = 0;
    let mut start_of = |piece: &Piece<'_, P>| {
        end += piece.len();
        end - piece.len()
    };
    let starts: Vec<usize> = pieces.iter().map(&mut start_of).collect();
    let mut out = try_with_large_capacity(total, "phrases")?;
    let place = Disjoint::uninit(&mut out.spare_capacity_mut()[..total]);
    for_each_chunk(pieces.len(), 1, &|range| {
        let (Piece { own, tail }, start) = (&pieces[range.start], starts[range.start]);
        // SAFETY: from one start to the next, the places are this piece's.
        unsafe {
            place.copy_from(start, own);
            place.copy_from(start + own.len(), tail);
        }
    });
    // SAFETY: the pieces have filled all places.
    unsafe { out.set_len(total) };
    Ok(out)
}
