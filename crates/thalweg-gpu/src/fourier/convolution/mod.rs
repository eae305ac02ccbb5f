//! Convolutions and correlations of real arrays in one and two dimensions, by transforms.
//!
//! The [definitions](thalweg_fourier::convolution) are those of the CPU. [`convolve`] works on arrays of the host, a [`Plan`] with
//! one kernel on those of the device, and [`Cyclic`] convolves complex arrays that wrap around. The array and what lies beyond its
//! ends goes into complex values, the second half of the results in the imaginary parts where that is less work (`frame`); then
//! come transforms, a product and transforms back (`cyclic`).
//!
//! The error of an element is a few times 2^-24 of the norm of the array, as far as the kernel is moved over it, times the
//! kernel's norm.

mod cyclic;
mod frame;

use thalweg_core::Result;
use thalweg_core::error::expect_len;
use thalweg_core::memory::filled;
use thalweg_fourier::convolution::{Boundary, Options};
use thalweg_fourier::{Error, Shape, transform};

pub use self::cyclic::Cyclic;
use self::frame::Frame;
use super::transform::butterfly::literal;
use super::transform::program::{Maker, Program, Slot, Step};
use super::transform::{Plan as Transform, Tuning};
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
/// As [on the CPU](thalweg_fourier::convolution::convolve); [`Error::NotOnDevice`] for another engine than transforms; those of
/// the device.
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
    let plan = Plan::new(device, shape, kernel, kernel_shape, options)?;
    let mut out = filled(results, 0.0, "a convolution")?;
    let mut there = device.allocate(results)?;
    plan.run(&device.upload(array)?, &mut there)?;
    there.download(&mut out)?;
    Ok(out)
}

/// A convolution of arrays of one shape with one kernel, made ready to run many times: it holds the kernel's transform, and
/// memory for two arrays of complex values.
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
        let spectrum = spectrum(device, kernel, in_rows(kernel_shape), &frame, !options.correlate)?;
        let results = (frame.results[0] * frame.results[1]) as u64;
        let mut maker = Maker::new(device, Tuning::DEFAULT, shape.len() as u64, results)?;
        let work = maker.complex(frame.len())?;
        let size = frame.axes.map(|axis| axis.len);
        extend(&mut maker, in_rows(shape), options.boundary, &frame, work)?;
        cyclic::steps(&mut maker, size, work, spectrum)?;
        crop(&mut maker, &frame, work)?;
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

/// The kernel's transform, divided by the number of values.
fn spectrum(device: &Device, kernel: &[f32], size: [usize; 2], frame: &Frame, as_it_is: bool) -> Result<Keys> {
    let lens = frame.axes.map(|axis| axis.len);
    let mut maker = Maker::new(device, Tuning::DEFAULT, kernel.len() as u64, 2 * frame.len())?;
    let source = Source::new("convolution", include_str!("embed.wgsl"), "main")
        .constant("HEIGHT", lens[0] as u32)
        .constant("WIDTH", lens[1] as u32)
        .constant("SHIFT_DOWN", frame.axes[0].shift as u32)
        .constant("SHIFT_ACROSS", frame.axes[1].shift as u32)
        .constant("ROWS", size[0] as u32)
        .constant("COLUMNS", size[1] as u32)
        .flag("TURNED", !as_it_is)
        .include(&format!("const FACTOR = {};\n", literal(1.0 / frame.len() as f64)))
        .reads_sharded("input", "f32", maker.numbers(Slot::Input)?)
        .writes_sharded("output", "vec2<f32>", maker.pairs(Slot::Output)?);
    maker.push(elementwise(device, &source, [Slot::Input, Slot::Output], frame.len(), &[])?);
    let there = device.upload(kernel)?;
    let mut spectrum = device.allocate::<f32>(2 * frame.len() as usize)?;
    maker.finish().run(Some(there.keys()), spectrum.keys())?;
    Transform::new(device, &Shape::new(&lens)?, &transform::Options::FORWARD)?.run(&mut spectrum)?;
    Ok(spectrum.keys().clone())
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
        .writes_sharded("output", "vec2<f32>", maker.pairs(work)?);
    let firsts = [down, across].map(|axis| axis.first as i32 as u32);
    let step = elementwise(&maker.device, &source, [Slot::Input, work], frame.len(), &firsts)?;
    maker.push(step);
    Ok(())
}

fn crop(maker: &mut Maker, frame: &Frame, work: Slot) -> Result<()> {
    let source = placed(include_str!("crop.wgsl"), frame.results, frame)
        .reads_sharded("input", "vec2<f32>", maker.pairs(work)?)
        .writes_sharded("output", "f32", maker.numbers(Slot::Output)?);
    let results = (frame.results[0] * frame.results[1]) as u64;
    let step = elementwise(&maker.device, &source, [work, Slot::Output], results, &[])?;
    maker.push(step);
    Ok(())
}

/// A kernel between rows of the array, or of results, and those of the transforms.
fn placed(text: &'static str, [rows, columns]: [usize; 2], frame: &Frame) -> Source {
    let [down, across] = frame.axes;
    Source::new("convolution", text, "main")
        .constant("ROWS", rows as u32)
        .constant("COLUMNS", columns as u32)
        .constant("WIDTH", across.len as u32)
        .flag("PACKED", frame.packed())
        .constant("AHEAD_DOWN", down.ahead as u32)
        .constant("AHEAD_ACROSS", across.ahead as u32)
}

fn elementwise(device: &Device, source: &Source, arrays: [Slot; 2], count: u64, params: &[u32]) -> Result<Step> {
    Ok(Step {
        kernel: device.kernel(source)?,
        arrays: arrays.to_vec(),
        workgroups: count.div_ceil(256),
        params: [&[count as u32], params].concat(),
    })
}

/// Rows and columns: a line is one row.
fn in_rows(shape: &Shape) -> [usize; 2] {
    let columns = shape.sizes()[shape.dimensions() - 1];
    [shape.len() / columns, columns]
}
