//! Searches on the device: slots, rounds, and who goes on.
//!
//! Every thread has a slot with a puzzle's candidates and a stack, and takes the next puzzle when it is done (`search.wgsl`). After a
//! number of steps, slots that are at work are put first, so that threads beside each other have work; and when no puzzle is
//! left that nobody has taken, those without work take over what others have put off (`share.wgsl`). So a search that takes
//! long, or that counts many solutions, spreads over all slots, twice as many with every dispatch.

use thalweg_core::Result;

use crate::array::DeviceArray;
use crate::device::Device;
use crate::kernel::Source;
use crate::memory::Buffer;
use crate::primitives::elementwise::Elementwise;
use crate::primitives::split_indices;
use crate::transfer;

/// Words of a puzzle's candidates.
pub(super) const WORDS: u64 = 27;
/// Levels of a stack: one for every cell.
const LEVELS: u64 = 81;
/// Words of a slot beside its stack: candidates, the puzzle, and the two ends of the stack.
const SAVED: u64 = WORDS + 3;
// The following four: measured on an H200, 2^20 puzzles of 17 clues, and hard ones, by the device's clock.
/// Threads of a workgroup. 32 and 128 take as long, 256 a quarter longer.
const THREADS: u32 = 64;
/// Rounds of conclusions between two looks at what came out. 2 take 15 % longer, 3 take 4 %.
const ROUNDS: u32 = 4;
/// Slots at most: enough for every thread that a large card runs at a time. Half as many take as long,
/// but 20 % longer for the hardest puzzles.
const SLOTS: u64 = 1 << 17;
/// Slots at most where threads are those of the CPU.
const SLOTS_OF_SOFTWARE: u64 = 1 << 10;
/// Slots for few puzzles that have few solutions.
const FEW_SLOTS: u64 = 1 << 12;
/// A limit from which on few puzzles get all slots.
const LARGE_LIMIT: u32 = 64;
/// Steps of a dispatch, of [`ROUNDS`] rounds each: about a millisecond. 16 take 10 % less time, 64 take 13 % more, for
/// puzzles of 17 clues; it is the other way round for the hardest ones.
const STEPS: u32 = 32;

/// Slots in the memory of a device.
#[derive(Debug)]
pub(super) struct Slots<'d> {
    device: &'d Device,
    count: u64,
    saved: Buffer,
    stack: Buffer,
    idle: DeviceArray<u32>,
}

/// Where the answers go.
#[derive(Debug)]
pub(super) struct Found {
    /// The number of solutions of every puzzle, up to the limit. Then what the search needs: the next puzzle, and a word
    /// for every puzzle.
    pub(super) counts: Buffer,
    /// A solution of every puzzle that has one, as candidates; all zeros for the others.
    pub(super) solved: Option<Buffer>,
}

impl Found {
    /// For so many puzzles.
    pub(super) fn new(device: &Device, puzzles: u64, solutions: bool) -> Result<Self> {
        let counts = device.words(2 * puzzles + 1, "counts of solutions")?;
        let solved = solutions.then(|| device.words(WORDS * puzzles, "solutions")).transpose()?;
        Ok(Self { counts, solved })
    }
}

impl<'d> Slots<'d> {
    /// For so many puzzles at most, and a limit.
    pub(super) fn new(device: &'d Device, puzzles: u64, limit: u32) -> Result<Self> {
        let limits = device.limits();
        let fit = limits.binding_bytes.min(limits.buffer_bytes) / (4 * WORDS * LEVELS);
        let most = if device.is_software() { SLOTS_OF_SOFTWARE } else { SLOTS };
        let wanted = if limit >= LARGE_LIMIT { most } else { puzzles.max(FEW_SLOTS).min(most) };
        let mut count = wanted.min(fit).max(1);
        loop {
            match Self::of(device, count) {
                // Fewer slots take less memory, and longer.
                Err(_) if count > FEW_SLOTS && device.is_alive() => count /= 2,
                made => return made,
            }
        }
    }

