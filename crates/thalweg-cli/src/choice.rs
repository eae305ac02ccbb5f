//! Options that take one of a list of names.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

/// A parser for one of `all`. The names appear in the help and in shell completions; `-` and `_` are the same.
pub fn one_of<T: Copy + Send + Sync + 'static>(
    all: &'static [T],
    name: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T> {
    let values = all.iter().map(move |&item| {
        let shown = name(item).replace('_', "-");
        PossibleValue::new(shown.clone()).alias(shown.replace('-', "_"))
    });
    PossibleValuesParser::new(values).map(move |text| {
        let wanted = text.replace('-', "_");
        *all.iter().find(|&&item| name(item).replace('-', "_") == wanted).expect("clap has checked the name")
    })
}
