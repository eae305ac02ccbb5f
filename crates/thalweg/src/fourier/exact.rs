//! Convolutions and correlations of integers, exact, on any device.
//!
//! Elements are integers of any of eight types, answers are `i64`, `u64` or `i128`: always the true sums, and an error that names
//! the first element where one does not fit. [`convolve`] serves the common case on the CPU, [`Builder`] chooses engine and
//! device:
//!
//! | engine | idea | work | where |
//! |---|---|---|---|
//! | `ntt` | transforms modulo primes of 31 bits, Chinese remainders | O(n log n) | CPU, GPU |
//! | `direct` | sums of products, many neighbours at a time | O(n m) | CPU |
//! | `naive` | sums of products in 192 bits; sequential | O(n m) | CPU |
//!
//! Without a choice the CPU takes short kernels directly and long ones by transforms.

use thalweg_core::{Answer, Chosen, Result};
use thalweg_fourier::Shape;
pub use thalweg_fourier::convolution::{Boundary, Extent};
pub use thalweg_fourier::exact::{Engine, Integer, Kind, Numbers, Options, Values, Wide, convolve, convolve_of};
use thalweg_fourier::exact::{MAX_LOG, Plan, Task};

use crate::Device;
use crate::costs::Costs;
use crate::device::{Question, on_device, threads};
use crate::setters::setters;

/// What a convolution by transforms costs, of which there are so many butterflies: transforms' lengths times their logarithms,
/// for all primes. On the CPU 0.6 ns each, over the threads; on a GPU what goes over the bus: 8 bytes an element, 4 a
/// residue of an answer.
pub fn costs(butterflies: f64, elements: usize, residues: usize, threads: usize) -> Costs {
    let (bytes_up, bytes_down) = (8.0 * elements as f64, 4.0 * residues as f64);
    Costs { cpu: 0.6e-9 * butterflies / threads as f64, bytes_up, bytes_down, device: 0.0 }
}

/// Convolves with a choice of boundary, extent, engine and device.
///
/// ```
/// use thalweg::fourier::Shape;
/// use thalweg::fourier::exact::{Builder, Engine, Extent};
/// // 1234567 * 7654321, digit by digit.
/// let (a, b) = ([7u8, 6, 5, 4, 3, 2, 1], [1u8, 2, 3, 4, 5, 6, 7]);
/// let seven = Shape::line(7)?;
/// let digits = Builder::new().extent(Extent::Full).engine(Engine::Ntt).convolve::<_, _, i64>(&a, &seven, &b, &seven)?;
/// let product: i64 = digits.iter().rev().fold(0, |number, digit| 10 * number + digit);
/// assert_eq!(product, 1_234_567 * 7_654_321);
/// assert_eq!(digits.chosen().engine(), "ntt");
/// # Ok::<(), thalweg::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Builder {
    options: Options,
    device: Device,
}

impl Builder {
    /// A convolution with zeros beyond the ends, as large as the array, default engine, [`Device::Auto`].
    pub fn new() -> Self {
        Self::default()
    }

    setters! {
        /// Chooses what lies beyond the ends.
        boundary in options: Boundary,
        /// Chooses which elements are told.
        extent in options: Extent,
        /// Chooses correlation.
        correlate in options: bool,
        /// Chooses the engine; `None` leaves the choice to the library.
        engine in options: Option<Engine>,
        /// Chooses the device.
        device: Device,
    }

    /// The convolution, of any types.
    ///
    /// # Errors
    /// As for [`convolve`](fn@convolve), and what the device says.
    pub fn convolve<A: Integer, K: Integer, R: Wide>(
        &self,
        array: &[A],
        shape: &Shape,
        kernel: &[K],
        kernel_shape: &Shape,
    ) -> Result<Answer<Vec<R>>> {
        let (numbers, chosen) =
            self.convolve_of(A::values(array), shape, K::values(kernel), kernel_shape, R::KIND)?.into_parts();
        Ok(Answer::new(R::of(numbers).expect("the kind that was asked for"), chosen))
    }

    /// The convolution of arrays whose types are known at run time only.
    ///
    /// # Errors
    /// As for [`Builder::convolve`].
    pub fn convolve_of(
        &self,
        array: Values<'_>,
        shape: &Shape,
        kernel: Values<'_>,
        kernel_shape: &Shape,
        kind: Kind,
    ) -> Result<Answer<Numbers>> {
        let task = Task::new(array, shape, kernel, kernel_shape, &self.options)?;
        let asked = self.options.engine;
        let engine = asked.unwrap_or_else(|| task.engine());
        let question = Question {
            engine: engine.name(),
            gpu_engine: Engine::Ntt.name(),
            asked: asked.is_some(),
            on_cpu: true,
            on_gpu: asked.is_none_or(|engine| engine == Engine::Ntt),
            costs: costs_of(&task, engine)?,
        };
        let answer = on_device!(
            self.device,
            question,
            |gpu| thalweg_gpu::fourier::exact::answer(gpu, &task, asked, kind),
            || task.answer(Some(engine), kind)
        );
        let (answer, chosen): (_, Chosen) = answer?.into_parts();
        Ok(Answer::new(answer.numbers, chosen))
    }
}

fn costs_of(task: &Task<'_>, engine: Engine) -> Result<Costs> {
    if engine != Engine::Ntt {
        // What is taken directly takes less time than the copies.
        return Ok(Costs::default());
    }
    let plan = Plan::new(&task.problem, MAX_LOG)?;
    let (primes, len) = (task.bound.primes(), plan.transform_len() as f64);
    let transforms = if plan.is_at_once() { 3 } else { plan.blocks() * (plan.pieces() + 1) + plan.pieces() };
    let butterflies = (primes * transforms) as f64 * len * f64::from(plan.log) / 2.0;
    let [rows, columns] = task.problem.result_sizes();
    let elements = task.problem.array.flat_len(plan.pitch) + plan.kernel_len;
    Ok(costs(butterflies, elements, primes * rows * columns, threads()))
}
