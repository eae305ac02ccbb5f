//! The first round: all suffixes by their first symbols.
//!
//! Two sorts by numbers of 32 bits, first by the later half of the symbols and then, stable, by the earlier half, move 8 bytes
//! a suffix and pass where one by 64 bits would move 12, and need less memory. Numbers are packed from the text whenever
//! they are needed.

use thalweg_core::Result;

use super::groups::Groups;
use crate::array::DeviceArray;
use crate::kernel::Source;
use crate::primitives::elementwise::Elementwise;
use crate::primitives::sort::sort_consuming;
use crate::text::device_text::Text;
use crate::transfer::read_words;

/// Threads of the kernel that finds the groups' heads. Not measured.
const THREADS: u32 = 256;

/// How symbols are packed.
#[derive(Debug)]
struct Packing<'t> {
    text: &'t Text,
    /// The numbers of the symbols that occur, from 1, 0 being the text's end.
    numbers: DeviceArray<u32>,
    /// The bits of a number.
    bits: u32,
    /// Numbers that 32 bits hold.
    symbols: u32,
}

impl<'t> Packing<'t> {
    fn new(text: &'t Text) -> Result<Self> {
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
        let bits = u32::BITS - symbols.leading_zeros();
        Ok(Self { text, numbers: device.upload(&numbers)?, bits, symbols: 32 / bits })
    }

    /// A kernel with `packed(position)`.
    fn declare(&self, source: Source) -> Source {
        source
            .constant("SYMBOLS", self.symbols)
            .constant("BITS", self.bits)
            .include(include_str!("packed.wgsl"))
            .reads_sharded("numbers", "u32", self.numbers.sharding())
    }

    fn kernel<'a>(&'a self, name: &'static str, text: &str) -> Elementwise<'a> {
        let len = self.text.count();
        self.text.kernel(len, name, text).declare(|source| self.declare(source), self.numbers.bindings())
    }
}

/// Sorts by the first few symbols: the suffixes, their groups, and how many symbols it were. Common prefixes at the groups'
/// boundaries go to `lcp`; all others become infinite.
pub(super) fn sort(text: &Text, lcp: Option<&DeviceArray<u32>>) -> Result<(DeviceArray<u32>, Groups, u64)> {
    let (device, len) = (text.device(), text.count());
    let packing = Packing::new(text)?;
    let params = [len as u32];
    let keys = DeviceArray::<u32>::new(device, len)?;
    let mut commands = device.record();
    packing
        .kernel("first keys, low", include_str!("low_keys.wgsl"))
        .writes("keys", "u32", &keys)
        .dispatch(&mut commands, &params)?;
    commands.submit()?;
    let bits = packing.symbols * packing.bits;
    let order = sort_consuming(keys, None, bits, len)?;
    let keys = DeviceArray::<u32>::new(device, len)?;
    let mut commands = device.record();
    packing
        .kernel("first keys, high", include_str!("high_keys.wgsl"))
        .reads("order", "u32", &order)
        .writes("keys", "u32", &keys)
        .dispatch(&mut commands, &params)?;
    commands.submit()?;
    let sa = sort_consuming(keys, Some(order), bits, len)?;

    let groups = Groups::new(device, len)?;
    let source = Source::new("first heads", include_str!("heads.wgsl"), "first_heads")
        .constant("THREADS", THREADS)
        .flag("WITH_LCP", lcp.is_some());
    let mut source = packing.declare(text.declare(source)).reads_sharded("sa", "u32", sa.sharding());
    let mut bindings: Vec<_> = text.bindings().chain(packing.numbers.bindings()).chain(sa.bindings()).collect();
    source = source.writes_sharded("heads", "u32", groups.heads.sharding());
    bindings.extend(groups.heads.bindings());
    match lcp {
        Some(lcp) => {
            source = source.writes_sharded("lcp", "u32", lcp.sharding());
            bindings.extend(lcp.bindings());
        }
        None => source = source.include("fn lcp_put(i: u32, value: u32) {}\n"),
    }
    let mut commands = device.record();
    let params = [len as u32, len as u32, groups.heads.count() as u32];
    commands.dispatch(&*device.kernel(&source)?, len.div_ceil(THREADS.into()), &bindings, &params)?;
    commands.submit()?;
    Ok((sa, groups, u64::from(2 * packing.symbols)))
}
