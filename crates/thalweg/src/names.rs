//! Names of engines, as people type them.

/// Defines an engine enum with its names: `ALL`, `name`, `FromStr` (`-` and `_` are the same) and `Display`.
/// For the crates of this project: engines on other devices have names of the same kind.
#[doc(hidden)]
#[macro_export]
macro_rules! engine_names {
    ($(#[$meta:meta])* $problem:literal: $enum:ident { $($(#[$vmeta:meta])* $variant:ident = $name:literal,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum $enum { $($(#[$vmeta])* $variant,)* }

        impl $enum {
            /// Every engine of this problem.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The engine's name, as the command line takes it.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }
        }

        impl std::fmt::Display for $enum {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }

        impl std::str::FromStr for $enum {
            type Err = $crate::Error;
            fn from_str(name: &str) -> $crate::Result<Self> {
                let wanted = name.to_ascii_lowercase().replace('-', "_");
                Self::ALL.iter().copied().find(|e| e.name() == wanted).ok_or_else(|| $crate::Error::UnknownEngine {
                    problem: $problem,
                    name: name.to_owned(),
                    known: [$($name),*].join(", "),
                })
            }
        }
    };
}
