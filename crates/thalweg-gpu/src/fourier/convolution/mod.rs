//! Convolutions and correlations of real arrays in one and two dimensions, by transforms.
//!
//! The [definitions](thalweg_fourier::convolution) are those of the CPU. [`convolve`] works on arrays of the host, a [`Plan`] with
//! one kernel on those of the device, and [`Cyclic`] convolves complex arrays that wrap around. The array and what lies beyond its
//! ends are one array that wraps around (`frame`), seen as half as many complex values, which are pairs of neighbours; their
//! transforms are multiplied by the kernel's as those of the real array would be (`product.wgsl`), and transformed back.
//!
//! Transforms spread what is not finite over all results: [`convolve`] refuses it, and the CPU's engine `direct` takes it.
//!
//! The error of an element is a few times 2^-24 of the norm of the array, as far as the kernel is moved over it, times the
//! kernel's norm.

mod cyclic;
mod frame;

use rayon::prelude::*;
use thalweg_core::Result;
use thalweg_core::error::expect_len;
use thalweg_core::memory::filled;
use thalweg_fourier::convolution::{Boundary, Options};
use thalweg_fourier::{Error, Lines, Shape, root_of_unity, transform};

pub use self::cyclic::Cyclic;
use self::frame::Frame;
use super::transform::bluestein::narrow;
use super::transform::butterfly::literal;
use super::transform::program::{How, Maker, Program, Slot, Step};
use super::transform::{RealPlan, Tuning};
use crate::array::{DeviceArray, Keys};
use crate::device::Device;
use crate::kernel::Source;

/// The convolution of an array with a kernel, both of the host.
///
/// ```no_run
/// use thalweg_fourier::{Shape, convolution::{Boundary, Options}};
/// use thalweg_gpu::fourier::convolution::convolve;
/// # let device = thalweg_gpu::Device::open(&thalweg_gpu::Choice::Auto)?;
/// let (array, kernel) = ([1.0, 2.0, 4.0, 8.0], [0.5, 0.0, -0.5]);
/// let options = Options { boundary: Boundary::Nearest, ..Options::default() };
/// let slopes = convolve(&device, &array, &Shape::line(4)?, &kernel, &Shape::line(3)?, &options)?;
/// assert!((slopes[2] - 3.0).abs() < 1e-5);
/// # Ok::<(), thalweg_core::Error>(())
/// ```
///
/// # Errors
/// As [on the CPU](thalweg_fourier::convolution::convolve); [`Error::NotOnDevice`] for another engine than transforms, and
/// for numbers that are not finite; those of the device.
pub fn convolve(
    device: &Device,
    array: &[f32],
    shape: &Shape,
    kernel: &[f32],
    kernel_shape: &Shape,
    options: &Options,
) -> Result<Vec<f32>> {
    let results = options.result_shape(shape, kernel_shape)?.len();
    expect_len("the array", array.len(), shape.len())?;
    if !array.par_iter().chain(kernel).all(|x| x.is_finite()) {
        let reason = "transforms spread what is not finite; the CPU has 'direct'".into();
        return Err(Error::NotOnDevice { problem: "convolution", engine: "spectral", reason });
    }
    let plan = Plan::new(device, shape, kernel, kernel_shape, options)?;
    let mut out = filled(results, 0.0, "a convolution")?;
    let mut there = device.allocate(results)?;
    plan.run(&device.upload(array)?, &mut there)?;
    there.download(&mut out)?;
    Ok(out)
}

/// A convolution of arrays of one shape with one kernel, made ready to run many times: it holds the kernel's transform, and
/// memory for two arrays of the transforms' size.
#[derive(Debug)]
pub struct Plan(Program);

impl Plan {
    /// Makes a convolution ready.
    ///
    /// # Errors
    /// As [`convolve`].
    pub fn new(
        device: &Device,
        shape: &Shape,
        kernel: &[f32],
        kernel_shape: &Shape,
        options: &Options,
    ) -> Result<Self> {
        if let Some(engine) = options.engine.filter(|engine| engine.name() != "spectral") {
            return Err(crate::not_on_gpu("convolution", engine.name(), "transforms"));
        }
        let frame = Frame::new(shape, kernel_shape, options)?;
        expect_len("the kernel", kernel.len(), kernel_shape.len())?;
        let places = [shape.len(), kernel_shape.len(), frame.axes[0].len, frame.axes[1].len];
        if frame.len() > 1 << 31 || places.into_iter().any(|len| len >= 1 << 31) {
            return Err(Error::device_limit(format!(
                "a convolution of {shape:?} with {kernel_shape:?}: positions on the device have 31 bits"
            )));
        }
        let spectrum = spectrum(device, kernel, in_rows(kernel_shape), &frame, options.correlate)?;
        let results = (frame.results[0] * frame.results[1]) as u64;
        let mut maker = Maker::new(device, Tuning::DEFAULT, shape.len() as u64, results)?;
        let work = maker.complex(frame.len() / 2)?;
        let plain = frame.is_plain(in_rows(shape));
        if !plain {
            extend(&mut maker, in_rows(shape), options.boundary, &frame, work)?;
        }
        let (from, to) = if plain { (Slot::Input, Slot::Output) } else { (work, work) };
        transforms(&mut maker, frame.size(), spectrum, [from, work, to])?;
        if !plain {
            crop(&mut maker, &frame, work)?;
        }
        Ok(Self(maker.finish()))
    }

    /// Convolves an array of the device into another.
    ///
    /// # Errors
    /// [`Error::Length`] if an array has another number of elements than the plan's; those of the device.
    pub fn run(&self, array: &DeviceArray<f32>, results: &mut DeviceArray<f32>) -> Result<()> {
        self.0.run(Some(array.keys()), results.keys())
    }
}

