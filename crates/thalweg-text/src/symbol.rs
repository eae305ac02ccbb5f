//! What texts are made of.

use bytemuck::Pod;

use thalweg_core::Key;

/// A symbol of a text: `u8` or `u32`.
///
/// Sealed: the algorithms are compiled for these types, in this crate, and libsais sorts the suffixes of these.
pub trait Symbol: Key + Ord + Pod + erased::Erase {}

impl Symbol for u8 {}
impl Symbol for u32 {}

pub(crate) use erased::{Patterns, Symbols, SymbolsMut};

/// From the types of symbols to enums of them, and so from generic doors to functions that are compiled once.
mod erased {
    /// A text.
    #[derive(Clone, Copy, Debug)]
    pub enum Symbols<'t> {
        U8(&'t [u8]),
        U32(&'t [u32]),
    }

    /// A buffer for symbols.
    #[derive(Debug)]
    pub enum SymbolsMut<'t> {
        U8(&'t mut [u8]),
        U32(&'t mut [u32]),
    }

    /// Several short texts.
    #[derive(Clone, Copy, Debug)]
    pub enum Patterns<'p> {
        U8(&'p [&'p [u8]]),
        U32(&'p [&'p [u32]]),
    }

    pub trait Erase: Sized {
        fn symbols(text: &[Self]) -> Symbols<'_>;
        fn symbols_mut(buffer: &mut [Self]) -> SymbolsMut<'_>;
        fn patterns<'p>(patterns: &'p [&'p [Self]]) -> Patterns<'p>;
    }

    macro_rules! erase {
        ($($t:ident, $variant:ident;)*) => {$(
            impl Erase for $t {
                fn symbols(text: &[Self]) -> Symbols<'_> {
                    Symbols::$variant(text)
                }
                fn symbols_mut(buffer: &mut [Self]) -> SymbolsMut<'_> {
                    SymbolsMut::$variant(buffer)
                }
                fn patterns<'p>(patterns: &'p [&'p [Self]]) -> Patterns<'p> {
                    Patterns::$variant(patterns)
                }
            }
        )*};
    }
    erase! {
        u8, U8;
        u32, U32;
    }
}

/// Runs an expression for the type of a text: `by_symbol!(symbols, text => f(text))`.
macro_rules! by_symbol {
    ($symbols:expr, $text:ident => $body:expr) => {
        match $symbols {
            $crate::symbol::Symbols::U8($text) => $body,
            $crate::symbol::Symbols::U32($text) => $body,
        }
    };
}
pub(crate) use by_symbol;
