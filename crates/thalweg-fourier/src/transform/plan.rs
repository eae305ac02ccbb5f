//! Plans: how a line of a certain length is transformed by one thread, and where plans are kept.

use std::any::Any;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use realfft::{ComplexToReal, RealFftPlanner, RealToComplex};
use rustfft::{Fft, FftPlanner};

use super::factors::largest_prime;
use super::options::Direction;
use super::scratch::Buffer;
use crate::{Complex, Float, Result};

/// Lengths with a larger prime factor than this go through dense butterflies, or become convolutions. In `f32` these lose
/// more than the contract allows (1.06 times it at 169, 1.4 times at 4099), so they compute in `f64` inside.
const LARGEST_PRIME: usize = 11;

/// Plans are forgotten when they were made for more elements than this together.
const KEPT_ELEMENTS: usize = 1 << 24;

/// The planners of a type. They keep what they have made.
struct Plans<T: Float> {
    complex: FftPlanner<T>,
    real: RealFftPlanner<T>,
    elements: usize,
}

impl<T: Float> Plans<T> {
    fn new() -> Self {
        Self { complex: FftPlanner::new(), real: RealFftPlanner::new(), elements: 0 }
    }
}

static PLANS_F32: LazyLock<Mutex<Plans<f32>>> = LazyLock::new(|| Mutex::new(Plans::new()));
static PLANS_F64: LazyLock<Mutex<Plans<f64>>> = LazyLock::new(|| Mutex::new(Plans::new()));

/// Runs `f` with the planners of this type, which all threads share.
fn with_plans<T: Float, R>(len: usize, f: impl FnOnce(&mut Plans<T>) -> R) -> R {
    let plans: &dyn Any = if T::NAME == f32::NAME { &*PLANS_F32 } else { &*PLANS_F64 };
    let plans = plans.downcast_ref::<Mutex<Plans<T>>>().expect("there are two types");
    let mut plans = plans.lock().unwrap_or_else(PoisonError::into_inner);
    if plans.elements > KEPT_ELEMENTS {
        *plans = Plans::new();
    }
    // An upper bound: what is there already is counted again.
    plans.elements = plans.elements.saturating_add(len);
    f(&mut plans)
}

/// A plan in the type itself, or in double precision.
enum Precision<N, W> {
    Own(N),
    Wide(W),
}

/// Whether lines of this length are transformed in double precision inside.
fn is_wide<T: Float>(len: usize) -> bool {
    T::NAME == f32::NAME && largest_prime(len) > LARGEST_PRIME
}

/// The scratch of one thread for lines of one length.
pub(super) struct LineScratch<T: Float> {
    own: Buffer<T>,
    wide: Buffer<f64>,
}

/// How complex lines are transformed by one thread.
pub(super) struct LinePlan<T: Float> {
    plan: Precision<Arc<dyn Fft<T>>, Arc<dyn Fft<f64>>>,
    len: usize,
}

impl<T: Float> LinePlan<T> {
    pub fn new(len: usize, direction: Direction) -> Self {
        let plan = if is_wide::<T>(len) {
            Precision::Wide(with_plans(len, |plans| plan_line(&mut plans.complex, len, direction)))
        } else {
            Precision::Own(with_plans(len, |plans| plan_line(&mut plans.complex, len, direction)))
        };
        Self { plan, len }
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn scratch(&self) -> Result<LineScratch<T>> {
        let (own, wide) = match &self.plan {
            Precision::Own(plan) => (plan.get_inplace_scratch_len(), 0),
            Precision::Wide(plan) => (0, self.len + plan.get_inplace_scratch_len()),
        };
        Ok(LineScratch { own: Buffer::new(own)?, wide: Buffer::new(wide)? })
    }

    /// Transforms lines that lie one after another, in place, unscaled.
    pub fn process(&self, lines: &mut [Complex<T>], scratch: &mut LineScratch<T>) {
        match &self.plan {
            Precision::Own(plan) => plan.process_with_scratch(lines, &mut scratch.own),
            Precision::Wide(plan) => {
                let (wide, scratch) = scratch.wide.split_at_mut(self.len);
                for line in lines.chunks_exact_mut(self.len) {
                    wide.iter_mut().zip(&*line).for_each(|(w, x)| *w = Complex::new(x.re.wide(), x.im.wide()));
                    plan.process_with_scratch(wide, scratch);
                    line.iter_mut().zip(&*wide).for_each(|(x, w)| *x = Complex::new(T::of(w.re), T::of(w.im)));
                }
            }
        }
    }
}

fn plan_line<T: Float>(planner: &mut FftPlanner<T>, len: usize, direction: Direction) -> Arc<dyn Fft<T>> {
    match direction {
        Direction::Forward => planner.plan_fft_forward(len),
        Direction::Inverse => planner.plan_fft_inverse(len),
    }
}

/// How real lines are transformed to the first half of their frequencies, and back, by one thread.
pub(super) struct RealPlan<T: Float> {
    plan: Precision<RealPair<T>, RealPair<f64>>,
    len: usize,
}

struct RealPair<T> {
    forward: Arc<dyn RealToComplex<T>>,
    back: Arc<dyn ComplexToReal<T>>,
}

impl<T: Float> RealPair<T> {
    fn new(len: usize) -> Self {
        with_plans(len, |plans| Self {
            forward: plans.real.plan_fft_forward(len),
            back: plans.real.plan_fft_inverse(len),
        })
    }

