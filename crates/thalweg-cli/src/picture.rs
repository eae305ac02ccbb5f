//! Pictures of the plane as SVG: a frame with numbers at its sides, and shapes inside, in the data's coordinates.

use std::fmt::{self, Display, Write};

/// Size of a picture, and the room for numbers and the title around the frame.
const WIDTH: f64 = 900.0;
const HEIGHT: f64 = 640.0;
const LEFT: f64 = 76.0;
const RIGHT: f64 = 20.0;
const TOP: f64 = 44.0;
const BOTTOM: f64 = 36.0;

/// Up to this ratio of the sides a unit is as long in y as in x.
const MOST_STRETCHED: f64 = 3.0;

/// What is said of the whole picture.
#[derive(Clone, Copy, Debug)]
pub struct Caption<'a> {
    /// In large letters.
    pub title: &'a str,
    /// In small letters beside it.
    pub note: &'a str,
}

/// A picture that is being drawn.
#[derive(Debug)]
pub struct Picture {
    x: Axis,
    y: Axis,
    shapes: String,
}

impl Picture {
    /// A picture of the rectangle from `low` to `high`, with a margin.
    pub fn new(low: [f64; 2], high: [f64; 2]) -> Self {
        let (width, height) = (WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM);
        let [mut x, mut y] = [0, 1].map(|axis| Axis::new(low[axis], high[axis]));
        (x.start, x.end) = (LEFT, LEFT + width);
        (y.start, y.end) = (TOP + height, TOP);
        // The same unit in both directions, unless one of them would be too small to see.
        let unit = (x.length() / width).max(y.length() / height);
        if unit.is_finite()
            && [(x, width), (y, height)].iter().all(|(axis, room)| unit * room <= MOST_STRETCHED * axis.length())
        {
            x.widen_to(unit * width);
            y.widen_to(unit * height);
        }
        Self { x, y, shapes: String::new() }
    }

    /// The same with y growing downward, as rows of a map do.
    pub fn downward(low: [f64; 2], high: [f64; 2]) -> Self {
        let mut picture = Self::new(low, high);
        (picture.y.start, picture.y.end) = (picture.y.end, picture.y.start);
        picture
    }

    /// A path through points, closed or open, with SVG's attributes for its looks.
    pub fn path(&mut self, points: impl IntoIterator<Item = [f64; 2]>, is_closed: bool, looks: impl Display) {
        let mut path = String::new();
        for (i, point) in points.into_iter().enumerate() {
            let [x, y] = self.place(point);
            put(&mut path, format_args!("{}{x:.1} {y:.1}", if i == 0 { "M" } else { "L" }));
        }
        if !path.is_empty() {
            let end = if is_closed { "Z" } else { "" };
            put(&mut self.shapes, format_args!("<path d=\"{path}{end}\" {looks}/>\n"));
        }
    }

    /// Lines between two points each, drawn as one shape.
    pub fn lines(&mut self, lines: impl IntoIterator<Item = [[f64; 2]; 2]>, looks: impl Display) {
        let mut path = String::new();
        for line in lines {
            let [[x1, y1], [x2, y2]] = line.map(|point| self.place(point));
            put(&mut path, format_args!("M{x1:.1} {y1:.1}L{x2:.1} {y2:.1}"));
        }
        if !path.is_empty() {
            put(&mut self.shapes, format_args!("<path d=\"{path}\" fill=\"none\" {looks}/>\n"));
        }
    }

    /// Rectangles between two corners each, drawn as one shape.
    pub fn rectangles(&mut self, rectangles: impl IntoIterator<Item = [[f64; 2]; 2]>, looks: impl Display) {
        let mut path = String::new();
        for rectangle in rectangles {
            let [[x1, y1], [x2, y2]] = rectangle.map(|corner| self.place(corner));
            put(&mut path, format_args!("M{x1:.1} {y1:.1}H{x2:.1}V{y2:.1}H{x1:.1}Z"));
        }
        if !path.is_empty() {
            put(&mut self.shapes, format_args!("<path d=\"{path}\" {looks}/>\n"));
        }
    }

