//! Options of engines for range minima, which belong to one engine each.

use thalweg::rmq::Engine;

use crate::failure::{Failure, Outcome};
use crate::numbers::parse_count;

/// Options of the engines `hierarchy`, `padded_tree` and `ray`.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub struct RmqEngineArgs {
    /// Engine hierarchy: elements of a chunk
    #[arg(long, value_name = "C", value_parser = parse_count)]
    pub chunk: Option<usize>,

    /// Engine hierarchy: chunks of the top layer at most
    #[arg(long, value_name = "T", value_parser = parse_count)]
    pub threshold: Option<usize>,

    /// Engine padded_tree: elements of a block, 4, 8 or 16
    #[arg(long, value_name = "B1", value_parser = parse_count)]
    pub block: Option<usize>,

    /// Engine padded_tree: blocks of a superblock, 16, 32 or 64
    #[arg(long, value_name = "B2", value_parser = parse_count)]
    pub superblock: Option<usize>,

    /// Engine padded_tree: bits of the strings in the dictionary, 2, 4 or 8
    #[arg(long, value_name = "BITS", value_parser = parse_count)]
    pub dictionary: Option<usize>,

    /// Engine ray: triangles at most, from 16 to 2^22
    #[arg(long, value_name = "T", value_parser = parse_count)]
    pub triangles: Option<usize>,
}

impl RmqEngineArgs {
    /// The engine with these options. One that it does not have is a failure, and so is one without an engine.
    pub fn engine(self, engine: Option<Engine>) -> Outcome<Option<Engine>> {
        self.expect_of(engine.as_slice())?;
        Ok(engine.map(|engine| self.applied(engine)))
    }

    /// The engine with those of the options that it has.
    pub fn applied(self, engine: Engine) -> Engine {
        let Self { chunk, threshold, block, superblock, dictionary, triangles } = self;
        match engine {
            Engine::Hierarchy(options) => Engine::Hierarchy(thalweg::rmq::HierarchyOptions {
                chunk: chunk.or(options.chunk),
                threshold: threshold.or(options.threshold),
                ..options
            }),
            Engine::PaddedTree(options) => Engine::PaddedTree(thalweg::rmq::PaddedTreeOptions {
                block: block.or(options.block),
                superblock: superblock.or(options.superblock),
                dictionary: dictionary.or(options.dictionary),
            }),
            Engine::Ray(options) => {
                Engine::Ray(thalweg::rmq::RayOptions { triangles: triangles.or(options.triangles) })
            }
            other => other,
        }
    }

    /// A failure if an option is given that none of these engines has.
    pub fn expect_of(self, engines: &[Engine]) -> Outcome {
        let has = |wanted: &str| engines.iter().any(|engine| engine.name() == wanted);
        let options = [
            ("--chunk", self.chunk, "hierarchy"),
            ("--threshold", self.threshold, "hierarchy"),
            ("--block", self.block, "padded_tree"),
            ("--superblock", self.superblock, "padded_tree"),
            ("--dictionary", self.dictionary, "padded_tree"),
            ("--triangles", self.triangles, "ray"),
        ];
        match options.iter().find(|(_, value, engine)| value.is_some() && !has(engine)) {
            Some((option, _, engine)) => {
                Err(Failure::new(format_args!("{option} is for {engine} (--engine {engine})")))
            }
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use thalweg::rmq::{HierarchyOptions, LinesOptions};

    use super::*;

    #[test]
    fn options_go_to_their_engine_or_are_refused() {
        let args = RmqEngineArgs { chunk: Some(7), ..Default::default() };
        let layers = Engine::Hierarchy(HierarchyOptions::DEFAULT);
        let wanted = Engine::Hierarchy(HierarchyOptions { chunk: Some(7), ..HierarchyOptions::DEFAULT });
        assert_eq!(args.engine(Some(layers)).unwrap(), Some(wanted));
        let refused = args.engine(Some(Engine::Lines(LinesOptions::DEFAULT))).unwrap_err();
        assert_eq!(refused.to_string(), "--chunk is for hierarchy (--engine hierarchy)");
        assert!(args.engine(None).is_err());
        assert_eq!(RmqEngineArgs::default().engine(None).unwrap(), None);
    }
}
