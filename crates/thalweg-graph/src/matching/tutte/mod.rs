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
use super::parts::Solved;
use super::verify::check;
use super::{Label, NOBODY};
use crate::Rows;

/// The largest component: its matrix takes 0.25 GiB.
pub const MAX_VERTICES: usize = 1 << 13;

/// Attempts at a component. One fails with a probability below n² / 2^31, at most 2^-5.
const ROUNDS: u64 = 12;

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

/// A maximum matching of a component, and its labels.
pub(super) fn solve(rows: Rows<'_>, options: TutteOptions) -> Result<Solved> {
    let n = rows.len();
    if n > MAX_VERTICES {
        let reason = format!("tutte takes n x n matrices, at most {MAX_VERTICES}, and a component has {n} vertices");
        return Err(Error::BadOption { option: "engine", reason });
    }
    for round in 0..ROUNDS {
        let mut matrix = random_matrix(rows, options.seed, round)?;
        let is_covered = sweep(&mut matrix);
        let labels = labels(rows, &matrix, &is_covered);
        let partners = extract(rows, matrix, &is_covered)?;
        let edges = (0..n as u32).flat_map(|v| rows.row(v).iter().map(move |&u| [v as usize, u as usize]));
        if check(edges, &partners, &labels).is_ok() {
            return Ok(Solved { partners, labels });
        }
    }
    Err(Error::Library { library: "tutte", reason: format!("{ROUNDS} rounds of random numbers were all unlucky") })
}

/// The Tutte matrix with numbers of this seed and round.
fn random_matrix(rows: Rows<'_>, seed: u64, round: u64) -> Result<Skew> {
    let mut matrix = Skew::new(rows.len())?;
    for v in 0..rows.len() as u32 {
        for &u in rows.row(v).iter().filter(|&&u| u < v) {
            let bits = mix(mix(seed ^ mix(round)) ^ (u64::from(v) << 32 | u64::from(u)));
            let number = 1 + ((u128::from(bits) * u128::from(PRIME - 1)) >> 64) as u32;
            matrix.set(v as usize, u as usize, number);
        }
    }
    Ok(matrix)
}

/// SplitMix64's step and mixer (Steele, Lea, Flood 2014).
fn mix(x: u64) -> u64 {
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

/// The labels that the kernel of the swept matrix tells: it has a vector for everybody who is not covered.
fn labels(rows: Rows<'_>, matrix: &Skew, is_covered: &[bool]) -> Vec<Label> {
    let mut labels = vec![Label::C; matrix.size()];
    let mut r = matrix.room();
    for v in (0..matrix.size()).filter(|&v| !is_covered[v]) {
        labels[v] = Label::D;
        matrix.row(v, &mut r);
        for (label, _) in labels.iter_mut().zip(&r).filter(|&(_, &entry)| entry != 0) {
            *label = Label::D;
        }
    }
    for v in 0..rows.len() {
        if labels[v] != Label::D && rows.row(v as u32).iter().any(|&u| labels[u as usize] == Label::D) {
            labels[v] = Label::A;
        }
    }
    labels
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
