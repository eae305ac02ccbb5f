//! Changes of arrays.

use thalweg::Key;
use thalweg_cli::failure::Outcome;
use thalweg_cli::memory;
use thalweg_data::{ArrayKind, Random};

use crate::bench::Case;

/// What becomes of which elements.
pub struct Updates<K> {
    pub positions: Vec<u32>,
    pub values: Vec<K>,
}

impl<K: Key> Updates<K> {
    /// Some at random, of the array's kind.
    pub fn new(case: &Case<'_>, count: usize, stream: u64) -> Outcome<Self> {
        let random = Random::new(case.common.seed, stream);
        let positions = memory::computed(count, "the updates", |i| random.below(i as u64, case.n as u64) as u32)?;
        let kind = ArrayKind::ALL.iter().find(|kind| kind.name() == case.kind).expect("the names have been compared");
        let mut values = memory::filled(count, K::default(), "the updates")?;
        kind.fill(case.common.seed + stream, &mut values);
        Ok(Self { positions, values })
    }

    /// Makes the changes in an array.
    pub fn write(&self, array: &mut [K]) {
        self.positions.iter().zip(&self.values).for_each(|(&at, &value)| array[at as usize] = value);
    }
}
