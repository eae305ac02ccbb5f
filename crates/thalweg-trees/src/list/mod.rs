//! List ranking.
//!
//! Linked lists are given by the successor of every element. For every element: how far is it to the end of its list,
//! or what is the sum of the weights from it to the end? Euler tours of trees, and with them nearly everything about
//! trees, are list ranking; and it is the model of a problem that is bound by random access.
//!
//! [`rank`] counts links, [`sums`] adds weights; [`Options`] chooses direction and engine:
//!
//! | engine | idea | work | span | source |
//! |---|---|---|---|---|
//! | `helman_jaja` (default) | sublists from random splitters, several walked at once by every thread | O(n) | O(n/s + log n) | Helman, JáJá 1999 |
//! | `sequential` | one walk per list | O(n) | O(n) | folklore; the default for short lists |
//! | `pointer_jumping` | everybody's link jumps over its successor, again and again | O(n log n) | O(log n) | Wyllie 1979 |
//! | `independent_set` | elements chosen by coins are taken out until few are left, then put back | O(n) | O(log² n) | Anderson, Miller 1988; JáJá 1992 |
//!
//! # The contract, on every device
//! - The last element of a list points to nobody ([`Position::NONE`]) or to itself. Any number of lists may lie in one
//!   array, and every element belongs to one.
//! - Ranks have the width of the links. Sums have 64 bits: see [`Weight`].
//! - A link out of the array is [`Error::Link`] of the first such element. Else two elements
//!   with the same successor are [`Error::Join`] of the first element that follows two others,
//!   and the first two that it follows. Else a cycle is [`Error::Cycle`] of the smallest
//!   element on one. They are found before anything is returned, and are the same whatever engine, seed and number of
//!   threads.
//! - Weights that are not as many as elements are [`Error::Length`].

mod helman_jaja;
mod independent_set;
mod load;
mod options;
mod pointer_jumping;
mod random;
mod sequential;
mod weight;

use thalweg_core::disjoint::Disjoint;
use thalweg_core::error::expect_len;
use thalweg_core::memory::large_zeroed;
use thalweg_core::{Error, Position, Positions, Result};

use self::load::{Load, Ranks, Store, Sums};
use self::options::WALK;
pub use self::options::{Direction, Engine, Options};
pub use self::weight::{Numbers, Weight};
use crate::widths::{Slices, by_width, typed};

/// For every element the number of links to the end of its list, or from its head.
///
/// Work O(n) with the default engine, on all threads of the current rayon pool. Extra memory: 8 bytes an element.
///
/// # Errors
/// Those of the [contract](self#the-contract-on-every-device).
///
/// ```
/// # use thalweg_trees as thalweg;
/// use thalweg::{Error, list::{self, Options}};
/// // 2 -> 0 -> 3 is a list, 1 is another.
/// assert_eq!(list::rank(&[3u32, 1, 0, 3], &Options::default())?, [1, 0, 2, 0]);
/// let cycle = list::rank(&[0u32, 2, 1], &Options::default());
/// assert_eq!(cycle, Err(Error::Cycle { what: "element", element: 1 }));
/// # Ok::<(), thalweg::Error>(())
/// ```
pub fn rank<P: Position>(next: &[P], options: &Options) -> Result<Vec<P>> {
    let [ranks] = typed([rank_slices(Slices::of([next]), options)?]);
    Ok(ranks)
}

/// For every element the sum of its weight and those of all elements after it in its list, or before it.
///
/// Work O(n) with the default engine, on all threads of the current rayon pool. Extra memory: 16 bytes an element for one
/// number, 32 for two or three; a walk sums three numbers at most.
///
/// # Errors
/// Those of the [contract](self#the-contract-on-every-device).
///
/// ```
/// # use thalweg_trees as thalweg;
/// use thalweg::list::{self, Options};
/// let (next, options) = ([3u32, 1, 0, 3], Options::default());
/// assert_eq!(list::sums(&next, &[10i32, 20, 30, 40], &options)?, [50, 20, 80, 40]);
/// // Two weights in one walk.
/// let weights = [[1u32, 10], [1, 20], [1, 30], [1, 40]];
/// assert_eq!(list::sums(&next, &weights, &options)?, [[2, 50], [1, 20], [3, 80], [1, 40]]);
/// # Ok::<(), thalweg::Error>(())
/// ```
pub fn sums<P: Position, W: Weight>(next: &[P], weights: &[W], options: &Options) -> Result<Vec<W::Sum>> {
    expect_len("weights", weights.len(), next.len())?;
    let mut sums = large_zeroed::<W::Sum>(next.len(), "sums")?;
    sum_slices(Slices::of([next]), W::view(weights), W::COUNT, options, W::words(&mut sums))?;
    Ok(sums)
}

fn rank_slices(next: Slices<'_>, options: &Options) -> Result<Positions> {
    by_width!(next, [next] => rank_links(next, options).map(Position::list))
}

/// [`rank`], to be compiled in this crate only.
pub(crate) fn rank_links<P: Position>(next: &[P], options: &Options) -> Result<Vec<P>> {
    let mut ranks = large_zeroed(next.len(), "ranks")?;
    run(next, &Load::Ones, options, &Ranks(Disjoint::new(&mut ranks)))?;
    Ok(ranks)
}

/// The sums of every element's `count` numbers, which become `count` words.
fn sum_slices(next: Slices<'_>, numbers: Numbers<'_>, count: usize, options: &Options, out: &mut [u64]) -> Result<()> {
    let out = Disjoint::new(out);
    for first in (0..count).step_by(WALK) {
        let (load, out) = (Load::Numbers { numbers, count, first }, Sums { out, count, first });
        by_width!(next, [next] => match count - first {
            1 => run::<_, 1>(next, &load, options, &out)?,
            2 => run::<_, 2>(next, &load, options, &out)?,
            _ => run::<_, WALK>(next, &load, options, &out)?,
        });
    }
    Ok(())
}

/// Ranks lists of any kind; `out` has room for as many sums as there are elements.
fn run<P: Position, const C: usize>(next: &[P], load: &Load<'_>, options: &Options, out: &impl Store<C>) -> Result<()> {
    let &Options { direction, seed, .. } = options;
    let len = next.len();
    if !P::fits(len) {
        return Err(Error::Width { len, got: P::NAME });
    }
    match options.chosen(len) {
        Engine::Sequential => sequential::rank(next, load, direction, out),
        Engine::HelmanJaja => helman_jaja::rank(next, load, direction, seed, out),
        Engine::PointerJumping => pointer_jumping::rank(next, load, direction, out),
        Engine::IndependentSet => independent_set::rank(next, load, direction, seed, out),
    }
}
