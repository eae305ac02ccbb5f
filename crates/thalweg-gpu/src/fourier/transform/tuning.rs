//! How passes share the work out.

/// How transforms share the work out among passes, workgroups and threads. What they compute is the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tuning {
    /// The longest line of neighbouring values that takes one pass.
    pub longest_row: u32,
    /// The longest other line that takes one pass, and the longest part of a line that takes several.
    pub longest_part: u32,
    /// Values that a workgroup takes together.
    pub tile: u32,
    /// Lines of a tile at most.
    pub most_columns: u32,
    /// Lines of a tile at least, where neighbouring lines are neighbours in memory and the tile fits.
    pub fewest_columns: u32,
    /// Values of a butterfly at most, 2 to 16.
    pub radix: u32,
    /// Values that a thread holds, unless one butterfly has more.
    pub values: u32,
    /// Whether the parts of values go through a workgroup's memory one after the other even where it has room for both.
    pub split: bool,
}

impl Tuning {
    /// What is taken unless something else is asked for.
    pub const DEFAULT: Self = Self {
        longest_row: 4096,
        longest_part: 1024,
        tile: 4096,
        most_columns: 64,
        fewest_columns: 8,
        radix: 16,
        values: 16,
        split: true,
    };
}

impl Default for Tuning {
    fn default() -> Self {
        Self::DEFAULT
    }
}
