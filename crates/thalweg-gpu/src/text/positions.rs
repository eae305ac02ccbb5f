//! Positions on their way to the host.

use thalweg_core::{Positions, Result};
use thalweg_text::WIDE;

use crate::array::DeviceArray;

/// A copy of positions or lengths on the host, as wide as a text of their number has them: 32 bits below [`WIDE`], 64 from
/// there on.
///
/// ```no_run
/// # let device = thalweg_gpu::Device::open(&thalweg_gpu::Choice::Auto)?;
/// let positions = thalweg_gpu::text::to_positions(&device.upload(&[2u32, 0, 1])?)?;
/// assert_eq!(positions.as_u32(), Some(&[2, 0, 1][..]));
/// # Ok::<(), thalweg_core::Error>(())
/// ```
pub fn to_positions(list: &DeviceArray<u32>) -> Result<Positions> {
    if list.len() < WIDE { Ok(Positions::U32(list.to_vec()?)) } else { Ok(Positions::U64(widened(list)?)) }
}

/// Widened on the way, by all threads.
fn widened(list: &DeviceArray<u32>) -> Result<Vec<u64>> {
    let mut out = thalweg_core::memory::filled(list.len(), 0u64, "download")?;
    list.download_positions(&mut out)?;
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Options;
    use crate::testing;

    #[test]
    fn positions_are_widened_piece_by_piece() {
        let Some(device) = testing::open(Options { checked: true, binding_bytes: Some(1 << 12) }) else { return };
        let list: Vec<u32> = (0..5000).map(|i| u32::MAX - 1 - i * 7).collect();
        let wide: Vec<u64> = list.iter().map(|&x| x.into()).collect();
        assert_eq!(widened(&device.upload(&list).unwrap()).unwrap(), wide);
        assert_eq!(to_positions(&device.upload(&list).unwrap()).unwrap(), Positions::U32(list));
    }
}
