//! `tutte`: the rank of a random matrix.
//!
//! Tutte 1947, Lovász 1979: give every edge {u, v} a random number x and put x at (u, v) and -x at (v, u). The rank of the
//! matrix is twice the size of a maximum matching, unless the numbers were unlucky. Here modulo a prime of 31 bits, for every
//! component:
//!
//! 1. `sweep`: pivots on pairs, as long as there are any, cover a set B of vertices that has a perfect matching, and leave
//!    the inverse of B's block in its place. Beside it are the vectors of the kernel: where one of them is not 0, some maximum
//!    matching leaves the vertex alone, so that is D; what is beside D is A.
//! 2. `extract`: an edge of B whose entry in the inverse is not 0 is in a perfect matching of B (Rabin, Vazirani 1989). It
//!    is taken, and a pivot leaves the inverse of the rest (Mucha, Sankowski 2004).
//! 3. The matching and the labels are [verified](super::verify): a proof, without any probability. If it fails, new numbers
//!    are drawn. That happens less than once in p / n² components, p = 2^31 (Schwartz, Zippel), and after twelve rounds,
//!    with a probability below 2^-60, it is an error.
//!
//! That the labels are those of Gallai and Edmonds is certain too. The kernel is 0 outside of D if the rank is right, which
//! the proof says, and every set that proves a matching maximum has D in its odd components.
//!
//! Work O(n³) for a component of n vertices, memory 4 n² bytes. On all threads.

pub mod field;
mod skew;

use thalweg_core::{Error, Result};

use self::field::PRIME;
use self::skew::Skew;
use super::parts::{Solved, in_turns};
use super::verify::check;
use super::{Label, Matching, NOBODY};
use crate::{Graph, Rows};

/// The largest component: its matrix takes 0.25 GiB.
pub const MAX_VERTICES: usize = 1 << 13;

/// Attempts at a component. One fails with a probability below n² / 2^31, at most 2^-5.
const ROUNDS: u64 = 12;

/// Vertices of small components that share a matrix on another device, at most. Not measured against others.
const TOGETHER: usize = 1 << 10;

/// Options of the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TutteOptions {
    /// Where the random numbers start: the same seed gives the same matching.
    pub seed: u64,
}

impl TutteOptions {
    /// Seed 0.
    pub const DEFAULT: Self = Self { seed: 0 };
}

/// What the random numbers of one round tell of a graph. It may be wrong, and is not used without a proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Round {
    /// Everybody's partner, or [`NOBODY`].
    pub partners: Vec<u32>,
    /// Whether some maximum matching leaves the vertex alone.
    pub is_missed: Vec<bool>,
}

