//! Outputs that are packed: blocks that all threads pack, each a member of a gzip file or a frame of zstd. Both formats allow
//! any number of them.

use std::io::{self, Write};

use flate2::write::GzEncoder;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use thalweg_core::parallel;

use crate::format::Packing;

/// Bytes of a block: what is equal in two of them is not found.
const BLOCK: usize = 1 << 20;

/// Blocks that are packed at a time.
const BLOCKS: usize = 32;

/// Packs bytes as they come.
pub struct Packer {
    packing: Packing,
    pending: Vec<u8>,
    is_empty: bool,
}

impl Packer {
    /// A packer, unless bytes go as they are.
    pub fn new(packing: Packing) -> Option<Self> {
        (packing != Packing::None).then(|| Self { packing, pending: Vec::new(), is_empty: true })
    }

    /// Takes bytes, and hands on what is packed.
    pub fn push(&mut self, mut bytes: &[u8], put: &mut dyn FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
        while !bytes.is_empty() {
            let (now, later) = bytes.split_at(bytes.len().min(BLOCKS * BLOCK - self.pending.len()));
            self.pending.extend_from_slice(now);
            bytes = later;
            if self.pending.len() == BLOCKS * BLOCK {
                self.flush(put)?;
            }
        }
        Ok(())
    }

    /// Hands on the rest. There is always something: nothing at all is no packed file.
    pub fn finish(&mut self, put: &mut dyn FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
        if self.is_empty && self.pending.is_empty() {
            self.is_empty = false;
            return put(&pack(self.packing, &[])?);
        }
        self.flush(put)
    }

    fn flush(&mut self, put: &mut dyn FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
        let blocks: Vec<&[u8]> = self.pending.chunks(BLOCK).collect();
        let mut packed: Vec<io::Result<Vec<u8>>> = blocks.iter().map(|_| Ok(Vec::new())).collect();
        parallel::for_each_chunk_mut(&mut packed, 1, &|i, packed| packed[0] = pack(self.packing, blocks[i]));
        for packed in packed {
            put(&packed?)?;
            self.is_empty = false;
        }
        self.pending.clear();
        Ok(())
    }
}

fn pack(packing: Packing, bytes: &[u8]) -> io::Result<Vec<u8>> {
    match packing {
        Packing::None => Ok(bytes.to_vec()),
        Packing::Gzip => {
            let mut encoder = GzEncoder::new(Vec::new(), flate2::Compression::default());
            encoder.write_all(bytes)?;
            encoder.finish()
        }
        Packing::Zstd => Ok(compress_to_vec(bytes, CompressionLevel::Fastest)),
    }
}
