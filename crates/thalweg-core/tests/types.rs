//! What holds for all public types: they can be shown, sent and shared.

use std::fmt::Debug;

use thalweg_core::atomic_set::AtomicSet;
use thalweg_core::bits::{Array, Bits, BitsMut};
use thalweg_core::coding::Ranking;
use thalweg_core::disjoint::Disjoint;
use thalweg_core::memory::Aligned;
use thalweg_core::primitives::{Fork, Split, SplitRanks, sort};
use thalweg_core::simd::Level;
use thalweg_core::storage::Storage;
use thalweg_core::{Answer, Chosen, Coding, Error, Order, Pairs, Positions, PositionsMut};

fn shown_sent_and_shared<T: Debug + Send + Sync>() {}

#[test]
fn all_types_can_be_shown_sent_and_shared() {
    shown_sent_and_shared::<(Order, Coding, Ranking<u64>, Level, Error)>();
    shown_sent_and_shared::<(Bits<'_>, BitsMut<'_>, Array<'_>)>();
    shown_sent_and_shared::<(Positions, PositionsMut<'_>, Pairs<'_>)>();
    shown_sent_and_shared::<(Answer<Positions>, Chosen)>();
    shown_sent_and_shared::<(Storage<'_, u32>, Aligned<u32>, Disjoint<'_, u32>, AtomicSet)>();
    shown_sent_and_shared::<(Fork, Split<u32>, SplitRanks, sort::Engine, sort::Options)>();
}
