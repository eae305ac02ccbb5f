//! Lower and upper envelopes of segments, exact, on any device.
//!
//! What is seen of segments `[x1, y1, x2, y2]` from below, or from above: the pieces from left to right, each with the segment
//! that it is a part of, or the values at every whole x of a range. [`lower_envelope`] and [`upper_envelope`] serve the common
//! case on the CPU, [`Builder`] chooses side, engine and device; [`Segments`] says what a row may be (rays and lines, too), and
//! [`Envelope`] what a piece is:
//!
//! | engine | idea | work | where |
//! |---|---|---|---|
//! | `merge` (default) | divide and conquer, after a sample has hidden most segments | O(n α(n) log n) | CPU |
//! | `sweep` | from left to right, with a kinetic tournament; sequential | O(n α(n) log² n) | CPU |
//! | `raster` (default on a grid) | values at whole x only: a sparse table run backwards | O(m log² T + n) for n values | CPU, GPU (32-bit integers) |
//! | `naive` | looks at all segments for every piece, in fractions; or at all for every x | O(n) a piece or value | CPU |

use std::cell::RefCell;

use thalweg_core::memory::filled;
use thalweg_core::{Answer, Result};
use thalweg_geometry::Coordinate;
pub use thalweg_geometry::envelope::{
    BigRational, Engine, Envelope, EnvelopePiece, Grid, Raster, RasterOutputs, Segments, Side, envelope,
    lower_envelope, raster, raster_into, upper_envelope, values_of,
};

use crate::Device;
use crate::costs::Costs;
use crate::device::{Question, on_device, threads};
use crate::setters::setters;

/// What the pieces of `len` segments with coordinates of `width` bytes cost: on the CPU 50 ns a segment, over the threads, if
/// they are long and cross. (Where most of them are seen it is 20 times as much; that is not known beforehand.)
pub fn costs(len: usize, width: usize, threads: usize) -> Costs {
    let len = len as f64;
    Costs { cpu: 50e-9 * len / threads as f64, bytes_up: len * 4.0 * width as f64, bytes_down: 0.0, device: 0.0 }
}

/// What `values` numbers on a grid, of `len` segments with coordinates of `width` bytes, cost: on the CPU 50 ns a segment and 1 ns
/// a value, over the threads.
pub fn raster_costs(len: usize, width: usize, values: usize, threads: usize) -> Costs {
    let (segments, values) = (costs(len, width, threads), values as f64);
    Costs { cpu: segments.cpu + 1e-9 * values / threads as f64, bytes_down: 8.0 * values, ..segments }
}

/// The same buffers, for a while.
fn lent<'a>(outputs: &'a mut RasterOutputs<'_>) -> RasterOutputs<'a> {
    RasterOutputs { values: outputs.values.as_deref_mut(), ids: outputs.ids.as_deref_mut() }
}

/// Finds envelopes with a choice of side, engine and device.
///
/// ```
/// use thalweg::geometry::envelope::{Builder, Engine, Grid, Side};
/// let segments = [[0, 0, 3, 3], [0, 2, 5, 0]];
/// let lower = Builder::new().pieces(&segments)?;
/// assert_eq!(lower.starts(), [0.0, 10.0 / 7.0, 5.0]);
/// let upper = Builder::new().side(Side::Upper).engine(Engine::Sweep).pieces(&segments)?;
/// assert_eq!(upper.starts(), [0.0, 10.0 / 7.0, 3.0, 5.0]);
/// assert_eq!(upper.chosen().engine(), "sweep");
/// let values = Builder::new().raster(&segments, Grid::new(0, 6)?)?.into_inner().values;
/// assert_eq!(values, [0.0, 1.0, 1.2, 0.8, 0.4, 0.0]);
/// # Ok::<(), thalweg::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Builder {
    side: Side,
    engine: Option<Engine>,
    device: Device,
}

