//! `naive`: all matchings of all induced subgraphs.
//!
//! For every set of vertices, the size of its largest matching: the smallest vertex of the set is left out, or matched to
//! any of its neighbours. The labels are those of the definition: a vertex is D if the matchings of all others are as large.
//! The oracle of the tests. Work O(2^n d), memory 2^n bytes.

use thalweg_core::error::try_filled;
use thalweg_core::{Error, Result};

use super::parts::Solved;
use super::{Label, NOBODY};
use crate::Rows;

/// More vertices are refused.
pub(super) const MAX_VERTICES: usize = 22;

pub(super) fn solve(rows: Rows<'_>) -> Result<Solved> {
    let n = rows.len();
    if n > MAX_VERTICES {
        let reason = format!("naive looks at all sets of vertices, at most {MAX_VERTICES}, and there are {n}");
        return Err(Error::BadOption { option: "engine", reason });
    }
    let neighbours: Vec<u32> = (0..n as u32).map(|v| rows.row(v).iter().fold(0, |set, &u| set | 1 << u)).collect();
    let all = (1usize << n) - 1;
    let mut largest: Vec<u8> = try_filled(all + 1, 0, "sets of vertices")?;
    for set in 1..=all {
        let v = set.trailing_zeros() as usize;
        let rest = set & (set - 1);
        let matched = bits(neighbours[v] as usize & rest).map(|u| 1 + largest[rest & !(1 << u)]).max();
        largest[set] = largest[rest].max(matched.unwrap_or(0));
    }
    let mut partners = vec![NOBODY; n];
    let mut set = all;
    while set != 0 {
        let v = set.trailing_zeros() as usize;
        let rest = set & (set - 1);
        let partner = bits(neighbours[v] as usize & rest).find(|u| 1 + largest[rest & !(1 << u)] == largest[set]);
        set = match partner {
            Some(u) => {
                (partners[v], partners[u]) = (u as u32, v as u32);
                rest & !(1 << u)
            }
            None => rest,
        };
    }
    let is_missed = |v: usize| largest[all & !(1 << v)] == largest[all];
    let labels = (0..n).map(|v| match is_missed(v) {
        true => Label::D,
        false if bits(neighbours[v] as usize).any(is_missed) => Label::A,
        false => Label::C,
    });
    Ok(Solved { partners, labels: labels.collect() })
}

/// The numbers of the bits that are set.
fn bits(mut set: usize) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = (set != 0).then(|| set.trailing_zeros() as usize);
        set &= set.wrapping_sub(1);
        bit
    })
}
