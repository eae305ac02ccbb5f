//! Radix sort, least significant digit first: one stable pass per digit.
//!
//! A pass puts every key behind those of smaller digits, and behind those of the same digit that were before it. How many
//! those are is known to a tile either from counts of all tiles, scanned (Satish, Harris and Garland 2009), or by looking back
//! at the tiles before it (Adinets and Merrill 2022, "Onesweep"). The latter reads the keys once a pass, after all digits of
//! all passes have been counted together, and the former twice. The latter is faster, but its counts have 30 bits: see
//! `primitives/sizes.rs`.
//!
//! *Measured* on an H200, 2^27 `u32`: 3.4 ms, a pass 0.79 of it, the count of all digits 0.25; with their positions 4.1 (CUB: 2.75 and
//! 4.28). A pass without its look-back takes 0.16 less. Two halves of a tile through workgroup memory one after the other, to have twice as
//! large tiles there: 6 % slower. Counting while ranking, so that others hear of a tile later: 2 %.

use thalweg_core::{Coding, Result};

use super::ping_pong::{self, Input, Items, Payload, Sorted, record_rounds};
use crate::array::{Keys, Packs};
use crate::coding::KeyCode;
use crate::device::Device;
use crate::kernel::Source;
use crate::memory::Buffer;
use crate::primitives::combine::{Combining, Op, count32};
use crate::primitives::scan::Job;
use crate::primitives::sizes::{self, RadixSizes};
use crate::recorder::Recorder;

/// Records the sort.
///
/// Work O(n) a digit; extra memory: a copy of keys and payloads besides the result, and a word per tile and digit.
pub(in crate::primitives) fn record(
    commands: &mut Recorder<'_>,
    keys: &Keys,
    payload: Payload<'_>,
    keep_keys: bool,
    coding: Coding,
    sizes: RadixSizes,
) -> Result<Sorted> {
    let how = (coding.into(), 8 * coding.bytes() as u32);
    record_bits(commands, keys, payload, (keep_keys, Input::Stays), how, sizes)
}

/// Records the sort of keys whose ranks differ in their lowest `bits` bits only. Whether sorted keys are asked for, and what
/// becomes of the input, is `keep`.
pub(super) fn record_bits(
    commands: &mut Recorder<'_>,
    keys: &Keys,
    payload: Payload<'_>,
    keep: (bool, Input),
    (coding, bits): (KeyCode, u32),
    sizes: RadixSizes,
) -> Result<Sorted> {
    let (device, len) = (keys.device(), keys.len());
    let passes = bits.div_ceil(sizes.digit_bits);
    let sorter = Sorter { device, coding, sizes, count: count32(len, "sort")?, passes };
    let starts = match sizes.one_pass {
        Some(_) if len > 0 && len < MOST_IN_ONE_PASS => Some(sorter.record_starts(commands, keys)?),
        _ => None,
    };
    let sorted = record_rounds(commands, keys, payload, keep, passes, |commands, pass, from, to, keep_keys| {
        sorter.record_pass(commands, pass, from, to, keep_keys, starts.as_ref())
    })?;
    starts.into_iter().for_each(|starts| commands.keep(starts));
    Ok(sorted)
}

/// Counts that tiles tell each other have 30 bits: as many keys, or more, are counted first.
const MOST_IN_ONE_PASS: u64 = 1 << 30;

#[derive(Debug)]
struct Sorter<'a> {
    device: &'a Device,
    coding: KeyCode,
    sizes: RadixSizes,
    count: u32,
    passes: u32,
}

