//! Convolutions and correlations of integers, exact.
//!
//! As in [`convolution`], with the same boundaries and extents; but elements are integers, of any of eight
//! types, and so are the answers: `i64`, `u64` or `i128`, as the caller likes. Every answer is the true sum. One that does
//! not fit its type is an error that names the first such element; sums on the way to it may be as large as they like.
//!
//! | engine | idea | work | threads | source |
//! |---|---|---|---|---|
//! | `ntt` | transforms modulo primes of 31 bits, as many as the answer needs; Chinese remainders | O(n log n) | all | Pollard 1971; Montgomery 1985; Garner 1959 |
//! | `direct` | sums of products, many neighbours at a time | O(n m) | all | |
//! | `naive` | sums of products in 192 bits | O(n m) | one | the oracle |
//!
//! Without a choice, short kernels are taken directly and long ones by transforms.

mod answers;
mod assembly;
mod bits;
mod bound;
mod direct;
mod garner;
mod integer;
mod lanes;
mod naive;
mod ntt;
mod plan;
mod prime;
mod residues;
mod sink;
mod window;

use thalweg_core::engine_names;
use thalweg_core::error::expect_len;

pub use assembly::{Assembly, assembled};
pub use bits::I192;
pub use bound::Bound;
pub use garner::Garner;
pub use integer::{Integer, Kind, Numbers, Values, Wide};
pub use plan::{Block, Plan};
pub use prime::{MAX_LOG, MAX_PRIMES, PRIMES, Prime};
pub use residues::half;
pub use window::{Problem, Run, Window};

use crate::convolution::{self, Boundary, Extent, Place};
use crate::{Result, Shape};

engine_names! {
    /// The engines of exact convolutions. See the [module's table](self).
    "exact convolution": Engine {
        /// Transforms modulo primes. For long kernels.
        Ntt = "ntt",
        /// Sums of products, many neighbours at a time. For short kernels.
        Direct = "direct",
        /// Sums of products in 192 bits; sequential. The oracle of the tests.
        Naive = "naive",
    }
}

/// What can be chosen about an exact convolution.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Options {
    /// What lies beyond the array's ends.
    pub boundary: Boundary,
    /// Which elements are told.
    pub extent: Extent,
    /// Correlation: the kernel is not turned around.
    pub correlate: bool,
    /// The engine; `None` leaves the choice to the library.
    pub engine: Option<Engine>,
}

impl Options {
    /// The result's place along every axis; see [`convolution::Options::places`].
    ///
    /// # Errors
    /// As there.
    pub fn places(&self, array: &Shape, kernel: &Shape) -> Result<Vec<Place>> {
        self.as_convolution().places(array, kernel)
    }

    /// The shape of the result.
    ///
    /// # Errors
    /// As for [`Options::places`].
    pub fn result_shape(&self, array: &Shape, kernel: &Shape) -> Result<Shape> {
        self.as_convolution().result_shape(array, kernel)
    }

    fn as_convolution(&self) -> convolution::Options {
        let Self { boundary, extent, correlate, .. } = *self;
        convolution::Options { boundary, extent, correlate, engine: None }
    }
}

/// The exact convolution of an array with a kernel.
///
/// ```
/// use thalweg_fourier::Shape;
/// use thalweg_fourier::exact::{Options, convolve};
/// use thalweg_fourier::convolution::Boundary;
/// let (picture, kernel) = ([0u8, 10, 250, 255], [1i8, 0, -1]);
/// let options = Options { boundary: Boundary::Nearest, ..Options::default() };
/// let slopes: Vec<i64> = convolve(&picture, &Shape::line(4)?, &kernel, &Shape::line(3)?, &options)?;
/// assert_eq!(slopes, [10, 250, 245, 5]);
/// # Ok::<(), thalweg_fourier::Error>(())
/// ```
///
/// Work O(n log n) or O(n m), see the [module's table](self), on all threads of the current rayon pool.
///
/// # Errors
/// As for [`Options::places`]; [`Error::Length`](crate::Error::Length) for slices that do not have their shapes;
/// [`Error::Overflow`](crate::Error::Overflow) with the first element that does not fit the result's type;
/// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
pub fn convolve<A: Integer, K: Integer, R: Wide>(
    array: &[A],
    shape: &Shape,
    kernel: &[K],
    kernel_shape: &Shape,
    options: &Options,
) -> Result<Vec<R>> {
    let task = Task::new(A::values(array), shape, K::values(kernel), kernel_shape, options)?;
    Ok(answer(&task, options.engine)?.0)
}

/// A convolution, and the engine that found it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The elements.
    pub numbers: Numbers,
    /// The engine.
    pub engine: Engine,
}

/// The exact convolution of arrays whose types are known at run time only: what is behind [`convolve`].
///
/// # Errors
/// As for [`convolve`].
pub fn convolve_of(
    array: Values<'_>,
    shape: &Shape,
    kernel: Values<'_>,
    kernel_shape: &Shape,
    options: &Options,
    kind: Kind,
) -> Result<Answer> {
    Task::new(array, shape, kernel, kernel_shape, options)?.answer(options.engine, kind)
}

#[allow(unsafe_code)]
fn answer<R: Wide>(task: &Task<'_>, engine: Option<Engine>) -> Result<(Vec<R>, Engine)> {
    let engine = engine.unwrap_or_else(|| task.engine());
    let [rows, columns] = task.problem.result_sizes();
    // SAFETY: every engine puts all answers.
    let result = unsafe { sink::filled(rows * columns, |sink| task.run(engine, MAX_LOG, sink)) }?;
    Ok((result, engine))
}