    /// Dots of a radius in pixels, drawn as one shape.
    pub fn dots(&mut self, points: impl IntoIterator<Item = [f64; 2]>, radius: f64, looks: impl Display) {
        let mut path = String::new();
        for point in points {
            let [x, y] = self.place(point);
            // A line of no length with round ends.
            put(&mut path, format_args!("M{x:.1} {y:.1}h0"));
        }
        if !path.is_empty() {
            let width = 2.0 * radius;
            put(
                &mut self.shapes,
                format_args!(
                    "<path d=\"{path}\" stroke-width=\"{width}\" stroke-linecap=\"round\" fill=\"none\" {looks}/>\n"
                ),
            );
        }
    }

    /// Where a point is in the picture, in pixels.
    fn place(&self, [x, y]: [f64; 2]) -> [f64; 2] {
        [self.x.place(x), self.y.place(y)]
    }

    /// The whole file.
    pub fn finish(self, caption: Caption<'_>) -> String {
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{HEIGHT}\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
             font-family=\"system-ui, sans-serif\" font-size=\"12\">\n<rect width=\"{WIDTH}\" height=\"{HEIGHT}\" \
             fill=\"#fff\"/>\n"
        );
        let (left, right) = (self.x.start, self.x.end);
        let (top, bottom) = (self.y.start.min(self.y.end), self.y.start.max(self.y.end));
        for number in self.x.ticks() {
            let at = self.x.place(number);
            put(&mut svg, format_args!("<path d=\"M{at:.1} {top}V{bottom}\" stroke=\"#eee\"/>\n"));
            let text = shown(number, self.x.length());
            put(
                &mut svg,
                format_args!(
                    "<text x=\"{at:.1}\" y=\"{}\" text-anchor=\"middle\" fill=\"#666\">{text}</text>\n",
                    bottom + 18.0
                ),
            );
        }
        for number in self.y.ticks() {
            let at = self.y.place(number);
            put(&mut svg, format_args!("<path d=\"M{left} {at:.1}H{right}\" stroke=\"#eee\"/>\n"));
            let text = shown(number, self.y.length());
            put(
                &mut svg,
                format_args!(
                    "<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\" fill=\"#666\">{text}</text>\n",
                    left - 8.0,
                    at + 4.0
                ),
            );
        }
        svg += &self.shapes;
        let (width, height) = (right - left, bottom - top);
        put(
            &mut svg,
            format_args!(
                "<rect x=\"{left}\" y=\"{top}\" width=\"{width}\" height=\"{height}\" fill=\"none\" stroke=\"#999\"/>\n"
            ),
        );
        let Caption { title, note } = caption;
        put(
            &mut svg,
            format_args!(
                "<text x=\"{left}\" y=\"28\" font-size=\"16\" fill=\"#222\">{}<tspan dx=\"12\" font-size=\"12\" \
                 fill=\"#666\">{}</tspan></text>\n</svg>\n",
                escaped(title),
                escaped(note)
            ),
        );
        svg
    }
}

