//! Options of the engine `padded_tree`.

use thalweg::rmq::Builder;

use crate::numbers::parse_count;

/// Sizes of the engine `padded_tree`.
#[derive(Clone, Copy, clap::Args)]
pub struct PaddedTreeArgs {
    /// Engine padded_tree: elements of a block, 4, 8 or 16
    #[arg(long, value_name = "B1", value_parser = parse_count)]
    pub block: Option<usize>,

    /// Engine padded_tree: blocks of a superblock, 16, 32 or 64
    #[arg(long, value_name = "B2", value_parser = parse_count)]
    pub superblock: Option<usize>,

    /// Engine padded_tree: bits of the strings in the dictionary, 2, 4 or 8
    #[arg(long, value_name = "BITS", value_parser = parse_count)]
    pub dictionary: Option<usize>,
}

impl PaddedTreeArgs {
    /// A builder with these sizes.
    pub fn builder(self) -> Builder {
        Builder::new().block(self.block).superblock(self.superblock).dictionary(self.dictionary)
    }

    /// A builder for the GPU with these sizes.
    #[cfg(feature = "gpu")]
    pub fn gpu_builder(self) -> thalweg_gpu::rmq::Builder {
        thalweg_gpu::rmq::Builder::new().block(self.block).superblock(self.superblock).dictionary(self.dictionary)
    }
}
