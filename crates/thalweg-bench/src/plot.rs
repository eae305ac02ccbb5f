//! The picture of a run: time against n on two logarithmic axes, a line per engine.
//!
//! One chart for every task (query kind, primitive), side by side; a row of charts for every type, kind of array and
//! number of threads. Peers are dashed, the default engine is thick.

use std::error::Error;
use std::ops::Range;

use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};
use plotters::element::DashedPathElement;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use thalweg_cli::failure::{Failure, Outcome};

use crate::report::Row;
use crate::table;

/// Okabe and Ito's colours, which most colour-blind people can tell apart, without the yellow that white swallows, and
/// three more that differ in brightness. The first is the default engine's.
const COLOURS: [RGBColor; 10] = [
    RGBColor(0x00, 0x72, 0xb2),
    RGBColor(0xd5, 0x5e, 0x00),
    RGBColor(0x00, 0x9e, 0x73),
    RGBColor(0xcc, 0x79, 0xa7),
    RGBColor(0xe6, 0x9f, 0x00),
    RGBColor(0x56, 0xb4, 0xe9),
    RGBColor(0x00, 0x00, 0x00),
    RGBColor(0x80, 0x80, 0x80),
    RGBColor(0x7b, 0x3f, 0x00),
    RGBColor(0x5e, 0x3c, 0x99),
];
const TEXT: RGBColor = RGBColor(0x33, 0x33, 0x33);
const GRID: RGBColor = RGBColor(0xe4, 0xe4, 0xe4);
const FONT: &str = "Helvetica, Arial, sans-serif";

const CHART: (u32, u32) = (330, 300);
/// A lone chart is drawn larger.
const LONE_CHART: (u32, u32) = (640, 400);
/// Most charts beside each other before a row is broken.
const COLUMNS: usize = 4;
const HEAD: u32 = 56;
const ROW_HEAD: u32 = 26;
const LEGEND_ROW: u32 = 24;
const MARGIN: u32 = 16;
/// Width of a character of the legend, by the eye: SVG leaves the font to the viewer.
const CHARACTER: i32 = 8;
const SAMPLE: i32 = 34;

/// The lines' points: log2 of n, log10 of the time.
type Point = (f64, f64);

/// How an engine is drawn, the same in every chart.
#[derive(Clone, PartialEq)]
struct Line {
    engine: &'static str,
    peer: bool,
    default: bool,
    colour: RGBColor,
}

impl Line {
    fn style(&self) -> ShapeStyle {
        self.colour.stroke_width(if self.default { 4 } else { 2 })
    }
}

struct Chart<'r> {
    title: String,
    rows: Vec<&'r Row>,
}

/// What a picture shows: the rows' numbers per item against n.
pub struct Figure<'f> {
    pub title: String,
    /// What the vertical axis shows.
    pub unit: &'f str,
    /// Where it was measured.
    pub machine: &'f str,
    /// The chart that a row belongs to, or `None` if it is not drawn.
    pub panel: fn(&Row) -> Option<String>,
}

/// Draws rows as SVG.
pub fn draw(rows: &[Row], figure: &Figure<'_>) -> Outcome<String> {
    let panel = figure.panel;
    let drawn: Vec<&Row> = rows.iter().filter(|row| panel(row).is_some()).collect();
    // Rows of charts, and the charts in them, in the order in which they were measured.
    let mut bands: Vec<(String, Vec<Chart<'_>>)> = Vec::new();
    for &row in &drawn {
        let band = format!("{}, {} data, {}", row.dtype, row.kind, table::threads(row.threads));
        let charts = entry(&mut bands, |(title, _)| *title == band, || (band.clone(), Vec::new()));
        let title = panel(row).unwrap_or_default();
        entry(&mut charts.1, |chart| chart.title == title, || Chart { title: title.clone(), rows: Vec::new() })
            .rows
            .push(row);
    }
    // Rows of one chart each are better drawn side by side.
    if bands.len() > 1 && bands.iter().all(|(_, charts)| charts.len() == 1) {
        let charts =
            bands.drain(..).flat_map(|(title, charts)| charts.into_iter().map(move |chart| (title.clone(), chart)));
        let charts = charts.map(|(title, chart)| Chart { title, ..chart }).collect();
        bands.push((panel(drawn[0]).unwrap_or_default(), charts));
    }
    // One vertical range for all charts, so that they can be compared by eye.
    let y = padded(drawn.iter().map(|row| place(row).1));
    let mut svg = String::new();
    picture(&mut svg, &figure.title, figure.machine, (figure.unit, y), &bands, &lines(&drawn))
        .map_err(|e| Failure::at("--plot", e.to_string()))?;
    Ok(svg)
}

fn place(row: &Row) -> Point {
    ((row.n as f64).log2(), row.ns_per_item.max(1e-6).log10())
}

/// The element that fits, or a new one at the end.
fn entry<T>(list: &mut Vec<T>, fits: impl Fn(&T) -> bool, new: impl FnOnce() -> T) -> &mut T {
    let place = list.iter().position(fits).unwrap_or(list.len());
    if place == list.len() {
        list.push(new());
    }
    &mut list[place]
}

/// Gives every engine its colour: the default first, then our others, then the peers.
fn lines(rows: &[&Row]) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    for row in rows {
        let new = || Line { engine: row.engine, peer: row.peer, default: row.default, colour: BLACK };
        entry(&mut lines, |line| line.engine == row.engine, new);
    }
    lines.sort_by_key(|line| (line.peer, !line.default));
    for (line, &colour) in lines.iter_mut().zip(COLOURS.iter().cycle()) {
        line.colour = colour;
    }
    lines
}

