//! Tables of aligned columns for the terminal.

use std::fmt;

/// A table: the first `text` columns are words, aligned left, the others numbers, aligned right.
pub struct Table {
    text: usize,
    header: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// An empty table.
    pub fn new<const C: usize>(text: usize, header: [&str; C]) -> Self {
        Self { text, header: header.map(str::to_owned).into(), rows: Vec::new() }
    }

    /// Adds a row.
    pub fn row<const C: usize>(&mut self, cells: [String; C]) {
        debug_assert_eq!(C, self.header.len());
        self.rows.push(cells.into());
    }

    /// Adds a row, set apart from the one before if that has another word in one of the `group` columns.
    pub fn grouped<const C: usize>(&mut self, group: &[usize], cells: [String; C]) {
        if self.rows.last().is_some_and(|last| group.iter().any(|&column| last[column] != cells[column])) {
            self.rows.push(Vec::new());
        }
        self.row(cells);
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines = || std::iter::once(&self.header).chain(&self.rows);
        let width = |column: usize| {
            lines().filter_map(|line| line.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.header.len()).map(width).collect();
        for line in lines() {
            let mut out = String::new();
            for (column, (cell, &width)) in line.iter().zip(&widths).enumerate() {
                if column < self.text {
                    out += &format!("  {cell:<width$}");
                } else {
                    out += &format!("  {cell:>width$}");
                }
            }
            writeln!(f, "{}", out.trim_end())?;
        }
        Ok(())
    }
}

/// A number with about three digits, as far as they mean something.
pub fn short(x: f64) -> String {
    match x.abs() {
        0.0 => "0".into(),
        ..0.1 => format!("{x:.4}"),
        ..1.0 => format!("{x:.3}"),
        ..10.0 => format!("{x:.2}"),
        ..100.0 => format!("{x:.1}"),
        _ => format!("{x:.0}"),
    }
}

/// The number, or a dash where there is none.
pub fn maybe(x: Option<f64>) -> String {
    x.map_or("-".into(), short)
}

/// A ratio, or a dash.
pub fn times(x: Option<f64>) -> String {
    x.map_or("-".into(), |x| if x < 1.0 { format!("{x:.2}x") } else { format!("{}x", short(x)) })
}

/// A share of the memory's speed in per cent, or a dash.
pub fn per_cent(x: Option<f64>) -> String {
    x.map_or("-".into(), |x| format!("{:.0}%", 100.0 * x))
}

/// A count as people write it: 2^24, or the digits.
pub fn count(n: usize) -> String {
    if n >= 1024 && n.is_power_of_two() { format!("2^{}", n.trailing_zeros()) } else { n.to_string() }
}

/// Where a row was measured: threads of the CPU, or the GPU.
pub fn threads(count: usize) -> String {
    match count {
        0 => "on the GPU".into(),
        1 => "1 thread".into(),
        _ => format!("{count} threads"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up() {
        let mut table = Table::new(1, ["engine", "ns"]);
        table.row(["lines".into(), "1.50".into()]);
        table.grouped(&[0], ["sparse_table".into(), "10".into()]);
        assert_eq!(table.to_string(), "  engine          ns\n  lines         1.50\n\n  sparse_table    10\n");
    }

    #[test]
    fn numbers_read_well() {
        assert_eq!([0.0, 0.0123, 0.5, 3.456, 34.56, 345.6].map(short), ["0", "0.0123", "0.500", "3.46", "34.6", "346"]);
        assert_eq!((count(1 << 20), count(1000), count(512)), ("2^20".into(), "1000".into(), "512".into()));
    }
}
