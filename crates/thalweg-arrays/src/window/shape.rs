//! Which windows: of one width at every position, by bounds, or over the rows and columns of a picture.

use std::ops::Range;

use thalweg_core::{Error, PositionsRef, Result};

/// Where a window lies, seen from its element.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Align {
    /// The element is in the middle; of an even width, it is the first of the right half.
    #[default]
    Centred,
    /// The element is the last.
    Trailing,
    /// The element is the first.
    Leading,
}

impl Align {
    /// Every alignment.
    pub const ALL: [Self; 3] = [Self::Centred, Self::Trailing, Self::Leading];

    /// The alignment's name, as the command line takes it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Centred => "centred",
            Self::Trailing => "trailing",
            Self::Leading => "leading",
        }
    }
}

/// What becomes of windows that reach over an end of the array.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Border {
    /// What lies inside counts.
    #[default]
    Shrink,
    /// There are none: the answers begin with the first window that fits.
    Drop,
    /// They have no position, and the value that is given for it.
    Fill,
}

impl Border {
    /// Every treatment.
    pub const ALL: [Self; 3] = [Self::Shrink, Self::Drop, Self::Fill];

    /// Its name, as the command line takes it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Shrink => "shrink",
            Self::Drop => "drop",
            Self::Fill => "fill",
        }
    }
}

/// Windows of one width along one dimension.
///
/// ```
/// use thalweg_arrays::window::{Border, Windows};
/// let windows = Windows { border: Border::Drop, ..Windows::new(3) };
/// assert_eq!(windows.count(5), 3);
/// assert_eq!(Windows::new(3).range(0, 5), 0..2); // centred, shrunk
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Windows {
    /// Elements of a window, at least one.
    pub width: usize,
    /// Every how many-th window, at least one.
    pub stride: usize,
    /// Where windows lie.
    pub align: Align,
    /// What becomes of the ends.
    pub border: Border,
}

/// Windows along an array of a certain length: window `j` is `first + j * stride`, `width` elements on, cut at the ends. For engines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// How many.
    pub count: usize,
    /// Where the first begins, which may be before the array.
    pub first: isize,
    /// Elements of a window; no more than the array's length before or behind its own.
    pub width: usize,
    /// Elements from a window to the next.
    pub stride: usize,
}

impl Windows {
    /// Centred windows, a window an element, shrunk at the ends.
    pub const fn new(width: usize) -> Self {
        Self { width, stride: 1, align: Align::Centred, border: Border::Shrink }
    }

    /// Elements of a window before its own.
    const fn before(&self) -> usize {
        match self.align {
            Align::Centred => self.width / 2,
            Align::Trailing => self.width.saturating_sub(1),
            Align::Leading => 0,
        }
    }

    /// How many windows an array of `len` elements has.
    pub const fn count(&self, len: usize) -> usize {
        match self.border {
            Border::Drop if self.width > len => 0,
            Border::Drop => (len - self.width) / self.stride + 1,
            _ => len.div_ceil(self.stride),
        }
    }

    /// Window `j`, as far as it lies inside.
    pub fn range(&self, j: usize, len: usize) -> Range<usize> {
        self.plan(len).range(j, len)
    }

    /// Whether window `j` lies inside.
    pub fn is_whole(&self, j: usize, len: usize) -> bool {
        self.range(j, len).len() == self.width
    }

    /// # Errors
    /// [`Error::BadOption`] for a width or a stride of nothing.
    pub fn check(&self) -> Result<()> {
        let zero = |option| Err(Error::BadOption { option, reason: "must be at least 1".to_owned() });
        match (self.width, self.stride) {
            (0, _) => zero("width"),
            (_, 0) => zero("stride"),
            _ => Ok(()),
        }
    }

    /// The windows of an array of `len` elements. No element has more than `len` before or behind it, so widths without bounds need
    /// no care after this.
    pub fn plan(&self, len: usize) -> Plan {
        let count = self.count(len);
        if self.border == Border::Drop {
            return Plan { count, first: 0, width: self.width.min(len + 1), stride: self.stride };
        }
        let before = self.before();
        let behind = (self.width - 1 - before).min(len);
        let before = before.min(len);
        Plan { count, first: -(before as isize), width: before + 1 + behind, stride: self.stride }
    }

    /// The windows that reach over the ends: how many at the left, and from which on at the right.
    pub fn incomplete(&self, len: usize) -> (usize, usize) {
        let count = self.count(len);
        if self.border == Border::Drop {
            return (0, count);
        }
        let left = self.before().div_ceil(self.stride).min(count);
        let behind = self.width - 1 - self.before();
        let right = if behind >= len { 0 } else { (len - behind).div_ceil(self.stride) };
        (left, right.max(left).min(count))
    }
}

