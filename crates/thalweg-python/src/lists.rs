//! Linked lists: ranks and sums.

use pyo3::prelude::*;
use thalweg::list::{Builder, Direction, Engine};
use thalweg::{Position, Positions, Result};

use crate::array::{Copy, Kind, Lent};
use crate::device::{device, engine, named};
use crate::errors::bad_type;
use crate::links::{Links, by_links, converted};
use crate::out;
use crate::work::{Threads, call};

/// Numbers that are summed along lists or over subtrees: integers of 32 or 64 bits.
pub struct Weights(pub Lent);

impl Weights {
    /// An array of integers or booleans; those of fewer bits are converted to 32.
    pub fn new(what: &str, object: &Bound<'_, PyAny>) -> PyResult<Self> {
        let array = Lent::new(what, object, Copy::IfNeeded)?;
        let dtype = match (array.dtype.kind, array.dtype.bytes) {
            (Kind::Signed | Kind::Unsigned, 4 | 8) => return Ok(Self(array)),
            (Kind::Bool | Kind::Signed, _) => "int32",
            (Kind::Unsigned, _) => "uint32",
            (Kind::Float, _) if array.len == 0 => "int64",
            (kind, _) => {
                let advice = match kind {
                    Kind::Time => "use .view(np.int64)",
                    _ => "sums are exact, in integers: scale, round and use .astype(np.int64)",
                };
                return Err(bad_type(format!("{what}: dtype {} does not work; {advice}", array.dtype.name())));
            }
        };
        converted(what, &array, object.py(), dtype).map(Self)
    }
}

/// Runs an expression with the slice of [`Weights`] in their type: `by_weight!(weights, slice => f(slice))`.
macro_rules! by_weight {
    ($weights:expr, $slice:ident => $body:expr) => {{
        use $crate::array::Kind;
        let array = &$weights.0;
        match (array.dtype.kind, array.dtype.bytes) {
            (Kind::Signed, 4) => {
                let $slice: &[i32] = array.slice();
                $body
            }
            (Kind::Signed, _) => {
                let $slice: &[i64] = array.slice();
                $body
            }
            (_, 4) => {
                let $slice: &[u32] = array.slice();
                $body
            }
            (_, _) => {
                let $slice: &[u64] = array.slice();
                $body
            }
        }
    }};
}
pub(crate) use by_weight;

/// For every element of linked lists, how far it is to the end of its list, or the sum of the weights on the way there.
///
/// Any number of lists may lie in one array.
///
/// Args:
///     next: The successor of every element, integers; the last element of a list has -1 (or the largest number of an
///         unsigned dtype) or itself. Integers of 32 bits are read as they lie.
///     weights: One integer an element; None counts links.
///     direction: "to_end", or "from_head" for what lies between the head of its list and the element.
///     engine: How: "helman_jaja" (the default), "sequential", "pointer_jumping" or "independent_set".
///     device: "auto", "cpu", "gpu", or a name of `thalweg.devices()`.
///
/// Returns:
///     Without weights, numbers of links: 0 for the last element; int32, or int64 from 2^31 elements on. With weights, sums
///     that have the element's own weight in them: int64, or uint64 for unsigned weights. Sums of weights of 32 bits are
///     exact, those of 64 bits wrap around.
///
/// Raises:
///     InputError: A link leads out of the array, two lead to the same element, or there is a cycle; `element` says where.
///     DtypeError: Weights that are no integers: sums in any order are exact only for these.
///
/// >>> import numpy as np, thalweg
/// >>> following = np.array([3, -1, 0, -1])  # 2 -> 0 -> 3, and 1 alone
/// >>> thalweg.rank(following)
/// array([1, 0, 2, 0], dtype=int32)
/// >>> thalweg.rank(following, [10, 20, 30, 40])
/// array([50, 20, 80, 40])
#[pyfunction]
#[pyo3(signature = (next, weights=None, *, direction="to_end", engine=None, device="auto"))]
pub fn rank<'py>(
    py: Python<'py>,
    next: &Bound<'py, PyAny>,
    weights: Option<&Bound<'py, PyAny>>,
    direction: &str,
    engine: Option<&str>,
    device: &str,
) -> PyResult<Bound<'py, PyAny>> {
    let mut links = Links::new("next", next, Copy::IfNeeded)?;
    let weights = weights.map(|weights| Weights::new("weights", weights)).transpose()?;
    let directions = [("to_end", Direction::ToEnd), ("from_head", Direction::FromHead)];
    let direction = named("direction", direction, &directions)?;
    let engine: Option<Engine> = self::engine(engine)?;
    let builder = Builder::new().direction(direction).engine(engine).device(self::device(py, device)?);
    let (next, found) = call(py, Threads::All, move |_| {
        let narrowed = links.narrowed("element");
        let found = narrowed.and_then(|()| by_links!(links, P => solve::<P>(&builder, &links, weights.as_ref())));
        Ok((links, found))
    })?;
    match found.map_err(|error| next.to_python(error))? {
        Found::Ranks(ranks) => out::positions(py, ranks),
        Found::Sums(sums) => Ok(sums(py)),
    }
}

enum Found {
    Ranks(Positions),
    Sums(out::Made),
}

fn solve<P: Position>(builder: &Builder, links: &Links, weights: Option<&Weights>) -> Result<Found> {
    let next = links.slice::<P>();
    Ok(match weights {
        None => Found::Ranks(P::list(builder.rank(next)?.into_inner())),
        Some(weights) => {
            by_weight!(weights, weights => Found::Sums(out::made(builder.sums(next, weights)?.into_inner())))
        }
    })
}
