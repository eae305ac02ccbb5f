//! Options that take one of a list of names.

use std::ffi::OsStr;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

/// A parser for one of `all`. The names appear in the help and in shell completions, with `-`; capitals count as small
/// letters, and `-` and `_` are the same.
pub fn one_of<T: Copy + Send + Sync + 'static>(all: &'static [T], name: fn(T) -> &'static str) -> OneOf<T> {
    OneOf { all, name, as_named: false }
}

/// The same for engines. They have one spelling everywhere, in help, reports and files: the library's.
pub fn engine_of<T: Copy + Send + Sync + 'static>(all: &'static [T], name: fn(T) -> &'static str) -> OneOf<T> {
    OneOf { all, name, as_named: true }
}

/// See [`one_of`].
#[derive(Clone)]
pub struct OneOf<T: 'static> {
    all: &'static [T],
    name: fn(T) -> &'static str,
    as_named: bool,
}

impl<T: Copy + Send + Sync + 'static> OneOf<T> {
    /// The names as they are shown.
    fn shown(&self) -> impl Iterator<Item = PossibleValue> + use<'_, T> {
        self.all.iter().map(|&item| match (self.name)(item) {
            name if self.as_named => PossibleValue::new(name),
            name => PossibleValue::new(name.replace('_', "-")),
        })
    }
}

impl<T: Copy + Send + Sync + 'static> TypedValueParser for OneOf<T> {
    type Value = T;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<T, clap::Error> {
        let plain = |text: &str| text.to_ascii_lowercase().replace('-', "_");
        let wanted = value.to_str().map(plain);
        match self.all.iter().find(|&&item| Some(plain((self.name)(item))) == wanted) {
            Some(&item) => Ok(item),
            // No name of ours: clap's own parser says so, and which there are.
            None => {
                let refused = PossibleValuesParser::new(self.shown()).parse_ref(command, argument, value);
                Err(refused.map_or_else(|error| error, |_| clap::Error::new(clap::error::ErrorKind::InvalidValue)))
            }
        }
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.shown()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capitals_and_strokes_do_not_matter() {
        let parser = one_of(&["padded_tree", "to-end"], |name| name);
        let parse = |text: &str| parser.parse_ref(&clap::Command::new("test"), None, text.as_ref());
        for text in ["padded_tree", "padded-tree", "PADDED-Tree"] {
            assert_eq!(parse(text).unwrap(), "padded_tree");
        }
        assert_eq!(parse("To_End").unwrap(), "to-end");
        let refused = parse("padded").unwrap_err().to_string();
        assert!(refused.contains("padded-tree, to-end"), "{refused}");
        let shown: Vec<_> = parser.possible_values().unwrap().map(|value| value.get_name().to_owned()).collect();
        assert_eq!(shown, ["padded-tree", "to-end"]);
        let refused =
            engine_of(&["padded_tree"], |name| name).parse_ref(&clap::Command::new("test"), None, "x".as_ref());
        assert!(refused.unwrap_err().to_string().contains("[possible values: padded_tree]"));
    }
}
