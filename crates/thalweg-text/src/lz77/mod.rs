//! LZ77: the greedy factorisation of a text into phrases that occurred before.
//!
//! From left to right, the next phrase is the longest prefix of the rest that also begins at an earlier position (the two
//! may overlap), or a single literal where there is none. This is Lempel and Ziv's (1976) factorisation with unlimited
//! window, as the textbooks and bioinformatics have it, not the approximation of a compressor: all engines find exactly
//! the same phrases, on any number of threads.
//!
//! The longest earlier match of position p is with one of two suffixes: of those that begin before p, the nearest one
//! below p's suffix in lexicographic order, and the nearest above. These are the *nearest smaller values* of the suffix
//! array (Crochemore and Ilie 2008). [`lz77()`](fn@lz77) serves the common case, [`Builder`] chooses:
//!
//! | engine | idea | work | source |
//! |---|---|---|---|
//! | `starts` (default) | compares only where a phrase begins; many chains at once | O(n) | Kärkkäinen, Kempa, Puglisi 2013 (KKP3), and this project |
//! | `lpf` | the longest previous factor of every position first, then jumps | O(n) | Crochemore, Ilie 2008; Shun, Zhao 2013 |
//! | `naive` | compares with every earlier position | O(n²) and more | the oracle |
//!
//! **Memory.** At most 21 bytes for every byte of a text below 2 GiB, the text itself counted; 41 above. It is 17 while the
//! neighbours are brought into text order: the text, the suffix array (4), both sides of its nearest smaller values (8) and
//! half of the pairs (4). Later the phrases take the place of what is no longer needed. With certain sources ([`Source`])
//! inverse and LCP array come in. Only where phrases are hardly longer than a byte, as in random texts of some hundred bytes,
//! is it more. A test measures it.

mod chain;
mod decode;
mod factors;
mod longest;
mod naive;
mod neighbours;
mod sources;
mod starts;

use super::width::{WIDE, by_width};
use super::{Stage, SuffixArray, Watcher, enter, suffix_array};
use thalweg_core::{Position, Positions, Result, engine_names};

use neighbours::Neighbours;

pub use factors::{Factors, Iter, Phrase};

engine_names! {
    /// The engines of the factorisation. See the [module's table](self).
    "lz77": Engine {
        /// Compares only where a phrase begins. The default.
        Starts = "starts",
        /// Longest previous factors of all positions, then jumps from phrase to phrase.
        Lpf = "lpf",
        /// Compares with every earlier position. The oracle of the tests.
        Naive = "naive",
    }
}

/// Which of the earlier occurrences of a phrase is its source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Source {
    /// One of the two that the engines compare with: the cheapest. Of equal ones, that below in lexicographic order.
    #[default]
    Any,
    /// The first in the text.
    Leftmost,
    /// The last before the phrase: distances are as small as can be.
    Nearest,
}

impl Source {
    /// Every choice.
    pub const ALL: &'static [Self] = &[Self::Any, Self::Leftmost, Self::Nearest];

    /// The choice's name, as the command line takes it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Any => "any",
            Self::Leftmost => "leftmost",
            Self::Nearest => "nearest",
        }
    }
}

/// The LZ77 factorisation of a text, with the default engine.
///
/// Work O(n), on all threads of the current rayon pool; at most 21 bytes of memory for every byte of the text, below
/// 2 GiB.
///
/// ```
/// # mod thalweg { pub use thalweg_text as text; pub use thalweg_text::*; }
/// use thalweg::text::{Phrase::*, lz77};
/// let factors = lz77(b"abababbb")?;
/// let phrases: Vec<_> = factors.iter().collect();
/// assert_eq!(phrases, [
///     Literal(b'a'),
///     Literal(b'b'),
///     Copy { source: 0, length: 4 },
///     Copy { source: 5, length: 2 },
/// ]);
/// assert_eq!(factors.decode()?, b"abababbb");
/// # Ok::<(), thalweg::Error>(())
/// ```
pub fn lz77(text: &[u8]) -> Result<Factors> {
    Builder::new().run(text)
}

