//! Element types: their names here and in NumPy, and the bridge from a name at run time to a Rust type.

use std::fmt;

use bytemuck::Pod;
use serde_json::Value;
use thalweg::Key;

/// Defines [`DType`], implements [`Element`] and makes [`with_dtype!`] cover the same list.
macro_rules! dtypes {
    ($($variant:ident = $t:ident, $numpy:literal, $code:literal;)*) => {
        /// An element type.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum DType { $(#[doc = stringify!($t)] $variant,)* }

        impl DType {
            /// Every type.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The name as Rust spells it.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => stringify!($t),)* }
            }

            /// The name as NumPy spells it.
            pub const fn numpy(self) -> &'static str {
                match self { $(Self::$variant => $numpy,)* }
            }

            /// NumPy's letter and size, without the mark of the byte order.
            pub const fn code(self) -> &'static str {
                match self { $(Self::$variant => $code,)* }
            }

            /// Bytes of one element.
            pub const fn size(self) -> usize {
                match self { $(Self::$variant => size_of::<$t>(),)* }
            }
        }

        $(impl Element for $t {
            const DTYPE: DType = DType::$variant;
            fn swapped(self) -> Self {
                let mut bytes = self.to_ne_bytes();
                bytes.reverse();
                Self::from_ne_bytes(bytes)
            }
            #[allow(clippy::unnecessary_cast)]
            fn to_f64(self) -> f64 {
                self as f64
            }
        })*
    };
}

dtypes! {
    U8 = u8, "uint8", "u1";
    U16 = u16, "uint16", "u2";
    U32 = u32, "uint32", "u4";
    U64 = u64, "uint64", "u8";
    I8 = i8, "int8", "i1";
    I16 = i16, "int16", "i2";
    I32 = i32, "int32", "i4";
    I64 = i64, "int64", "i8";
    F32 = f32, "float32", "f4";
    F64 = f64, "float64", "f8";
}

/// `with_dtype!(dtype, T => expression)`: evaluates the expression with `T` standing for the Rust type.
#[macro_export]
macro_rules! with_dtype {
    ($dtype:expr, $T:ident => $body:expr) => {
        $crate::with_dtype!(@ $dtype, $T => $body;
            U8 = u8, U16 = u16, U32 = u32, U64 = u64, I8 = i8, I16 = i16, I32 = i32, I64 = i64, F32 = f32, F64 = f64)
    };
    (@ $dtype:expr, $T:ident => $body:expr; $($variant:ident = $t:ty),*) => {
        match $dtype {
            $($crate::dtype::DType::$variant => {
                type $T = $t;
                $body
            })*
        }
    };
}
pub use with_dtype;

/// A key that files hold.
pub trait Element: Key + Pod + fmt::Display + std::str::FromStr {
    /// The type's name at run time.
    const DTYPE: DType;

    /// The bytes the other way round.
    fn swapped(self) -> Self;

    /// The nearest number of type `f64`.
    fn to_f64(self) -> f64;

    /// For tables and JSON: a number with as many digits as tell it from its neighbours; NaN and infinities as text.
    fn to_json(self) -> Value {
        // Through the text, or an f32 would show the digits of the nearest f64.
        let text = self.to_string();
        text.parse().ok().filter(Value::is_number).unwrap_or(Value::String(text))
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl DType {
    /// From the option: `f32`, `float32` or `<f4`. A bare `i8` has 8 bits, as in Rust; NumPy's codes need their mark.
    pub fn from_option(text: &str) -> Result<Self, String> {
        let lower = text.to_ascii_lowercase();
        let code = lower.strip_prefix(['<', '|', '=']);
        Self::ALL
            .iter()
            .copied()
            .find(|d| lower == d.name() || lower == d.numpy() || code == Some(d.code()))
            .ok_or_else(|| {
                let known: Vec<&str> = Self::ALL.iter().map(|d| d.name()).collect();
                format!("unknown element type (known: {}; also as float32 or <f4)", known.join(", "))
            })
    }

    /// From the `descr` of an `.npy` header: the type and whether its bytes are big-endian.
    pub fn from_descr(descr: &str) -> Result<(Self, bool), String> {
        // Without a mark, or with one that does not matter, it is the machine's order, which is little-endian.
        let big = descr.starts_with('>');
        let code = descr.strip_prefix(['<', '>', '|', '=']).unwrap_or(descr);
        if let Some(&dtype) = Self::ALL.iter().find(|d| d.code() == code) {
            return Ok((dtype, big));
        }
        let meaning = match (code.chars().next(), code) {
            (Some('b' | '?'), _) => "bool",
            (_, "f2") => "float16",
            (Some('f'), _) => "extended float",
            (Some('c'), _) => "complex",
            (Some('S' | 'a' | 'U'), _) => "text",
            (Some('O'), _) => "Python objects",
            (Some('M' | 'm'), _) => "dates and times",
            (Some('V'), _) => "structured",
            _ => "unknown",
        };
        // A header may hold anything; show what fits on a line.
        let shown: String = descr.chars().take(32).flat_map(char::escape_default).collect();
        Err(format!(
            "dtype '{shown}' ({meaning}) is not supported: expected integers of 8 to 64 bits, float32 or float64"
        ))
    }
}

/// What the elements of a file are made of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Numbers.
    Number,
    /// Truth values, a byte each.
    Truth,
    /// Complex numbers: two floats each, the real part and the imaginary part.
    Complex,
}

/// A type of numbers that may be complex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnyType {
    /// The type of the numbers, or of the parts of complex ones: `f32` or `f64`.
    pub part: DType,
    /// Whether two parts make a number.
    pub is_complex: bool,
}