impl Plan {
    /// Where window `j` begins, which may be before the array.
    pub(super) fn start(&self, j: usize) -> isize {
        self.first + (j * self.stride) as isize
    }

    /// Windows if there were one at every position.
    pub(super) fn dense_count(&self) -> usize {
        self.count.checked_sub(1).map_or(0, |last| last * self.stride + 1)
    }

    pub(super) fn range(&self, j: usize, len: usize) -> Range<usize> {
        let start = self.start(j);
        let end = (start + self.width as isize).clamp(0, len as isize) as usize;
        (start.max(0) as usize).min(end)..end
    }
}

/// Which windows of an array.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Shape<'a> {
    /// Of one width.
    Regular(Windows),
    /// From `starts[j]` to before `ends[j]`; both ascend (they may stay). An empty one is answered as by [`Border::Fill`].
    Ragged {
        /// Where windows begin.
        starts: PositionsRef<'a>,
        /// Where they end, exclusive.
        ends: PositionsRef<'a>,
    },
    /// Over a picture whose rows lie one behind the other. Of equally good elements the first in this order is taken.
    Grid {
        /// Elements of a row.
        columns: usize,
        /// Down the rows and along them.
        windows: [Windows; 2],
    },
}

impl Shape<'_> {
    /// How many windows there are.
    ///
    /// # Errors
    /// What is wrong with the shape, for an array of this length.
    pub fn count(&self, len: usize) -> Result<usize> {
        match self {
            Self::Regular(windows) => {
                windows.check()?;
                Ok(windows.count(len))
            }
            Self::Ragged { starts, ends } => {
                if starts.len() != ends.len() {
                    return Err(Error::Length { what: "ends of windows", expected: starts.len(), got: ends.len() });
                }
                Ok(starts.len())
            }
            Self::Grid { columns, windows } => {
                windows.iter().try_for_each(Windows::check)?;
                let rows = rows(len, *columns)?;
                Ok(windows[0].count(rows) * windows[1].count(*columns))
            }
        }
    }
}

/// Rows of a picture.
pub(super) fn rows(len: usize, columns: usize) -> Result<usize> {
    if len.checked_rem(columns).unwrap_or(len) != 0 {
        let reason = format!("{len} elements are no rows of {columns}");
        return Err(Error::Shape { what: "the array", reason });
    }
    Ok(len.checked_div(columns).unwrap_or(0))
}

/// One bound of ragged windows.
pub(super) fn bound(bounds: PositionsRef<'_>, j: usize) -> u64 {
    match bounds {
        PositionsRef::U32(bounds) => bounds[j].into(),
        PositionsRef::U64(bounds) => bounds[j],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plans_are_what_the_definition_says() {
        for len in 0..12usize {
            for width in (1..15).chain([usize::MAX - 1, usize::MAX]) {
                for stride in [1, 2, 3, 20, usize::MAX] {
                    for align in Align::ALL {
                        for border in Border::ALL {
                            let windows = Windows { width, stride, align, border };
                            check(&windows, len);
                        }
                    }
                }
            }
        }
    }

    fn check(windows: &Windows, len: usize) {
        let Windows { width, stride, align, border } = *windows;
        let before = match align {
            Align::Centred => width / 2,
            Align::Trailing => width - 1,
            Align::Leading => 0,
        } as i128;
        let all: Vec<(i128, i128)> = match border {
            Border::Drop => (0..len as i128).map(|i| (i, i + width as i128)).filter(|w| w.1 <= len as i128).collect(),
            _ => (0..len as i128).map(|i| (i - before, i - before + width as i128)).collect(),
        };
        let expected: Vec<_> = all.into_iter().step_by(stride).collect();
        assert_eq!(windows.count(len), expected.len(), "{windows:?} {len}");
        let (left, right) = windows.incomplete(len);
        for (j, &(start, end)) in expected.iter().enumerate() {
            let clipped = start.max(0) as usize..end.min(len as i128) as usize;
            assert_eq!(windows.range(j, len), clipped, "{windows:?} {len} {j}");
            let whole = start >= 0 && end <= len as i128;
            assert_eq!(windows.is_whole(j, len), whole);
            assert_eq!(j >= left && j < right, whole, "{windows:?} {len} {j} {left} {right}");
        }
    }
}
