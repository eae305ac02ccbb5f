//! Lower and upper envelopes of segments: what is seen of them from below, or from above.
//!
//! [`lower_envelope`] serves the common case, [`envelope()`](fn@envelope) takes a side and an engine, and [`Envelope`] tells
//! what the pieces are; [`raster()`](fn@raster) gives values at every whole x of a range:
//!
//! | engine | idea | work | threads | source |
//! |---|---|---|---|---|
//! | `merge` (default) | divide and conquer, after a sample has hidden most segments | O(n α(n) log n) | all | Atallah 1985, Jájá 1992 |
//! | `sweep` | from left to right, with a kinetic tournament | O(n α(n) log² n) | one | Basch, Guibas, Hershberger 1997 |
//! | `raster` | values on a grid only: a sparse table run backwards | O(m log² T + n) for n values | all | Willis; Li Chao |
//! | `naive` | looks at all segments for every piece, in fractions | O(n) a piece | one | the oracle |
//!
//! # What is exact
//! Everything: which segment a piece is of, and where it begins. Doubles decide where their error bounds let them, exact
//! arithmetic otherwise, so that the answer does not depend on the engine, on the number of threads, or on luck. Starts and
//! values are rounded once, at the end, to the nearest double.

mod answer;
mod exact;
mod hidden;
mod lines;
mod loader;
mod merge;
mod naive;
mod place;
mod query;
mod raster;
mod segments;
mod sweep;
mod view;

/// Fractions of big integers, for exact starts.
pub use num_rational::BigRational;
use thalweg_core::{Error, Result, engine_names};

pub use self::answer::{Envelope, EnvelopePiece};
use self::lines::Lines;
use self::loader::Loader;
pub use self::raster::{Grid, Raster, RasterOutputs, raster, raster_into, values_of};
pub use self::segments::{Segments, Side};
use crate::coordinates::Coordinate;

engine_names! {
    /// The engines of envelopes. See the [module's table](self).
    #[derive(Default)]
    "envelope": Engine {
        /// Divide and conquer on all threads. The default.
        #[default]
        Merge = "merge",
        /// From left to right; sequential.
        Sweep = "sweep",
        /// Values on a grid of whole numbers, on all threads: see [`raster()`](fn@raster).
        Raster = "raster",
        /// Looks at all segments for every piece; sequential. The oracle of the tests.
        Naive = "naive",
    }
}

/// The lower envelope of segments `[x1, y1, x2, y2]`, with the default engine.
///
/// ```
/// # use thalweg_geometry as thalweg;
/// let envelope = thalweg::envelope::lower_envelope(&[[0, 0, 4, 4], [0, 4, 4, 0]])?;
/// assert_eq!(envelope.starts(), [0.0, 2.0, 4.0]);
/// # Ok::<(), thalweg::Error>(())
/// ```
///
/// # Errors
/// See [`Segments::new`] and [`envelope()`](fn@envelope).
pub fn lower_envelope<T: Coordinate>(segments: &[[T; 4]]) -> Result<Envelope> {
    envelope(&Segments::new(segments)?, Side::Lower, Engine::default())
}

/// The upper envelope of segments `[x1, y1, x2, y2]`, with the default engine.
///
/// # Errors
/// See [`Segments::new`] and [`envelope()`](fn@envelope).
pub fn upper_envelope<T: Coordinate>(segments: &[[T; 4]]) -> Result<Envelope> {
    envelope(&Segments::new(segments)?, Side::Upper, Engine::default())
}

/// The lower or upper envelope of segments.
///
/// # Errors
/// [`Error::BadOption`] for the engine `raster`, [`Error::OutOfMemory`].
pub fn envelope(segments: &Segments<'_>, side: Side, engine: Engine) -> Result<Envelope> {
    let loader = Loader::new(segments, side);
    let all = || (0..segments.len() as u32).collect();
    let (lines, pieces) = match engine {
        Engine::Merge => {
            let lines = Lines::new(&loader, hidden::visible(&loader, segments.len())?)?;
            let pieces = merge::with_points(&lines, merge::of_lines(&lines)?)?;
            (lines, pieces)
        }
        Engine::Sweep => {
            let lines = Lines::new(&loader, all())?;
            let pieces = merge::with_points(&lines, sweep::of_lines(&lines)?)?;
            (lines, pieces)
        }
        Engine::Naive => {
            let lines = Lines::new(&loader, all())?;
            let pieces = naive::of_lines(&lines)?;
            (lines, pieces)
        }
        Engine::Raster => {
            let reason = "raster gives values on a grid; pieces are for the engines merge, sweep and naive".into();
            return Err(Error::BadOption { option: "engine", reason });
        }
    };
    Envelope::new(lines, pieces, side)
}
