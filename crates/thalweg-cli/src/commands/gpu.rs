//! The engines on the GPU, by the names that the command line takes.

#[cfg(not(feature = "gpu"))]
pub const RMQ: &[&str] = &[];
#[cfg(not(feature = "gpu"))]
pub const ANSV: &[&str] = &[];
#[cfg(not(feature = "gpu"))]
pub const LIST: &[&str] = &[];
#[cfg(not(feature = "gpu"))]
pub const FOREST: &[&str] = &[];
#[cfg(not(feature = "gpu"))]
pub const LCA: &[&str] = &[];
#[cfg(not(feature = "gpu"))]
pub const SEARCH: &[&str] = &[];

#[cfg(feature = "gpu")]
pub use on::{
    ANSV, Asked, FOREST, LCA, LIST, RMQ, SEARCH, Seeker, ansv, cartesian, extensions, forest, lca, lce, rank, rmq,
    subtree, suffix_array,
};

use thalweg::tree::{Lca, Node};

/// Numbers of elements and nodes, which have 32 bits on a device.
#[cfg_attr(not(feature = "gpu"), allow(dead_code))]
pub trait Numbers: Node {
    /// The numbers as the device takes them, unless they have 64 bits.
    fn narrow(numbers: &[Self]) -> Option<&[u32]>;
    /// The device's numbers.
    fn widen(numbers: Vec<u32>) -> Option<Vec<Self>>;
    /// The device's index.
    fn index(lca: Lca<'static, u32>) -> Option<Lca<'static, Self>>;
}

impl Numbers for u32 {
    fn narrow(numbers: &[Self]) -> Option<&[u32]> {
        Some(numbers)
    }
    fn widen(numbers: Vec<u32>) -> Option<Vec<Self>> {
        Some(numbers)
    }
    fn index(lca: Lca<'static, u32>) -> Option<Lca<'static, Self>> {
        Some(lca)
    }
}

impl Numbers for u64 {
    fn narrow(_: &[Self]) -> Option<&[u32]> {
        None
    }
    fn widen(_: Vec<u32>) -> Option<Vec<Self>> {
        None
    }
    fn index(_: Lca<'static, u32>) -> Option<Lca<'static, Self>> {
        None
    }
}

#[cfg(feature = "gpu")]
mod on {
    use thalweg::ansv::AnsvEngine;
    use thalweg::list::Direction;
    use thalweg::rmq::Position;
    use thalweg::text::{SuffixArray, Symbol};
    use thalweg::tree::Lca;
    use thalweg::{Error, Key, Order, Positions, Rmq};
    use thalweg_gpu::text::{self, Text, search};
    use thalweg_gpu::tree::{self, Cartesian, Forest, Nodes};
    use thalweg_gpu::{Device, DeviceArray, ansv, list, rmq};

    use super::Numbers;
    use crate::commands::forest::Found;
    use thalweg_cli::failure::{Failure, Outcome};
    use thalweg_cli::padded_tree::PaddedTreeArgs;

    /// Names of the RMQ engines.
    pub const RMQ: &[&str] = &["lines", "hierarchy", "padded_tree", "inlabel", "scan"];
    /// Names of the ANSV engines.
    pub const ANSV: &[&str] = &["tiles", "thesis"];

    /// Names of the list ranking engines.
    pub const LIST: &[&str] = &["helman_jaja", "pointer_jumping", "independent_set"];
    /// Names of the engines for roots and depths.
    pub const FOREST: &[&str] = &["pointer_jumping", "euler_tour"];
    /// Names of the string matching engines.
    pub const SEARCH: &[&str] = &["blocks", "duel"];
    /// Names of the LCA engines.
    pub const LCA: &[&str] = &["inlabel", "euler_rmq"];

    /// Builds an index on the device.
    pub fn rmq<'a, K: Key>(
        device: &Device,
        array: &'a [K],
        order: Order,
        engine: Option<&str>,
        chunk: Option<usize>,
        threshold: Option<usize>,
        padded_tree: PaddedTreeArgs,
    ) -> Outcome<Rmq<'a, K>> {
        let engine = engine.map(rmq_engine).transpose()?;
        let small = |option: &str, value: Option<usize>| match value.map(u32::try_from).transpose() {
            Ok(value) => Ok(value),
            Err(_) => Err(Failure::at(option, "more than 32 bits")),
        };
        let (chunk, threshold) = (small("--chunk", chunk)?, small("--threshold", threshold)?);
        let builder = padded_tree.gpu_builder().order(order).engine(engine).chunk(chunk).threshold(threshold);
        Ok(builder.build(device, array)?.into_rmq())
    }

