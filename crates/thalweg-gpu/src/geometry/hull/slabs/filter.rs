//! The pass over the points: which of them may be on the hull.

use thalweg_core::{Coding, Result};

use super::plan::{Plan, SLABS};
use crate::array::{DeviceArray, Packs};
use crate::device::Device;
use crate::kernel::Source;
use crate::memory::Buffer;
use crate::recorder::Recorder;
use crate::transfer;

/// Threads of a workgroup.
const THREADS: u32 = 256;
/// Points whose numbers a workgroup keeps before it writes them.
const ROOM: u32 = 1024;
/// Workgroups at most: those that an H200 runs at the same time, so that each loads the table once.
const WORKGROUPS: u64 = 1024;
/// Numbers of points that come back with their count.
const AT_ONCE: u32 = 1 << 16;

/// A filter on a device, and the list of those that it has let stay.
#[derive(Debug)]
pub(super) struct Filter<'d> {
    device: &'d Device,
    coding: Coding,
    plan: Plan,
    bounds: DeviceArray<u32>,
    /// How many stay, and their numbers.
    survivors: Buffer,
    capacity: u32,
}

impl<'d> Filter<'d> {
    /// With room for `capacity` points that stay, of coordinates of this coding.
    pub(super) fn new(device: &'d Device, coding: Coding, plan: Plan, capacity: u32) -> Result<Self> {
        let bounds = device.upload(plan.table.as_flattened())?;
        let survivors = device.words(u64::from(capacity) + 1, "points that stay")?;
        let mut commands = device.record();
        commands.clear(&survivors, 4);
        commands.submit()?;
        Ok(Self { device, coding, plan, bounds, survivors, capacity })
    }

    /// Records the pass over some points, the first of which has the number `first`. `points` counts coordinates.
    pub(super) fn record(&self, commands: &mut Recorder<'_>, points: &Packs<'_>, first: u32) -> Result<()> {
        let words = (self.coding.bytes() as u32).div_ceil(4);
        let points_of_a_pack = 2 / words;
        // A software renderer compiles longer than it runs.
        let packs_of_a_thread = if self.device.limits().subgroup_min < 16 { 1 } else { 4 };
        let numbers = match (self.coding.is_float(), words) {
            (true, 1) => concat!(include_str!("float32.wgsl"), include_str!("floats.wgsl")),
            (true, _) => concat!(include_str!("float64.wgsl"), include_str!("floats.wgsl")),
            (false, 1) => include_str!("integer32.wgsl"),
            (false, _) => include_str!("integer64.wgsl"),
        };
        let flip = self.coding.flip();
        let bounds = self.bounds.sharding().map(|(shift, shards)| (shift - 1, shards));
        let source = Source::new("hull filter", include_str!("filter.wgsl"), "filter_points")
            .constant("THREADS", THREADS)
            .constant("PACKS", packs_of_a_thread)
            .constant("POINTS", points_of_a_pack)
            .constant("SLABS", SLABS)
            .constant("ROOM", ROOM)
            .constant("FLIP_LOW", flip as u32)
            .constant("FLIP_HIGH", (flip >> 32) as u32)
            .include(numbers)
            .reads_sharded("points", "vec4<u32>", points.sharding)
            .reads_sharded("bounds", "vec2<u32>", bounds)
            .atomics("survivors");
        let count = points.count / 2;
        let packs = count.div_ceil(points_of_a_pack.into());
        let tiles = packs.div_ceil(u64::from(THREADS * packs_of_a_thread));
        let stretch = tiles.div_ceil(WORKGROUPS) * u64::from(THREADS * packs_of_a_thread);
        let buffers: Vec<_> =
            points.buffers.iter().cloned().chain(self.bounds.bindings()).chain([self.survivors.all()]).collect();
        let (x, y) = (self.plan.x, self.plan.y);
        let sizes = [count as u32, packs as u32, stretch as u32, first, self.capacity];
        let axes = [x.shift, x.low, x.high, y.shift, y.low, y.high];
        let params: Vec<u32> = sizes.into_iter().chain(axes).collect();
        commands.dispatch(&*self.device.kernel(&source)?, packs.div_ceil(stretch.max(1)), &buffers, &params)
    }

    /// The numbers of the points that stay, ascending; `None` if there is no room for them.
    pub(super) fn survivors(self) -> Result<Option<Vec<u32>>> {
        let mut list = vec![0; self.capacity.min(AT_ONCE) as usize + 1];
        transfer::read_words(self.device, &self.survivors, 0, &mut list)?;
        let count = list[0];
        if count > self.capacity {
            return Ok(None);
        }
        list.remove(0);
        let known = list.len().min(count as usize);
        list.resize(count as usize, 0);
        if known < list.len() {
            transfer::read_words(self.device, &self.survivors, known as u64 + 1, &mut list[known..])?;
        }
        // Workgroups come in any order.
        list.sort_unstable();
        Ok(Some(list))
    }
}
