//! The marks that walks leave at all elements: an element's sublist, and the sum of what is before it there.

use thalweg_core::Result;

use super::super::records::{Form, Records};
use crate::array::DeviceArray;
use crate::device::Device;
use crate::kernel::Source;
use crate::memory::Binding;
use crate::recorder::Recorder;

/// Marks at all elements.
#[derive(Debug)]
pub(super) enum Marks {
    /// A record each: two words and more.
    Wide(Records),
    /// One word each: the sublist in as many of the upper bits as their number takes, the sum in the others. A sum that does not
    /// fit is noted in the status, and all has to be done again with wide marks.
    Narrow(DeviceArray<u32>),
}

/// How many times the mean of a sublist's sum must fit a narrow mark: of random lists, one in e^32 sublists is longer.
const TIMES_MEAN: u32 = 32;

impl Marks {
    pub(super) fn wide(device: &Device, form: Form, count: u32) -> Result<Self> {
        Ok(Self::Wide(Records::new(device, form, count.into())?))
    }

    pub(super) fn narrow(device: &Device, count: u32) -> Result<Self> {
        Ok(Self::Narrow(DeviceArray::new(device, count.into())?))
    }

    /// Whether narrow marks will do for so many sublists whose sums have this mean.
    pub(super) fn may_be_narrow(sublists: u32, mean: u32) -> bool {
        1u64 << sublists.leading_zeros() >= u64::from(mean) * u64::from(TIMES_MEAN)
    }

    fn element(&self) -> (&'static str, Option<(u32, u32)>) {
        match self {
            Self::Wide(records) => ("Record", records.sharding()),
            Self::Narrow(words) => ("u32", words.sharding()),
        }
    }

    /// Declares `mark_at(i, sublists)`.
    pub(super) fn declare(&self, source: Source) -> Source {
        let (element, sharding) = self.element();
        self.with_marks(source.reads_sharded("marks", element, sharding))
    }

    /// The same for a kernel that puts something else in the marks' place: `marks_put(i, value)`.
    pub(super) fn declare_to_replace(&self, source: Source) -> Source {
        let (element, sharding) = self.element();
        self.with_marks(source.writes_sharded("marks", element, sharding))
    }

    fn with_marks(&self, source: Source) -> Source {
        source.include(match self {
            Self::Wide(_) => include_str!("mark_wide.wgsl"),
            Self::Narrow(_) => include_str!("mark_narrow.wgsl"),
        })
    }

    /// Declares `mark_put(i, sublist, sum, sublists)`, for a kernel that has the status.
    pub(super) fn declare_to_put(&self, source: Source) -> Source {
        let (element, sharding) = self.element();
        let put = match self {
            Self::Wide(_) => include_str!("mark_put_wide.wgsl"),
            Self::Narrow(_) => include_str!("mark_put_narrow.wgsl"),
        };
        source.include(put).writes_sharded("marks", element, sharding)
    }

    pub(super) fn bindings(&self) -> impl Iterator<Item = Binding<'_>> {
        let (wide, narrow) = match self {
            Self::Wide(records) => (Some(records.bindings()), None),
            Self::Narrow(words) => (None, Some(words.bindings())),
        };
        wide.into_iter().flatten().chain(narrow.into_iter().flatten())
    }

    pub(super) fn keep_in(self, commands: &mut Recorder<'_>) {
        match self {
            Self::Wide(records) => records.keep_in(commands),
            Self::Narrow(words) => words.keep_in(commands),
        }
    }
}
