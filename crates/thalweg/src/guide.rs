//! The code of the README and of the guide in `docs/`, as doc tests: compiled, and run but for what needs a GPU.
//!
//! A chapter is included where the features that its code needs are on: all of them with
//! `cargo test -p thalweg --doc --all-features`.

macro_rules! chapters {
    ($($(#[$needs:meta])* $name:ident = $file:literal;)*) => {$(
        $(#[$needs])*
        #[doc = include_str!(concat!("../../../", $file))]
        struct $name;
    )*};
}

chapters! {
    #[cfg(feature = "gpu")]
    Readme = "README.md";
    Guide = "docs/README.md";
    #[cfg(feature = "file")]
    RangeMinima = "docs/range-minima.md";
    NearestSmallerValues = "docs/nearest-smaller-values.md";
    Windows = "docs/windows.md";
    ListsAndTrees = "docs/lists-and-trees.md";
    #[cfg(feature = "text")]
    Text = "docs/text.md";
    #[cfg(feature = "geometry")]
    Geometry = "docs/geometry.md";
    #[cfg(feature = "graph")]
    Graphs = "docs/graphs.md";
    #[cfg(feature = "puzzle")]
    Puzzles = "docs/puzzles.md";
    #[cfg(feature = "fourier")]
    Fourier = "docs/fourier.md";
    Primitives = "docs/primitives.md";
    #[cfg(feature = "gpu")]
    Devices = "docs/devices.md";
    #[cfg(feature = "file")]
    Files = "docs/files.md";
    #[cfg(all(feature = "text", feature = "file"))]
    LargerThanMemory = "docs/larger-than-memory.md";
    Command = "docs/command.md";
    Performance = "docs/performance.md";
    Limits = "docs/limits.md";
    AddingAnEngine = "docs/adding-an-engine.md";
}