    fn of(device: &'d Device, count: u64) -> Result<Self> {
        Ok(Self {
            device,
            count,
            saved: device.words(SAVED * count, "slots")?,
            stack: device.words(WORDS * LEVELS * count, "stacks")?,
            idle: DeviceArray::new(device, count)?,
        })
    }

    /// Counts the solutions of puzzles, whose candidates are given, up to a limit, which is not 0.
    pub(super) fn search(&self, starts: &Buffer, puzzles: u64, limit: u32, found: &Found) -> Result<()> {
        let device = self.device;
        let mut order = DeviceArray::<u32>::new(device, self.count)?;
        let mut commands = device.record();
        commands.clear(&found.counts, 4 * (2 * puzzles + 1));
        if let Some(solved) = &found.solved {
            commands.clear(solved, 4 * WORDS * puzzles);
        }
        Elementwise::statement(device, self.count, "sudoku slots", "idle_put(i, 1u); order_put(i, i);")
            .writes("idle", "u32", &self.idle)
            .writes("order", "u32", &order)
            .dispatch(&mut commands, &[])?;
        let mut threads = self.count.min(puzzles);
        let mut are_taken = false;
        loop {
            self.record(&mut commands, starts, puzzles, limit, found, (&order, threads))?;
            commands.submit()?;
            let parted = split_indices(&self.idle)?;
            order = parted.elements;
            let busy = parted.first_true as u64;
            are_taken = are_taken || u64::from(transfer::read_word(device, &found.counts, puzzles)?) >= puzzles;
            commands = device.record();
            threads = match are_taken {
                false => self.count.min(busy + puzzles),
                true if busy == 0 => return Ok(()),
                true if 2 * busy > self.count => busy,
                true => {
                    self.share(&mut commands, &order, busy)?;
                    2 * busy
                }
            };
        }
    }

    /// Some steps of slots.
    fn record(
        &self,
        commands: &mut crate::recorder::Recorder<'_>,
        starts: &Buffer,
        puzzles: u64,
        limit: u32,
        found: &Found,
        (order, threads): (&DeviceArray<u32>, u64),
    ) -> Result<()> {
        let mut source = Source::new("sudoku search", include_str!("search.wgsl"), "search")
            .constant("THREADS", THREADS)
            .constant("ROUNDS", ROUNDS)
            .constant("POINT_BITS", 3)
            .flag("SOLUTIONS", found.solved.is_some())
            .include(include_str!("cells.wgsl"))
            .include(include_str!("choose.wgsl"))
            .reads_sharded("order", "u32", order.sharding())
            .writes_sharded("idle", "u32", self.idle.sharding())
            .writes("saved", "u32")
            .writes("stack", "u32")
            .reads("starts", "u32")
            .atomics("counts");
        let own = [self.saved.all(), self.stack.all(), starts.all(), found.counts.all()];
        let mut buffers: Vec<_> = order.bindings().chain(self.idle.bindings()).chain(own).collect();
        match &found.solved {
            Some(solved) => {
                source = source.writes("solved", "u32");
                buffers.push(solved.all());
            }
            None => source = source.include("fn solved_put(i: u32, value: u32) {}\n"),
        }
        let params = [threads as u32, self.count as u32, puzzles as u32, limit, STEPS];
        commands.dispatch(&*self.device.kernel(&source)?, threads.div_ceil(THREADS.into()), &buffers, &params)
    }

    /// The first slots, which are busy, give of their work to as many behind them, which are not.
    fn share(&self, commands: &mut crate::recorder::Recorder<'_>, order: &DeviceArray<u32>, busy: u64) -> Result<()> {
        Elementwise::new(self.device, busy, "sudoku share", include_str!("share.wgsl"))
            .reads("order", "u32", order)
            .writes("idle", "u32", &self.idle)
            .declare(
                |source| source.writes("saved", "u32").reads("stack", "u32"),
                [&self.saved, &self.stack].map(Buffer::all).into_iter(),
            )
            .dispatch(commands, &[busy as u32, self.count as u32])
    }
}
