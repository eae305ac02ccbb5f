//! Real transforms: half of the frequencies of the last axis tell the rest.
//!
//! Lines of an even number of neighbouring values are transformed as lines of half as many pairs, whose frequencies are taken
//! apart (or put together) by one more pass. Other lines are transformed as complex ones.

use thalweg_core::Result;
use thalweg_fourier::transform::{Direction, Options};
use thalweg_fourier::{Complex, Lines, Shape, root_of_unity};

use super::bluestein::narrow;
use super::butterfly::literal;
use super::plan::along_axes;
use super::program::{How, Maker, Program, Slot, Step};
use super::text::Sharding;
use super::tuning::Tuning;
use crate::array::DeviceArray;
use crate::device::Device;
use crate::kernel::Source;

/// A transform between real arrays of one shape and half of their frequencies, made ready to run many times: those of
/// [`transform_real`](thalweg_fourier::transform::transform_real) and
/// [`restore_real`](thalweg_fourier::transform::restore_real). Frequencies are pairs of `f32`.
#[derive(Debug)]
pub struct RealPlan {
    program: Program,
}

impl RealPlan {
    /// From real values to half of their frequencies.
    ///
    /// # Errors
    /// Those of [`Plan::new`](super::Plan::new).
    pub fn halving(device: &Device, shape: &Shape, options: &Options) -> Result<Self> {
        let (real, halved) = Real::new(shape, options)?;
        let mut maker = Maker::new(device, Tuning::DEFAULT, shape.len() as u64, 2 * halved.len() as u64)?;
        let axes = options.axes_of(shape);
        let (_, others) = axes.as_slice().split_last().expect("axes are never none");
        real.halve(&mut maker, halved.len() as u64, options.factor(shape))?;
        along_axes(&mut maker, &halved, others, Slot::Output, options, 1.0)?;
        Ok(Self { program: maker.finish() })
    }

    /// From half of the frequencies to real values of this shape.
    ///
    /// # Errors
    /// Those of [`Plan::new`](super::Plan::new).
    pub fn restoring(device: &Device, shape: &Shape, options: &Options) -> Result<Self> {
        let (real, halved) = Real::new(shape, options)?;
        let mut maker = Maker::new(device, Tuning::DEFAULT, 2 * halved.len() as u64, shape.len() as u64)?;
        let axes = options.axes_of(shape);
        let (_, others) = axes.as_slice().split_last().expect("axes are never none");
        let mut frequencies = Slot::Input;
        let inverse = options.direction == Direction::Inverse;
        for &axis in others.iter().rev() {
            let lines = halved.lines(axis);
            if lines.len > 1 {
                let to = if frequencies == Slot::Input { maker.complex(halved.len() as u64)? } else { frequencies };
                maker.lines(lines, frequencies, to, How::new(inverse, 1.0))?;
                frequencies = to;
            }
        }
        real.restore(&mut maker, frequencies, options.factor(shape))?;
        Ok(Self { program: maker.finish() })
    }

    /// Transforms an array into another.
    ///
    /// # Errors
    /// [`Error::Length`](thalweg_core::Error::Length) if an array has another number of elements than the plan; those of the
    /// device.
    pub fn run(&self, input: &DeviceArray<f32>, output: &mut DeviceArray<f32>) -> Result<()> {
        self.program.run(Some(input.keys()), output.keys())
    }

    pub(super) fn device(&self) -> &Device {
        self.program.device()
    }
}

/// Real lines along an axis.
struct Real {
    lines: Lines,
    inverse: bool,
}

impl Real {
    /// The lines, and the shape of half of the frequencies.
    fn new(shape: &Shape, options: &Options) -> Result<(Self, Shape)> {
        let axes = options.axes_of(shape);
        let &last = axes.as_slice().last().expect("axes are never none");
        let halved = shape.with_size(last, shape.sizes()[last] / 2 + 1)?;
        Ok((Self { lines: shape.lines(last), inverse: options.direction == Direction::Inverse }, halved))
    }

    fn packed(&self) -> bool {
        self.lines.stride == 1 && self.lines.len.is_multiple_of(2)
    }

