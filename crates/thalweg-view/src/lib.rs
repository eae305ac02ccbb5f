//! A billion points on one screen.
//!
//! An index for minima and one for maxima answer what every column of pixels has to show with two queries, however many points
//! lie in it. [`Series`] is an array with both, [`columns`] are what is drawn, [`Server`] answers a page on this machine that
//! pans and zooms, and [`export`] writes a page that needs no server. The command `thalweg view` puts them together.
//!
//! NaN is worse than everything in either order (see `thalweg_core::Key`), so a column shows the smallest and the largest of its
//! numbers, and is empty if it holds nothing but NaN.
#![deny(unsafe_code)]

mod answers;
pub mod columns;
pub mod export;
mod find;
mod guard;
mod how;
mod http;
mod kind;
mod page;
mod series;
mod server;
mod watch;

pub use guard::Guard;
pub use kind::Kind;
pub use series::{Indexes, Series};
pub use server::Server;
pub use watch::Watch;
