//! Options of the engines, for every device. `None` leaves the choice to the library; what a device cannot do is
//! [`Error::NotOnDevice`].

use std::fmt;
use std::str::FromStr;

use thalweg_core::{Error, Result};

/// Options of [`Engine::Lines`](super::Engine::Lines).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct LinesOptions {
    /// On a GPU: less memory (some 6 %) over speed.
    pub compact: bool,
}

impl LinesOptions {
    /// The library's choice.
    pub const DEFAULT: Self = Self { compact: false };

    /// What the CPU makes of them: nothing, so they must ask for nothing.
    pub(super) fn on_cpu(self) -> Result<()> {
        if self.compact {
            return Err(not_on_cpu("lines", "'compact' is for GPUs; on the CPU the index takes 3 bits an element"));
        }
        Ok(())
    }
}

/// Options of [`Engine::Hierarchy`](super::Engine::Hierarchy).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct HierarchyOptions {
    /// Elements of a chunk: at least 2; on a GPU a power of two from 4 to 1024.
    pub chunk: Option<usize>,
    /// Chunks of the top layer at most: at least 1.
    pub threshold: Option<usize>,
    /// On a GPU: threads that share a query, a power of two up to the size of a subgroup.
    pub group: Option<u32>,
    /// On a GPU: how threads read the layers.
    pub load: Option<Load>,
    /// On a GPU: how threads come by their query.
    pub assignment: Option<Assignment>,
}

impl HierarchyOptions {
    /// The library's choice.
    pub const DEFAULT: Self = Self { chunk: None, threshold: None, group: None, load: None, assignment: None };

    /// Chunk and threshold, if nothing else is asked for.
    pub(super) fn on_cpu(self) -> Result<(Option<usize>, Option<usize>)> {
        let Self { chunk, threshold, group, load, assignment } = self;
        let asked = [(group.is_some(), "group"), (load.is_some(), "load"), (assignment.is_some(), "assignment")];
        match asked.into_iter().find(|(asked, _)| *asked) {
            None => Ok((chunk, threshold)),
            Some((_, option)) => {
                Err(not_on_cpu("hierarchy", format!("'{option}' is for GPUs; on the CPU a thread takes a query")))
            }
        }
    }
}

/// Options of [`Engine::Ray`](super::Engine::Ray).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct RayOptions {
    /// Triangles at most, from 16 to 2^22; longer arrays have layers of minima below.
    pub triangles: Option<usize>,
}

impl RayOptions {
    /// The library's choice.
    pub const DEFAULT: Self = Self { triangles: None };
}

pub(super) fn not_on_cpu(engine: &'static str, reason: impl Into<String>) -> Error {
    Error::NotOnDevice { problem: "rmq", engine, reason: reason.into() }
}

/// Names of an option's values, as people type them: `-` and `_` are the same.
macro_rules! named {
    ($($(#[$meta:meta])* $option:literal: $enum:ident { $($(#[$vmeta:meta])* $variant:ident = $name:literal,)* })*) => {$(
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $enum { $($(#[$vmeta])* $variant,)* }

        impl $enum {
            /// Every one of them.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// Its name, as the command line takes it.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }
        }

        impl fmt::Display for $enum {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.name())
            }
        }

        impl FromStr for $enum {
            type Err = Error;
            fn from_str(name: &str) -> Result<Self> {
                let wanted = name.to_ascii_lowercase().replace('-', "_");
                Self::ALL.iter().copied().find(|known| known.name() == wanted).ok_or_else(|| Error::BadOption {
                    option: $option,
                    reason: format!("'{name}' is not one of {}", [$($name),*].join(", ")),
                })
            }
        }
    )*};
}

named! {
    /// How threads of a GPU read the entries of a layer.
    "load": Load {
        /// 16 bytes a thread.
        Vector = "vector",
        /// Neighbouring threads read neighbouring entries.
        Coalesced = "coalesced",
    }

    /// How a group of threads of a GPU comes by its query.
    "assignment": Assignment {
        /// Every thread of the group loads the same query.
        MultiLoad = "multi_load",
        /// Every thread loads a query of its own, and the group takes them in turn (GPU-RMQ's warp-local queue).
        Queue = "queue",
    }
}
