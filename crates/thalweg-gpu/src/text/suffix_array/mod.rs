//! Suffix and LCP array by prefix doubling.
//!
//! Manber and Myers (1993), Larsson and Sadakane (2007): suffixes sorted by their first h symbols, with the same rank where
//! these agree, are sorted by 2h symbols when their ranks and the ranks of the suffixes h further on are sorted as pairs. A
//! rank is where its group begins in the suffix array, so groups do not move, and whoever is alone in its group leaves the
//! race: a round sorts only those that are left, by our radix sort, in the places that they hold together. The first
//! round sorts by as many symbols as 64 bits hold, each in as few bits as the text's alphabet allows: 7 symbols of any text,
//! 9 of most, 21 of DNA.
//!
//! The LCP array comes along. Where a group breaks after h symbols, the suffixes on both sides agree for h symbols and then as
//! far as the suffixes h further on do. Those broke apart in an earlier round, so that is a minimum over the boundaries known
//! by then between their ranks; unknown ones are no less than h and stand as infinity. Every boundary is made once: n
//! range minima in all, over levels of minima that are made anew in every round.
//!
//! Work O(n log n) at worst (periodic texts; every round a sort), O(n) sorts of few rounds for most texts. Memory: 60 bytes a
//! symbol while it runs; 4 more for LCP.

use thalweg_core::Result;

use super::device_text::Text;
use super::range_minima::Minima;
use crate::array::DeviceArray;
use crate::device::Device;
use crate::primitives::elementwise::Elementwise;
use crate::primitives::sort::sort_numbers_with;
use crate::primitives::{Op, compact, inclusive_scan, survivors};
use crate::transfer::read_words;

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
    Ok(Doubling::run(text, false)?.0)
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
    let (positions, lcp) = Doubling::run(text, true)?;
    Ok(Suffixes { positions, lcp: lcp.expect("it was asked for") })
}

/// The numbers of the symbols that occur, from 1, 0 being the text's end: a table, and the bits of a number.
fn alphabet(text: &Text) -> Result<(DeviceArray<u32>, u32)> {
    let device = text.device();
    let seen = device.words(8, "symbols that occur")?;
    let mut commands = device.record();
    commands.clear(&seen, 32);
    text.kernel(text.count().div_ceil(4), "alphabet", include_str!("alphabet.wgsl"))
        .declare(|source| source.atomics("seen"), [seen.all()].into_iter())
        .dispatch(&mut commands, &[text.count() as u32])?;
    commands.submit()?;
    let mut words = [0; 8];
    read_words(device, &seen, 0, &mut words)?;
    let mut symbols = 0;
    let numbers: Vec<u32> = (0..256)
        .map(|symbol| {
            let occurs = words[symbol / 32] >> (symbol % 32) & 1;
            symbols += occurs;
            occurs * symbols
        })
        .collect();
    // The largest number is that of the symbols.
    Ok((device.upload(&numbers)?, u32::BITS - symbols.leading_zeros()))
}

/// What the rounds go on with.
#[derive(Debug)]
struct Doubling<'t> {
    device: &'t Device,
    text: &'t Text,
    sa: DeviceArray<u32>,
    ranks: DeviceArray<u32>,
    lcp: Option<DeviceArray<u32>>,
}

