//! Numbers as people write and read them: 2^24, 16M, 1e6, 1_000_000.

use std::fmt;

/// Parses a count. `K`, `M`, `G`, `T` are powers of 1,000 and `Ki`, `Mi`, `Gi`, `Ti` of 1,024.
pub fn parse_count(text: &str) -> Result<usize, String> {
    let clean = text.trim().replace('_', "");
    let value = if let Some((base, exponent)) = clean.split_once('^') {
        let (base, exponent) = (base.parse::<usize>().ok(), exponent.parse::<u32>().ok());
        base.zip(exponent).and_then(|(base, exponent)| base.checked_pow(exponent))
    } else if let Ok(plain) = clean.parse::<usize>() {
        Some(plain)
    } else if let Some((mantissa, scale)) = with_suffix(&clean) {
        decimal(mantissa, scale)
    } else {
        decimal(&clean, 1.0)
    };
    value.ok_or_else(|| format!("'{text}' is not a count (try 1000000, 2^24, 16M or 1e6)"))
}

fn with_suffix(text: &str) -> Option<(&str, f64)> {
    let lower = text.to_ascii_lowercase();
    for (power, letter) in (1..).zip(["k", "m", "g", "t"]) {
        for (suffix, base) in [(format!("{letter}i"), 1024f64), (letter.to_owned(), 1000.0)] {
            if lower.ends_with(&suffix) {
                return Some((&text[..text.len() - suffix.len()], base.powi(power)));
            }
        }
    }
    None
}

/// A decimal number times a scale, if the product is a whole number that a float holds exactly.
fn decimal(text: &str, scale: f64) -> Option<usize> {
    let value = text.parse::<f64>().ok()? * scale;
    (value >= 0.0 && value.fract() == 0.0 && value <= (1u64 << 53) as f64).then_some(value as usize)
}

/// A count with commas between the thousands.
pub fn show_count(n: usize) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A count and what is counted, in the singular or the plural: `1 query`, `1,000 queries`.
pub fn counted(n: usize, thing: &str) -> String {
    format!("{} {}", show_count(n), if n == 1 { thing.to_owned() } else { plural(thing) })
}

/// Several of them: `nodes`, `queries`, `vertices`.
pub fn plural(thing: &str) -> String {
    match thing.strip_suffix('y') {
        Some(stem) if !stem.ends_with(['a', 'e', 'o', 'u']) => format!("{stem}ies"),
        _ if thing == "vertex" => "vertices".to_owned(),
        _ if thing.ends_with('x') => format!("{thing}es"),
        _ => format!("{thing}s"),
    }
}

/// The same without commas, for complaints, which quote numbers as files have them.
pub fn counted_plainly(n: usize, thing: &str) -> String {
    format!("{n} {}", if n == 1 { thing.to_owned() } else { plural(thing) })
}

/// That there are no more, for complaints: `there are only 10 nodes`.
pub fn there_are_only(n: usize, thing: &str) -> String {
    match n {
        0 => format!("there are no {}", plural(thing)),
        1 => format!("there is only 1 {thing}"),
        n => format!("there are only {}", counted_plainly(n, thing)),
    }
}

/// What each of `count` things took, in the unit that suits it: `0.73 ns/element`, `1.25 ms/path`.
pub fn show_each(seconds: f64, count: usize, thing: &str) -> String {
    let each = if count == 0 { 0.0 } else { seconds / count as f64 };
    let shown = if each < 1e-6 { format!("{:.2} ns", each * 1e9) } else { show_seconds(each) };
    format!("{shown}/{thing}")
}

/// A number of bytes in the unit that suits it.
pub fn show_bytes(bytes: u64) -> String {
    Bytes(bytes).to_string()
}

/// The same, shown without memory.
pub struct Bytes(pub u64);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mut value, mut units) = (self.0 as f64, ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"].iter());
        let mut unit = "B";
        while value >= 1024.0
            && let Some(next) = units.next()
        {
            (value, unit) = (value / 1024.0, next);
        }
        if unit == "B" { write!(f, "{} B", self.0) } else { write!(f, "{value:.1} {unit}") }
    }
}

/// A time in the unit that suits it.
pub fn show_seconds(seconds: f64) -> String {
    match seconds {
        s if s >= 1.0 => format!("{s:.3} s"),
        s if s >= 1e-3 => format!("{:.2} ms", s * 1e3),
        s if s >= 1e-6 => format!("{:.1} µs", s * 1e6),
        s => format!("{:.0} ns", s * 1e9),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_shown_for_people() {
        assert_eq!(
            ["0", "999", "1,000", "16,777,216"],
            [0, 999, 1000, 1 << 24].map(show_count).each_ref().map(|s| &**s)
        );
        assert_eq!(
            ["0 B", "1023 B", "1.0 KiB", "64.0 MiB"],
            [0, 1023, 1024, 64 << 20].map(show_bytes).each_ref().map(|s| &**s)
        );
        assert_eq!(show_bytes(u64::MAX), "16.0 EiB");
        assert_eq!(
            ["1.500 s", "2.50 ms", "3.0 µs", "7 ns"],
            [1.5, 2.5e-3, 3e-6, 7e-9].map(show_seconds).each_ref().map(|s| &**s)
        );
    }

    #[test]
    fn one_and_many() {
        assert_eq!([0, 1, 1000].map(|n| counted(n, "query")), ["0 queries", "1 query", "1,000 queries"]);
        assert_eq!(
            ["vertex", "suffix", "node", "key", "repeated edge"].map(plural),
            ["vertices", "suffixes", "nodes", "keys", "repeated edges"]
        );
        assert_eq!(
            [0, 1, 10].map(|n| there_are_only(n, "node")),
            ["there are no nodes", "there is only 1 node", "there are only 10 nodes"]
        );
        assert_eq!(
            [(1.0, 0), (1.0, 1_000_000_000), (0.0025, 10), (3.0, 2)].map(|(s, n)| show_each(s, n, "byte")),
            ["0.00 ns/byte", "1.00 ns/byte", "250.0 µs/byte", "1.500 s/byte"]
        );
    }

    #[test]
    fn all_spellings() {
        for (text, value) in [
            ("0", 0),
            ("17", 17),
            ("1_000", 1000),
            ("2^24", 1 << 24),
            ("16M", 16_000_000),
            ("16Mi", 1 << 24),
            ("1.5k", 1500),
            ("1e6", 1_000_000),
            ("2G", 2_000_000_000),
        ] {
            assert_eq!(parse_count(text), Ok(value), "{text}");
        }
        for bad in ["", "-1", "2^64", "2^-1", "1.5", "abc", "1e300", "NaN", "inf", "M", "^3", "99999999999999999999"] {
            assert!(parse_count(bad).is_err(), "{bad}");
        }
    }
}
