//! The columns that the benchmarks' tables are made of: a heading, and what a row shows there.

use crate::report::Row;
use crate::table::{self, Table};

/// A column. Words are aligned left and come first; where a dividing column changes, the table has an empty line.
pub struct Column<'a> {
    heading: &'static str,
    words: bool,
    divides: bool,
    cell: Box<dyn Fn(&Row) -> String + 'a>,
}

/// A column of numbers.
pub fn number<'a>(heading: &'static str, cell: impl Fn(&Row) -> String + 'a) -> Column<'a> {
    Column { heading, words: false, divides: false, cell: Box::new(cell) }
}

/// A column of words.
pub fn words<'a>(heading: &'static str, cell: impl Fn(&Row) -> String + 'a) -> Column<'a> {
    Column { words: true, ..number(heading, cell) }
}

/// Who was timed.
pub fn engine(heading: &'static str) -> Column<'static> {
    words(heading, |row| row.engine.into())
}

/// What was timed.
pub fn what(heading: &'static str) -> Column<'static> {
    words(heading, |row| row.what.into()).dividing()
}

/// Who was timed, and whom the rule takes.
pub fn engine_or_choice(heading: &'static str) -> Column<'static> {
    words(heading, |row| format!("{}{}", row.engine, if row.default { " (chosen)" } else { "" }))
}

/// What was asked: the kind of ranges, the size of a kernel.
pub fn asked(heading: &'static str) -> Column<'static> {
    words(heading, |row| row.queries.unwrap_or_default().into()).dividing()
}

/// Threads of the pool.
pub fn threads() -> Column<'static> {
    number("threads", |row| row.threads.to_string()).dividing()
}

/// Milliseconds of a run.
pub fn ms() -> Column<'static> {
    number("ms", |row| table::short(row.median_ns / 1e6))
}

/// Nanoseconds of an item.
pub fn ns(heading: &'static str) -> Column<'static> {
    number(heading, |row| table::short(row.ns_per_item))
}

/// Speed over the bytes that must be moved.
pub fn gb_per_s() -> Column<'static> {
    number("GB/s", |row| table::maybe(row.gb_per_s))
}

/// That speed as a share of the copy speed.
pub fn of_copy() -> Column<'static> {
    number("of copy", |row| table::per_cent(row.share_of_copy))
}

/// Memory beside the data.
pub fn extra_bits(heading: &'static str) -> Column<'static> {
    number(heading, |row| table::maybe(row.extra_bits_per_element))
}

/// How much faster than the best peer.
pub fn versus(heading: &'static str) -> Column<'static> {
    number(heading, |row| table::times(row.ratio_to_best_peer))
}

impl Column<'_> {
    /// An empty line wherever the column changes.
    pub fn dividing(self) -> Self {
        Self { divides: true, ..self }
    }

    /// No empty lines.
    pub fn together(self) -> Self {
        Self { divides: false, ..self }
    }
}

/// The table of some rows.
pub fn table<'r, const C: usize>(rows: impl IntoIterator<Item = &'r Row>, columns: [Column<'_>; C]) -> Table {
    let mut table =
        Table::new(columns.iter().filter(|column| column.words).count(), columns.each_ref().map(|c| c.heading));
    let dividing: Vec<usize> = (0..C).filter(|&column| columns[column].divides).collect();
    for row in rows {
        table.grouped(&dividing, columns.each_ref().map(|column| (column.cell)(row)));
    }
    table
}

/// The rows of one thing that was timed.
pub fn of<'r>(rows: &'r [Row], what: &'static str) -> impl Iterator<Item = &'r Row> {
    rows.iter().filter(move |row| row.what == what)
}
