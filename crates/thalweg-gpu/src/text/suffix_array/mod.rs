//! Suffix and LCP array by prefix doubling, group by group.
//!
//! Manber and Myers (1993), Larsson and Sadakane (2007): suffixes sorted by their first h symbols, with the same rank where
//! these agree, are sorted by 2h symbols when their ranks and the ranks of the suffixes h further on are sorted as pairs. A
//! rank is where its group begins in the suffix array, so groups do not move, and whoever is alone in its group has found
//! its place. The first round (`first/`) sorts by as many symbols as twice 32 bits hold, each in as few bits as the text's
//! alphabet allows: 6 symbols of any text, 8 of most, 20 of DNA.
//!
//! A later round sorts every group by itself. Groups are bits over the suffix array (`groups/`): nothing is compacted, and
//! blocks of places whose suffixes are all alone cost a few words of bits. Small groups are sorted where they are, in
//! workgroup memory, by up to [`STEPS`] ranks one after the other (`small/`); large ones, of more than some hundred
//! suffixes, by our radix sort (`large/`). As long as there are large ones h doubles, then it is multiplied by more.
//! Ranks change at the end of a round, and only of those whose group broke.
//!
//! The LCP array comes along (`lcp/`).
//!
//! Work O(n log n) at worst (periodic texts; every round a sort), O(n) sorts of few rounds for most texts. Memory: at most 31
//! bytes a symbol while it runs, the text counted; 4 more for LCP.

mod first;
mod groups;
mod large;
mod lcp;
mod small;

use thalweg_core::Result;

use self::groups::Groups;
use self::large::Large;
use super::device_text::Text;
use crate::array::DeviceArray;
use crate::transfer::read_words;

/// Ranks that small groups are compared by in one round. H200, 64 MiB of source code, kernels, ms: 1 46.2, 2 46.9, 3 49.8, 5
/// 55.8; texts with long repeats take fewer rounds with more of them.
const STEPS: u64 = 2;

/// The suffixes of a text in order.
#[derive(Clone, Debug)]
pub struct Suffixes {
    /// Where they begin, from the smallest to the largest.
    pub positions: DeviceArray<u32>,
    /// How much every one has in common with the one before it; 0 for the first.
    pub lcp: DeviceArray<u32>,
}

/// The suffixes of a text in order.
///
/// ```no_run
/// use thalweg_gpu::text::{Text, suffix_array};
/// # let device = thalweg_gpu::Device::open(&thalweg_gpu::Choice::Auto)?;
/// let suffixes = suffix_array(&Text::upload(&device, b"banana")?)?;
/// assert_eq!(suffixes.to_vec()?, [5, 3, 1, 0, 4, 2]);
/// # Ok::<(), thalweg_core::Error>(())
/// ```
pub fn suffix_array(text: &Text) -> Result<DeviceArray<u32>> {
    sort(text, None)
}

/// [`suffix_array`] with what neighbouring suffixes have in common.
///
/// ```no_run
/// use thalweg_gpu::text::{Text, suffix_array_with_lcp};
/// # let device = thalweg_gpu::Device::open(&thalweg_gpu::Choice::Auto)?;
/// let suffixes = suffix_array_with_lcp(&Text::upload(&device, b"banana")?)?;
/// assert_eq!(suffixes.lcp.to_vec()?, [0, 1, 3, 0, 0, 2]);
/// # Ok::<(), thalweg_core::Error>(())
/// ```
pub fn suffix_array_with_lcp(text: &Text) -> Result<Suffixes> {
    let lcp = DeviceArray::new(text.device(), text.count())?;
    Ok(Suffixes { positions: sort(text, Some(&lcp))?, lcp })
}

/// What a round sorts by.
#[derive(Clone, Copy, Debug)]
struct Round<'a> {
    sa: &'a DeviceArray<u32>,
    ranks: &'a DeviceArray<u32>,
    /// How many symbols further on the next rank is; less than the text's length.
    ahead: u32,
    /// Ranks, each so much further on than the last one, that small groups are sorted by: all begin inside the text.
    steps: u32,
}

fn sort(text: &Text, lcp: Option<&DeviceArray<u32>>) -> Result<DeviceArray<u32>> {
    let (device, len) = (text.device(), text.count());
    if len == 0 {
        return DeviceArray::new(device, 0);
    }
    let _hold = device.hold();
    let (sa, mut groups, mut sorted) = first::sort(text, lcp)?;
    let (mut found, mut large) = survey(&mut groups, len, true)?;
    if found == len {
        return Ok(sa);
    }
    let ranks = DeviceArray::<u32>::new(device, len)?;
    let mut commands = device.record();
    groups.rank(&mut commands, &sa, &ranks, true)?;
    commands.submit()?;
    let most_steps = small::most_steps(&ranks, STEPS);
    loop {
        // Suffixes that agree in so many symbols are shorter than the text.
        let steps = most_steps.min((len - 1) / sorted) as u32;
        let round = Round { sa: &sa, ranks: &ranks, ahead: sorted as u32, steps };
        let mut commands = device.record();
        small::record(&mut commands, &groups, &round)?;
        commands.submit()?;
        if let Some(large) = &large {
            large::sort(large, &groups, &round)?;
        }
        if let Some(lcp) = lcp {
            let mut commands = device.record();
            lcp::record(&mut commands, &groups, &round, lcp)?;
            commands.submit()?;
        }
        sorted *= if large.is_some() { 2 } else { most_steps + 1 };
        // Groups only break: without large ones there will be none.
        (found, large) = survey(&mut groups, len, large.is_some())?;
        if found == len {
            return Ok(sa);
        }
        let mut commands = device.record();
        groups.rank(&mut commands, &sa, &ranks, false)?;
        groups.settle(&mut commands)?;
        commands.submit()?;
    }
}

/// How many groups there are, fresh heads counted, and the large ones, if they are asked for and there are any. The host waits
/// for it, once a round.
fn survey(groups: &mut Groups, len: u64, look_for_large: bool) -> Result<(u64, Option<Large>)> {
    let device = groups.heads.device().clone();
    let found = device.words(3, "groups")?;
    let mut commands = device.record();
    commands.clear(&found, 12);
    commands.submit()?;
    groups.survey(&found)?;
    let blocks = if look_for_large { Some(large::find(groups, len, &found)?) } else { None };
    let mut counts = [0; 3];
    read_words(&device, &found, 0, &mut counts)?;
    let [all, count, number] = counts.map(u64::from);
    let large = blocks.filter(|_| count > 0).map(|blocks| Large { blocks, count, groups: number });
    Ok((all, large))
}
