//! Roots and depths of all nodes.
//!
//! Every node walks up until it meets one that knows its root already, in the order of memory: where parents come
//! before their children, as in most data, that is one step. Who had a long way tells those that he met. Trees too deep for
//! that are noticed by the nodes that give up. Then there are two ways to go on:
//!
//! *`pointer_jumping`*: every node has an ancestor and its distance, and takes over its ancestor's, so that distances
//! double in every round. Work O(n log depth); memory: 8 bytes a node, 16 more for deep trees, and 8 for the
//! results where they stay on the device.
//!
//! *`euler_tour`*: from the Euler tour; see `tour/`. Work O(n) whatever the depth; memory: 70 bytes a node.
//!
//! *Measured* on an H200, 2^27 nodes, roots and depths: random tree with parents before their children 5.1 ms, the
//! same with shuffled numbers 7.8 (6.7 and 19.8 with a record's words loaded one after the other, and nobody told). 2^26
//! nodes, before that: 3.3 and 9.8 ms, a star 1.2; a path by pointer jumping 43, shuffled 72, by the Euler tour 17 and 34, other
//! deep trees alike. So the default goes on with the tour.

use rayon::prelude::*;
use thalweg_core::{DeviceErrorKind, Result};

use super::Engine;
use super::parents::cycle;
use super::tour::{self, EulerTour};
use crate::array::DeviceArray;
use crate::kernel::Source;
use crate::primitives::elementwise::{Elementwise, THREADS};
use crate::transfer::{self, read_word};

/// Steps after which a node gives up: more than random trees are deep. Not measured.
const STEPS: u32 = 64;
/// Steps after which a node that has found its root tells those on its way. Others than 4: not measured.
const TELL: u32 = 4;
/// One node in so many may give up before the others do not even try. Not measured.
const HOPELESS: u64 = 64;

/// Set in both words of a pair that is final.
const FINAL: u32 = 1 << 31;

/// The root of every node's tree, and every node's distance to it.
#[derive(Debug)]
pub(super) struct Depths {
    known: Known,
    /// The engine that found them.
    pub(super) engine: Engine,
}

#[derive(Debug)]
enum Known {
    /// A root and a depth together, with [`FINAL`] in both.
    Pairs(DeviceArray<u64>),
    Apart(DeviceArray<u32>, DeviceArray<u32>),
}

impl Depths {
    /// Roots and depths on the device.
    pub(super) fn apart(self) -> Result<(DeviceArray<u32>, DeviceArray<u32>)> {
        let known = match self.known {
            Known::Apart(roots, depths) => return Ok((roots, depths)),
            Known::Pairs(known) => known,
        };
        let (device, len) = (known.device(), known.count());
        let (roots, depths) = (DeviceArray::new(device, len)?, DeviceArray::new(device, len)?);
        let mut commands = device.record();
        Elementwise::new(device, len, "depths", include_str!("end.wgsl"))
            .reads("known", "vec2<u32>", &known)
            .writes("roots", "u32", &roots)
            .writes("depths", "u32", &depths)
            .dispatch(&mut commands, &[])?;
        commands.submit()?;
        Ok((roots, depths))
    }

    /// Copies roots and depths to the host. Pairs are taken apart there, which takes no memory of the device.
    pub(super) fn download(&self, roots: &mut [u32], depths: &mut [u32]) -> Result<()> {
        match &self.known {
            Known::Apart(on_device, depths_on_device) => {
                on_device.download(roots)?;
                depths_on_device.download(depths)
            }
            Known::Pairs(known) => {
                for (start, end, shard) in known.pieces() {
                    transfer::download(known.device(), shard, 0, 8 * (end - start), |at, piece| {
                        let here = start as usize + at as usize / 8..start as usize + (at as usize + piece.len()) / 8;
                        take_apart(piece, &mut roots[here.clone()], &mut depths[here]);
                    })?;
                }
                Ok(())
            }
        }
    }
}

/// Roots and depths from the bytes of pairs, on all threads.
fn take_apart(pairs: &[u8], roots: &mut [u32], depths: &mut [u32]) {
    /// Pairs that one thread takes apart at a time.
    const SLICE: usize = 1 << 14;
    let outs = roots.par_chunks_mut(SLICE).zip(depths.par_chunks_mut(SLICE));
    outs.zip(pairs.par_chunks(8 * SLICE)).for_each(|((roots, depths), pairs)| {
        for ((root, depth), pair) in roots.iter_mut().zip(depths).zip(pairs.as_chunks::<8>().0) {
            let pair = u64::from_le_bytes(*pair);
            (*root, *depth) = (pair as u32 & !FINAL, (pair >> 32) as u32 & !FINAL);
        }
    });
}

