//! The arrays that answers go to.

use super::sides::Side;
use crate::array::DeviceArray;

/// Where the answers go: arrays of the length of the input. A side that is left out is not computed.
#[derive(Clone, Copy, Debug, Default)]
pub struct DeviceSides<'t> {
    /// Nearest to the left.
    pub left: Option<&'t DeviceArray<u32>>,
    /// Nearest to the right.
    pub right: Option<&'t DeviceArray<u32>>,
}

impl<'t> DeviceSides<'t> {
    /// The array of a side, if it is wanted.
    pub(super) fn of(&self, side: Side) -> Option<&'t DeviceArray<u32>> {
        match side {
            Side::Left => self.left,
            Side::Right => self.right,
        }
    }
}
