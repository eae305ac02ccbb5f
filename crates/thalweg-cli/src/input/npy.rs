//! The header of NumPy's file format, read and written.
//!
//! The format: magic `\x93NUMPY`, two bytes of version, the length of the text (16 bits in version 1, 32 bits later),
//! then a Python dict with exactly the keys `descr`, `fortran_order` and `shape`, padded with spaces to a multiple of
//! 64 bytes and ended by a newline; then the data. [The specification][spec] is short.
//!
//! Read by hand because a header is hostile input here: the crate at hand for it multiplies the shape unchecked, and
//! its parser of Python expressions is recursive. This one goes through the text once, without recursion.
//!
//! [spec]: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html

use std::fmt;

use crate::dtype::{AnyType, DType, Form};

/// The first bytes of every `.npy` file.
pub const MAGIC: &[u8; 6] = b"\x93NUMPY";

/// A header longer than this is not one: NumPy itself refuses more than 10,000 bytes unless told otherwise.
const LONGEST: usize = 1 << 20;

/// What the header says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// Type of an element; of truth values the bytes that they are, of complex numbers their parts.
    pub dtype: DType,
    /// What the elements are.
    pub form: Form,
    /// Whether the bytes of an element are big-endian.
    pub big_endian: bool,
    /// Whether the first index runs fastest.
    pub fortran: bool,
    /// Sizes of the dimensions.
    pub shape: Vec<usize>,
    /// Where the data begins.
    pub offset: usize,
}

impl Header {
    /// The header, if it promises numbers or truth values; a complaint that names the type if they are complex.
    pub fn of_numbers(self) -> Result<Self, String> {
        let refused = match (self.form, self.dtype, self.big_endian) {
            (Form::Number | Form::Truth, ..) => return Ok(self),
            (Form::Complex, DType::F32, false) => "<c8",
            (Form::Complex, DType::F32, true) => ">c8",
            (Form::Complex, _, false) => "<c16",
            (Form::Complex, _, true) => ">c16",
        };
        Err(DType::from_descr(refused).expect_err("no type of ours"))
    }
}

/// Reads the header at the start of `bytes`. Allocates no more than the shape's few numbers.
pub fn parse(bytes: &[u8]) -> Result<Header, String> {
    if !bytes.starts_with(MAGIC) {
        return Err("not a .npy file (raw binary needs --dtype, and a name that does not end so)".to_owned());
    }
    let cut = || "the .npy header is cut off".to_owned();
    let (start, length) = match *bytes.get(6..8).ok_or_else(cut)? {
        [1, 0] => (10, bytes.get(8..10).map(|b| usize::from(u16::from_le_bytes([b[0], b[1]])))),
        [2 | 3, 0] => (12, bytes.get(8..12).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]) as usize)),
        [major, minor] => return Err(format!("version {major}.{minor} of the .npy format is not supported")),
        _ => unreachable!("a slice of two"),
    };
    let length = length.ok_or_else(cut)?;
    if length > LONGEST {
        return Err(format!("a .npy header of {length} bytes is not credible"));
    }
    let offset = start + length;
    let text = bytes.get(start..offset).ok_or_else(cut)?;
    // Only names of structured types could be anything but ASCII, and those are refused anyway.
    let text = std::str::from_utf8(text).map_err(|_| "the .npy header is not text".to_owned())?;
    Cursor { rest: text }.dict(offset)
}

/// The text that is still to be read.
struct Cursor<'t> {
    rest: &'t str,
}

impl<'t> Cursor<'t> {
    fn dict(mut self, offset: usize) -> Result<Header, String> {
        let (mut descr, mut fortran, mut shape) = (None, None, None);
        self.expect('{')?;
        while !self.take('}') {
            let key = self.string()?;
            self.expect(':')?;
            let again = match key {
                "descr" => descr.replace(self.descr()?).is_some(),
                "fortran_order" => fortran.replace(self.boolean()?).is_some(),
                "shape" => shape.replace(self.shape()?).is_some(),
                _ => return Err("the .npy header has an unknown key".to_owned()),
            };
            if again {
                return Err(format!("the .npy header has the key '{key}' twice"));
            }
            if !self.take(',') {
                self.expect('}')?;
                break;
            }
        }
        if !self.rest.trim().is_empty() {
            return Err("the .npy header goes on after its end".to_owned());
        }
        let missing = |key| move || format!("the .npy header has no '{key}'");
        let (dtype, big_endian, form) = descr.ok_or_else(missing("descr"))?;
        let fortran = fortran.ok_or_else(missing("fortran_order"))?;
        let shape = shape.ok_or_else(missing("shape"))?;
        Ok(Header { dtype, form, big_endian, fortran, shape, offset })
    }

