//! The pieces of an envelope, and its values at chosen x.

use std::fmt::Write;

use serde_json::{Value, json};
use thalweg::geometry::Coordinate;
use thalweg::geometry::envelope::{BigRational, Envelope};
use thalweg_cli::device::{let_go, say_chosen};
use thalweg_cli::dtype::{DType, Element, with_dtype};
use thalweg_cli::failure::{Failure, Outcome};
use thalweg_cli::input::npy::Shape;
use thalweg_cli::input::{Loaded, queries};
use thalweg_cli::numbers::{counted, show_count, show_each};
use thalweg_cli::output::{self, Output};
use thalweg_data::envelopes::Scan;
use thalweg_data::exact::Exact;

use super::super::report::{Table, timed};
use super::check::{exact, wrong_piece, wrong_value};
use super::{Job, plot, signed};

/// Elements of a scan that cost as much as one that is compared with a key.
const COST: usize = 8;

impl Job<'_> {
    /// Finds the pieces, and writes what is asked for.
    pub(super) fn pieces<T: Element + Coordinate + Exact>(mut self) -> Outcome {
        let rows = self.input.get::<T>()?;
        let in_place = matches!(rows, std::borrow::Cow::Borrowed(_));
        self.run.progress.say(format_args!("segments: {}", self.input.describe(in_place)));
        let at = self
            .args
            .at
            .as_deref()
            .map(|path| queries::open(path, self.args.query_dtype, DType::F64, 1, self.args.empty))
            .transpose()?;
        if let Some(file) = &at
            && file.layout.shape.len() != 1
        {
            return Err(file.failure(format_args!("shape {}, expected (n,)", Shape(&file.layout.shape))));
        }
        self.run.progress.stage("answering");
        let (found, time) = timed(|| self.builder().pieces(&rows));
        let (envelope, chosen) = found.map_err(|error| self.input.failure(error))?.into_parts();
        say_chosen(&self.run.progress, &chosen, self.args.engine.is_some());
        let_go(std::mem::take(&mut self.device));
        let scan = Scan { rows: &rows, upper: self.args.upper };
        self.run.progress.stage("checking");
        let named = |text: String| format!("engine {}: {text}", chosen.engine());
        let mut verified = self
            .args
            .run
            .verify
            .check(envelope.len(), &|_| COST * rows.len(), &|i| wrong_piece(&envelope, &scan, i).map(named))?;

        let mut summary = self.summary(T::NAME, &chosen, time, (rows.len(), "segment"));
        let gaps = envelope.ids().iter().filter(|&&id| id == Envelope::GAP).count();
        summary.line("pieces", format_args!("{}, of them {}", show_count(envelope.len()), counted(gaps, "gap")));
        summary.value("pieces", envelope.len());
        summary.value("gaps", gaps);

        let mut values = None;
        if let Some(file) = &at {
            self.run.progress.stage("evaluating");
            let (found, time) = with_dtype!(file.layout.dtype, Q => {
                let xs = file.elements::<Q>()?;
                let (found, time) = timed(|| envelope.values_at(&xs));
                let found = found.map_err(|error| in_file(file, error))?;
                verified += self.args.run.verify.check(xs.len(), &|_| COST * rows.len(), &|i| {
                    let x = xs[i].integer().map_or_else(|| exact(xs[i].double()), |x| BigRational::from_integer(x.into()));
                    wrong_value(&scan, &x, xs[i].double(), found[i]).map(named)
                })?;
                (found, time)
            });
            let each = show_each(time.as_secs_f64(), found.len(), "value");
            summary.line("values", format_args!("{} at numbers of {}, {each}", show_count(found.len()), file.name));
            summary.value("values_seconds", time.as_secs_f64());
            values = Some(found);
        }
        let of = envelope.len() + at.as_ref().map_or(0, |file| file.layout.shape[0]);
        summary.verified(verified, of, "answer", "equal to those of a plain scan");

        let written = self.write(&envelope, values.as_deref())?;
        for (out, count, dtype) in &written {
            summary.written_elements(&out.name, *count, dtype);
        }
        let mut done: Vec<Output> = written.into_iter().map(|(out, ..)| out).collect();
        if let Some(mut picture) = self.outputs.plot.take() {
            picture.write_text(&plot::draw(&|i| rows[i].map(Exact::double), rows.len(), &envelope))?;
            summary.line("drawn", &picture.name);
            summary.value("plot", picture.name.clone());
            done.push(picture);
        }
        output::commit(done)?;
        summary.answers(&table(&envelope));
        let stdout_taken = self.run.stdout_taken;
        drop(self.run);
        summary.print(self.args.run.json, stdout_taken)
    }

    /// Writes what is asked for: the files, how many elements, and of which type.
    fn write(&mut self, envelope: &Envelope, values: Option<&[f64]>) -> Outcome<Vec<(Output, usize, &'static str)>> {
        let (progress, outputs, len) = (&self.run.progress, &mut self.outputs, envelope.len());
        progress.steps("writing", len);
        let mut done = Vec::new();
        if let Some(mut out) = outputs.starts.take() {
            out.write(&[len], envelope.starts(), progress)?;
            done.push((out, len, DType::F64.name()));
        }
        if let Some(mut out) = outputs.ids.take() {
            out.write_as(&[len], envelope.ids(), signed, progress)?;
            done.push((out, len, DType::I64.name()));
        }
        if let Some(mut out) = outputs.exact.take() {
            let mut text = String::new();
            for i in 0..len {
                match envelope.exact_start(i) {
                    Some(start) => writeln!(text, "{start}"),
                    None => writeln!(text, "-inf"),
                }
                .expect("writing to a string does not fail");
                if text.len() > 1 << 20 {
                    out.write_text(&text)?;
                    text.clear();
                }
            }
            out.write_text(&text)?;
            done.push((out, len, "fraction"));
        }
        if let (Some(mut out), Some(values)) = (outputs.values.take(), values) {
            out.write(&[values.len()], values, progress)?;
            done.push((out, values.len(), DType::F64.name()));
        }
        Ok(done)
    }
}

/// What the library says of an x, with the file's name.
fn in_file(file: &Loaded, error: thalweg::Error) -> Failure {
    match error {
        thalweg::Error::NotFinite { row, number, .. } => {
            file.failure(format_args!("{}: x is {number}", file.place(row)))
        }
        error => error.into(),
    }
}

/// The first few pieces.
fn table(envelope: &Envelope) -> Table {
    let rows = envelope.pieces().map(|piece| {
        let start = if piece.start.is_finite() { json!(piece.start) } else { json!(piece.start.to_string()) };
        vec![start, piece.segment.map_or(Value::Null, Value::from)]
    });
    Table::first(vec!["from", "segment"], rows, envelope.len())
}