    /// The engine on the device.
    pub fn ansv<K: Key>(device: &Device, engine: Option<&str>) -> Outcome<Box<dyn AnsvEngine<K>>> {
        let engine = engine.map(str::parse::<ansv::Engine>).transpose()?;
        Ok(Box::new(ansv::OnDevice::new(device, engine.unwrap_or(ansv::Builder::new().chosen()))))
    }

    /// An engine of range minima. The plain scan has the same name on both devices for the user.
    fn rmq_engine(name: &str) -> thalweg::Result<rmq::Engine> {
        if name == "naive" { "scan" } else { name }.parse()
    }

    /// Sorts suffixes on the device; and what neighbours have in common, if that is asked for.
    pub fn suffix_array(device: &Device, bytes: &[u8], with_lcp: bool) -> Outcome<(Vec<u32>, Option<Vec<u32>>)> {
        let text = Text::upload(device, bytes)?;
        if !with_lcp {
            return Ok((text::suffix_array(&text)?.to_vec()?, None));
        }
        let suffixes = text::suffix_array_with_lcp(&text)?;
        Ok((suffixes.positions.to_vec()?, Some(suffixes.lcp.to_vec()?)))
    }

    /// An index for common extensions on the device.
    pub fn lce<T: Symbol>(device: &Device, suffixes: &SuffixArray<'_, T>, engine: Option<&str>) -> Outcome<text::Lce> {
        let engine = engine.map(rmq_engine).transpose()?;
        Ok(text::Lce::of(device, suffixes, rmq::Builder::new().engine(engine))?)
    }

    /// Common extensions of pairs of any width.
    pub fn extensions<P: Position>(lce: &text::Lce, pairs: &[[P; 2]], out: &mut [P]) -> thalweg::Result<()> {
        // What does not fit is beyond every text.
        let narrow = |position: P| u32::try_from(position.get()).unwrap_or(u32::MAX);
        let narrow: Vec<[u32; 2]> = pairs.iter().map(|pair| pair.map(narrow)).collect();
        let mut lengths = vec![0; pairs.len()];
        lce.batch(&narrow, &mut lengths).map_err(|e| match e {
            Error::Pair { row, len, .. } => {
                let [first, second] = pairs[row].map(|position| position.get() as u64);
                Error::Pair { row, first, second, len }
            }
            other => other,
        })?;
        out.iter_mut().zip(lengths).for_each(|(out, length)| *out = P::new(length as usize));
        Ok(())
    }

    /// String matching on a device.
    pub struct Seeker {
        device: Device,
        builder: search::Builder,
    }

    impl Seeker {
        pub fn new(device: &Device, engine: Option<&str>) -> Outcome<Self> {
            let engine = engine.map(str::parse::<search::Engine>).transpose()?;
            Ok(Self { device: device.clone(), builder: search::Builder::new().engine(engine) })
        }

        pub fn name(&self) -> &'static str {
            self.builder.chosen().name()
        }

        fn find(&self, bytes: &[u8], pattern: &[u8]) -> thalweg::Result<DeviceArray<u32>> {
            self.builder.find_all(&Text::upload(&self.device, bytes)?, pattern)
        }

        pub fn count(&self, bytes: &[u8], pattern: &[u8]) -> thalweg::Result<usize> {
            Ok(self.find(bytes, pattern)?.len() as usize)
        }

        pub fn find_all(&self, bytes: &[u8], pattern: &[u8]) -> thalweg::Result<Positions> {
            self.find(bytes, pattern)?.to_vec().map(Positions::U32)
        }
    }

    fn too_long(len: usize) -> Failure {
        Failure::at("--device", format_args!("{len}: numbers on the device have 32 bits; --device cpu does more"))
    }

    fn upload<P: Numbers>(device: &Device, numbers: &[P]) -> Outcome<DeviceArray<u32>> {
        let narrow = P::narrow(numbers).ok_or_else(|| too_long(numbers.len()))?;
        Ok(device.upload(narrow)?)
    }

    fn download<P: Numbers>(numbers: &DeviceArray<u32>) -> Outcome<Vec<P>> {
        P::widen(numbers.to_vec()?).ok_or_else(|| too_long(numbers.len() as usize))
    }

