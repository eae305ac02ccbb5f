//! Numbers as people write them: 2^24, 16M, 1e6, 1_000_000.

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

#[cfg(test)]
mod tests {
    use super::parse_count;

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
