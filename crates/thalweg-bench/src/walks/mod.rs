//! Lists, forests and windows as plain walks on one thread leave them: the right answers on whatever device, and on the CPU what the
//! engines are compared with.

pub mod forest;
pub mod list;
pub mod window;
