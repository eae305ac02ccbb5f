//! Range minimum queries (RMQ) on the device.
//!
//! [`build`] makes an [`Index`] of a slice's bits, which as an engine of [`Rmq`](thalweg_arrays::Rmq) answers like those on
//! the CPU: bit for bit, the leftmost position on ties. [`DeviceRmq`] is the same over an array that is on the device
//! already, for queries and answers that stay there. Batches from the host go up, run and come back in tiles beside each
//! other.
//!
//! | engine | idea | extra memory | query | source |
//! |---|---|---|---|---|
//! | `lines` (default) | minima of lines, opened only where they can matter, under a small table | 5 to 23 % | O(1), mostly from cache | this project |
//! | `hierarchy` | minima of chunks of c, of those again, down to t chunks | n/(c-1) keys and positions | O(c log n + ct) | GPU-RMQ, Kreis et al. 2026 |
//! | `padded_tree` | codes of the Cartesian trees of blocks, packed tables over them | 4.1 bits an element | O(1), mostly from cache | Soman et al. 2012 |
//! | `inlabel` | lowest common ancestors in the Cartesian tree, of at most 2^31 - 1 elements | 16 bytes an element | O(1), 2 to 4 random reads | Schieber, Vishkin 1988, Ryssel 2025 |
//! | `ray` | rays against triangles at the height of ranks, over layers of minima; a tree where no rays are traced | n/7 keys and positions, at most 2^22 triangles | a ray, or O(log n) | RTXRMQ, Meneses et al. 2024; GPU-RMQ |
//! | `naive` | scans the range | none | O(n) | the oracle |
//!
//! `lines` takes 8 times the array more, for windows, once values of a batch are asked of it that is four times as long as the array, and
//! the array has at most 2^21 elements of at most 32 bits: see [`DeviceRmq::device_bytes`].
//!
//! Batches of elements in order (`smallest_each`, `below_each`) are answered with every engine by layers of minima, a 31st of the array, which are made
//! when they are first asked for. [`build_changing`] makes an index with `lines` that owns its array and follows changes.
//!
//! The other engines of the CPU are [`Error::NotOnDevice`].

mod batch;
mod changing;
mod device_rmq;
mod hierarchy;
mod in_order;
mod index;
mod inlabel;
mod lines;
mod naive;
mod padded_tree;
mod ray;
mod sparse_table;
mod with_array;

pub use thalweg_arrays::rmq::{
    Assignment, Engine, HierarchyOptions, LinesOptions, Load, PaddedTreeOptions, RayOptions,
};
use thalweg_core::bits::Bits;
use thalweg_core::{Coding, Error, Result};

pub use self::changing::{ChangingIndex, build_changing};
pub use self::device_rmq::DeviceRmq;
pub use self::index::Index;
pub use self::lines::Shape;
use crate::array::Keys;
use crate::device::Device;

/// Copies the bits of an array to the device and builds an index over them, of keys that the coding tells the order of.
///
/// ```no_run
/// use thalweg_arrays::Rmq;
/// use thalweg_core::bits::{Array, Bits};
/// use thalweg_core::{Chosen, Coding, Order};
/// use thalweg_gpu::{Choice, Device, rmq};
/// let (device, keys) = (Device::open(&Choice::Auto)?, [2.0, 9.0, 9.0, 4.0]);
/// let index = rmq::build(&device, Bits::of(&keys), Coding::of::<f64>(Order::Max), rmq::Engine::default())?;
/// let chosen = Chosen::on_device(device.name(), index.engine(), "an example");
/// let highest = Rmq::<f64>::from_engine(index.with_array(Array::of::<f64>(&keys[..])), Order::Max, chosen);
/// assert_eq!(highest.position(..), Some(1));
/// # Ok::<(), thalweg_core::Error>(())
/// ```
///
/// # Errors
/// [`Error::NotOnDevice`] for an engine that GPUs do not have, [`Error::BadOption`] for an option's value that does not
/// work; [`Error::Bits`] if the coding is for keys of another width; those of the device.
pub fn build(device: &Device, bits: Bits<'_>, coding: Coding, engine: Engine) -> Result<Index> {
    let (expected, got) = (8 * coding.bytes() as u32, 8 * bits.width() as u32);
    if got != expected {
        return Err(Error::Bits { what: "the array's keys", expected, got });
    }
    index::expect_on_gpu(engine)?;
    Index::over(Keys::upload(device, bits)?, coding, engine)
}
