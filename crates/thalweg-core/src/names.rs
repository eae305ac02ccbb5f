//! Names of engines, as people type them.

/// Defines an engine enum with its names: `ALL`, `name`, `FromStr` (`-` and `_` are the same) and `Display`. A variant
/// may carry options, of a type with a constant `DEFAULT`.
///
/// ```
/// #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
/// pub struct LayersOptions { pub chunk: Option<usize> }
/// impl LayersOptions { pub const DEFAULT: Self = Self { chunk: None }; }
///
/// thalweg_core::engine_names! {
///     /// Engines of an example.
///     "example": Engine {
///         /// Looks at everything.
///         Naive = "naive",
///         /// Looks at layers.
///         Layers(LayersOptions) = "layers",
///     }
/// }
/// assert_eq!("layers".parse::<Engine>()?, Engine::Layers(LayersOptions::DEFAULT));
/// assert_eq!(Engine::ALL[0].name(), "naive");
/// # Ok::<(), thalweg_core::Error>(())
/// ```
#[macro_export]
macro_rules! engine_names {
    ($(#[$meta:meta])* $problem:literal: $enum:ident {
        $($(#[$vmeta:meta])* $variant:ident $(($options:ty))? = $name:literal,)*
    }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum $enum { $($(#[$vmeta])* $variant $(($options))?,)* }

        impl $enum {
            /// Every engine of this problem, with default options.
            pub const ALL: &'static [Self] = &[$(Self::$variant $((<$options>::DEFAULT))?),*];

            /// The names of all engines.
            pub const NAMES: &'static [&'static str] = &[$($name),*];

            /// The engine's name, as the command line takes it.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant { .. } => $name,)* }
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
                    known: Self::NAMES.join(", "),
                })
            }
        }
    };
}
