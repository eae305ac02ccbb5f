//! Links before they are ranked: whether they are lists at all, where the lists begin, and links and weights together.

use thalweg_core::{Error, Result};

use super::records::{Form, NONE, Records, Weights, declare_weights};
use super::status::{STATUS, Status, status_constants};
use super::workgroups::{ITEMS, THREADS};
use crate::array::DeviceArray;
use crate::device::Device;
use crate::kernel::Source;
use crate::memory::Buffer;
use crate::recorder::Recorder;

/// Records the listing of the elements that nobody links to.
pub(super) fn record_heads(
    commands: &mut Recorder<'_>,
    device: &Device,
    followed: &Buffer,
    ends: u32,
    count: u32,
    status: &Buffer,
) -> Result<DeviceArray<u32>> {
    let heads = DeviceArray::<u32>::new(device, ends.into())?;
    let source = Source::new("list heads", include_str!("heads.wgsl"), "list_heads")
        .constant("THREADS", THREADS)
        .reads("followed", "u32")
        .writes_sharded("heads", "u32", heads.sharding())
        .atomics("status");
    let bindings: Vec<_> = [followed.all()].into_iter().chain(heads.bindings()).chain([status.all()]).collect();
    let groups = u64::from(count).div_ceil(32 * u64::from(THREADS));
    commands.dispatch(&*device.kernel(&status_constants(source))?, groups, &bindings, &[count])?;
    Ok(heads)
}

/// Checks the links, and returns a bit for every element that another one links to, and the number of ends. Clears the
/// status.
pub(super) fn check(next: &DeviceArray<u32>, status: &Buffer) -> Result<(Buffer, u32)> {
    let (device, len) = (next.device(), next.count());
    let words = len.div_ceil(32);
    let followed = device.words(words, "elements that others link to")?;
    let mut commands = device.record();
    commands.clear(status, 4 * STATUS);
    commands.clear(&followed, 4 * words);
    let source = Source::new("list check", include_str!("check.wgsl"), "check")
        .constant("THREADS", THREADS)
        .constant("ITEMS", ITEMS)
        .reads_sharded("next", "u32", next.sharding())
        .atomics("followed")
        .atomics("status");
    let bindings: Vec<_> = next.bindings().chain([followed.all(), status.all()]).collect();
    let groups = len.div_ceil(u64::from(THREADS * ITEMS));
    commands.dispatch(&*device.kernel(&status_constants(source))?, groups, &bindings, &[len as u32])?;
    commands.submit()?;
    let state = Status::read(device, status)?;
    if state.bad != 0 {
        let element = !state.bad as usize;
        let to = element_of(next, element as u64)?.into();
        return Err(Error::Link { what: "element", element, to, len: len as usize });
    }
    if state.twice != 0 {
        return Err(join(next, !state.twice)?);
    }
    Ok((followed, state.ends))
}

/// One element of an array.
pub(crate) fn element_of(array: &DeviceArray<u32>, i: u64) -> Result<u32> {
    let (start, _, buffer) = array.pieces().find(|&(start, end, _)| (start..end).contains(&i)).expect("i is inside");
    crate::transfer::read_word(array.device(), buffer, i - start)
}

/// Records the packing of links and weights.
pub(super) fn record_pack(
    commands: &mut Recorder<'_>,
    next: &DeviceArray<u32>,
    form: Form,
    weights: Option<Weights<'_>>,
) -> Result<Records> {
    let records = Records::new(next.device(), form, next.count())?;
    let source = Source::new("list pack", include_str!("pack.wgsl"), "pack")
        .constant("THREADS", THREADS)
        .include(form.text())
        .reads_sharded("next", "u32", next.sharding())
        .writes_sharded("records", "Record", records.sharding());
    let source = declare_weights(source, weights);
    let mut bindings: Vec<_> = next.bindings().chain(records.bindings()).collect();
    bindings.extend(weights.iter().flat_map(|weights| weights.keys.bindings()));
    let groups = next.count().div_ceil(THREADS.into());
    commands.dispatch(&*next.device().kernel(&source)?, groups, &bindings, &[next.len() as u32])?;
    Ok(records)
}

/// The error for an element that two others link to. By a search on the host, as there is no result to compute any
/// more.
fn join(next: &DeviceArray<u32>, element: u32) -> Result<Error> {
    let next = next.to_vec()?;
    let mut before = (0..next.len()).filter(|&i| next[i] == element && i != element as usize);
    let mut one = || before.next().unwrap_or(element as usize);
    Ok(Error::Join { element: element as usize, before: [one(), one()] })
}

/// The error for lists of which at least one has no end, though every element has at most one before it: names the
/// first such element. By walking on the host, as there is no result to compute any more.
pub(super) fn endless(next: &DeviceArray<u32>) -> Result<Error> {
    let next = next.to_vec()?;
    let mut reached = vec![false; next.len()];
    let link = |i: usize| Some(next[i] as usize).filter(|&j| next[i] != NONE && j != i);
    (0..next.len()).for_each(|i| link(i).into_iter().for_each(|j| reached[j] = true));
    let mut seen = vec![false; next.len()];
    for head in (0..next.len()).filter(|&i| !reached[i]) {
        let mut at = Some(head);
        while let Some(i) = at {
            seen[i] = true;
            at = link(i);
        }
    }
    let element = seen.iter().position(|&seen| !seen).unwrap_or(0);
    Ok(Error::Cycle { what: "element", element })
}