fn picture(
    svg: &mut String,
    title: &str,
    cpu: &str,
    y: (&str, Range<f64>),
    bands: &[(String, Vec<Chart<'_>>)],
    lines: &[Line],
) -> Result<(), Box<dyn Error>> {
    let columns = bands.iter().map(|(_, charts)| charts.len()).max().unwrap_or(1).clamp(1, COLUMNS);
    let chart = if columns == 1 { LONE_CHART } else { CHART };
    let width = columns as u32 * chart.0 + 2 * MARGIN;
    let legend = legend(lines, width as i32 - 2 * MARGIN as i32);
    let legend_rows = legend.last().map_or(0, |&(_, _, row)| row as u32 + 1);
    let band_height = |charts: usize| ROW_HEAD + charts.div_ceil(columns) as u32 * chart.1;
    let height = HEAD
        + bands.iter().map(|(_, charts)| band_height(charts.len())).sum::<u32>()
        + legend_rows * LEGEND_ROW
        + 2 * MARGIN;

    let root = SVGBackend::with_string(svg, (width, height)).into_drawing_area();
    root.fill(&WHITE)?;
    let left = MARGIN as i32;
    root.draw(&Text::new(title, (left, MARGIN as i32), bold(19)))?;
    root.draw(&Text::new(cpu, (left, MARGIN as i32 + 25), text(13)))?;

    let mut top = HEAD + 4;
    for (name, charts) in bands {
        root.draw(&Text::new(name.as_str(), (left, top as i32 + 6), text(15)))?;
        for (i, it) in charts.iter().enumerate() {
            let x = MARGIN + (i % columns) as u32 * chart.0;
            let corner = (x, top + ROW_HEAD + (i / columns) as u32 * chart.1);
            let area = root.clone().shrink(corner, chart);
            draw_chart(&area, it, lines, &y)?;
        }
        top += band_height(charts.len());
    }
    for (line, x, row) in legend {
        let (x, y) = (left + x, (top + row as u32 * LEGEND_ROW + MARGIN) as i32);
        let ends = [(x, y), (x + SAMPLE, y)];
        if line.peer {
            root.draw(&DashedPathElement::new(ends, 6, 4, line.style()))?;
        } else {
            root.draw(&PathElement::new(ends, line.style()))?;
        }
        let middle = text(14).pos(Pos::new(HPos::Left, VPos::Center));
        root.draw(&Text::new(label(line), (x + SAMPLE + 8, y), middle))?;
    }
    root.present()?;
    Ok(())
}

fn text(size: u32) -> TextStyle<'static> {
    (FONT, size).into_font().color(&TEXT)
}

fn bold(size: u32) -> TextStyle<'static> {
    (FONT, size).into_font().style(FontStyle::Bold).color(&TEXT)
}

fn label(line: &Line) -> String {
    format!("{}{}", line.engine, if line.default { " (default)" } else { "" })
}

/// Places for the legend's entries, in lines of at most `width`: the entry, its left edge, its line.
fn legend(lines: &[Line], width: i32) -> Vec<(&Line, i32, i32)> {
    let (mut x, mut row) = (0, 0);
    let mut places = Vec::new();
    for line in lines {
        let length = SAMPLE + 8 + CHARACTER * label(line).len() as i32 + 20;
        if x > 0 && x + length > width {
            (x, row) = (0, row + 1);
        }
        places.push((line, x, row));
        x += length;
    }
    places
}

fn draw_chart<DB: DrawingBackend>(
    area: &DrawingArea<DB, plotters::coord::Shift>,
    chart: &Chart<'_>,
    lines: &[Line],
    (unit, y): &(&str, Range<f64>),
) -> Result<(), Box<dyn Error>>
where
    DB::ErrorType: 'static,
{
    let points: Vec<Point> = chart.rows.iter().map(|row| place(row)).collect();
    let x = padded(points.iter().map(|p| p.0));
    let mut sizes: Vec<f64> = points.iter().map(|p| p.0).collect();
    sizes.sort_by(f64::total_cmp);
    sizes.dedup();
    let x = Axis { ticks: thinned(sizes), range: x, label: power };
    let y = Axis { ticks: ticks(y.start, y.end), range: y.clone(), label: tick_label };
    let mut context = ChartBuilder::on(area)
        .caption(&chart.title, bold(14))
        .margin(8)
        .x_label_area_size(42)
        .y_label_area_size(58)
        .build_cartesian_2d(x, y)?;
    context
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(GRID)
        .axis_style(RGBColor(0x99, 0x99, 0x99))
        .label_style(text(13))
        .axis_desc_style(text(13))
        .x_desc("n")
        .y_desc(*unit)
        .draw()?;
    // Peers and others first, so that the default engine's line lies on top.
    for line in lines.iter().rev() {
        let mut points: Vec<Point> =
            chart.rows.iter().filter(|row| row.engine == line.engine).map(|row| place(row)).collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        if line.peer {
            context.draw_series(DashedLineSeries::new(points.clone(), 6, 4, line.style()))?;
        } else {
            context.draw_series(LineSeries::new(points.clone(), line.style()))?;
        }
        let size = if line.default { 4 } else { 3 };
        context.draw_series(points.into_iter().map(|point| Circle::new(point, size, line.colour.filled())))?;
    }
    Ok(())
}

