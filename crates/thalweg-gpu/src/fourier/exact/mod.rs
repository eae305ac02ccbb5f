//! Exact convolutions of integers on the device.
//!
//! The [contract](thalweg_fourier::exact) is that of the CPU: every answer is the true sum, and the first that does not fit
//! its type is named. The engine is `ntt`, modulo the same primes: the device makes residues of the elements, transforms them
//! in passes that fit a workgroup's memory (the last pass there, the products and the first pass back are one), and the
//! host makes answers of the residues, on all threads and by the code of the CPU's engine.
//!
//! The other engines of the CPU are [`Error::NotOnDevice`].

mod passes;
mod tables;

use thalweg_core::{Error, Result};
use thalweg_fourier::Shape;
pub use thalweg_fourier::exact::{Answer, Engine, Kind, Numbers, Options, Values};
use thalweg_fourier::exact::{Assembly, Garner, MAX_LOG, Plan, Task, Window, assembled, half};

use self::passes::{TILE_LOG, Transform};
use crate::device::Device;
use crate::memory::Buffer;
use crate::transfer;

/// Elements of a batch of transforms, at most, for every prime; a single transform may be longer. Not measured against others.
const BATCH_LOG: u32 = 24;

/// The exact convolution of arrays of the host.
///
/// ```no_run
/// use thalweg_fourier::Shape;
/// use thalweg_gpu::fourier::exact::{Kind, Options, Values, convolve_of};
/// # let device = thalweg_gpu::Device::open(&thalweg_gpu::Choice::Auto)?;
/// let (array, kernel) = ([1u8, 2, 3], [1i64, -1]);
/// let (shape, kernel_shape) = (Shape::line(3)?, Shape::line(2)?);
/// let (array, kernel) = (Values::U8(&array), Values::I64(&kernel));
/// let answer = convolve_of(&device, array, &shape, kernel, &kernel_shape, &Options::default(), Kind::I64)?;
/// # Ok::<(), thalweg_core::Error>(())
/// ```
///
/// # Errors
/// Those of [`convolve_of`](thalweg_fourier::exact::convolve_of) on the CPU;
/// [`Error::NotOnDevice`] for another engine than `ntt`; those of the device.
pub fn convolve_of(
    device: &Device,
    array: Values<'_>,
    shape: &Shape,
    kernel: Values<'_>,
    kernel_shape: &Shape,
    options: &Options,
    kind: Kind,
) -> Result<Answer> {
    answer(device, &Task::new(array, shape, kernel, kernel_shape, options)?, options.engine, kind)
}

/// The same of a task that was made before.
///
/// # Errors
/// As for [`convolve_of`].
pub fn answer(device: &Device, task: &Task<'_>, engine: Option<Engine>, kind: Kind) -> Result<Answer> {
    if let Some(engine) = engine.filter(|&engine| engine != Engine::Ntt) {
        return Err(crate::not_on_gpu("exact convolution", engine.name(), "ntt"));
    }
    let numbers = run(device, task, kind, MAX_LOG, device.limits().int64)?;
    Ok(Answer { numbers, engine: Engine::Ntt })
}

/// The same with transforms of at most 2^`max_log` elements, 2^12 at least, and with or without integers of 64 bits: for tests.
///
/// # Errors
/// As for [`convolve_of`].
#[doc(hidden)]
pub fn run(device: &Device, task: &Task<'_>, kind: Kind, max_log: u32, int64: bool) -> Result<Numbers> {
    let limits = device.limits();
    // Two words an element must fit a binding.
    let fits = (limits.binding_bytes.min(limits.buffer_bytes) / 8).max(1).ilog2();
    if fits < TILE_LOG {
        return Err(Error::device_limit("bindings are too small for transforms of 4096 elements".to_owned()));
    }
    let plan = Plan::within(&task.problem, TILE_LOG, max_log.min(fits).max(TILE_LOG))?;
    let garner = Garner::new(&task.bound);
    let transforms = garner
        .primes()
        .iter()
        .map(|prime| Transform::new(device, prime, plan.log, int64))
        .collect::<Result<Vec<_>>>()?;
    let work = Work { device, task, plan, transforms, fits };
    assembled(task, &plan, &garner, kind, &mut |assembly| work.all_blocks(assembly))
}

struct Work<'a> {
    device: &'a Device,
    task: &'a Task<'a>,
    plan: Plan,
    transforms: Vec<Transform<'a>>,
    /// Elements that a binding can hold, as a power of two.
    fits: u32,
}

/// The bits of elements on the device.
struct Bits {
    buffer: Buffer,
    known: u64,
    is_long: bool,
    bias: u64,
}

