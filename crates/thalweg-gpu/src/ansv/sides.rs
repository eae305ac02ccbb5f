//! The two sides of an element, and kernels that are written for either.

use crate::kernel::Source;

/// Which neighbours a piece of text is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Left,
    Right,
}

impl Side {
    /// Both.
    pub(super) const BOTH: [Self; 2] = [Self::Left, Self::Right];

    /// Its name in kernels.
    pub(super) fn name(self) -> &'static str {
        if self == Self::Left { "left" } else { "right" }
    }

    /// Includes a file that is written for a side in general: its names begin with `side_`.
    pub(super) fn include(self, source: Source, text: &str) -> Source {
        source.include(&text.replace("side_", &format!("{}_", self.name())))
    }

    /// Declares what such files know of a side: `side_LEFT`, whether it is the left one, and `side_NUMBER`.
    pub(super) fn constants(self, source: Source) -> Source {
        let name = self.name();
        source.flag(&format!("{name}_LEFT"), self == Self::Left).constant(&format!("{name}_NUMBER"), self as u32)
    }
}
