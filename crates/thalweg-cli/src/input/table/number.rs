//! Numbers of a text: integers exactly, floats as near as can be.

use super::lines::Broken;
use crate::dtype::{DType, Element};

/// Why a row or a field is not what it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// There is nothing.
    Empty,
    /// No number at all.
    NotNumber,
    /// Nor a name that stands for one.
    NoPlace,
    /// A number, but no integer.
    NotInteger,
    /// An integer, but the type has no such.
    TooLarge,
    /// So many fields, and not as many as the first row has.
    Fields(usize),
    /// A quote at a wrong place.
    Quote,
}

impl From<Broken> for Why {
    fn from(Broken::Quote: Broken) -> Self {
        Self::Quote
    }
}

/// The number that a field holds.
pub fn parse<T: Element>(field: &[u8]) -> Result<T, Why> {
    match T::DTYPE {
        DType::F32 => finite::<f32>(field).map(|x| T::from_low_bits(x.to_bits().into())),
        DType::F64 => finite::<f64>(field).map(|x| T::from_low_bits(x.to_bits())),
        _ => {
            let (negative, size) = integer(field)?;
            let signed = T::from_f64(-1.0) < T::default();
            let most = u64::MAX >> (64 + u32::from(signed) - 8 * size_of::<T>() as u32);
            let fits = if negative { size == 0 || (signed && size - 1 <= most) } else { size <= most };
            let low = if negative { size.wrapping_neg() } else { size };
            if fits { Ok(T::from_low_bits(low)) } else { Err(Why::TooLarge) }
        }
    }
}

/// Whether it is negative, and its size.
fn integer(field: &[u8]) -> Result<(bool, u64), Why> {
    let (negative, digits) = match field {
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] => (false, digits),
        digits => (false, digits),
    };
    let (mut size, mut i) = (0u64, 0);
    // By index: the command is compiled to be small, and an iterator would be called for every digit.
    while i < digits.len() {
        let digit = digits[i].wrapping_sub(b'0');
        if digit > 9 {
            return Err(no_integer(field));
        }
        // Nineteen digits fit without being watched.
        size = match i {
            0..19 => size * 10 + u64::from(digit),
            _ => {
                let next = size.checked_mul(10).and_then(|size| size.checked_add(digit.into()));
                match next {
                    Some(next) => next,
                    None if digits.iter().all(u8::is_ascii_digit) => return Err(Why::TooLarge),
                    None => return Err(no_integer(field)),
                }
            }
        };
        i += 1;
    }
    if digits.is_empty() { Err(no_integer(field)) } else { Ok((negative, size)) }
}

fn no_integer(field: &[u8]) -> Why {
    match float::<f64>(field) {
        Ok(_) => Why::NotInteger,
        Err(why) => why,
    }
}

fn float<F: std::str::FromStr>(field: &[u8]) -> Result<F, Why> {
    if field.is_empty() {
        return Err(Why::Empty);
    }
    std::str::from_utf8(field).ok().and_then(|text| text.parse().ok()).ok_or(Why::NotNumber)
}

/// The same, but a number that is too large for the type is none, and not infinite.
fn finite<F: std::str::FromStr + Copy + Into<f64>>(field: &[u8]) -> Result<F, Why> {
    let number: F = float(field)?;
    if is_overflown(number.into(), field) { Err(Why::TooLarge) } else { Ok(number) }
}

/// Whether this infinity was written in digits.
pub fn is_overflown(number: f64, text: &[u8]) -> bool {
    number.is_infinite() && text.iter().any(u8::is_ascii_digit)
}

/// Whether a field is a number.
pub fn is_number(field: &[u8]) -> bool {
    float::<f64>(field).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_fits_and_what_does_not() {
        assert_eq!(parse::<i8>(b"-128"), Ok(-128));
        assert_eq!(parse::<f32>(b"-1e39"), Err(Why::TooLarge));
        assert_eq!(parse::<f64>(b"1e39"), Ok(1e39));
        assert_eq!(parse::<f64>(b"1e999"), Err(Why::TooLarge));
        assert_eq!(parse::<f32>(b"-inf"), Ok(f32::NEG_INFINITY));
        assert_eq!(parse::<i8>(b"-129"), Err(Why::TooLarge));
        assert_eq!(parse::<i8>(b"128"), Err(Why::TooLarge));
        assert_eq!(parse::<u8>(b"255"), Ok(255));
        assert_eq!(parse::<u8>(b"256"), Err(Why::TooLarge));
        assert_eq!(parse::<u8>(b"-0"), Ok(0));
        assert_eq!(parse::<u8>(b"-1"), Err(Why::TooLarge));
        assert_eq!(parse::<i64>(b"9223372036854775807"), Ok(i64::MAX));
        assert_eq!(parse::<i64>(b"-9223372036854775808"), Ok(i64::MIN));
        assert_eq!(parse::<i64>(b"9223372036854775808"), Err(Why::TooLarge));
        assert_eq!(parse::<u64>(b"18446744073709551615"), Ok(u64::MAX));
        assert_eq!(parse::<u64>(b"18446744073709551616"), Err(Why::TooLarge));
        assert_eq!(parse::<u64>(b"99999999999999999999999"), Err(Why::TooLarge));
        assert_eq!(parse::<i64>(b"+00000000000000000000000000007"), Ok(7));
        for text in ["1.5", "1e3", "nan", "-inf", "99999999999999999999999.5"] {
            assert_eq!(parse::<i64>(text.as_bytes()), Err(Why::NotInteger), "{text}");
        }
        for text in ["x", "-", "+", "--1", "1 2", "0x10", "1_000", "\u{663}", "1,5"] {
            assert_eq!(parse::<i64>(text.as_bytes()), Err(Why::NotNumber), "{text}");
            assert_eq!(parse::<f32>(text.as_bytes()), Err(Why::NotNumber), "{text}");
        }
        assert_eq!(parse::<f64>(b""), Err(Why::Empty));
        assert_eq!(parse::<u16>(b""), Err(Why::Empty));
        // Not by way of f64, which would round twice.
        assert_eq!(parse::<f32>(b"0.500000029802322387695312500000000000001"), Ok(0.500_000_06));
        assert!(parse::<f64>(b"NaN").is_ok_and(f64::is_nan));
    }

    proptest! {
        #[test]
        fn as_the_standard_library_has_it(x in any::<i64>(), y in any::<u64>(), z in any::<f64>(), w in any::<i32>()) {
            prop_assert_eq!(parse::<i64>(x.to_string().as_bytes()), Ok(x));
            prop_assert_eq!(parse::<u64>(y.to_string().as_bytes()), Ok(y));
            prop_assert_eq!(parse::<i32>(w.to_string().as_bytes()), Ok(w));
            prop_assert_eq!(parse::<i32>(x.to_string().as_bytes()).ok(), i32::try_from(x).ok());
            prop_assume!(!z.is_nan());
            prop_assert_eq!(parse::<f64>(format!("{z:?}").as_bytes()).map(f64::to_bits), Ok(z.to_bits()));
        }
    }
}
