//! Convex hulls of points, exact, on any device.
//!
//! The hull is told by positions in the input: its corners, or with [`Builder::boundary`] all points on it, counter-clockwise
//! from the smallest point by x, then y; of equal points the lowest position. [`hull`] serves the common case on the CPU,
//! [`Builder`] chooses engine and device:
//!
//! | engine | idea | work | where |
//! |---|---|---|---|
//! | `slabs` (default) | a sample's hull, in slabs of x, drops nearly all points in one pass | O(n) where few points are near the boundary | CPU, GPU |
//! | `chains` | sorts by x, chains of blocks, joined by tangents | O(n log n) | CPU |
//! | `wagener` | hoods of 1, 2, 4, ... points are joined by tangents | O(n log n) | CPU, GPU (corners, of 32-bit integers) |
//! | `graham` | sorts by angle, then a stack; sequential | O(n log n) | CPU |
//! | `naive` | looks at all points for every corner, in big integers; sequential | O(n h) | CPU |

use thalweg_core::{Answer, Chosen, Positions, Result};
pub use thalweg_geometry::hull::{Engine, Options, hull, hull_with};
use thalweg_geometry::hull::{Hull, hull_of};
use thalweg_geometry::{Coordinate, Stored};

use crate::Device;
use crate::costs::Costs;
use crate::device::{Question, on_device, threads};

/// What the hull of `len` points with coordinates of `width` bytes costs: on the CPU 3 ns a point, over the threads. (Where most
/// points are near the boundary it is 70; that is not known beforehand.)
pub fn costs(len: usize, width: usize, threads: usize) -> Costs {
    let len = len as f64;
    Costs { cpu: 3e-9 * len / threads as f64, bytes_up: len * 2.0 * width as f64, bytes_down: 0.0, device: 0.0 }
}

/// Finds hulls with a choice of boundary, engine and device.
///
/// ```
/// use thalweg::geometry::hull::{Builder, Engine};
/// let grid = [[0, 0], [1, 0], [2, 0], [0, 1], [1, 1], [2, 1]];
/// let corners = Builder::new().hull(&grid)?;
/// assert_eq!(corners.as_u32(), Some(&[0, 2, 5, 3][..]));
/// let boundary = Builder::new().boundary(true).engine(Engine::Chains).hull(&grid)?;
/// assert_eq!(boundary.as_u32(), Some(&[0, 1, 2, 5, 4, 3][..]));
/// assert_eq!(boundary.chosen().engine(), "chains");
/// # Ok::<(), thalweg::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Builder {
    boundary: bool,
    engine: Option<Engine>,
    device: Device,
}

impl Builder {
    /// Corners only, default engine, [`Device::Auto`].
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether all points on the boundary are told, each place once, not only the corners.
    pub fn boundary(mut self, boundary: bool) -> Self {
        self.boundary = boundary;
        self
    }

    /// Chooses the engine; `None` leaves the choice to the library.
    pub fn engine(mut self, engine: impl Into<Option<Engine>>) -> Self {
        self.engine = engine.into();
        self
    }

    /// Chooses the device.
    pub fn device(mut self, device: impl Into<Device>) -> Self {
        self.device = device.into();
        self
    }

    /// The engine that would run. `slabs` leaves points to `chains` if a sample says that most are near the boundary.
    pub fn chosen_engine(&self) -> Engine {
        self.engine.unwrap_or_default()
    }

    /// The hull, by positions.
    ///
    /// # Errors
    /// [`Error::NotFinite`](thalweg_core::Error::NotFinite) for NaN and infinities, with the first point that has one.
    pub fn hull<T: Coordinate>(&self, points: &[[T; 2]]) -> Result<Answer<Positions>> {
        self.of(T::stored(points)?, size_of::<T>())
    }

    /// Of points whose type has been erased; their coordinates had `width` bytes.
    fn of(&self, points: Stored<'_, 2>, width: usize) -> Result<Answer<Positions>> {
        let engine = self.chosen_engine();
        let question = Question {
            engine: engine.name(),
            gpu_engine: engine.name(),
            asked: self.engine.is_some(),
            on_cpu: true,
            on_gpu: matches!(engine, Engine::Slabs | Engine::Wagener),
            costs: costs(points.len(), width, threads()),
        };
        let options = Options { boundary: self.boundary, engine: self.engine };
        let answer = on_device!(
            self.device,
            question,
            |gpu| thalweg_gpu::geometry::hull::hull_of(gpu, &points, options),
            || hull_of(points.lent(), options)
        );
        let (Hull { positions, engine: used }, mut chosen) = answer?.into_parts();
        if used != engine {
            let reason = format!("{}; {engine} would drop too few of these points", chosen.reason());
            chosen = Chosen::on_cpu(used.name(), reason);
        }
        Ok(Answer::new(positions, chosen))
    }
}