impl Sorter<'_> {
    fn source(&self, text: &'static str, entry: &'static str, threads: u32, items: u32) -> Source {
        Source::new("radix sort", text, entry)
            .subgroups(self.device)
            .constant("THREADS", threads)
            .constant("ITEMS", items)
            .constant("DIGIT_BITS", self.sizes.digit_bits)
            .constant("DIGITS", 1 << self.sizes.digit_bits)
            .constant("PASSES", self.passes)
            .constant("SUBGROUPS_MOST", threads / self.device.limits().subgroup_min)
            .keys(self.coding)
            .include(include_str!("digit.wgsl"))
    }

    /// Where the keys of every digit begin, for all passes.
    fn record_starts(&self, commands: &mut Recorder<'_>, keys: &Keys) -> Result<Buffer> {
        let histogram = self.record_histogram(commands, keys)?;
        let words = (u64::from(self.passes) << self.sizes.digit_bits) + u64::from(self.passes);
        let starts = self.device.words(words, "starts of digits")?;
        commands.clear(&starts, 4 * words);
        let source = self
            .source(include_str!("starts.wgsl"), "starts_of_digits", self.sizes.threads, 0)
            .reads("histogram", "u32")
            .writes("starts", "u32");
        let buffers = [histogram.all(), starts.all()];
        commands.dispatch(&*self.device.kernel(&source)?, self.passes.into(), &buffers, &[self.count])?;
        commands.keep(histogram);
        Ok(starts)
    }

    /// How often every digit of every pass occurs.
    fn record_histogram(&self, commands: &mut Recorder<'_>, keys: &Keys) -> Result<Buffer> {
        let words = u64::from(self.passes) << self.sizes.digit_bits;
        let histogram = self.device.words(words, "histogram of digits")?;
        commands.clear(&histogram, 4 * words);
        let (threads, packs, rounds) = sizes::histogram(self.device);
        let pack = 4 / self.coding.words;
        let chunks = keys.len().div_ceil(u64::from(threads * rounds * packs * pack));
        let key_packs = keys.packs();
        let source = self
            .source(include_str!("histogram.wgsl"), "histogram_of_all", threads, 0)
            .constant("PACK", pack)
            .constant("PACKS", packs)
            .constant("ROUNDS", rounds)
            .reads_sharded("keys", "vec4<u32>", key_packs.sharding)
            .atomics("histogram");
        let buffers: Vec<_> = key_packs.buffers.into_iter().chain([histogram.all()]).collect();
        commands.dispatch(&*self.device.kernel(&source)?, chunks, &buffers, &[self.count, chunks as u32])?;
        Ok(histogram)
    }

    /// One pass from arrays to others.
    fn record_pass(
        &self,
        commands: &mut Recorder<'_>,
        pass: u32,
        from: &Items,
        to: &Items,
        keep_keys: bool,
        starts: Option<&Buffer>,
    ) -> Result<()> {
        let RadixSizes { threads, items, digit_bits, ahead, one_pass } = self.sizes;
        let (device, digits) = (self.device, 1u64 << digit_bits);
        let tiles = u64::from(self.count).div_ceil(u64::from(threads * items));
        let params = [self.count, tiles as u32, pass * digit_bits, pass];
        let payload_words = to.payloads.as_ref().map_or(0, Keys::words);
        let counters = (threads / device.limits().subgroup_min) << digit_bits;
        let source = self
            .source(include_str!("pass.wgsl"), "radix", threads, items)
            .constant("ROOM", counters.max(threads * items * self.coding.words.max(payload_words)))
            .include(include_str!("lanes.wgsl"));
        let (mut source, mut buffers) = ping_pong::declare(source, from, to, keep_keys);
        let helper = if let (Some(patience), Some(starts)) = (one_pass, starts) {
            let words = digits * (tiles + 1);
            let state = device.words(words, "digits of tiles")?;
            commands.clear(&state, 4 * words);
            source = source
                .constant("AHEAD", ahead)
                .constant("SPINS", patience.spins)
                .flag("COUNTER", patience.counter)
                .flag("SILENT", patience.silent)
                .include(include_str!("lookback.wgsl"))
                .reads("starts", "u32")
                .atomics("state");
            buffers.push(starts.all());
            state
        } else {
            let counts = device.words(digits * tiles, "digits of tiles")?;
            let before = device.words(digits * tiles, "digits before tiles")?;
            let count = self
                .source(include_str!("tiles.wgsl"), "digits_of_tiles", threads, items)
                .reads_sharded("keys", "Key", from.keys.sharding())
                .writes("counts", "u32");
            let arrays: Vec<_> = from.keys.bindings().chain([counts.all()]).collect();
            commands.dispatch(&*device.kernel(&count)?, tiles, &arrays, &params)?;
            let (all, sum) = (digits * tiles, Combining::values(Op::Sum, 1));
            let job = Job::of_counts(device, all);
            let total = job.record(commands, &sum, &Packs::of(&counts, all), &Packs::of(&before, all))?;
            commands.keep(total);
            commands.keep(counts);
            source = source.include(include_str!("scanned.wgsl")).reads("before_tiles", "u32");
            before
        };
        buffers.push(helper.all());
        commands.dispatch(&*device.kernel(&source)?, tiles, &buffers, &params)?;
        commands.keep(helper);
        Ok(())
    }
}