    /// Goes past white space and the character, if that comes next.
    fn take(&mut self, wanted: char) -> bool {
        self.rest = self.rest.trim_start();
        match self.rest.strip_prefix(wanted) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn expect(&mut self, wanted: char) -> Result<(), String> {
        if self.take(wanted) { Ok(()) } else { Err(format!("the .npy header is malformed: '{wanted}' expected")) }
    }

    /// A string without escapes: none of the three keys needs one, nor does any type of ours.
    fn string(&mut self) -> Result<&'t str, String> {
        let quote = if self.take('\'') { '\'' } else { self.expect('"').map(|()| '"')? };
        let (text, rest) = self.rest.split_once(quote).ok_or("the .npy header is malformed: a string has no end")?;
        self.rest = rest;
        Ok(text)
    }

    /// The type, whether it is big-endian, and what the elements are.
    fn descr(&mut self) -> Result<(DType, bool, Form), String> {
        if self.take('[') || self.take('(') {
            return Err("structured dtypes are not supported: expected integers, float32 or float64".to_owned());
        }
        let descr = self.string()?;
        let code = descr.strip_prefix(['<', '>', '=']).unwrap_or(descr);
        match (descr, code) {
            ("|b1" | "b1", _) => Ok((DType::U8, false, Form::Truth)),
            (_, "c8") => Ok((DType::F32, descr.starts_with('>'), Form::Complex)),
            (_, "c16") => Ok((DType::F64, descr.starts_with('>'), Form::Complex)),
            _ => DType::from_descr(descr).map(|(dtype, big_endian)| (dtype, big_endian, Form::Number)),
        }
    }

    fn boolean(&mut self) -> Result<bool, String> {
        self.rest = self.rest.trim_start();
        for (word, value) in [("True", true), ("False", false)] {
            if let Some(rest) = self.rest.strip_prefix(word) {
                self.rest = rest;
                return Ok(value);
            }
        }
        Err("the .npy header is malformed: True or False expected".to_owned())
    }

    fn shape(&mut self) -> Result<Vec<usize>, String> {
        let mut shape = Vec::new();
        self.expect('(')?;
        while !self.take(')') {
            self.rest = self.rest.trim_start();
            let end = self.rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(self.rest.len());
            let (digits, rest) = self.rest.split_at(end);
            if digits.is_empty() {
                return Err("the .npy header is malformed: a size expected".to_owned());
            }
            // Python 2 wrote long integers with an L behind.
            self.rest = rest.strip_prefix('L').unwrap_or(rest);
            let size = digits.parse().map_err(|_| "the .npy header has a size beyond 64 bits".to_owned())?;
            // NumPy's own limit.
            if shape.len() == 64 {
                return Err("the .npy header has more than 64 dimensions".to_owned());
            }
            shape.push(size);
            if !self.take(',') {
                self.expect(')')?;
                break;
            }
        }
        Ok(shape)
    }
}

/// A shape as Python writes it: `(5,)`, `(5, 2)`.
pub struct Shape<'s>(pub &'s [usize]);

impl fmt::Display for Shape<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            [one] => write!(f, "({one},)"),
            sizes => write!(f, "({})", sizes.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")),
        }
    }
}

/// The header of a file that holds an array in C order, little-endian.
pub fn header(dtype: DType, shape: &[usize]) -> Vec<u8> {
    header_of(AnyType::real(dtype), shape)
}