fn put(text: &mut String, what: fmt::Arguments<'_>) {
    text.write_fmt(what).expect("writing to a string does not fail");
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

/// A range of numbers along a side of the picture.
#[derive(Clone, Copy, Debug)]
struct Axis {
    low: f64,
    high: f64,
    /// Pixels where the range starts and ends.
    start: f64,
    end: f64,
}

impl Axis {
    /// From the least number to the largest, with a margin of a thirtieth.
    fn new(low: f64, high: f64) -> Self {
        // Beyond a quarter of the largest number the length of a range would not be one.
        let [low, high] = [low, high].map(|number| number.clamp(-f64::MAX / 4.0, f64::MAX / 4.0));
        // A single number gets room around it.
        let margin = if low < high { (high - low) / 30.0 } else { low.abs().max(1.0) / 2.0 };
        Self { low: low - margin, high: high + margin, start: 0.0, end: 1.0 }
    }

    fn length(&self) -> f64 {
        self.high - self.low
    }

    fn widen_to(&mut self, length: f64) {
        let more = (length - self.length()).max(0.0) / 2.0;
        (self.low, self.high) = (self.low - more, self.high + more);
    }

    /// Pixels of a number; what is outside is at the end.
    fn place(&self, number: f64) -> f64 {
        let share = ((number.clamp(self.low, self.high) - self.low) / self.length()).clamp(0.0, 1.0);
        self.start + share * (self.end - self.start)
    }

    /// Round numbers, four to ten of them.
    fn ticks(&self) -> Vec<f64> {
        let rough = self.length() / 6.0;
        let power = 10f64.powi(rough.log10().floor() as i32);
        let step = [1.0, 2.0, 5.0, 10.0].map(|digit| digit * power).into_iter().find(|step| *step >= rough);
        let Some(step) = step.filter(|step| step.is_normal()) else { return Vec::new() };
        let first = (self.low / step).ceil();
        (0..12).map(|i| (first + f64::from(i)) * step).take_while(|number| *number <= self.high).collect()
    }
}

/// A number at the side of a picture that shows a range of this length.
fn shown(number: f64, length: f64) -> String {
    // What is not zero for rounding only.
    let number = if number.abs() < length * 1e-9 { 0.0 } else { number };
    if number != 0.0 && !(1e-3..1e6).contains(&number.abs()) {
        return format!("{number:.2e}");
    }
    let digits = (2.0 - length.log10().floor()).clamp(0.0, 6.0) as usize;
    let text = format!("{number:.digits$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_range_makes_a_picture() {
        let numbers = [-f64::MAX, -1e300, -1.0, -1e-300, 0.0, f64::from_bits(1), 1e-300, 1.0, 1e5, 1e300, f64::MAX];
        for (i, &low) in numbers.iter().enumerate() {
            for &high in &numbers[i..] {
                for (low, high) in [([low, 0.0], [high, 1.0]), ([0.0, low], [1.0, high]), ([low; 2], [high; 2])] {
                    let mut picture = Picture::new(low, high);
                    picture.path([low, high, [f64::MAX, -f64::MAX]], true, "");
                    picture.dots([low, high], 2.0, "");
                    let svg = picture.finish(Caption { title: "a < b & c", note: "" });
                    assert!(!svg.contains("NaN") && !svg.contains("inf"), "{low:?} {high:?}: {svg}");
                    assert!(svg.contains("a &lt; b &amp; c") && svg.ends_with("</svg>\n"));
                }
            }
        }
    }

    #[test]
    fn numbers_at_the_sides_are_round() {
        let axis = Axis::new(0.0, 1.0);
        let texts: Vec<String> = axis.ticks().into_iter().map(|number| shown(number, axis.length())).collect();
        assert_eq!(texts, ["0", "0.2", "0.4", "0.6", "0.8", "1"]);
        assert_eq!(shown(2e7, 1e7), "2.00e7");
        assert_eq!(shown(1500.0, 3000.0), "1500");
    }

    #[test]
    fn rows_grow_downward() {
        let [up, down] = [Picture::new([0.0; 2], [9.0; 2]), Picture::downward([0.0; 2], [9.0; 2])];
        assert!(up.place([0.0, 1.0])[1] > up.place([0.0, 2.0])[1]);
        assert!(down.place([0.0, 1.0])[1] < down.place([0.0, 2.0])[1]);
        let frame = |picture: Picture| picture.finish(Caption { title: "", note: "" }).lines().count();
        assert_eq!(frame(up), frame(down));
    }

    #[test]
    fn shapes_keep_their_form_unless_they_are_too_flat() {
        let unit = |low, high| {
            let picture = Picture::new(low, high);
            let ([x0, y0], [x1, y1]) = (picture.place([0.0, 0.0]), picture.place([0.1, 0.1]));
            ((x1 - x0) / (y0 - y1)).abs()
        };
        assert!((unit([0.0, 0.0], [1.0, 1.0]) - 1.0).abs() < 1e-9);
        assert!((unit([0.0, 0.0], [2.0, 1.0]) - 1.0).abs() < 1e-9);
        assert!(unit([0.0, 0.0], [1000.0, 1.0]) < 0.1);
    }
}
