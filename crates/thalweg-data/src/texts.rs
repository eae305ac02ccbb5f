//! Texts: natural, structured and hostile.

use crate::Random;

/// A kind of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TextKind {
    /// A bit of everything: prose, source code, tables, markup, DNA, noise, and pieces of what came before.
    Mixed,
    /// Words of a made-up language, the frequent ones often.
    Words,
    /// Four letters, with repeats as genomes have them.
    Dna,
    /// A passage of some 20 letters again and again, with one symbol in 100,000 changed.
    Repetitive,
    /// Independent bytes, all values alike.
    Random,
    /// Independent bits, as the symbols 0 and 1.
    Binary,
    /// One symbol.
    Equal,
    /// A short period.
    Periodic,
    /// The Fibonacci word: as many different repetitions as can be.
    Fibonacci,
    /// A de Bruijn sequence of two symbols: no substring of its order twice.
    DeBruijn,
}

impl TextKind {
    /// Every kind.
    pub const ALL: &'static [Self] = &[
        Self::Mixed,
        Self::Words,
        Self::Dna,
        Self::Repetitive,
        Self::Random,
        Self::Binary,
        Self::Equal,
        Self::Periodic,
        Self::Fibonacci,
        Self::DeBruijn,
    ];

    /// The kind's name, as the command line takes it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Mixed => "mixed",
            Self::Words => "words",
            Self::Dna => "dna",
            Self::Repetitive => "repetitive",
            Self::Random => "random",
            Self::Binary => "binary",
            Self::Equal => "equal",
            Self::Periodic => "periodic",
            Self::Fibonacci => "fibonacci",
            Self::DeBruijn => "de_bruijn",
        }
    }

    /// A text of `n` bytes.
    pub fn make(self, n: usize, seed: u64) -> Vec<u8> {
        let random = Random::new(seed, 4);
        let symbols = |of: &dyn Fn(u64) -> u8| (0..n as u64).map(of).collect();
        match self {
            Self::Mixed => Writer::new(random, n).mixed(),
            Self::Words => Writer::new(random, n).until_full(Writer::sentence),
            Self::Dna => Writer::new(random, n).until_full(Writer::dna),
            Self::Repetitive => {
                let passage = 12 + random.below(0, 20);
                symbols(&|i| match random.below(2 * i + 2, 100_000) {
                    0 => b'A' + random.below(2 * i + 3, 26) as u8,
                    _ => b'a' + Random::new(seed, 5).below(i % passage, 26) as u8,
                })
            }
            Self::Random => symbols(&|i| random.bits(i) as u8),
            Self::Binary => symbols(&|i| random.bits(i) as u8 & 1),
            Self::Equal => vec![b'a'; n],
            Self::Periodic => {
                let period = 1 + random.below(0, 12);
                symbols(&|i| b'a' + random.below(1 + i % period, 3) as u8)
            }
            Self::Fibonacci => {
                let (mut previous, mut word) = (vec![b'b'], vec![b'a']);
                while word.len() < n {
                    let next = [&word[..], &previous].concat();
                    previous = std::mem::replace(&mut word, next);
                }
                word.truncate(n);
                word
            }
            Self::DeBruijn => {
                let order = usize::BITS - n.leading_zeros();
                let mut sequence = de_bruijn(order);
                sequence.truncate(n);
                sequence
            }
        }
    }
}

/// The lexicographically smallest de Bruijn sequence of zeros and ones: the Lyndon words whose lengths divide the order, one
/// after the other (Fredricksen, Kessler, Maiorana), made as Duval does.
fn de_bruijn(order: u32) -> Vec<u8> {
    let order = order.max(1) as usize;
    let mut sequence = Vec::with_capacity(1 << order);
    let mut word = vec![0u8];
    while !word.is_empty() {
        if order.is_multiple_of(word.len()) {
            sequence.extend_from_slice(&word);
        }
        let period = word.len();
        for i in period..order {
            word.push(word[i - period]);
        }
        while word.pop_if(|&mut last| last == 1).is_some() {}
        if let Some(last) = word.last_mut() {
            *last = 1;
        }
    }
    sequence
}

/// Writes a text of a certain length.
struct Writer {
    random: Random,
    drawn: u64,
    out: Vec<u8>,
    len: usize,
    vocabulary: Vec<String>,
}

impl Writer {
    fn new(random: Random, len: usize) -> Self {
        let mut writer = Self { random, drawn: 0, out: Vec::with_capacity(len + 4096), len, vocabulary: Vec::new() };
        let syllables =
            ["ba", "ke", "ri", "to", "mu", "san", "del", "or", "en", "ti", "qua", "lis", "er", "a", "in", "st"];
        // Longer languages have more words.
        for i in 0..(len / 50).clamp(20, 60_000) {
            let count = 1 + writer.below(2 + (i / 500).min(3));
            let word: String = (0..count).map(|_| syllables[writer.below(syllables.len())]).collect();
            writer.vocabulary.push(word);
        }
        writer
    }