    /// The lines of pairs.
    fn pairs(&self) -> Lines {
        Lines { len: self.lines.len / 2, ..self.lines }
    }

    fn all(&self) -> u64 {
        (self.lines.outer * self.lines.len * self.lines.stride) as u64
    }

    fn halve(&self, maker: &mut Maker, results: u64, factor: f64) -> Result<()> {
        let plain = How::new(false, 1.0);
        if self.packed() {
            let mut pairs = Slot::Input;
            if self.lines.len > 2 {
                pairs = maker.complex(self.all() / 2)?;
                maker.lines(self.pairs(), Slot::Input, pairs, plain)?;
            }
            let body = (include_str!("real_unpack.wgsl"), results);
            return self.step(maker, body, (pairs, true), (Slot::Output, true), (self.inverse, factor));
        }
        let work = maker.complex(self.all())?;
        let widen = (include_str!("real_widen.wgsl"), self.all());
        self.step(maker, widen, (Slot::Input, false), (work, true), (false, 1.0))?;
        if self.lines.len > 1 {
            maker.lines(self.lines, work, work, How::new(self.inverse, 1.0))?;
        }
        let half = (include_str!("real_half.wgsl"), results);
        self.step(maker, half, (work, true), (Slot::Output, true), (false, factor))
    }

    fn restore(&self, maker: &mut Maker, frequencies: Slot, factor: f64) -> Result<()> {
        // What the kernels do is the transform back.
        let conjugate = !self.inverse;
        if self.packed() {
            let work = maker.complex(self.all() / 2)?;
            let pack = (include_str!("real_pack.wgsl"), self.all() / 2);
            self.step(maker, pack, (frequencies, true), (work, true), (conjugate, 1.0))?;
            // Also for lines of one pair, which takes the factor.
            return maker.lines(self.pairs(), work, Slot::Output, How::new(true, factor));
        }
        let work = maker.complex(self.all())?;
        let complete = (include_str!("real_complete.wgsl"), self.all());
        self.step(maker, complete, (frequencies, true), (work, true), (conjugate, 1.0))?;
        if self.lines.len > 1 {
            maker.lines(self.lines, work, work, How::new(true, 1.0))?;
        }
        let narrow = (include_str!("real_narrow.wgsl"), self.all());
        self.step(maker, narrow, (work, true), (Slot::Output, false), (false, factor))
    }

    /// A kernel with this body for so many results, between arrays of pairs or of single numbers.
    fn step(
        &self,
        maker: &mut Maker,
        (body, results): (&str, u64),
        (from, from_pairs): (Slot, bool),
        (to, to_pairs): (Slot, bool),
        (conjugate, factor): (bool, f64),
    ) -> Result<()> {
        let sharding = |maker: &Maker, slot, pairs| -> Result<(&'static str, Sharding)> {
            Ok(if pairs { ("vec2<f32>", maker.pairs(slot)?) } else { ("f32", maker.numbers(slot)?) })
        };
        let n = self.lines.len as u64;
        let roots: Vec<Complex<f64>> = (0..=n / 2).map(|k| root_of_unity(k, n).conj()).collect();
        let roots = narrow(&maker.device, &roots)?;
        let roots = maker.add(roots);
        let (from_type, from_sharding) = sharding(maker, from, from_pairs)?;
        let (to_type, to_sharding) = sharding(maker, to, to_pairs)?;
        let source = Source::new("real_transform", include_str!("real.wgsl"), "main")
            .constant("LEN", n as u32)
            .constant("HALF", (n / 2 + 1) as u32)
            .constant("STRIDE", self.lines.stride as u32)
            .flag("CONJUGATE", conjugate)
            .include(&format!("const FACTOR = {};\n", literal(factor)))
            .replace("BODY", body)
            .reads_sharded("roots", "vec2<f32>", maker.pairs(roots)?)
            .reads_sharded("input", from_type, from_sharding)
            .writes_sharded("output", to_type, to_sharding);
        let kernel = maker.device.kernel(&source)?;
        let arrays = vec![roots, from, to];
        maker.push(Step { kernel, arrays, workgroups: results.div_ceil(256), params: vec![results as u32] });
        Ok(())
    }
}
