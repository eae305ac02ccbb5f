//! Links in: successors of lists, parents of forests.
#![allow(unsafe_code)]

use bytemuck::Pod;
use pyo3::prelude::*;
use rayon::prelude::*;
use thalweg::{Error, Position, Result};
use thalweg_core::memory::computed;

use crate::array::{Copy, Kind, Lent};
use crate::errors::{bad_element, bad_input, bad_type, to_python};

/// Links from element to element, in 32 or 64 bits; -1, or the largest number, leads nowhere.
pub struct Links {
    array: Lent,
    /// The same in 32 bits, if they have 64 and do not need them: what is made of them takes half the memory then.
    narrow: Option<Vec<u32>>,
}

/// Elements that a task converts.
const GRAIN: usize = 1 << 14;
/// Elements that 32 bits number, with a sign; tours of forests have two places for each.
const MOST: usize = i32::MAX as usize;

/// Runs an expression for the width of [`Links`]: `by_links!(links, P => f::<P>())`.
macro_rules! by_links {
    ($links:expr, $P:ident => $body:expr) => {
        if $links.is_wide() {
            type $P = u64;
            $body
        } else {
            type $P = u32;
            $body
        }
    };
}
pub(crate) use by_links;

impl Links {
    /// An array of integers. Those of 8 and 16 bits are converted, to 64.
    pub fn new(what: &str, object: &Bound<'_, PyAny>, copy: Copy) -> PyResult<Self> {
        let array = Lent::new(what, object, copy)?;
        let array = match (array.dtype.kind, array.dtype.bytes) {
            (Kind::Signed | Kind::Unsigned, 4 | 8) => array,
            (Kind::Signed | Kind::Unsigned, _) if copy == Copy::Never => {
                let name = array.dtype.name();
                return Err(bad_input(format!("{what}: {name} must be converted, but copy=False; 32 or 64 bits work")));
            }
            (Kind::Signed | Kind::Unsigned, _) => converted(what, &array, object.py(), "int64")?,
            // What `np.asarray([])` is.
            (Kind::Float, _) if array.len == 0 => converted(what, &array, object.py(), "int64")?,
            _ => {
                let advice = "links are positions: use .astype(np.int64), with -1 for none";
                return Err(bad_type(format!("{what}: dtype {} does not work; {advice}", array.dtype.name())));
            }
        };
        Ok(Self { array, narrow: None })
    }

    /// The links in the width that so many need, or as they were given if they have 32 bits. To be called where work is done.
    ///
    /// # Errors
    /// [`Error::Link`] of the first that leads out of the array, if they are converted. `what` has links.
    pub fn narrowed(&mut self, what: &'static str) -> Result<()> {
        let len = self.len();
        if !self.is_wide() || len > MOST {
            return Ok(());
        }
        let links: &[u64] = self.array.slice();
        let bad = |&to: &u64| to >= len as u64 && to != u64::MAX;
        let narrow = computed(len, GRAIN, "links in 32 bits", |i| links[i] as u32)?;
        if let Some(element) = links.par_chunks(GRAIN).position_first(|links| links.iter().any(bad)) {
            let first = element * GRAIN;
            let element = first + links[first..].iter().position(bad).expect("one of the chunk's");
            return Err(Error::Link { what, element, to: links[element], len });
        }
        self.narrow = Some(narrow);
        Ok(())
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.array.len
    }

    /// Whether they have 64 bits.
    pub fn is_wide(&self) -> bool {
        self.array.dtype.bytes == 8 && self.narrow.is_none()
    }

    /// The array itself, or the copy that was made of it.
    pub fn owner<'py>(&self, py: Python<'py>) -> &Bound<'py, PyAny> {
        self.array.owner(py)
    }

    /// The links, as positions of their width.
    pub fn slice<P: Position>(&self) -> &[P] {
        match &self.narrow {
            Some(narrow) => bytemuck::cast_slice(narrow),
            None => self.array.slice(),
        }
    }

    /// The links, for as long as these live.
    ///
    /// # Safety
    /// What keeps them must not outlive this.
    pub unsafe fn slice_to_keep<P: Position>(&self) -> &'static [P] {
        let slice: &[P] = self.slice();
        // SAFETY: asked of the caller; neither array moves when this does.
        unsafe { std::slice::from_raw_parts(slice.as_ptr(), slice.len()) }
    }

    /// The first of them that is below zero, if numbers have signs at all.
    pub fn first_negative(&self) -> Option<usize> {
        match (self.array.dtype.kind, self.array.dtype.bytes == 8) {
            (Kind::Signed, true) => self.array.slice::<i64>().par_iter().position_first(|&x| x < 0),
            (Kind::Signed, false) => self.array.slice::<i32>().par_iter().position_first(|&x| x < 0),
            _ => None,
        }
    }

    /// The exception for an error about these links, whose numbers may have had signs.
    pub fn to_python(&self, error: Error) -> PyErr {
        match error {
            Error::Link { what, element, to, len } if self.array.dtype.kind == Kind::Signed => {
                let to = if self.array.dtype.bytes == 8 { to as i64 } else { i64::from(to as u32 as i32) };
                let none = if to < 0 { "; -1 is none" } else { "" };
                bad_element(element, format!("{what} {element} points to {to}, but there are only {len}{none}"))
            }
            other => to_python(other),
        }
    }
}

/// The array, in another dtype of NumPy that holds all its numbers.
pub fn converted(what: &str, array: &Lent, py: Python<'_>, dtype: &str) -> PyResult<Lent> {
    Lent::new(what, &array.owner(py).call_method1("astype", (dtype,))?, Copy::IfNeeded)
}

/// Nodes as positions, from an array of integers. The first that is not below `len` is told.
pub fn nodes<P: Position>(array: &Lent, len: usize) -> Result<Vec<P>> {
    fn each<T: Pod + TryInto<u64> + TryInto<i128>, P: Position>(numbers: &[T], len: usize) -> Result<Vec<P>> {
        let mut nodes = thalweg_core::error::try_with_capacity(numbers.len(), "nodes")?;
        for (row, &number) in numbers.iter().enumerate() {
            match TryInto::<u64>::try_into(number) {
                Ok(node) if node < len as u64 => nodes.push(P::new(node as usize)),
                _ => {
                    let node = TryInto::<i128>::try_into(number).unwrap_or(-1) as u64;
                    return Err(Error::Node { row, node, len });
                }
            }
        }
        Ok(nodes)
    }
    match (array.dtype.kind, array.dtype.bytes) {
        (Kind::Signed, 4) => each(array.slice::<i32>(), len),
        (Kind::Signed, _) => each(array.slice::<i64>(), len),
        (_, 4) => each(array.slice::<u32>(), len),
        (_, _) => each(array.slice::<u64>(), len),
    }
}