    fn scratch_len(&self) -> usize {
        self.forward.get_scratch_len().max(self.back.get_scratch_len())
    }

    fn forward(&self, reals: &mut [T], frequencies: &mut [Complex<T>], scratch: &mut [Complex<T>]) {
        let scratch = &mut scratch[..self.forward.get_scratch_len()];
        self.forward.process_with_scratch(reals, frequencies, scratch).expect("the plan's lengths");
    }

    fn back(&self, frequencies: &mut [Complex<T>], reals: &mut [T], scratch: &mut [Complex<T>]) {
        // The library complains about imaginary parts that have no meaning; NumPy passes them over.
        frequencies[0].im = T::of(0.0);
        if reals.len().is_multiple_of(2) {
            frequencies[reals.len() / 2].im = T::of(0.0);
        }
        let scratch = &mut scratch[..self.back.get_scratch_len()];
        self.back.process_with_scratch(frequencies, reals, scratch).expect("the plan's lengths");
    }
}

/// The scratch of one thread for real lines of one length.
pub(super) struct RealScratch<T: Float> {
    own: Buffer<T>,
    wide: Buffer<f64>,
    wide_reals: Vec<f64>,
}

impl<T: Float> RealPlan<T> {
    pub fn new(len: usize) -> Self {
        let plan =
            if is_wide::<T>(len) { Precision::Wide(RealPair::new(len)) } else { Precision::Own(RealPair::new(len)) };
        Self { plan, len }
    }

    pub fn scratch(&self) -> Result<RealScratch<T>> {
        let (own, wide, wide_reals) = match &self.plan {
            Precision::Own(pair) => (pair.scratch_len(), 0, 0),
            Precision::Wide(pair) => (0, self.len / 2 + 1 + pair.scratch_len(), self.len),
        };
        Ok(RealScratch {
            own: Buffer::new(own)?,
            wide: Buffer::new(wide)?,
            wide_reals: thalweg_core::error::try_filled(wide_reals, 0.0, "the transform's scratch")?,
        })
    }

    /// One line, which is destroyed, to `len / 2 + 1` frequencies, unscaled.
    pub fn forward(&self, reals: &mut [T], frequencies: &mut [Complex<T>], scratch: &mut RealScratch<T>) {
        match &self.plan {
            Precision::Own(pair) => pair.forward(reals, frequencies, &mut scratch.own),
            Precision::Wide(pair) => {
                let (half, rest) = scratch.wide.split_at_mut(self.len / 2 + 1);
                scratch.wide_reals.iter_mut().zip(&*reals).for_each(|(w, x)| *w = x.wide());
                pair.forward(&mut scratch.wide_reals, half, rest);
                frequencies.iter_mut().zip(half).for_each(|(x, w)| *x = Complex::new(T::of(w.re), T::of(w.im)));
            }
        }
    }

    /// The frequencies of one line, which are destroyed, back to reals, unscaled.
    pub fn back(&self, frequencies: &mut [Complex<T>], reals: &mut [T], scratch: &mut RealScratch<T>) {
        match &self.plan {
            Precision::Own(pair) => pair.back(frequencies, reals, &mut scratch.own),
            Precision::Wide(pair) => {
                let (half, rest) = scratch.wide.split_at_mut(self.len / 2 + 1);
                half.iter_mut().zip(&*frequencies).for_each(|(w, x)| *w = Complex::new(x.re.wide(), x.im.wide()));
                pair.back(half, &mut scratch.wide_reals, rest);
                reals.iter_mut().zip(&scratch.wide_reals).for_each(|(x, w)| *x = T::of(*w));
            }
        }
    }
}
