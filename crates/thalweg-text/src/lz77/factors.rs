//! A factorisation, as it is kept and as it is seen.

use crate::permutation::GRAIN;
use crate::position_width::WIDE;
use thalweg_core::error::{try_filled, try_with_capacity};
use thalweg_core::memory::computed;
use thalweg_core::parallel::{find_first, for_each_chunk_mut};
use thalweg_core::{Error, Position, Result};

/// A phrase as it is kept: source and length, or the literal's byte and 0.
pub(super) type Entry<P> = [P; 2];

/// A phrase of a factorisation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Phrase {
    /// A byte that has not occurred before.
    Literal(u8),
    /// The text that begins at `source`, before the phrase itself; it may reach into it.
    Copy {
        /// Where it begins.
        source: usize,
        /// How long it is, at least 1.
        length: usize,
    },
}

impl Phrase {
    /// Bytes of the text that the phrase stands for.
    pub fn extent(self) -> usize {
        match self {
            Self::Literal(_) => 1,
            Self::Copy { length, .. } => length,
        }
    }
}

/// A text as a list of phrases. See [`lz77()`](fn@super::lz77).
///
/// Every source lies before its phrase, whoever made the list, so it can always be decoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Factors {
    text_len: usize,
    pub(super) entries: Entries,
}

/// The phrases in one of the two widths.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Entries {
    U32(Vec<Entry<u32>>),
    U64(Vec<Entry<u64>>),
}

/// A width in which phrases can be kept.
pub(super) trait Store: Position {
    fn entries(list: Vec<Entry<Self>>) -> Entries;
}

impl Store for u32 {
    fn entries(list: Vec<Entry<u32>>) -> Entries {
        Entries::U32(list)
    }
}

impl Store for u64 {
    fn entries(list: Vec<Entry<u64>>) -> Entries {
        Entries::U64(list)
    }
}

impl Factors {
    /// A list that an engine made.
    pub(super) fn from_trusted<P: Store>(text_len: usize, list: Vec<Entry<P>>) -> Self {
        Self { text_len, entries: P::entries(list) }
    }

    /// A list that an engine made of arrays from elsewhere: checks that every source lies before its phrase.
    pub(super) fn from_arrays<P: Store>(text_len: usize, list: Vec<Entry<P>>) -> Result<Self> {
        let mut start = 0;
        for (index, [source, length]) in list.iter().enumerate() {
            if length.get() > 0 && source.get() >= start {
                let source = source.checked().map_or("none".to_owned(), |source| source.to_string());
                let reason = format!("phrase {index}: source {source} is not before {start}, where the phrase begins");
                return Err(Error::BadOption { option: "phrases", reason });
            }
            start += length.get().max(1);
        }
        debug_assert_eq!(start, text_len);
        Ok(Self::from_trusted(text_len, list))
    }

    /// A list of phrases from another device, as pairs: source and length, or a literal's byte and 0. They stand for a text of
    /// `text_len` bytes.
    ///
    /// A source that does not lie before its phrase, or another length of the text, is an error. Work O(z) for z phrases, on
    /// all threads.
    ///
    /// ```
    /// # mod thalweg { pub use thalweg_text as text; pub use thalweg_text::*; }
    /// use thalweg::text::Factors;
    /// let factors = Factors::from_pairs(10, vec![[u32::from(b'n'), 0], [0, 9]])?;
    /// assert_eq!(factors.decode()?, b"nnnnnnnnnn");
    /// assert!(Factors::from_pairs(9, vec![[0, 9]]).is_err());
    /// # Ok::<(), thalweg::Error>(())
    /// ```
    pub fn from_pairs(text_len: usize, pairs: Vec<[u32; 2]>) -> Result<Self> {
        let extent = |pair: &[u32; 2]| pair[1].max(1) as usize;
        let mut starts = try_filled(pairs.len().div_ceil(GRAIN), 0, "phrases")?;
        for_each_chunk_mut(&mut starts, 1, &|chunk, start| {
            start[0] = pairs[chunk * GRAIN..].iter().take(GRAIN).map(extent).sum::<usize>();
        });
        let mut end = 0;
        for start in &mut starts {
            end += std::mem::replace(start, end);
        }
        let bad = |reason| Error::BadOption { option: "phrases", reason };
        if end != text_len {
            return Err(bad(format!("they stand for {end} bytes, and the text has {text_len}")));
        }
        let in_chunk = |chunk: usize| {
            let mut start = starts[chunk];
            pairs[chunk * GRAIN..].iter().take(GRAIN).position(|pair| {
                let is_bad = pair[1] > 0 && pair[0] as usize >= start;
                start += extent(pair);
                is_bad
            })
        };
        let first = |mut chunks: std::ops::Range<usize>| {
            chunks.find_map(|chunk| in_chunk(chunk).map(|place| chunk * GRAIN + place))
        };
        if let Some(index) = find_first(starts.len(), 1, &first) {
            let reason = format!("phrase {index}: source {} is not before it", pairs[index][0]);
            return Err(bad(reason));
        }
        if text_len < WIDE {
            return Ok(Self::from_trusted(text_len, pairs));
        }
        let wide = computed(pairs.len(), GRAIN, "phrases", |i| pairs[i].map(u64::from))?;
        Ok(Self::from_trusted(text_len, wide))
    }

