//! The arrays that answers go to.

use super::sides::Side;
use crate::array::DeviceArray;

/// Where the answers go; a side that is left out is not computed.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Targets<'t> {
    pub(super) left: Option<&'t DeviceArray<u32>>,
    pub(super) right: Option<&'t DeviceArray<u32>>,
}

impl<'t> Targets<'t> {
    /// The array of a side, if it is wanted.
    pub(super) fn of(&self, side: Side) -> Option<&'t DeviceArray<u32>> {
        match side {
            Side::Left => self.left,
            Side::Right => self.right,
        }
    }
}