impl Doubling<'_> {
    fn run(text: &Text, with_lcp: bool) -> Result<(DeviceArray<u32>, Option<DeviceArray<u32>>)> {
        let (device, len) = (text.device(), text.count());
        let array = || DeviceArray::<u32>::new(device, len);
        let lcp = if with_lcp { Some(array()?) } else { None };
        if len == 0 {
            return Ok((array()?, lcp));
        }
        let doubling = Doubling { device, text, sa: array()?, ranks: array()?, lcp };
        let (mut sorted, mut left) = doubling.first()?;
        // Suffixes that are still together with others, in the order of the suffix array, and their places there.
        while let Some((positions, slots)) = left {
            left = doubling.next(&positions, &slots, sorted)?;
            sorted *= 2;
        }
        Ok((doubling.sa, doubling.lcp))
    }

    /// Sorts by the first few symbols: how many, and who is left.
    fn first(&self) -> Result<(u32, Option<Left>)> {
        let (device, text, len) = (self.device, self.text, self.text.count());
        let (numbers, bits) = alphabet(text)?;
        let symbols = 64 / bits;
        let (keys, positions) = (DeviceArray::<u64>::new(device, len)?, DeviceArray::<u32>::new(device, len)?);
        let mut commands = device.record();
        text.kernel(len, "first keys", include_str!("first_keys.wgsl"))
            .reads("numbers", "u32", &numbers)
            .writes("keys", "vec2<u32>", &keys)
            .writes("positions", "u32", &positions)
            .dispatch(&mut commands, &[len as u32, symbols, bits])?;
        commands.submit()?;
        let (keys, positions) = sort_numbers_with(&keys, &positions, symbols * bits)?;
        if let Some(lcp) = &self.lcp {
            let mut commands = device.record();
            Elementwise::new(device, len, "first lcp", include_str!("first_lcp.wgsl"))
                .reads("keys", "vec2<u32>", &keys)
                .writes("lcp", "u32", lcp)
                .dispatch(&mut commands, &[0, symbols, bits])?;
            commands.submit()?;
        }
        let left = self.place(&keys, &positions, None)?;
        Ok((symbols, left))
    }

    /// Sorts those that are left, which agree in `sorted` symbols with others, by as many more.
    fn next(&self, positions: &DeviceArray<u32>, slots: &DeviceArray<u32>, sorted: u32) -> Result<Option<Left>> {
        let (device, len, count) = (self.device, self.text.count(), positions.count());
        // Ranks from 1 to the length.
        let bits = u64::BITS - len.leading_zeros();
        let keys = DeviceArray::<u64>::new(device, count)?;
        let mut commands = device.record();
        Elementwise::new(device, count, "doubled keys", include_str!("doubled_keys.wgsl"))
            .reads("positions", "u32", positions)
            .reads("ranks", "u32", &self.ranks)
            .writes("keys", "vec2<u32>", &keys)
            .dispatch(&mut commands, &[sorted, bits, len as u32])?;
        commands.submit()?;
        let (keys, positions) = sort_numbers_with(&keys, positions, 2 * bits)?;
        if let Some(lcp) = &self.lcp {
            // To a place of their own first: range minima go on meanwhile.
            let prefixes = DeviceArray::<u32>::new(device, count)?;
            let mut commands = device.record();
            let minima = Minima::record(&mut commands, lcp)?;
            minima.dispatch(
                &mut commands,
                ("doubled lcp", include_str!("doubled_lcp.wgsl")),
                count,
                [sorted, bits, 0],
                |source| {
                    let source = source.reads_sharded("keys", "vec2<u32>", keys.sharding());
                    source.writes_sharded("prefixes", "u32", prefixes.sharding())
                },
                keys.bindings().chain(prefixes.bindings()).collect(),
            )?;
            minima.keep_in(&mut commands);
            Elementwise::new(device, count, "place lcp", include_str!("place_lcp.wgsl"))
                .reads("prefixes", "u32", &prefixes)
                .reads("slots", "u32", slots)
                .writes("lcp", "u32", lcp)
                .dispatch(&mut commands, &[])?;
            commands.submit()?;
        }
        self.place(&keys, &positions, Some(slots))
    }

    /// Puts sorted suffixes into their places, the first ones if there are no others, and finds out who is left.
    fn place(
        &self,
        keys: &DeviceArray<u64>,
        positions: &DeviceArray<u32>,
        slots: Option<&DeviceArray<u32>>,
    ) -> Result<Option<Left>> {
        let (device, count) = (self.device, positions.count());
        let kernel = |name, text| {
            let kernel = Elementwise::new(device, count, name, text)
                .flag("LISTED", slots.is_some())
                .include(include_str!("slot.wgsl"));
            match slots {
                Some(slots) => kernel.reads("slots", "u32", slots),
                None => kernel.include("fn slots_at(i: u32) -> u32 { return i; }\n"),
            }
        };
        let mut heads = DeviceArray::<u32>::new(device, count)?;
        let mut commands = device.record();
        kernel("groups", include_str!("heads.wgsl"))
            .reads("keys", "vec2<u32>", keys)
            .writes("heads", "u32", &heads)
            .dispatch(&mut commands, &[])?;
        commands.submit()?;
        // Places ascend, and the first one's group begins with it.
        heads = inclusive_scan(&heads, Op::Max)?;
        let stays = DeviceArray::<u32>::new(device, count)?;
        let mut commands = device.record();
        kernel("places", include_str!("place.wgsl"))
            .reads("heads", "u32", &heads)
            .reads("positions", "u32", positions)
            .writes("sa", "u32", &self.sa)
            .writes("ranks", "u32", &self.ranks)
            .writes("stays", "u32", &stays)
            .dispatch(&mut commands, &[])?;
        commands.submit()?;
        let left = compact(positions, &stays)?;
        if left.is_empty() {
            return Ok(None);
        }
        let places = match slots {
            Some(slots) => compact(slots, &stays)?,
            None => survivors(&stays)?,
        };
        Ok(Some((left, places)))
    }
}

/// Suffixes, and their places in the suffix array.
type Left = (DeviceArray<u32>, DeviceArray<u32>);
