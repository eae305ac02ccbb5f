//! One walk per list.
//!
//! A walk from the head writes down the elements as they come: every step waits for the memory to answer the one before.
//! The sums are made from what was written down, from the right end, and their writes wait for nothing.
//!
//! Folklore. Work and span O(n). Extra memory: a position an element of the longest list, and a bit an element.

use super::links::{check, diagnose, follow};
use super::{Direction, Load, Words};
use thalweg_core::error::{try_filled, try_with_capacity};
use thalweg_core::{Position, Result};

pub(super) fn rank<P: Position, L: Load>(next: &[P], load: &L, direction: Direction) -> Result<Vec<L::Out>> {
    let followers = check(next)?;
    let mut out = try_filled(next.len(), L::Out::default(), "ranks")?;
    let mut list: Vec<P> = try_with_capacity(next.len(), "elements in order")?;
    let mut walked = 0;
    for head in (0..next.len()).filter(|&i| !followers.contains(i)) {
        list.clear();
        let mut at = Some(head);
        while let Some(i) = at {
            list.push(P::new(i));
            at = follow(next, i);
        }
        walked += list.len();
        let mut sum = L::Words::ZERO;
        let mut put = |&i: &P| {
            sum = sum.plus(load.of(i.get()));
            out[i.get()] = L::out(sum);
        };
        match direction {
            Direction::ToEnd => list.iter().rev().for_each(&mut put),
            Direction::FromHead => list.iter().for_each(&mut put),
        }
    }
    // What no walk from a head came upon has no head.
    if walked < next.len() { Err(diagnose(next)) } else { Ok(out) }
}
