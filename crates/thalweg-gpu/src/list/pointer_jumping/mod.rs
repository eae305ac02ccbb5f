//! `pointer_jumping`: every element adds what its link has, and links to where that one links; the ways double in every
//! round. Wyllie 1979.
//!
//! Work O(n log n), span O(log n); memory: two records an element, of 8 or 16 bytes. One random read an element and
//! round. The other engines use it for what they leave over.

use thalweg_core::Result;
use thalweg_trees::list::Direction;

use super::records::{Form, Records, declare_finished, declare_sums};
use super::status::status_constants;
use super::workgroups::{ITEMS, THREADS};
use crate::array::Keys;
use crate::device::Device;
use crate::kernel::Source;
use crate::memory::Buffer;
use crate::recorder::Recorder;

/// Records the ranking of records: to the end, each element included, or from the head. The latter leaves the element
/// out unless `inclusive`. A cycle is noted in the status.
pub(super) fn record_totals(
    commands: &mut Recorder<'_>,
    device: &Device,
    form: Form,
    records: &Records,
    direction: Direction,
    inclusive: bool,
    status: &Buffer,
) -> Result<Records> {
    let count = records.len as u32;
    let groups = |elements: u32| u64::from(count).div_ceil(elements.into());
    let reversed = match direction {
        Direction::ToEnd => None,
        Direction::FromHead => Some(record_reversed(commands, device, form, records, inclusive)?),
    };
    // Ways of 2^rounds links are longer than any list; one round more copies where the last one has left nothing to do.
    let rounds = count.next_power_of_two().ilog2() + 1;
    let linked = device.words(rounds.into(), "rounds with links")?;
    commands.clear(&linked, 4 * u64::from(rounds));
    let [a, b] = [Records::new(device, form, records.len)?, Records::new(device, form, records.len)?];
    let source = Source::new("list jump", include_str!("jump.wgsl"), "jump")
        .constant("THREADS", THREADS)
        .constant("ITEMS", ITEMS)
        .include(form.text());
    let source = status_constants(source)
        .reads_sharded("before", "Record", a.sharding())
        .writes_sharded("after", "Record", b.sharding())
        .atomics("linked")
        .atomics("status");
    let kernel = device.kernel(&source)?;
    for round in 0..rounds {
        let before = match round {
            0 => reversed.as_ref().unwrap_or(records),
            _ if round % 2 == 1 => &a,
            _ => &b,
        };
        let after = if round % 2 == 0 { &a } else { &b };
        let bindings: Vec<_> = before.bindings().chain(after.bindings()).chain([linked.all(), status.all()]).collect();
        let params = [count, round, u32::from(round + 1 == rounds)];
        commands.dispatch(&kernel, groups(THREADS * ITEMS), &bindings, &params)?;
    }
    reversed.into_iter().for_each(|records| records.keep_in(commands));
    let (result, other) = if rounds % 2 == 1 { (a, b) } else { (b, a) };
    other.keep_in(commands);
    commands.keep(linked);
    Ok(result)
}

/// Records the making of the same lists with links to the element before. A value is the element's own, or, if not
/// `inclusive`, that of the one before.
pub(super) fn record_reversed(
    commands: &mut Recorder<'_>,
    device: &Device,
    form: Form,
    records: &Records,
    inclusive: bool,
) -> Result<Records> {
    let reversed = Records::new(device, form, records.len)?;
    let bindings: Vec<_> = records.bindings().chain(reversed.bindings()).collect();
    for entry in ["begin", "link_back"] {
        let source = Source::new("list reverse", include_str!("reverse.wgsl"), entry)
            .constant("THREADS", THREADS)
            .flag("INCLUSIVE", inclusive)
            .include(form.text())
            .reads_sharded("records", "Record", records.sharding())
            .writes_sharded("reversed", "Record", reversed.sharding());
        let groups = records.len.div_ceil(THREADS.into());
        commands.dispatch(&*device.kernel(&source)?, groups, &bindings, &[records.len as u32])?;
    }
    Ok(reversed)
}

/// Records the ranking of elements, whose records are these.
pub(super) fn record(
    commands: &mut Recorder<'_>,
    device: &Device,
    form: Form,
    records: &Records,
    direction: Direction,
    links: bool,
    status: &Buffer,
) -> Result<Keys> {
    let totals = record_totals(commands, device, form, records, direction, true, status)?;
    let sums = record_store(commands, device, form, &totals, links)?;
    totals.keep_in(commands);
    Ok(sums)
}

/// Records the copy of the records' values to an array of their own. `links`: links are counted, one less than elements.
pub(super) fn record_store(
    commands: &mut Recorder<'_>,
    device: &Device,
    form: Form,
    totals: &Records,
    links: bool,
) -> Result<Keys> {
    let sums = Keys::new(device, totals.len, form.words())?;
    let source = Source::new("list store", include_str!("store.wgsl"), "store")
        .constant("THREADS", THREADS)
        .include(form.text())
        .reads_sharded("records", "Record", totals.sharding());
    let source = declare_finished(declare_sums(source, &sums), links);
    let bindings: Vec<_> = totals.bindings().chain(sums.bindings()).collect();
    commands.dispatch(
        &*device.kernel(&source)?,
        totals.len.div_ceil(THREADS.into()),
        &bindings,
        &[totals.len as u32],
    )?;
    Ok(sums)
}