/// An axis over logarithms, with ticks where we want them.
struct Axis {
    range: Range<f64>,
    ticks: Vec<f64>,
    label: fn(f64) -> String,
}

impl Ranged for Axis {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn range(&self) -> Range<f64> {
        self.range.clone()
    }

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        let share = (value - self.range.start) / (self.range.end - self.range.start);
        limit.0 + (share * f64::from(limit.1 - limit.0)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, _hint: Hint) -> Vec<f64> {
        self.ticks.clone()
    }
}

impl ValueFormatter<f64> for Axis {
    fn format(value: &f64) -> String {
        value.to_string()
    }

    fn format_ext(&self, value: &f64) -> String {
        (self.label)(*value)
    }
}

/// The range of some numbers with a margin on both sides, never empty.
fn padded(values: impl Iterator<Item = f64> + Clone) -> Range<f64> {
    let (low, high) = (values.clone().fold(f64::INFINITY, f64::min), values.fold(f64::NEG_INFINITY, f64::max));
    let margin = ((high - low) * 0.08).max(0.05);
    low - margin..high + margin
}

/// At most seven of the sizes, evenly picked: more labels than that run into each other.
fn thinned(sizes: Vec<f64>) -> Vec<f64> {
    let step = sizes.len().div_ceil(7).max(1);
    sizes.into_iter().step_by(step).collect()
}

/// Logarithms of 1, 2 and 5 times the powers of ten in a range; of the powers alone, if that makes enough of them.
fn ticks(low: f64, high: f64) -> Vec<f64> {
    let of = |digits: &'static [f64]| -> Vec<f64> {
        (low.floor() as i32..=high.ceil() as i32)
            .flat_map(|e| digits.iter().map(move |digit| f64::from(e) + digit.log10()))
            .filter(|tick| (low..=high).contains(tick))
            .collect()
    };
    let fits = |ticks: &Vec<f64>| (3..=8).contains(&ticks.len());
    let choices: [&[f64]; 3] = [&[1.0], &[1.0, 3.0], &[1.0, 2.0, 5.0]];
    choices.into_iter().map(of).find(fits).unwrap_or_else(|| {
        if high - low > 8.0 { of(&[1.0]) } else { of(&[1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]) }
    })
}

fn tick_label(log10: f64) -> String {
    let value = 10f64.powf(log10);
    let digits =
        (-log10.floor()).max(0.0) as usize + usize::from(((value * 10.0).round() / 10.0 - value.round()).abs() > 0.01);
    format!("{value:.digits$}")
}

/// A size as a power of two, with the exponent raised, or its digits.
fn power(log2: f64) -> String {
    let n = log2.exp2().round() as usize;
    let raised = |c: char| "⁰¹²³⁴⁵⁶⁷⁸⁹".chars().nth(c as usize - '0' as usize).unwrap_or(c);
    match table::count(n).split_once('^') {
        Some((base, exponent)) => base.chars().chain(exponent.chars().map(raised)).collect(),
        None => n.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_are_labelled_with_round_numbers() {
        assert_eq!(ticks(-0.1, 3.1), [0.0, 1.0, 2.0, 3.0]);
        let labels: Vec<String> = ticks(0.9, 2.1).into_iter().map(tick_label).collect();
        assert_eq!(labels, ["10", "30", "100"]);
        assert!(!ticks(1.0, 1.1).is_empty());
        assert_eq!(
            [-2.0, 0.0, 1.0, 1.5f64.log10(), 0.02f64.log10()].map(tick_label),
            ["0.01", "1", "10", "1.5", "0.02"]
        );
        assert_eq!((power(20.0), power(1000f64.log2())), ("2²⁰".into(), "1000".into()));
    }

    #[test]
    fn the_legend_breaks_its_lines() {
        let line = |engine| Line { engine, peer: false, default: false, colour: BLACK };
        let lines = [line("one"), line("two"), line("three")];
        let rows: Vec<i32> = legend(&lines, 200).into_iter().map(|(_, _, row)| row).collect();
        assert_eq!(rows, [0, 0, 1]);
    }
}