    fn below(&mut self, bound: usize) -> usize {
        self.drawn += 1;
        self.random.below(self.drawn, bound as u64) as usize
    }

    /// A word; the k-th is about 1/k as frequent as the first.
    fn word(&mut self) -> usize {
        self.drawn += 1;
        let count = self.vocabulary.len() as f64;
        (count.powf(self.random.unit(self.drawn)) - 1.0) as usize
    }

    fn push(&mut self, text: &str) {
        self.out.extend_from_slice(text.as_bytes());
    }

    fn push_word(&mut self) {
        let word = self.word();
        self.out.extend_from_slice(self.vocabulary[word].as_bytes());
    }

    fn sentence(&mut self) {
        for i in 0..3 + self.below(15) {
            self.push(if i > 0 { " " } else { "" });
            self.push_word();
        }
        let end = self.below(8);
        self.push([". ", ", ", "; ", ".\n", "? ", ". ", ", ", ".\n\n"][end]);
    }

    fn code(&mut self) {
        for _ in 0..1 + self.below(6) {
            let depth = 4 * self.below(4);
            self.push(&" ".repeat(depth));
            let form = self.below(5);
            self.push(["let ", "if ", "return ", "for ", "self."][form]);
            self.push_word();
            self.push(["_", " = ", "(", ".get(", " in 0.."][form]);
            self.push_word();
            self.push([": u32 = 0;\n", " {\n", ");\n", ")?;\n", " {\n"][form]);
        }
    }

    fn table(&mut self) {
        for _ in 0..1 + self.below(10) {
            let (a, b, c) = (self.below(1000), self.below(1_000_000), self.below(50));
            self.push(&format!("{a},{b:06},2024-{:02}-{:02},", 1 + c % 12, 1 + c % 28));
            self.push_word();
            self.push("\n");
        }
    }

    fn markup(&mut self) {
        let word = self.word();
        let tag = self.vocabulary[word].clone();
        self.push(&format!("<{tag} class=\"item\">"));
        self.sentence();
        self.push(&format!("</{tag}>\n"));
    }

    fn dna(&mut self) {
        if self.out.len() > 100 && self.below(4) == 0 {
            self.repeat(400, 100);
        } else {
            for _ in 0..1 + self.below(200) {
                let base = self.below(4);
                self.out.push(b"ACGT"[base]);
            }
        }
    }

    fn noise(&mut self) {
        for _ in 0..1 + self.below(300) {
            let byte = self.below(256);
            self.out.push(byte as u8);
        }
    }

    /// A piece of what came before, with one symbol in `change` replaced.
    fn repeat(&mut self, longest: usize, change: usize) {
        if self.out.is_empty() {
            return;
        }
        let start = self.below(self.out.len());
        let length = (1 + self.below(longest)).min(self.out.len() - start);
        for i in start..start + length {
            let symbol = if self.below(change) == 0 { self.out[start] } else { self.out[i] };
            self.out.push(symbol);
        }
    }

    fn until_full(mut self, part: impl Fn(&mut Self)) -> Vec<u8> {
        while self.out.len() < self.len {
            part(&mut self);
        }
        self.out.truncate(self.len);
        self.out
    }

    fn mixed(self) -> Vec<u8> {
        self.until_full(|writer| {
            // Some hundred pieces of a sort, then another sort.
            let sort = writer.below(16);
            for _ in 0..1 + writer.below(300) {
                match sort {
                    0..=5 => writer.sentence(),
                    6..=9 => writer.code(),
                    10 | 11 => writer.table(),
                    12 | 13 => writer.markup(),
                    14 => writer.dna(),
                    _ => writer.repeat(2000, 200),
                }
                if writer.out.len() >= writer.len {
                    return;
                }
            }
            if writer.below(8) == 0 {
                writer.noise();
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_have_their_length_and_shape() {
        for &kind in TextKind::ALL {
            for n in [0, 1, 2, 3, 10, 1000, 70_000] {
                let text = kind.make(n, 7);
                assert_eq!(text.len(), n, "{kind:?}");
                assert_eq!(text, kind.make(n, 7), "{kind:?}");
            }
        }
        assert_eq!(TextKind::Fibonacci.make(8, 1), b"abaababa");
        assert_eq!(de_bruijn(3), [0, 0, 0, 1, 0, 1, 1, 1]);
        let mut windows: Vec<&[u8]> = Vec::new();
        let sequence = de_bruijn(10);
        windows.extend(sequence.windows(10));
        windows.sort_unstable();
        assert!(windows.windows(2).all(|pair| pair[0] != pair[1]));
        assert_eq!(sequence.len(), 1024);
    }
}