    /// A list of phrases from elsewhere.
    ///
    /// A source that does not lie before its phrase, or a copy of nothing, is an error that names the phrase.
    ///
    /// ```
    /// # mod thalweg { pub use thalweg_text as text; pub use thalweg_text::*; }
    /// use thalweg::text::{Factors, Phrase::*};
    /// let factors = Factors::from_phrases(&[Literal(b'n'), Copy { source: 0, length: 9 }])?;
    /// assert_eq!(factors.decode()?, b"nnnnnnnnnn");
    /// assert!(Factors::from_phrases(&[Copy { source: 0, length: 9 }]).is_err());
    /// # Ok::<(), thalweg::Error>(())
    /// ```
    pub fn from_phrases(phrases: &[Phrase]) -> Result<Self> {
        let text_len = phrases.iter().fold(0usize, |len, phrase| len.saturating_add(phrase.extent()));
        Self::collect(phrases.iter().copied().map(Ok), phrases.len(), text_len)
    }

    /// `count` phrases, any of which may be an error, of a text that is at most `text_len` bytes long.
    pub(crate) fn collect(
        phrases: impl Iterator<Item = Result<Phrase>>,
        count: usize,
        text_len: usize,
    ) -> Result<Self> {
        if text_len < WIDE {
            collect::<u32>(phrases, count, text_len)
        } else {
            collect::<u64>(phrases, count, text_len)
        }
    }

    /// The phrases as they are kept.
    pub(super) fn into_entries(self) -> Entries {
        self.entries
    }

    /// How many phrases there are.
    pub fn len(&self) -> usize {
        match &self.entries {
            Entries::U32(list) => list.len(),
            Entries::U64(list) => list.len(),
        }
    }

    /// Whether there are none: the text is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Length of the text.
    pub fn text_len(&self) -> usize {
        self.text_len
    }

    /// Phrase `index`, if there are so many.
    pub fn get(&self, index: usize) -> Option<Phrase> {
        match &self.entries {
            Entries::U32(list) => list.get(index).copied().map(phrase),
            Entries::U64(list) => list.get(index).copied().map(phrase),
        }
    }

    /// The phrases in order.
    pub fn iter(&self) -> Iter<'_> {
        Iter { factors: self, next: 0 }
    }

    /// The bytes that the list takes.
    pub fn bytes(&self) -> usize {
        match &self.entries {
            Entries::U32(list) => size_of_val(&list[..]),
            Entries::U64(list) => size_of_val(&list[..]),
        }
    }
}

/// The phrases of a [`Factors`] in order.
#[derive(Clone, Debug)]
pub struct Iter<'f> {
    factors: &'f Factors,
    next: usize,
}

impl Iterator for Iter<'_> {
    type Item = Phrase;

    #[inline]
    fn next(&mut self) -> Option<Phrase> {
        let phrase = self.factors.get(self.next)?;
        self.next += 1;
        Some(phrase)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.factors.len() - self.next;
        (left, Some(left))
    }
}

impl ExactSizeIterator for Iter<'_> {}

impl<'f> IntoIterator for &'f Factors {
    type Item = Phrase;
    type IntoIter = Iter<'f>;

    fn into_iter(self) -> Iter<'f> {
        self.iter()
    }
}

#[inline]
fn phrase<P: Position>([source, length]: Entry<P>) -> Phrase {
    match length.get() {
        0 => Phrase::Literal(source.get() as u8),
        length => Phrase::Copy { source: source.get(), length },
    }
}

/// Checks phrases and keeps them. `P` holds `longest`.
fn collect<P: Store>(phrases: impl Iterator<Item = Result<Phrase>>, count: usize, longest: usize) -> Result<Factors> {
    let mut list = try_with_capacity::<Entry<P>>(count, "phrases")?;
    let mut text_len = 0usize;
    for (index, phrase) in phrases.take(count).enumerate() {
        let phrase = phrase?;
        let bad = |reason: String| Error::BadOption { option: "phrases", reason: format!("phrase {index}: {reason}") };
        match phrase {
            Phrase::Literal(byte) => list.push([P::new(usize::from(byte)), P::new(0)]),
            Phrase::Copy { length: 0, .. } => return Err(bad("a copy of nothing".to_owned())),
            Phrase::Copy { source, .. } if source >= text_len => {
                return Err(bad(format!("source {source} is not before {text_len}, where the phrase begins")));
            }
            Phrase::Copy { source, length } => list.push([P::new(source), P::new(length)]),
        }
        let end = text_len.checked_add(phrase.extent()).filter(|&end| end <= longest);
        text_len = end.ok_or_else(|| bad(format!("it ends beyond the text's {longest} bytes")))?;
    }
    Ok(Factors { text_len, entries: P::entries(list) })
}