impl AnyType {
    /// Complex numbers of two `f32`.
    pub const C64: Self = Self { part: DType::F32, is_complex: true };
    /// Complex numbers of two `f64`.
    pub const C128: Self = Self { part: DType::F64, is_complex: true };

    /// Numbers that are not complex.
    pub const fn real(part: DType) -> Self {
        Self { part, is_complex: false }
    }

    /// Its name: `c64` and `c128`, by their bits, or that of a number.
    pub const fn name(self) -> &'static str {
        match self {
            Self::C64 => "c64",
            Self::C128 => "c128",
            Self { part, .. } => part.name(),
        }
    }

    /// Bytes of one element.
    pub const fn size(self) -> usize {
        self.part.size() * if self.is_complex { 2 } else { 1 }
    }

    /// From the option: as [`DType::from_option`], and `c64`, `complex64` or `<c8`.
    pub fn from_option(text: &str) -> Result<Self, String> {
        match text.to_ascii_lowercase().as_str() {
            "c64" | "complex64" | "<c8" | "=c8" => Ok(Self::C64),
            "c128" | "complex128" | "<c16" | "=c16" => Ok(Self::C128),
            _ => DType::from_option(text).map(Self::real).map_err(|e| e.replace("f64;", "f64, c64, c128;")),
        }
    }
}

impl fmt::Display for AnyType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn complex_types_have_names() {
        for (any, texts) in
            [(AnyType::C64, ["c64", "Complex64", "<c8"]), (AnyType::C128, ["c128", "complex128", "<c16"])]
        {
            for text in texts {
                assert_eq!(AnyType::from_option(text), Ok(any), "{text}");
                assert!(DType::from_option(text).is_err(), "{text}");
            }
            assert_eq!(AnyType::from_option(any.name()), Ok(any));
        }
        assert_eq!((AnyType::C64.size(), AnyType::C128.size()), (8, 16));
        for &dtype in DType::ALL {
            let any = AnyType::from_option(dtype.name()).unwrap();
            assert_eq!((any, any.size(), any.name()), (AnyType::real(dtype), dtype.size(), dtype.name()));
        }
        let message = AnyType::from_option("c8").unwrap_err();
        assert!(message.contains("c64, c128"), "{message}");
    }

    #[test]
    fn all_spellings_of_a_type() {
        for &dtype in DType::ALL {
            for text in [dtype.name().to_owned(), dtype.numpy().to_uppercase(), format!("<{}", dtype.code())] {
                assert_eq!(DType::from_option(&text), Ok(dtype), "{text}");
            }
            assert_eq!(DType::from_descr(&format!("<{}", dtype.code())), Ok((dtype, false)));
            assert_eq!(DType::from_descr(&format!(">{}", dtype.code())), Ok((dtype, true)));
            assert_eq!(with_dtype!(dtype, T => T::DTYPE), dtype);
            assert_eq!(with_dtype!(dtype, T => size_of::<T>()), dtype.size());
        }
        assert_eq!(DType::from_option("i8"), Ok(DType::I8));
        assert_eq!(DType::from_option("<i8"), Ok(DType::I64));
        for bad in ["", "f4", ">f4", "float16", "f16", "<"] {
            assert!(DType::from_option(bad).is_err(), "{bad}");
        }
        for bad in ["", "<", "|b1", "<f2", "<c16", "|S3", "<U7", "|O", "<M8[ns]", "|V8", "<f44", "é", "<\n\n"] {
            assert!(DType::from_descr(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn json_keeps_the_value() {
        assert_eq!(0.1f32.to_json().to_string(), "0.1");
        assert_eq!(u64::MAX.to_json().to_string(), u64::MAX.to_string());
        assert_eq!(i64::MIN.to_json().to_string(), i64::MIN.to_string());
        assert_eq!(f32::NAN.to_json(), "NaN");
        assert_eq!(f64::NEG_INFINITY.to_json(), "-inf");
        assert_eq!(0x1234u16.swapped(), 0x3412);
    }
}
