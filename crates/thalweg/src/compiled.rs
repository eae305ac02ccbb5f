//! The engines, compiled here once for every key type.
//!
//! Generic code is compiled by the crate that uses it, so every program, test and benchmark would compile every engine
//! for ten types again. Going through a method of the key type itself, which is no longer generic, keeps that work in
//! this crate.

use std::borrow::Cow;

use crate::ansv::{self, AnsvEngine};
use crate::rmq::{self, RmqEngine};
use crate::{Key, Result};

/// Constructors of the engines for one key type. Sealed with [`Key`].
pub trait Compiled: Sized {
    /// See [`rmq::Builder::build`].
    fn rmq_engine<'a>(builder: &rmq::Builder, array: Cow<'a, [Self]>) -> Result<Box<dyn RmqEngine<Self> + 'a>>
    where
        Self: Key;

    /// See [`rmq::Builder::build_without_array`].
    fn rmq_engine_without_array(builder: &rmq::Builder, array: &[Self]) -> Result<Box<dyn RmqEngine<Self>>>
    where
        Self: Key;

    /// See [`rmq::file::Stored::index`].
    #[cfg(feature = "file")]
    fn rmq_stored(stored: &rmq::file::Stored) -> Result<Box<dyn RmqEngine<Self>>>
    where
        Self: Key;

    /// See [`ansv::engine`].
    fn ansv_engine(engine: ansv::Engine) -> Box<dyn AnsvEngine<Self>>
    where
        Self: Key;
}

macro_rules! compiled {
    ($t:ident) => {
        impl Compiled for $t {
            fn rmq_engine<'a>(builder: &rmq::Builder, array: Cow<'a, [Self]>) -> Result<Box<dyn RmqEngine<Self> + 'a>> {
                builder.build_engine(array)
            }

            fn rmq_engine_without_array(builder: &rmq::Builder, array: &[Self]) -> Result<Box<dyn RmqEngine<Self>>> {
                builder.build_engine_without_array(array)
            }

            #[cfg(feature = "file")]
            fn rmq_stored(stored: &rmq::file::Stored) -> Result<Box<dyn RmqEngine<Self>>> {
                stored.load()
            }

            fn ansv_engine(engine: ansv::Engine) -> Box<dyn AnsvEngine<Self>> {
                ansv::build_engine(engine)
            }
        }
    };
}
crate::for_each_key!(compiled);
