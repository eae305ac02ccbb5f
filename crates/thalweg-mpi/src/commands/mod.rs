//! The subcommands, one file each.

pub mod ansv;
pub mod forest;
pub mod rank;
pub mod rmq;
pub mod scan;
pub mod sort;