/// Half of the kernel's frequencies, divided by the number of pairs.
fn spectrum(device: &Device, kernel: &[f32], size: [usize; 2], frame: &Frame, turned: bool) -> Result<Keys> {
    let [height, width] = frame.size();
    let mut maker = Maker::new(device, Tuning::DEFAULT, kernel.len() as u64, frame.len())?;
    let source = Source::new("convolution", include_str!("embed.wgsl"), "main")
        .constant("HEIGHT", height as u32)
        .constant("WIDTH", width as u32)
        .constant("SHIFT_DOWN", frame.axes[0].shift as u32)
        .constant("SHIFT_ACROSS", frame.axes[1].shift as u32)
        .constant("ROWS", size[0] as u32)
        .constant("COLUMNS", size[1] as u32)
        .flag("TURNED", turned)
        .include(&format!("const FACTOR = {};\n", literal(2.0 / frame.len() as f64)))
        .reads_sharded("input", "f32", maker.numbers(Slot::Input)?)
        .writes_sharded("output", "f32", maker.numbers(Slot::Output)?);
    maker.push(elementwise(device, &source, vec![Slot::Input, Slot::Output], frame.len(), &[])?);
    let there = device.upload(kernel)?;
    let embedded = device.allocate::<f32>(frame.len() as usize)?;
    maker.finish().run(Some(there.keys()), embedded.keys())?;
    let mut spectrum = device.allocate::<f32>(2 * height * (width / 2 + 1))?;
    let shape = Shape::new(&[height, width])?;
    RealPlan::halving(device, &shape, &transform::Options::FORWARD)?.run(&embedded, &mut spectrum)?;
    Ok(spectrum.keys().clone())
}

/// Transforms of pairs from one array, in the second, into the third, with the product in between.
fn transforms(
    maker: &mut Maker,
    [height, width]: [usize; 2],
    spectrum: Keys,
    [from, work, to]: [Slot; 3],
) -> Result<()> {
    let middle = width / 2;
    let rows = Lines { outer: height, len: middle, stride: 1 };
    let columns = Lines { outer: 1, len: height, stride: middle };
    let [there, back] = [false, true].map(|inverse| How::new(inverse, 1.0));
    maker.lines(rows, from, work, there)?;
    if height > 1 {
        maker.lines(columns, work, work, there)?;
    }
    let roots: Vec<_> = (0..middle as u64).map(|k| root_of_unity(k, width as u64).conj()).collect();
    let roots = narrow(&maker.device, &roots)?;
    let (roots, spectrum) = (maker.add(roots), maker.add(spectrum));
    let source = Source::new("convolution", include_str!("product.wgsl"), "main")
        .constant("HEIGHT", height as u32)
        .constant("MIDDLE", middle as u32)
        .reads_sharded("roots", "vec2<f32>", maker.pairs(roots)?)
        .reads_sharded("factors", "vec2<f32>", maker.pairs(spectrum)?)
        .writes_sharded("values", "vec2<f32>", maker.pairs(work)?);
    let couples = (height * (middle / 2 + 1)) as u64;
    let step = elementwise(&maker.device, &source, vec![roots, spectrum, work], couples, &[])?;
    maker.push(step);
    if height > 1 {
        maker.lines(columns, work, work, back)?;
    }
    maker.lines(rows, work, to, back)
}

fn extend(maker: &mut Maker, size: [usize; 2], boundary: Boundary, frame: &Frame, work: Slot) -> Result<()> {
    let [down, across] = frame.axes;
    let source = placed(include_str!("extend.wgsl"), size, frame)
        .constant("USED_HEIGHT", down.used as u32)
        .constant("USED_WIDTH", across.used as u32)
        .constant(
            "BOUNDARY",
            match boundary {
                Boundary::Zero => 0,
                Boundary::Wrap => 1,
                Boundary::Reflect => 2,
                Boundary::Nearest => 3,
            },
        )
        .reads_sharded("input", "f32", maker.numbers(Slot::Input)?)
        .writes_sharded("output", "f32", maker.numbers(work)?);
    let firsts = [down, across].map(|axis| axis.first as i32 as u32);
    let step = elementwise(&maker.device, &source, vec![Slot::Input, work], frame.len(), &firsts)?;
    maker.push(step);
    Ok(())
}

fn crop(maker: &mut Maker, frame: &Frame, work: Slot) -> Result<()> {
    let source = placed(include_str!("crop.wgsl"), frame.results, frame)
        .reads_sharded("input", "f32", maker.numbers(work)?)
        .writes_sharded("output", "f32", maker.numbers(Slot::Output)?);
    let results = (frame.results[0] * frame.results[1]) as u64;
    let step = elementwise(&maker.device, &source, vec![work, Slot::Output], results, &[])?;
    maker.push(step);
    Ok(())
}

/// A kernel between rows of the array, or of results, and those of the transforms.
fn placed(text: &'static str, [rows, columns]: [usize; 2], frame: &Frame) -> Source {
    Source::new("convolution", text, "main")
        .constant("ROWS", rows as u32)
        .constant("COLUMNS", columns as u32)
        .constant("WIDTH", frame.size()[1] as u32)
}

fn elementwise(device: &Device, source: &Source, arrays: Vec<Slot>, count: u64, params: &[u32]) -> Result<Step> {
    Ok(Step {
        kernel: device.kernel(source)?,
        arrays,
        workgroups: count.div_ceil(256),
        params: [&[count as u32], params].concat(),
    })
}

/// Rows and columns: a line is one row.
fn in_rows(shape: &Shape) -> [usize; 2] {
    let columns = shape.sizes()[shape.dimensions() - 1];
    [shape.len() / columns, columns]
}
