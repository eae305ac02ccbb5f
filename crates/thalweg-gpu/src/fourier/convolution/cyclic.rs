//! Cyclic convolutions: transforms, a product, transforms back.
//!
//! Down first, then along the rows: a row that fits a workgroup's memory is transformed, multiplied and transformed back in one
//! pass. A product of transforms in any other order would do, but the passes have them in order at no cost.

use thalweg_core::Result;
use thalweg_core::error::expect_len;
use thalweg_fourier::transform::Options;
use thalweg_fourier::{Complex, Error, Lines, Shape};

use crate::array::{DeviceArray, Keys};
use crate::device::Device;
use crate::fourier::transform::program::{How, Maker, Program, Slot};
use crate::fourier::transform::text::Product;
use crate::fourier::transform::{Plan, Tuning};

/// A cyclic convolution of complex arrays of one shape, of one or two dimensions, with one kernel, made ready to run many times.
/// Complex values are pairs of `f32`. A kernel of real values convolves two real arrays at once, one in the real parts and one in
/// the imaginary ones.
#[derive(Debug)]
pub struct Cyclic(Program);

impl Cyclic {
    /// For a kernel of the arrays' shape, whose first element is the one over each element in turn.
    ///
    /// # Errors
    /// [`Error::Shape`] for more than two dimensions, and for a length with a prime factor above 13;
    /// [`Error::Length`] for a kernel of another shape; those of the device.
    pub fn new(device: &Device, shape: &Shape, kernel: &[Complex<f32>]) -> Result<Self> {
        expect_len("the kernel", kernel.len(), shape.len())?;
        let wrong = |reason| Err(Error::Shape { what: "the array", reason });
        let size = match *shape.sizes() {
            [across] => [1, across],
            [down, across] => [down, across],
            _ => return wrong(format!("{} dimensions: convolutions have one or two", shape.dimensions())),
        };
        if let Some(len) = size.into_iter().find(|&len| !Maker::takes(len)) {
            return wrong(format!("{len} has a prime factor above 13: cyclic convolutions on a device have none"));
        }
        let scaled: Vec<_> = kernel.iter().map(|&k| k / shape.len() as f32).collect();
        let mut spectrum = device.upload::<f32>(bytemuck::cast_slice(&scaled))?;
        Plan::new(device, shape, &Options::FORWARD)?.run(&mut spectrum)?;
        let numbers = 2 * shape.len() as u64;
        let mut maker = Maker::new(device, Tuning::DEFAULT, numbers, numbers)?;
        steps(&mut maker, size, Slot::Output, spectrum.keys().clone())?;
        Ok(Self(maker.finish()))
    }

    /// Convolves an array in place.
    ///
    /// # Errors
    /// [`Error::Length`] if the array does not have twice as many elements as the shape; those of the device.
    pub fn run(&self, values: &mut DeviceArray<f32>) -> Result<()> {
        self.0.run(None, values.keys())
    }
}

/// Convolves an array in place, given the kernel's transform divided by the number of values.
pub(super) fn steps(maker: &mut Maker, [height, width]: [usize; 2], array: Slot, spectrum: Keys) -> Result<()> {
    let spectrum = maker.add(spectrum);
    let rows = Lines { outer: height, len: width, stride: 1 };
    let columns = Lines { outer: 1, len: height, stride: width };
    if height > 1 {
        maker.lines(columns, array, array, How::new(false, 1.0))?;
    }
    if maker.in_one_pass(rows) {
        let product = Some((Product::AndBack, spectrum));
        maker.lines(rows, array, array, How { product, ..How::new(false, 1.0) })?;
    } else {
        let product = Some((Product::Last, spectrum));
        maker.lines(rows, array, array, How { product, ..How::new(false, 1.0) })?;
        maker.lines(rows, array, array, How::new(true, 1.0))?;
    }
    if height > 1 {
        maker.lines(columns, array, array, How::new(true, 1.0))?;
    }
    Ok(())
}