/// Roots and depths by an engine, or by walks and, where trees are deep, by the Euler tour. All parents must be nodes.
pub(super) fn find(parents: &DeviceArray<u32>, engine: Option<Engine>) -> Result<Depths> {
    match engine {
        None => by_walks(parents, true),
        Some(Engine::PointerJumping) => by_walks(parents, false),
        Some(Engine::EulerTour) => by_tour(&tour::run(parents, None)?),
        Some(other) => Err(crate::not_on_gpu("forest", other.name(), "pointer_jumping and euler_tour")),
    }
}

/// Roots and depths from the tour.
fn by_tour(tour: &EulerTour) -> Result<Depths> {
    Ok(Depths { known: Known::Apart(tour.roots()?, tour.levels().clone()), engine: Engine::EulerTour })
}

/// Roots and depths by walks, and by pointer jumping or, if `with_tour`, by the tour where the trees are deep.
fn by_walks(parents: &DeviceArray<u32>, with_tour: bool) -> Result<Depths> {
    let (device, len) = (parents.device(), parents.count());
    let found = |known| Ok(Depths { known: Known::Pairs(known), engine: Engine::PointerJumping });
    let mut known = DeviceArray::<u64>::new(device, len)?;
    if len == 0 {
        return found(known);
    }
    let count = len as u32;
    // Nodes that are left open by the walks, and by every round.
    let rounds = u64::from(count.next_power_of_two().ilog2()) + 1;
    let left = device.words(rounds + 1, "nodes left open")?;
    let source = |text, entry| Source::new("depths", text, entry).constant("THREADS", THREADS);
    let mut commands = device.record();
    commands.clear(&left, 4 * (rounds + 1));
    let sweep = source(include_str!("sweep.wgsl"), "sweep")
        .constant("STEPS", STEPS)
        .constant("TELL", TELL)
        .reads_sharded("parents", "u32", parents.sharding())
        .atomic_pairs_sharded("known", known.sharding(), device.limits().int64_atomics)
        .atomics("left");
    Elementwise::new(device, len, "depths", include_str!("begin.wgsl"))
        .reads("parents", "u32", parents)
        .writes("known", "vec2<u32>", &known)
        .dispatch(&mut commands, &[])?;
    let arrays: Vec<_> = parents.bindings().chain(known.bindings()).chain([left.all()]).collect();
    let groups = len.div_ceil(THREADS.into());
    commands.dispatch(&*device.kernel(&sweep)?, groups, &arrays, &[count, (len / HOPELESS) as u32])?;
    commands.submit()?;
    let open = u64::from(read_word(device, &left, 0)?);
    if open > len / HOPELESS && with_tour && len <= tour::MOST {
        match tour::run(parents, None) {
            // The tour takes more memory than pointer jumping.
            Err(e) if e.device_kind() == Some(DeviceErrorKind::OutOfMemory) => {}
            tour => return by_tour(&tour?),
        }
    }
    if open != 0 {
        let [a, b] = [DeviceArray::<u64>::new(device, len)?, DeviceArray::<u64>::new(device, len)?];
        let jump = source(include_str!("jump.wgsl"), "jump")
            .reads_sharded("before", "vec2<u32>", a.sharding())
            .writes_sharded("after", "vec2<u32>", b.sharding())
            .atomics("left");
        let jump = device.kernel(&jump)?;
        let mut commands = device.record();
        for round in 0..rounds {
            let after = if round % 2 == 0 { &a } else { &b };
            let before = match round {
                0 => &known,
                _ if round % 2 == 0 => &b,
                _ => &a,
            };
            let arrays: Vec<_> = before.bindings().chain(after.bindings()).chain([left.all()]).collect();
            commands.dispatch(&jump, groups, &arrays, &[count, round as u32])?;
        }
        commands.submit()?;
        // Ways of more links than there are nodes: cycles.
        if read_word(device, &left, rounds)? != 0 {
            return Err(cycle(parents)?);
        }
        known = if rounds % 2 == 1 { a } else { b };
    }
    found(known)
}
