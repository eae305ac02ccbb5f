//! `inlabel`: a range's minimum is the lowest common ancestor of its ends in the Cartesian tree, which Schieber and
//! Vishkin's labels tell in two to four random reads, however long the range is.
//!
//! The tree comes from nearest smaller values, equal elements from left to right, and the labels from the tree's
//! ranges, without an Euler tour and without list ranking: see [`crate::inlabel`]. Ryssel's thesis (2025, part II)
//! builds the same index from a tour and three rankings.
//!
//! Work O(n log n) at worst; extra memory: 16 bytes an element, and 8 to 12 more while it is built.

use thalweg_core::{Coding, Result};

use super::batch::{Batch, Form};
use crate::array::Keys;
use crate::cartesian::Cartesian;
use crate::coding::KeyCode;
use crate::inlabel;
use crate::kernel::Source;
use crate::recorder::{Recorder, Timing};

/// Threads of a workgroup. Not measured.
const THREADS: u32 = 256;

#[derive(Debug)]
pub(super) struct Inlabel {
    coding: KeyCode,
    labels: inlabel::Inlabel,
}

impl Inlabel {
    pub(super) fn new(values: &Keys, coding: Coding) -> Result<(Self, Timing)> {
        let device = values.device();
        let (labels, timing) = device.timed(|| {
            let tree = Cartesian::of_keys(values, coding)?;
            let mut commands = device.record();
            let labels = tree.record_inlabel(&mut commands)?;
            commands.submit()?;
            Ok(labels)
        })?;
        Ok((Self { coding: coding.into(), labels }, timing))
    }

    pub(super) fn bytes(&self) -> u64 {
        self.labels.bytes()
    }

    pub(super) fn dispatch(&self, values: &Keys, commands: &mut Recorder<'_>, batch: &Batch<'_>) -> Result<()> {
        // The labels know positions only: values are fetched.
        let form = if batch.form == Form::Position { Form::Position } else { Form::Fetched };
        let batch = Batch { form, single_reads: true, ..batch.clone() };
        let source = Source::new("rmq inlabel", include_str!("query.wgsl"), "query").constant("THREADS", THREADS);
        let own: Vec<_> = self.labels.bindings().collect();
        let workgroups = u64::from(batch.count).div_ceil(THREADS.into());
        batch.dispatch(values, self.coding, self.labels.declare(source), own, workgroups, &[], commands)
    }
}