/// The same for numbers that may be complex.
pub fn header_of(dtype: AnyType, shape: &[usize]) -> Vec<u8> {
    let mark = if dtype.size() == 1 { '|' } else { '<' };
    let code = match dtype {
        AnyType::C64 => "c8",
        AnyType::C128 => "c16",
        AnyType { part, .. } => part.code(),
    };
    let mut text = format!("{{'descr': '{mark}{code}', 'fortran_order': False, 'shape': {}, }}", Shape(shape));
    // Data at a multiple of 64 can be used in place by whoever maps the file.
    let length = (MAGIC.len() + 4 + text.len() + 1).next_multiple_of(64) - MAGIC.len() - 4;
    text.extend(std::iter::repeat_n(' ', length - 1 - text.len()));
    text.push('\n');
    let length = u16::try_from(length).expect("a type and a few sizes are short");
    [MAGIC.as_slice(), &[1, 0], &length.to_le_bytes(), text.as_bytes()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn with_text(text: &str) -> Vec<u8> {
        [MAGIC.as_slice(), &[1, 0], &(text.len() as u16).to_le_bytes(), text.as_bytes()].concat()
    }

    #[test]
    fn what_is_written_is_read() {
        let complex = [AnyType::C64, AnyType::C128];
        for any in DType::ALL.iter().map(|&dtype| AnyType::real(dtype)).chain(complex) {
            for shape in [vec![], vec![0], vec![1], vec![1 << 24], vec![3, 2], vec![usize::MAX, 2, 0]] {
                let bytes = header_of(any, &shape);
                assert_eq!(bytes.len() % 64, 0);
                let (offset, dtype) = (bytes.len(), any.part);
                let form = if any.is_complex { Form::Complex } else { Form::Number };
                let want = Header { dtype, form, big_endian: false, fortran: false, shape, offset };
                assert_eq!(parse(&bytes), Ok(want.clone()));
                let numbers = want.of_numbers();
                assert_eq!(numbers.is_ok(), !any.is_complex);
                assert!(numbers.err().is_none_or(|text| text.contains("complex")));
            }
        }
    }

    #[test]
    fn spellings_of_other_writers() {
        for text in [
            "{'descr': '<i8', 'fortran_order': False, 'shape': (5L, 2L), }     \n",
            "{\"shape\":(5,2),\"descr\":\"<i8\",\"fortran_order\":False}",
            "  {  'shape' : ( 5 , 2 , ) , 'fortran_order' : False , 'descr' : '<i8' }",
        ] {
            let header = parse(&with_text(text)).unwrap_or_else(|e| panic!("{text}: {e}"));
            assert_eq!((header.dtype, header.shape), (DType::I64, vec![5, 2]), "{text}");
        }
    }

    #[test]
    fn malformed_headers_are_errors() {
        for text in [
            "",
            "{",
            "{}",
            "{'descr': '<i8'}",
            "{'descr': '<i8', 'fortran_order': False}",
            "{'descr': '<i8', 'fortran_order': 0, 'shape': (1,)}",
            "{'descr': '<i8', 'fortran_order': False, 'shape': (-1,)}",
            "{'descr': '<i8', 'fortran_order': False, 'shape': (1 2)}",
            "{'descr': '<i8', 'fortran_order': False, 'shape': (99999999999999999999,)}",
            "{'descr': '<i8', 'fortran_order': False, 'shape': 7}",
            "{'descr': '<i8', 'fortran_order': False, 'shape': (1,)} x",
            "{'descr': '<i8', 'fortran_order': False, 'shape': (1,), 'more': 1}",
            "{'descr': '<i8', 'descr': '<i8', 'fortran_order': False, 'shape': (1,)}",
            "{'descr': [('a', '<i8')], 'fortran_order': False, 'shape': (1,)}",
            "{'descr': '<i8",
        ] {
            assert!(parse(&with_text(text)).is_err(), "{text}");
        }
        assert!(parse(&with_text(&"(".repeat(60_000))).is_err());
        assert!(parse(&with_text(&format!("{{'shape': ({}", "1,".repeat(30_000)))).is_err());
        assert!(parse(b"\x93NUMPY\x02\x00\xff\xff\xff\xff").is_err());
        assert!(parse(b"\x93NUMPY\x09\x00").is_err());
    }

    proptest! {
        #[test]
        fn no_header_makes_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), length in 0u16..300, version in 0u8..5) {
            let _ = parse(&bytes);
            let head = [MAGIC.as_slice(), &[version, 0], &length.to_le_bytes()].concat();
            let _ = parse(&[head.as_slice(), &bytes].concat());
        }

        #[test]
        fn no_python_makes_it_panic(text in "[{}()'\",:<>a-z0-9LTF \\[\\]éß_]{0,120}") {
            let _ = parse(&with_text(&text));
            let _ = parse(&with_text(&format!("{{'descr': '<f4', 'shape': {text}")));
        }
    }
}
