//! Which way a long line is transformed: as a matrix, or by a chirp where it is none; and plans that are kept.

use std::any::Any;
use std::sync::{Arc, Mutex, PoisonError};

use super::chirp::Chirp;
use super::factors::middle_divisor;
use super::options::Direction;
use super::split::Split;
use crate::{Complex, Float, Result};

/// Lines from this length on are transformed by all threads.
pub(super) const LONG: usize = 1 << 17;

/// Shortest and longest side of the matrix: with shorter ones there would be too few blocks for the threads, and longer ones
/// leave the cache.
const SIDES: [usize; 2] = [128, 1 << 18];

/// How a long line is transformed.
pub(super) enum LongPlan<T: Float> {
    Split(Box<Split<T>>),
    Chirp(Box<Chirp>),
}

/// Plans of lines up to this length are kept, the last few that were used: their tables of roots, and the transforms of
/// their chirps, which are a third of the work.
const KEPT_LENGTH: usize = 1 << 20;
const KEPT: usize = 8;

type Kept<T> = Mutex<Vec<(usize, Direction, Arc<LongPlan<T>>)>>;
static KEPT_F32: Kept<f32> = Mutex::new(Vec::new());
static KEPT_F64: Kept<f64> = Mutex::new(Vec::new());

impl<T: Float> LongPlan<T> {
    /// The plan, made now or before.
    pub fn of(len: usize, direction: Direction) -> Result<Arc<Self>> {
        let kept: &dyn Any = if T::NAME == f32::NAME { &KEPT_F32 } else { &KEPT_F64 };
        let kept = kept.downcast_ref::<Kept<T>>().expect("there are two types");
        let kept = || kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((.., plan)) = kept().iter().find(|(l, d, _)| (*l, *d) == (len, direction)) {
            return Ok(plan.clone());
        }
        // Not under the lock: making one takes all threads.
        let plan = Arc::new(Self::new(len, direction)?);
        if len <= KEPT_LENGTH {
            let mut kept = kept();
            kept.truncate(KEPT - 1);
            kept.insert(0, (len, direction, plan.clone()));
        }
        Ok(plan)
    }

    fn new(len: usize, direction: Direction) -> Result<Self> {
        let short = middle_divisor(len);
        if short < SIDES[0] || len / short > SIDES[1] {
            return Ok(Self::Chirp(Box::new(Chirp::new(len, direction)?)));
        }
        Ok(Self::Split(Box::new(Split::of(len, direction)?)))
    }

    pub fn len(&self) -> usize {
        match self {
            Self::Split(split) => split.len(),
            Self::Chirp(chirp) => chirp.len(),
        }
    }

    /// Transforms lines that lie one after another, in place, times `factor`.
    pub fn process(&self, lines: &mut [Complex<T>], factor: f64) -> Result<()> {
        match self {
            Self::Split(split) => split.process(lines, factor),
            Self::Chirp(chirp) => chirp.process(lines, factor),
        }
    }
}