impl Work<'_> {
    fn len(&self) -> u64 {
        self.plan.transform_len() as u64
    }

    fn buffers(&self, rows: u64) -> Result<Vec<Buffer>> {
        self.transforms.iter().map(|_| self.device.words(rows * self.len(), "residues")).collect()
    }

    /// Brings the bits of rows of elements to the device: each begins somewhere in a flat window, and has `len` elements.
    fn upload(&self, window: &Window<'_>, rows: &[isize], len: usize) -> Result<Bits> {
        let is_long = window.values.is_long();
        let known = (rows.len() * len) as u64;
        let buffer = self.device.words(if is_long { 2 * known } else { known }, "bits of elements")?;
        for high in [false, true] {
            if high && !is_long {
                continue;
            }
            let offset = if high { 4 * known } else { 0 };
            transfer::upload(self.device, &buffer, offset, 4 * known, |at, piece| {
                use rayon::prelude::*;
                const CHUNK: usize = 1 << 14;
                let first = at as usize / 4;
                piece.par_chunks_mut(4 * CHUNK).enumerate().for_each(|(chunk, bytes)| {
                    let mut words = vec![0u32; bytes.len() / 4];
                    let start = first + chunk * CHUNK;
                    let mut done = 0;
                    while done < words.len() {
                        let (row, column) = ((start + done) / len, (start + done) % len);
                        let count = (len - column).min(words.len() - done);
                        let from = rows[row] + column as isize;
                        half(window, self.plan.pitch, from, high, &mut words[done..done + count]);
                        done += count;
                    }
                    bytes.copy_from_slice(bytemuck::cast_slice(&words));
                });
            })?;
        }
        Ok(Bits { buffer, known, is_long, bias: window.values.bias() })
    }

    /// The transforms of a piece of the kernel, for every prime.
    fn spectra(&self, piece: usize) -> Result<Vec<Buffer>> {
        let Plan { piece: len, kernel_len, .. } = self.plan;
        let start = piece * len;
        let bits = self.upload(&self.task.problem.kernel, &[start as isize], len.min(kernel_len - start))?;
        let spectra = self.buffers(1)?;
        let mut commands = self.device.record();
        for (transform, spectrum) in self.transforms.iter().zip(&spectra) {
            let given = (&bits.buffer, bits.known, bits.is_long);
            transform.residues(&mut commands, given, bits.bias, (spectrum, self.len()))?;
            transform.forward(&mut commands, spectrum, 1)?;
        }
        commands.submit()?;
        Ok(spectra)
    }

    fn all_blocks(&self, assembly: &mut Assembly<'_>) -> Result<()> {
        let spectra = (0..self.plan.pieces()).map(|piece| self.spectra(piece)).collect::<Result<Vec<_>>>()?;
        if spectra.len() > 1 {
            return self.blocks_of_pieces(&spectra, assembly);
        }
        let batch = 1usize << BATCH_LOG.min(self.fits).saturating_sub(self.plan.log);
        let blocks = self.plan.blocks();
        let values = self.buffers(batch.min(blocks) as u64)?;
        for start in (0..blocks).step_by(batch) {
            let rows: Vec<isize> = (start..blocks.min(start + batch)).map(|i| self.plan.block(i).array_from).collect();
            let count = rows.len() as u64;
            let bits = self.upload(&self.task.problem.array, &rows, self.needed(&rows))?;
            let mut commands = self.device.record();
            for (prime, transform) in self.transforms.iter().enumerate() {
                let given = (&bits.buffer, bits.known, bits.is_long);
                transform.residues(&mut commands, given, bits.bias, (&values[prime], count * self.len()))?;
                transform.convolve(&mut commands, &values[prime], &spectra[0][prime], count)?;
            }
            commands.submit()?;
            for row in 0..count {
                self.answers(&values, row, assembly)?;
            }
        }
        Ok(())
    }

    /// How many elements of each row are uploaded: of a single one, those that the array has.
    fn needed(&self, rows: &[isize]) -> usize {
        let len = self.plan.transform_len();
        match *rows {
            [from] => {
                let there = self.task.problem.array.flat_len(self.plan.pitch) as isize - from;
                there.clamp(1, len as isize) as usize
            }
            _ => len,
        }
    }

    /// Where the kernel is cut into pieces: sums of products, block by block.
    fn blocks_of_pieces(&self, spectra: &[Vec<Buffer>], assembly: &mut Assembly<'_>) -> Result<()> {
        let (values, sums) = (self.buffers(1)?, self.buffers(1)?);
        for index in 0..self.plan.blocks() {
            let block = self.plan.block(index);
            for (piece, spectra) in spectra.iter().enumerate() {
                let from = block.array_from - (piece * self.plan.piece) as isize;
                let bits = self.upload(&self.task.problem.array, &[from], self.plan.transform_len())?;
                let mut commands = self.device.record();
                for (prime, transform) in self.transforms.iter().enumerate() {
                    let given = (&bits.buffer, bits.known, bits.is_long);
                    transform.residues(&mut commands, given, bits.bias, (&values[prime], self.len()))?;
                    transform.forward(&mut commands, &values[prime], 1)?;
                    let (sums, values) = (&sums[prime], &values[prime]);
                    transform.accumulate(&mut commands, sums, values, &spectra[prime], piece == 0)?;
                }
                commands.submit()?;
            }
            let mut commands = self.device.record();
            for (transform, sums) in self.transforms.iter().zip(&sums) {
                transform.inverse(&mut commands, sums)?;
            }
            commands.submit()?;
            self.answers(&sums, 0, assembly)?;
        }
        Ok(())
    }

    /// Takes the residues of the next block's answers from a row of every buffer.
    fn answers(&self, values: &[Buffer], row: u64, assembly: &mut Assembly<'_>) -> Result<()> {
        let block = assembly.next_block().expect("blocks are put in order");
        let mut residues = Vec::new();
        for buffer in values {
            let mut words = thalweg_core::memory::large_zeroed::<u32>(block.count, "residues")?;
            let offset = 4 * (row * self.len() + block.offset as u64);
            let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut words);
            transfer::download_bytes(self.device, buffer, offset, bytes)?;
            residues.push(words);
        }
        let mut slices: Vec<&mut [u32]> = residues.iter_mut().map(|words| &mut words[..]).collect();
        assembly.put(&mut slices);
        Ok(())
    }
}