    /// Ranks lists on the device, and names the engine. Errors of the lists are the library's.
    pub fn rank<P: Numbers>(
        device: &Device,
        next: &[P],
        weights: Option<&[i64]>,
        direction: Direction,
        engine: Option<&str>,
    ) -> Outcome<(thalweg::Result<Vec<i64>>, &'static str)> {
        let engine = engine.map(str::parse::<list::Engine>).transpose()?;
        let builder = list::Builder::new().engine(engine).direction(direction);
        let next = upload(device, next)?;
        let ranks = || match weights {
            Some(weights) => builder.sums(&next, &device.upload(weights)?)?.to_vec(),
            None => Ok(builder.rank(&next)?.to_vec()?.into_iter().map(i64::from).collect()),
        };
        Ok((ranks(), builder.chosen().name()))
    }

    /// Asks a forest on the device.
    pub fn forest<P: Numbers>(
        device: &Device,
        parents: &[P],
        engine: Option<&str>,
        with_tour: bool,
    ) -> Outcome<thalweg::Result<Found<P>>> {
        let engine = engine.map(str::parse::<tree::Engine>).transpose()?;
        let parents = upload(device, parents)?;
        let ask = || {
            let forest = Forest::from_parents(parents)?;
            let found = engine.map_or_else(|| forest.depths(), |engine| forest.depths_by(engine))?;
            Ok((found, if with_tour { Some(forest.tour()?) } else { None }))
        };
        let (found, tour) = match ask() {
            Ok(found) => found,
            Err(e) => return Ok(Err(e)),
        };
        let orders = match tour {
            Some(tour) => Some([download(&tour.sizes)?, download(&tour.preorder)?]),
            None => None,
        };
        let (roots, depths) = (download(&found.roots)?, download(&found.depths)?);
        Ok(Ok(Found { roots, depths, orders, engine: found.engine.name() }))
    }

    /// The parents of an array's Cartesian tree.
    pub fn cartesian<K: Key, P: Numbers>(device: &Device, array: &[K], order: Order) -> Outcome<Vec<P>> {
        download(&Cartesian::with_order(&device.upload(array)?, order)?.parents()?)
    }

    /// An index for lowest common ancestors on the device, and the nodes' depths.
    pub fn lca<P: Numbers>(
        device: &Device,
        parents: &[P],
        engine: Option<&str>,
    ) -> Outcome<thalweg::Result<(Lca<'static, P>, Vec<P>)>> {
        let engine = engine.map(str::parse::<tree::lca::Engine>).transpose()?;
        let on_device = upload(device, parents)?;
        let build = || {
            let forest = Forest::from_parents(on_device)?;
            let tour = forest.tour()?;
            Ok((tree::lca::Builder::new().engine(engine).build_with(&forest, &tour)?, tour))
        };
        let (lca, tour) = match build() {
            Ok(built) => built,
            Err(e) => return Ok(Err(e)),
        };
        let index = P::index(lca.into_lca()).ok_or_else(|| too_long(parents.len()))?;
        Ok(Ok((index, download(&tour.levels)?)))
    }

    /// What is asked of subtrees, and the answers.
    pub enum Asked<'a, K, P> {
        Minima(&'a [K], Order, &'a mut Vec<K>),
        Argmin(&'a [K], Order, &'a mut Vec<P>),
        Sums(&'a [i64], &'a mut Vec<i64>),
        Sizes(&'a mut Vec<P>),
    }

    /// Asks for the subtrees of some nodes, or of all.
    pub fn subtree<K: Key, P: Numbers>(
        device: &Device,
        parents: &[P],
        nodes: Option<&[P]>,
        asked: Asked<'_, K, P>,
    ) -> Outcome {
        let tour = Forest::from_parents(upload(device, parents)?)?.tour()?;
        let some = nodes.map(|nodes| upload(device, nodes)).transpose()?;
        let nodes = some.as_ref().map_or(Nodes::All, Nodes::Some);
        match asked {
            Asked::Minima(values, order, out) => {
                *out = tour.subtree_minima(&device.upload(values)?, order, nodes)?.to_vec()?;
            }
            Asked::Argmin(values, order, out) => {
                *out = download(&tour.subtree_argmin(&device.upload(values)?, order, nodes)?)?;
            }
            Asked::Sums(weights, out) => *out = tour.subtree_sums(&device.upload(weights)?, nodes)?.to_vec()?,
            Asked::Sizes(out) => *out = download(&tour.subtree_sizes(nodes)?)?,
        }
        Ok(())
    }
}
