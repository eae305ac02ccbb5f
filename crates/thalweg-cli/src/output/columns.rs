//! Arrays as tables: how many columns they have, and what these are called.

use crate::dtype::AnyType;
use crate::input::npy;

/// How many columns an array has as a table.
pub fn width(dtype: AnyType, shape: &[usize]) -> Result<usize, String> {
    match (shape, dtype.is_complex) {
        ([_], false) => Ok(1),
        ([_], true) => Ok(2),
        (&[_, columns], false) => Ok(columns),
        _ => Err(format!("{} of {dtype} is no table: write .npy", npy::Shape(shape))),
    }
}

/// The names of the columns, given with commas between them, or made up.
pub fn names(given: &str, width: usize, dtype: AnyType) -> Result<Vec<String>, String> {
    let listed: Vec<&str> = given.split(',').map(str::trim).collect();
    Ok(match width {
        1 if given.is_empty() => vec!["value".to_owned()],
        1 => vec![given.to_owned()],
        2 if given.is_empty() && dtype.is_complex => vec!["re".to_owned(), "im".to_owned()],
        n if given.is_empty() => (1..=n).map(|column| format!("c{column}")).collect(),
        n if n == listed.len() => listed.into_iter().map(str::to_owned).collect(),
        n => return Err(format!("{n} columns, but '{given}' names {}", listed.len())),
    })
}
