//! Lists and forests: from files, or generated.

use std::ops::Range;
use std::path::PathBuf;

use thalweg::Position;
use thalweg_data::{ForestKind, ListKind};

use super::{Loaded, SeedArgs, integers};
use crate::choice::one_of;
use crate::dtype::DType;
use crate::failure::{Failure, Outcome};
use crate::memory;
use crate::numbers::{parse_count, show_count};
use crate::progress::Progress;

/// Where the list comes from
#[derive(clap::Args)]
#[command(next_help_heading = "List")]
pub struct ListArgs {
    /// The successor of every element, from 0: integers; the last of a list has -1 or itself; generated if left out
    #[arg(long, value_name = "FILE")]
    pub next: Option<PathBuf>,

    /// Number of elements to generate
    #[arg(long, value_parser = parse_count, default_value = "2^22", conflicts_with = "next")]
    n: usize,

    /// Kind of list to generate
    #[arg(long, alias = "list-kind", value_parser = one_of(ListKind::ALL, ListKind::name), default_value = "random", conflicts_with = "next")]
    kind: ListKind,

    #[command(flatten)]
    common: LinkArgs,
}

/// Where the forest comes from
#[derive(clap::Args)]
#[command(next_help_heading = "Forest")]
pub struct ForestArgs {
    /// The parent of every node, from 0: integers; a root has -1 or itself; generated if left out
    #[arg(long, value_name = "FILE")]
    pub parents: Option<PathBuf>,

    /// Number of nodes to generate
    #[arg(long, value_parser = parse_count, default_value = "2^22", conflicts_with = "parents")]
    n: usize,

    /// Kind of forest to generate
    #[arg(long, alias = "forest-kind", value_parser = one_of(ForestKind::ALL, ForestKind::name), default_value = "random", conflicts_with = "parents")]
    kind: ForestKind,

    /// Number the nodes of a generated forest at random, instead of parents first
    #[arg(long, conflicts_with = "parents")]
    shuffle: bool,

    #[command(flatten)]
    common: LinkArgs,
}

#[derive(clap::Args)]
struct LinkArgs {
    /// Type of raw integers, in files that are not .npy
    #[arg(long, value_name = "TYPE", value_parser = DType::from_option, default_value = "i64")]
    dtype: DType,

    #[command(flatten)]
    seed: SeedArgs,
}

/// Links of elements or nodes, from a file or to be generated.
pub struct Links {
    /// How many elements or nodes.
    pub len: usize,
    source: Source,
    /// Seed of everything that is generated.
    pub seed: u64,
    /// Type of raw integers.
    pub dtype: DType,
}

enum Source {
    File(Loaded, What),
    List(ListKind),
    Forest(ForestKind, bool),
}

/// What the links are called.
#[derive(Clone, Copy)]
struct What {
    /// As an option and in the plural.
    links: &'static str,
    /// Whose they are.
    thing: &'static str,
}

const NEXT: What = What { links: "successors", thing: "element" };
const PARENTS: What = What { links: "parents", thing: "node" };

impl ListArgs {
    /// Opens the file, or notes what to generate.
    pub fn open(&self, progress: &Progress) -> Outcome<Links> {
        let LinkArgs { dtype, seed } = self.common;
        open(progress, self.next.as_ref(), NEXT, dtype, seed.get(), self.n, Source::List(self.kind))
    }
}

impl ForestArgs {
    /// The seed of the forest and of what is made for it.
    pub fn seed(&self) -> SeedArgs {
        self.common.seed
    }

    /// Opens the file, or notes what to generate.
    pub fn open(&self, progress: &Progress) -> Outcome<Links> {
        let LinkArgs { dtype, seed } = self.common;
        open(
            progress,
            self.parents.as_ref(),
            PARENTS,
            dtype,
            seed.get(),
            self.n,
            Source::Forest(self.kind, self.shuffle),
        )
    }
}

fn open(
    progress: &Progress,
    path: Option<&PathBuf>,
    what: What,
    dtype: DType,
    seed: u64,
    n: usize,
    generated: Source,
) -> Outcome<Links> {
    progress.stage("reading");
    let Some(path) = path else {
        progress.say(format_args!("{}: no file, so {} are generated", what.links, show_count(n)));
        return Ok(Links { len: n, source: generated, seed, dtype });
    };
    let file = Loaded::open(path, Some(dtype), 1)?;
    let len = integers::length(&file, what.links)?;
    progress.say(format_args!("{}: {}", what.links, file.describe(false)));
    Ok(Links { len, source: Source::File(file, what), seed, dtype })
}

impl Links {
    /// The links in a width that fits.
    pub fn get<P: Position>(&self) -> Outcome<Vec<P>> {
        match &self.source {
            Source::File(file, what) => integers::links(file, what.links, what.thing),
            &Source::List(kind) => make_list(kind, self.len, self.seed),
            &Source::Forest(kind, shuffle) => make_forest(kind, self.len, shuffle, self.seed),
        }
    }

    /// Those of some elements or nodes only; what is generated is generated whole.
    pub fn part<P: Position>(&self, rows: Range<usize>) -> Outcome<Vec<P>> {
        match &self.source {
            Source::File(file, what) => integers::links_of(file, what.links, what.thing, rows),
            Source::List(_) | Source::Forest(..) => Ok(self.get::<P>()?[rows].to_vec()),
        }
    }

    /// The file's name, or the kind that is generated.
    pub fn origin(&self) -> String {
        match &self.source {
            Source::File(file, _) => file.name.clone(),
            Source::List(kind) => format!("{}, seed {}", kind.name(), self.seed),
            Source::Forest(kind, shuffle) => {
                let order = if *shuffle { "shuffled" } else { "parents first" };
                format!("{}, {order}, seed {}", kind.name(), self.seed)
            }
        }
    }

    /// The type of the links in their file; those that are made are of type `made`.
    pub fn own_dtype(&self, made: &'static str) -> &'static str {
        match &self.source {
            Source::File(file, _) => file.layout.dtype.name(),
            Source::List(_) | Source::Forest(..) => made,
        }
    }

    /// Puts the place in front of the library's complaint.
    pub fn failure(&self, error: thalweg::Error) -> Failure {
        Failure::at(self.origin(), error)
    }
}

/// Makes a list, if there is memory for it.
pub fn make_list<P: Position>(kind: ListKind, n: usize, seed: u64) -> Outcome<Vec<P>> {
    memory::require(n.saturating_mul(size_of::<P>() * 2 + 24), "the list")?;
    Ok(kind.make(n, seed))
}

/// Makes a forest, if there is memory for it.
pub fn make_forest<P: Position>(kind: ForestKind, n: usize, shuffle: bool, seed: u64) -> Outcome<Vec<P>> {
    memory::require(n.saturating_mul(size_of::<P>() * 3 + 24), "the forest")?;
    Ok(if shuffle { kind.shuffled(n, seed) } else { kind.make(n, seed) })
}