impl Builder {
    /// The lower envelope, default engine, [`Device::Auto`].
    pub fn new() -> Self {
        Self::default()
    }

    setters! {
        /// Chooses the lower or the upper envelope.
        side: Side,
        /// Chooses the engine; `None` leaves the choice to the library.
        engine: Option<Engine>,
        /// Chooses the device.
        device: Device,
    }

    fn question(&self, default: Engine, costs: Costs) -> (Engine, Question) {
        let engine = self.engine.unwrap_or(default);
        let question = Question {
            engine: engine.name(),
            gpu_engine: engine.name(),
            asked: self.engine.is_some(),
            on_cpu: true,
            on_gpu: false,
            costs,
        };
        (engine, question)
    }

    /// The pieces.
    ///
    /// # Errors
    /// [`Error::NotFinite`](thalweg_core::Error::NotFinite) and [`Error::Segment`](thalweg_core::Error::Segment) with the first
    /// row that is no segment, [`Error::BadOption`](thalweg_core::Error::BadOption) for the engine `raster`.
    pub fn pieces<T: Coordinate>(&self, segments: &[[T; 4]]) -> Result<Answer<Envelope>> {
        self.pieces_of(&Segments::new(segments)?, size_of::<T>())
    }

    fn pieces_of(&self, segments: &Segments<'_>, width: usize) -> Result<Answer<Envelope>> {
        let (engine, question) = self.question(Engine::Merge, costs(segments.len(), width, threads()));
        on_device!(
            self.device,
            question,
            |_gpu| {
                let reason = "pieces of envelopes are found on the CPU".into();
                Err(thalweg_core::Error::NotOnDevice { problem: "envelope", engine: engine.name(), reason })
            },
            || envelope(segments, self.side, engine)
        )
    }

    /// Values and segments at every number of a grid.
    ///
    /// # Errors
    /// As for [`Builder::pieces`], but [`Error::BadOption`](thalweg_core::Error::BadOption) is for `merge` and `sweep`.
    pub fn raster<T: Coordinate>(&self, segments: &[[T; 4]], grid: Grid) -> Result<Answer<Raster>> {
        let mut values = filled(grid.len(), f64::NAN, "values")?;
        let mut ids = filled(grid.len(), Envelope::GAP, "numbers of segments")?;
        let outputs = RasterOutputs { values: Some(&mut values), ids: Some(&mut ids) };
        let done = self.raster_into(segments, grid, outputs)?;
        Ok(done.map(|()| Raster { values, ids }))
    }

    /// [`Builder::raster`], into the caller's buffers, of the grid's length. What is `None` is not computed.
    ///
    /// # Errors
    /// As for [`Builder::raster`], and [`Error::Length`](thalweg_core::Error::Length) for a buffer of another length.
    pub fn raster_into<T: Coordinate>(
        &self,
        segments: &[[T; 4]],
        grid: Grid,
        outputs: RasterOutputs<'_>,
    ) -> Result<Answer<()>> {
        self.raster_of(&Segments::new(segments)?, size_of::<T>(), grid, outputs)
    }

    fn raster_of(
        &self,
        segments: &Segments<'_>,
        width: usize,
        grid: Grid,
        outputs: RasterOutputs<'_>,
    ) -> Result<Answer<()>> {
        let costs = raster_costs(segments.len(), width, grid.len(), threads());
        let (engine, question) = self.question(Engine::Raster, costs);
        let question = Question { on_gpu: engine == Engine::Raster, ..question };
        // A device that fails leaves the buffers to the CPU.
        let outputs = RefCell::new(outputs);
        on_device!(
            self.device,
            question,
            |gpu| {
                let raster_into = thalweg_gpu::geometry::envelope::raster_into;
                raster_into(gpu, segments, self.side, grid, engine, lent(&mut outputs.borrow_mut()))
            },
            || raster_into(segments, self.side, grid, engine, lent(&mut outputs.borrow_mut()))
        )
    }
}