/// The longest previous factor of every position: how long the longest match with a suffix that begins earlier is.
///
/// Work O(n). The memory of [`lz77()`](fn@lz77).
///
/// ```
/// # mod thalweg { pub use thalweg_text as text; pub use thalweg_text::*; }
/// let lengths = thalweg::text::lpf(b"abaabab")?;
/// assert_eq!(lengths.as_u32(), Some(&[0, 0, 1, 3, 2, 2, 1][..]));
/// # Ok::<(), thalweg::Error>(())
/// ```
pub fn lpf(text: &[u8]) -> Result<Positions> {
    by_width!(suffix_array(text)?.into_positions(), sa => {
        let near = neighbours::in_text_order(sa, false, None)?.near;
        longest::longest(text, &near).map(Position::list)
    })
}

/// LZ77 with a choice of engine and sources.
///
/// ```
/// # mod thalweg { pub use thalweg_text as text; pub use thalweg_text::*; }
/// use thalweg::text::lz77::{Builder, Engine, Source};
/// use thalweg::text::Phrase;
/// let factors = Builder::new().engine(Engine::Lpf).source(Source::Leftmost).run(b"xyxyzxy")?;
/// assert_eq!(factors.iter().last(), Some(Phrase::Copy { source: 0, length: 2 }));
/// let factors = Builder::new().source(Source::Nearest).run(b"xyxyzxy")?;
/// assert_eq!(factors.iter().last(), Some(Phrase::Copy { source: 2, length: 2 }));
/// # Ok::<(), thalweg::Error>(())
/// ```
#[derive(Clone, Copy, Default)]
pub struct Builder<'w> {
    engine: Option<Engine>,
    source: Source,
    watcher: Watcher<'w>,
}

impl<'w> Builder<'w> {
    /// Default engine, any source.
    pub fn new() -> Self {
        Self::default()
    }

    /// Chooses the engine; `None` leaves the choice to the library.
    pub fn engine(mut self, engine: impl Into<Option<Engine>>) -> Self {
        self.engine = engine.into();
        self
    }

    /// Chooses the sources.
    pub fn source(mut self, source: Source) -> Self {
        self.source = source;
        self
    }

    /// Calls `watcher` whenever a stage of the work begins.
    pub fn watch(mut self, watcher: &'w (dyn Fn(Stage) + Sync)) -> Self {
        self.watcher = Some(watcher);
        self
    }

    /// The engine that would run.
    pub fn chosen(&self) -> Engine {
        self.engine.unwrap_or(Engine::Starts)
    }

    /// Factorises a text.
    pub fn run(&self, text: &[u8]) -> Result<Factors> {
        if self.chosen() == Engine::Naive {
            return if text.len() < WIDE {
                Ok(Factors::from_trusted(text.len(), naive::factorise::<u32>(text, self.source)))
            } else {
                Ok(Factors::from_trusted(text.len(), naive::factorise::<u64>(text, self.source)))
            };
        }
        enter(self.watcher, Stage::SuffixArray);
        self.run_on(suffix_array(text)?)
    }

    /// Factorises a text whose suffixes are sorted already.
    ///
    /// ```
    /// # mod thalweg { pub use thalweg_text as text; pub use thalweg_text::*; }
    /// use thalweg::text::{lz77::Builder, suffix_array};
    /// let factors = Builder::new().run_on(suffix_array(b"aaaa")?)?;
    /// assert_eq!(factors.len(), 2);
    /// # Ok::<(), thalweg::Error>(())
    /// ```
    pub fn run_on(&self, suffixes: SuffixArray<'_, u8>) -> Result<Factors> {
        let text = suffixes.text();
        if self.chosen() == Engine::Naive {
            return self.run(text);
        }
        by_width!(suffixes.into_positions(), sa => self.run_as(text, sa))
    }

    fn run_as<P: factors::Store>(&self, text: &[u8], sa: Vec<P>) -> Result<Factors> {
        let Neighbours { near, sa } = neighbours::in_text_order(sa, self.source != Source::Any, self.watcher)?;
        let mut phrases = match self.chosen() {
            Engine::Lpf => {
                enter(self.watcher, Stage::LongestPrevious);
                let lengths = longest::longest(text, &near)?;
                enter(self.watcher, Stage::Factors);
                chain::phrases(text.len(), &longest::Jumps { text, near: &near, lengths: &lengths })?
            }
            _ => {
                enter(self.watcher, Stage::Factors);
                chain::phrases(text.len(), &starts::Starts { text, near: &near })?
            }
        };
        drop(near);
        if let Some(sa) = sa {
            sources::choose(text, &sa, &mut phrases, self.source, self.watcher)?;
        }
        Ok(Factors::from_trusted(text.len(), phrases))
    }
}
