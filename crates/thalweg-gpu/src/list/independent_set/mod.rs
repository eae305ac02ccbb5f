//! `independent_set`: elements that are no neighbours are taken out of their lists, a quarter of those that are left in
//! every round, until O(n / log n) remain; those are ranked by pointer jumping, and the others are put back, the last
//! ones first. Anderson and Miller 1988, in the form of Jaja 1992 (section 3.1.3).
//!
//! An element is taken out if a coin says so, and the coin of the one before it does not. Work O(n), span O(log log n)
//! rounds and the O(log n) of pointer jumping; memory: a record an element, of 8 or 16 bytes, and 16 bytes. Some five
//! random accesses an element.

use thalweg_core::Result;
use thalweg_trees::list::Direction;

use super::pointer_jumping::{record_reversed, record_store, record_totals};
use super::records::{Form, Records};
use super::workgroups::THREADS;
use crate::array::{DeviceArray, Keys};
use crate::device::Device;
use crate::kernel::Source;
use crate::memory::Buffer;
use crate::transfer::read_word;

/// Rounds at most: (3/4)^16 is less than 1/32, and positions have 32 bits.
const MOST_ROUNDS: u32 = 16;
/// Workgroups of one dispatch at most; they go over the active elements in several steps. Not measured.
const WORKGROUPS: u64 = 1 << 14;

/// Ranks elements, whose records are these: see [`super::pointer_jumping::record`].
pub(super) fn run(
    device: &Device,
    form: Form,
    records: Records,
    direction: Direction,
    links: bool,
    seed: u32,
    status: &Buffer,
) -> Result<Keys> {
    let count = records.len as u32;
    // Until n / log n elements are left, of which every round leaves three quarters.
    let log = f64::from(count.max(2)).log2();
    let rounds = (log.ln() / (4.0f64 / 3.0).ln()).ceil().clamp(1.0, MOST_ROUNDS.into()) as u32;
    let workgroups = u64::from(count).div_ceil(THREADS.into()).min(WORKGROUPS);
    let mut commands = device.record();
    let records = match direction {
        Direction::ToEnd => records,
        Direction::FromHead => {
            let reversed = record_reversed(&mut commands, device, form, &records, true)?;
            records.keep_in(&mut commands);
            reversed
        }
    };
    // Active elements of every round, and how many each took out.
    let counts = device.upload(&[&[count][..], &[0; 2 * MOST_ROUNDS as usize + 1]].concat())?;
    let words = u64::from(count).div_ceil(32);
    let taken = device.words(words, "elements taken out")?;
    commands.clear(&taken, 4 * words);
    let ids = || DeviceArray::<u32>::new(device, count.into());
    let [staying, other, stack, numbers] = [ids()?, ids()?, ids()?, ids()?];
    let source = |name, text, entry, first: bool| {
        let source = Source::new(name, text, entry)
            .constant("THREADS", THREADS)
            .constant("TAKEN", MOST_ROUNDS + 1)
            .include(crate::wgsl::MIX)
            .include(include_str!("coin.wgsl"))
            .include(form.text());
        if first {
            return source.include("fn member(k: u32) -> u32 { return k; }\n");
        }
        source.include("fn member(k: u32) -> u32 { return members_at(k); }\n").reads_sharded(
            "members",
            "u32",
            staying.sharding(),
        )
    };
    for round in 0..rounds {
        let (from, to) = if round % 2 == 0 { (&other, &staying) } else { (&staying, &other) };
        let first = round == 0;
        let active = || from.bindings().filter(move |_| !first);
        let params = [count, round, workgroups as u32, seed];
        let splice = source("list splice", include_str!("splice.wgsl"), "splice", first)
            .writes_sharded("records", "Record", records.sharding())
            .reads("counts", "u32")
            .atomics("taken");
        let bindings: Vec<_> =
            active().chain(records.bindings()).chain(counts.bindings()).chain([taken.all()]).collect();
        commands.dispatch(&*device.kernel(&splice)?, workgroups, &bindings, &params)?;
        let part = source("list part", include_str!("part.wgsl"), "part", first)
            .reads("taken", "u32")
            .writes_sharded("staying", "u32", to.sharding())
            .writes_sharded("stack", "u32", stack.sharding())
            .atomics("counts");
        let bindings: Vec<_> = active()
            .chain([taken.all()])
            .chain(to.bindings())
            .chain(stack.bindings())
            .chain(counts.bindings())
            .collect();
        commands.dispatch(&*device.kernel(&part)?, workgroups, &bindings, &params)?;
    }
    commands.submit()?;
    let (_, _, buffer) = counts.pieces().next().expect("an array has a buffer");
    let left = read_word(device, buffer, rounds.into())?;
    let active = if rounds % 2 == 1 { &staying } else { &other };

    let mut commands = device.record();
    let few = Records::new(device, form, left.into())?;
    let groups = u64::from(left).div_ceil(THREADS.into());
    let params = [left, 0, 0, 0];
    let remain = |text| source("list remain", include_str!("remain.wgsl"), "remain", false).include(text);
    let number = remain(include_str!("number.wgsl")).writes_sharded("numbers", "u32", numbers.sharding());
    let bindings: Vec<_> = active.bindings().chain(numbers.bindings()).collect();
    commands.dispatch(&*device.kernel(&number)?, groups, &bindings, &params)?;
    let gather = remain(include_str!("gather.wgsl"))
        .reads_sharded("numbers", "u32", numbers.sharding())
        .reads_sharded("records", "Record", records.sharding())
        .writes_sharded("few", "Record", few.sharding());
    let bindings: Vec<_> =
        active.bindings().chain(numbers.bindings()).chain(records.bindings()).chain(few.bindings()).collect();
    commands.dispatch(&*device.kernel(&gather)?, groups, &bindings, &params)?;
    let totals = record_totals(&mut commands, device, form, &few, Direction::ToEnd, true, status)?;
    let scatter = remain(include_str!("scatter.wgsl"))
        .reads_sharded("few", "Record", totals.sharding())
        .writes_sharded("records", "Record", records.sharding());
    let bindings: Vec<_> = active.bindings().chain(totals.bindings()).chain(records.bindings()).collect();
    commands.dispatch(&*device.kernel(&scatter)?, groups, &bindings, &params)?;
    let restore = source("list restore", include_str!("restore.wgsl"), "restore", true)
        .reads("counts", "u32")
        .reads_sharded("stack", "u32", stack.sharding())
        .writes_sharded("records", "Record", records.sharding());
    let restore = device.kernel(&restore)?;
    for round in (0..rounds).rev() {
        let bindings: Vec<_> = counts.bindings().chain(stack.bindings()).chain(records.bindings()).collect();
        commands.dispatch(&restore, workgroups, &bindings, &[count, round, workgroups as u32, seed])?;
    }
    let sums = record_store(&mut commands, device, form, &records, links)?;
    commands.submit()?;
    Ok(sums)
}