/// A maximum matching from rounds that something else computes, for other devices: of a graph, given in rows, with the numbers
/// of a key, see [`number`]. Small components come together, and one call after the other.
///
/// # Errors
/// [`Error::BadOption`] for a component with more than [`MAX_VERTICES`] vertices; those of the rounds.
pub fn maximum_matching_by(
    graph: &Graph,
    options: TutteOptions,
    round: &dyn Fn(Rows<'_>, [u32; 2]) -> Result<Round>,
) -> Result<Matching> {
    Ok(in_turns(graph.rows(), TOGETHER, &|rows| solve_by(rows, options, round))?.into())
}

/// A maximum matching of a component, and its labels.
pub(super) fn solve(rows: Rows<'_>, options: TutteOptions) -> Result<Solved> {
    solve_by(rows, options, &|rows, key| {
        let mut matrix = random_matrix(rows, key)?;
        let is_covered = sweep(&mut matrix);
        let is_missed = missed(&matrix, &is_covered);
        Ok(Round { partners: extract(rows, matrix, &is_covered)?, is_missed })
    })
}

fn solve_by(
    rows: Rows<'_>,
    options: TutteOptions,
    round: &dyn Fn(Rows<'_>, [u32; 2]) -> Result<Round>,
) -> Result<Solved> {
    let n = rows.len();
    if n > MAX_VERTICES {
        let reason = format!("tutte takes n x n matrices, at most {MAX_VERTICES}, and a component has {n} vertices");
        return Err(Error::BadOption { option: "engine", reason });
    }
    for count in 0..ROUNDS {
        let key = mix(options.seed ^ mix(count));
        let Round { partners, is_missed } = round(rows, [(key >> 32) as u32, key as u32])?;
        let labels = labels(rows, &is_missed);
        let edges = (0..n as u32).flat_map(|v| rows.row(v).iter().map(move |&u| [v as usize, u as usize]));
        let edges = edges.filter(|[v, u]| v < u);
        if check(edges, &partners, &labels).is_ok() {
            return Ok(Solved { partners, labels });
        }
    }
    Err(Error::Library { library: "tutte", reason: format!("{ROUNDS} rounds of random numbers were all unlucky") })
}

/// The Tutte matrix with the numbers of a key.
fn random_matrix(rows: Rows<'_>, key: [u32; 2]) -> Result<Skew> {
    let mut matrix = Skew::new(rows.len())?;
    for v in 0..rows.len() as u32 {
        for &u in rows.row(v).iter().filter(|&&u| u < v) {
            matrix.set(v as usize, u as usize, number(key, v, u));
        }
    }
    Ok(matrix)
}

/// The number of a key for the edge between two vertices, given the larger one first: what is at (high, low) in the matrix.
/// PCG's hash of four words (Jarzynski, Olano 2020), which needs no more than 32 bits on any device.
pub const fn number(key: [u32; 2], high: u32, low: u32) -> u32 {
    let words = scrambled([advanced(high), advanced(low), advanced(key[0]), advanced(key[1])]);
    let [x, y, z, w] = words;
    let bits = scrambled([x ^ (x >> 16), y ^ (y >> 16), z ^ (z >> 16), w ^ (w >> 16)])[0] >> 1;
    if bits == 0 || bits == PRIME { 1 } else { bits }
}

const fn advanced(word: u32) -> u32 {
    word.wrapping_mul(1_664_525).wrapping_add(1_013_904_223)
}

const fn scrambled([mut x, mut y, mut z, mut w]: [u32; 4]) -> [u32; 4] {
    x = x.wrapping_add(y.wrapping_mul(w));
    y = y.wrapping_add(z.wrapping_mul(x));
    z = z.wrapping_add(x.wrapping_mul(y));
    w = w.wrapping_add(y.wrapping_mul(z));
    [x, y, z, w]
}

/// SplitMix64's step and mixer (Steele, Lea, Flood 2014).
const fn mix(x: u64) -> u64 {
    let mut x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// Pivots on pairs until nothing is left between those that no pivot covers; whom pivots cover.
fn sweep(matrix: &mut Skew) -> Vec<bool> {
    let n = matrix.size();
    let (mut r, mut s) = (matrix.room(), matrix.room());
    let mut is_covered = vec![false; n];
    for p in 0..n {
        if is_covered[p] {
            continue;
        }
        matrix.row(p, &mut r);
        // Those before `p` that are not covered have nothing but zeros between them and never will.
        if let Some(q) = (p + 1..n).find(|&q| r[q] != 0 && !is_covered[q]) {
            matrix.row(q, &mut s);
            matrix.pivot(p, q, &mut r, &mut s);
            (is_covered[p], is_covered[q]) = (true, true);
        }
    }
    matrix.flush();
    is_covered
}

/// Whom the kernel of the swept matrix is not 0 at. It has a vector for everybody who is not covered.
fn missed(matrix: &Skew, is_covered: &[bool]) -> Vec<bool> {
    let mut is_missed: Vec<bool> = is_covered.iter().map(|&covered| !covered).collect();
    let mut r = matrix.room();
    for v in (0..matrix.size()).filter(|&v| !is_covered[v]) {
        matrix.row(v, &mut r);
        is_missed.iter_mut().zip(&r).for_each(|(missed, &entry)| *missed |= entry != 0);
    }
    is_missed
}

/// The labels that belong to those whom some maximum matching leaves alone.
fn labels(rows: Rows<'_>, is_missed: &[bool]) -> Vec<Label> {
    let is_beside = |v: usize| rows.row(v as u32).iter().any(|&u| is_missed[u as usize]);
    let label = |v: usize| match is_missed[v] {
        true => Label::D,
        false if is_beside(v) => Label::A,
        false => Label::C,
    };
    (0..rows.len()).map(label).collect()
}

/// A perfect matching of those who are covered.
fn extract(rows: Rows<'_>, mut matrix: Skew, is_covered: &[bool]) -> Result<Vec<u32>> {
    let mut partners = vec![NOBODY; matrix.size()];
    // The vertices of the matrix by their rows, and which of them are left.
    let mut names: Vec<u32> = (0..matrix.size() as u32).collect();
    let mut is_left = is_covered.to_vec();
    // Everybody's row, in the end.
    let mut places = vec![0; matrix.size()];
    let (mut r, mut s) = (matrix.room(), matrix.room());
    while is_left.contains(&true) {
        matrix = matrix.block(&is_left)?;
        names = names.into_iter().zip(&is_left).filter_map(|(v, &is_left)| is_left.then_some(v)).collect();
        names.iter().enumerate().for_each(|(place, &v)| places[v as usize] = place);
        is_left = vec![true; names.len()];
        let mut left = names.len();
        for p in 0..names.len() {
            // Rows of those who are matched only cost time; the matrix is made anew when they are half.
            if 2 * left <= names.len() {
                break;
            }
            if !is_left[p] {
                continue;
            }
            matrix.row(p, &mut r);
            let v = names[p];
            let has_edge = |u: &&u32| {
                let q = places[**u as usize];
                names.get(q) == Some(u) && is_left[q] && r[q] != 0
            };
            // The row times the column of the block that this is the inverse of is 1, so there is one.
            let &u = rows.row(v).iter().find(has_edge).expect("an inverse");
            let q = places[u as usize];
            matrix.row(q, &mut s);
            matrix.pivot(p, q, &mut r, &mut s);
            (partners[v as usize], partners[u as usize]) = (u, v);
            (is_left[p], is_left[q]) = (false, false);
            left -= 2;
        }
        matrix.flush();
    }
    Ok(partners)
}
