//! Minima and maxima of one array, built in one pass: a group is read from memory once, and from the cache for the other order.

use super::build::{Levels, Room, TASK};
use super::{GROUP, Lines, groups, shift_of};
use thalweg_core::coding::Ranking;
use thalweg_core::parallel::for_each_chunk;
use thalweg_core::{Rank, Result};

impl<'a, R: Rank> Lines<'a, R> {
    /// The indexes for both orders. `done` is told, by any thread, how many elements more have been looked at.
    pub(in crate::rmq) fn both(
        array: &'a [R],
        orders: [Ranking<R>; 2],
        done: &(dyn Fn(usize) + Sync),
    ) -> Result<[Self; 2]> {
        let shift = shift_of(array);
        let groups = groups(array.len(), shift);
        let (mut one, mut two) = (Room::for_groups(groups)?, Room::for_groups(groups)?);
        let places = [one.places(), two.places()];
        for_each_chunk(groups, TASK, &|range| {
            for g in range.clone() {
                places.iter().zip(orders).for_each(|(places, order)| places.fill(g, array, order, shift));
            }
            done((range.end * GROUP).min(array.len()) - (range.start * GROUP).min(array.len()));
        });
        let index = |levels: Levels<'a, R>, order| Self::of_levels(array.into(), order, shift, levels);
        Ok([index(one.into(), orders[0])?, index(two.into(), orders[1])?])
    }
}
