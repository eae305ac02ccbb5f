//! Convex hulls of points in the plane, exact.
//!
//! The hull is told by the positions of its corners in the input: counter-clockwise, from the smallest point by x, then y;
//! of equal points the lowest position. Points in the middle of an edge are left out, or with [`Options::boundary`] all
//! points on the boundary are told, each place once. If all points are on one line, these are its two ends, or all places
//! from the smaller end to the larger. [`hull`] serves the common case, [`hull_with`] takes [`Options`]:
//!
//! | engine | idea | work | threads | source |
//! |---|---|---|---|---|
//! | `slabs` (default) | a sample's hull, in slabs of x, drops nearly all points in one pass; `chains` for the rest | O(n) where few points are near the boundary | all | Akl, Toussaint 1978; Bentley, Faust, Preparata 1982 |
//! | `chains` | sorts by x, chains of blocks, joined by tangents | O(n log n) | all | Andrew 1979; Overmars, van Leeuwen 1981 |
//! | `wagener` | hoods of 1, 2, 4, ... points are joined by tangents between samples | O(n log n) | all | Wagener 1985; JáJá 1992 |
//! | `graham` | sorts by angle around a corner, then a stack | O(n log n) | one | Graham 1972 |
//! | `naive` | walks around, looking at all points for every corner, in big integers | O(n h) | one | Jarvis 1973, the oracle |
//!
//! All give the same answer, for every input: the predicate is exact (see `number.rs`), whether products of coordinates
//! need 130 bits, overflow or underflow.

mod answer;
mod chains;
mod columns;
mod graham;
mod naive;
mod slabs;
mod wagener;

use thalweg_core::{Positions, Result, engine_names};

use crate::coordinates::check_finite;
use crate::number::{Load, Number};
use crate::{Coordinate, Rows, Stored};

engine_names! {
    /// The engines of convex hulls. See the [module's table](self).
    #[derive(Default)]
    "hull": Engine {
        /// A sample's hull drops nearly all points in one pass. The default.
        #[default]
        Slabs = "slabs",
        /// Sorts by x; chains of blocks, joined by tangents.
        Chains = "chains",
        /// Joins hoods of doubling size, on all threads.
        Wagener = "wagener",
        /// Sorts by angle; sequential.
        Graham = "graham",
        /// Looks at all points for every corner, in big integers; sequential. The oracle of the tests.
        Naive = "naive",
    }
}

/// What is asked for.
///
/// ```
/// # mod thalweg { pub use thalweg_geometry as geometry; pub use thalweg_geometry::*; }
/// use thalweg::geometry::hull::{Engine, Options, hull_with};
/// let grid = [[0, 0], [1, 0], [2, 0], [0, 1], [1, 1], [2, 1]];
/// let options = Options { boundary: true, engine: Some(Engine::Graham) };
/// assert_eq!(hull_with(&grid, options)?.as_u32(), Some(&[0, 1, 2, 5, 4, 3][..]));
/// # Ok::<(), thalweg::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Options {
    /// All points on the boundary, not only the corners.
    pub boundary: bool,
    /// The engine; `None` leaves the choice to the library.
    pub engine: Option<Engine>,
}

/// The corners of the convex hull, by their positions in the input, with the default engine.
///
/// Counter-clockwise from the smallest point by x, then y; of equal points the lowest position. Work O(n) where few points
/// are near the boundary, else O(n log n), on all threads of the current rayon pool. Extra memory: little, or 35 bytes
/// a point if most points are near the boundary (10^7 on a circle).
///
/// ```
/// # mod thalweg { pub use thalweg_geometry as geometry; pub use thalweg_geometry::*; }
/// use thalweg::geometry::hull::hull;
/// let points = [[1.0, 1.0], [0.0, 0.0], [2.0, 0.0], [1.0, 0.5], [1.0, 1.0]];
/// assert_eq!(hull(&points)?.as_u32(), Some(&[1, 2, 0][..]));
/// # Ok::<(), thalweg::Error>(())
/// ```
///
/// # Errors
/// [`Error::NotFinite`](thalweg_core::Error::NotFinite) for NaN and infinities, with the first point that has one;
/// [`Error::OutOfMemory`](thalweg_core::Error::OutOfMemory).
pub fn hull<T: Coordinate>(points: &[[T; 2]]) -> Result<Positions> {
    hull_with(points, Options::default())
}

/// [`hull`] with a choice of boundary and engine.
pub fn hull_with<T: Coordinate>(points: &[[T; 2]], options: Options) -> Result<Positions> {
    Ok(hull_of(T::stored(points)?, options)?.positions)
}

/// A hull, and the engine that found it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hull {
    /// The corners, or all points on the boundary.
    pub positions: Positions,
    /// The engine that was asked for, or `chains` where `slabs` would have dropped too few points.
    pub engine: Engine,
}

/// The hull of points whose type is known at run time only: what is behind [`hull_with`].
pub fn hull_of(points: Stored<'_, 2>, options: Options) -> Result<Hull> {
    let engine = options.engine.unwrap_or_default();
    if engine == Engine::Slabs {
        return match points {
            Stored::I32 { rows, .. } => slabs::hull(&rows, options.boundary),
            Stored::I64 { rows, .. } => slabs::hull(&rows, options.boundary),
            Stored::F32(rows) => slabs::hull(&rows, options.boundary),
            Stored::F64(rows) => slabs::hull(&rows, options.boundary),
        };
    }
    let positions = match points.widened()? {
        Rows::Integers { rows, .. } => run(&rows, engine, options.boundary)?,
        Rows::Doubles(rows) => {
            check_finite(&rows, POINT)?;
            run(&rows, engine, options.boundary)?
        }
    };
    Ok(Hull { positions, engine })
}

/// What a row is, in errors.
const POINT: &str = "point";

fn run<N: Number + Load<Number = N>>(points: &[[N; 2]], engine: Engine, boundary: bool) -> Result<Positions> {
    match engine {
        Engine::Slabs => Ok(slabs::hull(points, boundary)?.positions),
        Engine::Chains => chains::hull(points, boundary),
        Engine::Wagener => wagener::hull(points, boundary),
        Engine::Graham => graham::hull(points, boundary),
        Engine::Naive => naive::hull(points, boundary),
    }
}
