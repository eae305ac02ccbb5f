//! An envelope's values at every whole number of a range.

use serde_json::{Value, json};
use thalweg::geometry::Coordinate;
use thalweg::geometry::envelope::{BigRational, Envelope, Grid, RasterOutputs};
use thalweg_cli::device::{let_go, say_chosen};
use thalweg_cli::dtype::{DType, Element};
use thalweg_cli::failure::Outcome;
use thalweg_cli::memory;
use thalweg_cli::numbers::counted;
use thalweg_cli::output;
use thalweg_data::envelopes::Scan;
use thalweg_data::exact::Exact;

use super::super::report::{Table, timed};
use super::check::wrong_value;
use super::{Job, signed};

/// Whole numbers from the first one up to, and without, the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GridRange {
    start: i64,
    len: usize,
}

/// Parses `-5..1000` or `0..=99`.
pub fn parse(text: &str) -> Result<GridRange, String> {
    let (start, end) = text.split_once("..").ok_or("expected a range such as -5..1000 or 0..=99")?;
    let (end, more) = end.strip_prefix('=').map_or((end, 0), |end| (end, 1));
    let number =
        |text: &str| text.replace('_', "").parse::<i64>().map_err(|_| format!("'{text}' is not a whole number"));
    let (start, end) = (number(start)?, number(end)?);
    let len = i128::from(end) + more - i128::from(start);
    let len = usize::try_from(len).map_err(|_| "the range ends before it begins".to_owned())?;
    Grid::new(start, len).map_err(|error| error.to_string())?;
    Ok(GridRange { start, len })
}

impl Job<'_> {
    /// Finds the values, and writes what is asked for. Without files both values and numbers are found, for the report.
    pub(super) fn on_grid<T: Element + Coordinate + Exact>(mut self, range: GridRange) -> Outcome {
        let rows = self.input.get::<T>()?;
        let in_place = matches!(rows, std::borrow::Cow::Borrowed(_));
        self.run.progress.say(format_args!("segments: {}", self.input.describe(in_place)));
        let grid = Grid::new(range.start, range.len)?;
        let neither = self.outputs.values.is_none() && self.outputs.ids.is_none();
        let mut values = (self.outputs.values.is_some() || neither)
            .then(|| memory::filled(range.len, f64::NAN, "the values"))
            .transpose()?;
        let mut ids = (self.outputs.ids.is_some() || neither)
            .then(|| memory::filled(range.len, Envelope::GAP, "the segments' numbers"))
            .transpose()?;
        self.run.progress.stage("answering");
        let builder = self.builder();
        let (done, time) = timed(|| {
            builder.raster_into(&rows, grid, RasterOutputs { values: values.as_deref_mut(), ids: ids.as_deref_mut() })
        });
        let ((), chosen) = done.map_err(|error| self.input.failure(error))?.into_parts();
        say_chosen(&self.run.progress, &chosen, self.args.engine.is_some());
        let_go((builder, std::mem::take(&mut self.device)));

        self.run.progress.stage("checking");
        let scan = Scan { rows: &rows, upper: self.args.upper };
        let verified = self.args.run.verify.check(range.len, &|_| 8 * rows.len(), &|i| {
            let x = i128::from(range.start) + i as i128;
            let (exact, near) = (BigRational::from_integer(x.into()), x as f64);
            let value = values.as_ref().and_then(|values| wrong_value(&scan, &exact, near, values[i]));
            let id = || {
                let lowest = scan.lowest(&exact, near).map_or(-1, |(_, id)| id as i64);
                let found = signed(ids.as_ref()?[i]);
                (found != lowest).then(|| format!("segment {found} is not the lowest at {x}, {lowest} is"))
            };
            value.or_else(id).map(|text| format!("engine {}: {text}", chosen.engine()))
        })?;

        let mut summary = self.summary(T::NAME, &chosen, time, (range.len, "number"));
        summary.line("grid", format_args!("{} from {} on", counted(range.len, "whole number"), range.start));
        summary.value("grid", json!({"start": range.start, "count": range.len}));
        summary.verified(verified, range.len, "answer", "equal to those of a plain scan");
        let mut done = Vec::new();
        self.run.progress.steps("writing", range.len);
        if let (Some(mut out), Some(values)) = (self.outputs.values.take(), &values) {
            out.write(&[values.len()], values, &self.run.progress)?;
            done.push((out, DType::F64.name()));
        }
        if let (Some(mut out), Some(ids)) = (self.outputs.ids.take(), &ids) {
            out.write_as(&[ids.len()], ids, signed, &self.run.progress)?;
            done.push((out, DType::I64.name()));
        }
        for (out, dtype) in &done {
            summary.written_elements(&out.name, range.len, dtype);
        }
        output::commit(done.into_iter().map(|(out, _)| out))?;
        summary.answers(&table(range, values.as_deref(), ids.as_deref()));
        let stdout_taken = self.run.stdout_taken;
        drop(self.run);
        summary.print(self.args.run.json, stdout_taken)
    }
}

/// The first few answers.
fn table(range: GridRange, values: Option<&[f64]>, ids: Option<&[u32]>) -> Table {
    let mut columns = vec!["x"];
    columns.extend(values.map(|_| "value"));
    columns.extend(ids.map(|_| "segment"));
    let rows = (0..range.len).map(|i| {
        let mut row = vec![Value::from(range.start + i as i64)];
        row.extend(values.map(|values| if values[i].is_nan() { Value::Null } else { json!(values[i]) }));
        row.extend(ids.map(|ids| if ids[i] == Envelope::GAP { Value::Null } else { json!(ids[i]) }));
        row
    });
    Table::first(columns, rows, range.len)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_as_people_write_them() {
        assert_eq!(parse("-5..1_000"), Ok(GridRange { start: -5, len: 1005 }));
        assert_eq!(parse("0..=99"), Ok(GridRange { start: 0, len: 100 }));
        assert_eq!(parse("7..7"), Ok(GridRange { start: 7, len: 0 }));
        for bad in ["", "5", "..", "3..", "..3", "3..2", "a..b", "0..1.5", "0..9999999999", "0..99999999999999999999"] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }
}