/// A convolution whose types are known at run time only, checked: what engines work on, on every device.
#[derive(Clone, Copy, Debug)]
pub struct Task<'a> {
    array: Window<'a>,
    kernel: Window<'a>,
    places: [Place; 2],
    /// Without boundaries.
    pub problem: Problem<'a>,
    /// What answers lie in.
    pub bound: Bound,
}

impl<'a> Task<'a> {
    /// The convolution of an array with a kernel.
    ///
    /// # Errors
    /// As for [`convolve`], but for overflows.
    pub fn new(
        array: Values<'a>,
        shape: &Shape,
        kernel: Values<'a>,
        kernel_shape: &Shape,
        options: &Options,
    ) -> Result<Self> {
        expect_len("the array", array.len(), shape.len())?;
        expect_len("the kernel", kernel.len(), kernel_shape.len())?;
        let places = options.places(shape, kernel_shape)?;
        let places = match places[..] {
            [along] => [Place { start: 0, len: 1 }, along],
            _ => [places[0], places[1]],
        };
        let array = Window { boundary: options.boundary, ..Window::all(array, in_two_dimensions(shape)) };
        let kernel = Window { turned: options.correlate, ..Window::all(kernel, in_two_dimensions(kernel_shape)) };
        let problem = Problem::new(array, kernel, places);
        let bound = Bound::new(array.values, kernel.values, problem.terms())?;
        Ok(Self { array, kernel, places, problem, bound })
    }

    /// The convolution, by an engine or that which [`Task::engine`] names.
    ///
    /// # Errors
    /// [`Error::Overflow`](crate::Error::Overflow), [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    pub fn answer(&self, engine: Option<Engine>, kind: Kind) -> Result<Answer> {
        fn told<R: Wide>(task: &Task<'_>, engine: Option<Engine>) -> Result<Answer> {
            let (numbers, engine) = answer::<R>(task, engine)?;
            Ok(Answer { numbers: R::numbers(numbers), engine })
        }
        match kind {
            Kind::I64 => told::<i64>(self, engine),
            Kind::U64 => told::<u64>(self, engine),
            Kind::I128 => told::<i128>(self, engine),
        }
    }

    /// The engine that is taken if nobody asks for one: short kernels directly.
    pub fn engine(&self) -> Engine {
        let [rows, columns] = self.problem.kernel.extent;
        let width = direct::width(&self.bound, self.array.values, self.kernel.values);
        if rows.saturating_mul(columns) <= width.most_products() { Engine::Direct } else { Engine::Ntt }
    }

    fn run(&self, engine: Engine, max_log: u32, sink: &dyn sink::Sink) -> Result<()> {
        match engine {
            Engine::Ntt => ntt::convolve(&self.problem, &self.bound, max_log, sink),
            Engine::Direct => direct::convolve(&self.problem, &self.bound, sink),
            Engine::Naive => naive::convolve(&self.array, &self.kernel, &self.places, sink),
        }
    }
}

/// A line is one row.
fn in_two_dimensions(shape: &Shape) -> [usize; 2] {
    match *shape.sizes() {
        [len] => [1, len],
        [rows, columns] => [rows, columns],
        _ => unreachable!("checked with the places"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every engine, and transforms so short that blocks and pieces are needed, against the oracle.
    #[allow(unsafe_code)]
    fn agree<A: Integer, K: Integer>(array: &[A], sizes: &[usize], kernel: &[K], kernel_sizes: &[usize]) {
        let (shape, kernel_shape) = (Shape::new(sizes).unwrap(), Shape::new(kernel_sizes).unwrap());
        for (&boundary, &extent) in Boundary::ALL.iter().flat_map(|b| Extent::ALL.iter().map(move |e| (b, e))) {
            let options = Options { boundary, extent, correlate: array.len().is_multiple_of(2), engine: None };
            let Ok(task) = Task::new(A::values(array), &shape, K::values(kernel), &kernel_shape, &options) else {
                continue;
            };
            let len = task.places[0].len * task.places[1].len;
            // SAFETY: every engine puts all answers.
            let told = |engine: Engine, max_log: u32| unsafe {
                sink::filled::<i128>(len, |sink| task.run(engine, max_log, sink))
            };
            let expected = told(Engine::Naive, MAX_LOG);
            assert_eq!(told(Engine::Direct, MAX_LOG), expected, "{options:?} {sizes:?} {kernel_sizes:?}");
            for max_log in [8, 9, 10, 16] {
                assert_eq!(told(Engine::Ntt, max_log), expected, "{options:?} {sizes:?} {kernel_sizes:?} {max_log}");
            }
        }
    }

    #[test]
    fn blocks_and_pieces() {
        let array: Vec<i64> = (0..1500).map(|i: i64| i.wrapping_mul(0x1234_5678_9abc_def1)).collect();
        let kernel: Vec<u32> = (0..1000).map(|i: u32| i.wrapping_mul(0x9abc_def1)).collect();
        for (n, m) in [(1, 1), (1, 5), (5, 1), (300, 7), (7, 300), (256, 256), (1500, 100), (1500, 129), (1500, 1000)] {
            agree(&array[..n], &[n], &kernel[..m], &[m]);
        }
        for (rows, columns, kernel_rows, kernel_columns) in [
            (1, 1, 1, 1),
            (1, 30, 5, 1),
            (30, 1, 1, 5),
            (30, 50, 3, 5),
            (3, 5, 10, 40),
            (30, 50, 20, 30),
            (2, 700, 2, 300),
        ] {
            let (n, m) = (rows * columns, kernel_rows * kernel_columns);
            agree(&array[..n], &[rows, columns], &kernel[..m], &[kernel_rows, kernel_columns]);
        }
    }
}
