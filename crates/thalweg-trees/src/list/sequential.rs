//! One walk per list.
//!
//! A walk from the head writes down the elements as they come: every step waits for the memory to answer the one before.
//! The sums are made from what was written down, from the right end, and their writes wait for nothing.
//!
//! Folklore. Work and span O(n). Extra memory: a position an element of the longest list, and a bit an element.
#![allow(unsafe_code)]

use super::load::{Load, Store, plus};
use super::options::Direction;
use crate::links::{check, diagnose, follow};
use thalweg_core::error::try_with_capacity;
use thalweg_core::{Position, Result};

pub(super) fn rank<P: Position, const C: usize>(
    next: &[P],
    load: &Load<'_>,
    direction: Direction,
    out: &impl Store<C>,
) -> Result<()> {
    assert_eq!(out.room(), next.len());
    let followers = check(next)?;
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
        let mut sum = [0; C];
        let mut put = |i: &P| {
            sum = plus(sum, load.of(i.get()));
            // SAFETY: there is room for all elements, and there are no other threads.
            unsafe { out.put(i.get(), sum) };
        };
        match direction {
            Direction::ToEnd => list.iter().rev().for_each(&mut put),
            Direction::FromHead => list.iter().for_each(&mut put),
        }
    }
    // What no walk from a head came upon has no head.
    if walked < next.len() { Err(diagnose(next)) } else { Ok(()) }
}
