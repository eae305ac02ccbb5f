//! Sliding windows.

use numpy::PyUntypedArrayMethods;
use pyo3::prelude::*;
use thalweg::window::{Align, Border, Builder, Engine, Outputs, Shape, Windows};
use thalweg::{Order, Position, Positions};
use thalweg_core::bits::{Bits, BitsMut};
use thalweg_core::memory::large_zeroed;

use crate::array::{Copy, Kind, Lent, to_numpy};
use crate::device::{device, engine, named};
use crate::errors::bad_input;
use crate::out;
use crate::queries::Places;
use crate::work::{Threads, call};

/// Values and positions, of them what was asked for.
type Answers<'py> = (Option<Bound<'py, PyAny>>, Option<Bound<'py, PyAny>>);

/// Values and positions of windows' best elements; what is not wanted is None. See `thalweg.window`.
#[pyfunction]
#[pyo3(signature = (array, width, stride, starts, ends, *, order, values, positions, align, border, fill, engine=None, device="auto", copy=None))]
#[allow(clippy::too_many_arguments)]
pub fn windows<'py>(
    py: Python<'py>,
    array: &Bound<'py, PyAny>,
    width: Option<Vec<usize>>,
    stride: Vec<usize>,
    starts: Option<&Bound<'py, PyAny>>,
    ends: Option<&Bound<'py, PyAny>>,
    order: &str,
    values: bool,
    positions: bool,
    align: &str,
    border: &str,
    fill: Option<&Bound<'py, PyAny>>,
    engine: Option<&str>,
    device: &str,
    copy: Option<bool>,
) -> PyResult<Answers<'py>> {
    let numpy = to_numpy("array", array, Copy::from(copy))?;
    let dtype = numpy.dtype();
    let (lent, shape) = Lent::of_any_shape("array", array, Copy::from(copy))?;
    if !matches!(shape.len(), 1 | 2) {
        return Err(bad_input(format!("array: {} dimensions, where windows have one or two", shape.len())));
    }
    let order = named("order", order, &[("min", Order::Min), ("max", Order::Max)])?;
    let align = named("align", align, &Align::ALL.map(|align| (align.name(), align)))?;
    let border = named("border", border, &Border::ALL.map(|border| (border.name(), border)))?;
    let engine: Option<Engine> = self::engine(engine)?;
    let device = self::device(py, device)?;
    // A number of the array's own type, by NumPy's rules.
    let fill_bits = match fill {
        Some(fill) => {
            let one = py.import("numpy")?.call_method1("full", ((1,), fill, &dtype))?;
            let bits = one.call_method1("view", (format!("u{}", lent.dtype.bytes),))?;
            bits.get_item(0)?.extract::<u64>()?
        }
        None => match (lent.dtype.kind, lent.dtype.bytes) {
            (Kind::Float, 4) => f32::NAN.to_bits().into(),
            (Kind::Float, _) => f64::NAN.to_bits(),
            (Kind::Time, _) => i64::MIN.cast_unsigned(),
            _ if border == Border::Fill && values => {
                return Err(bad_input("fill: integers have no NaN, so border='fill' needs a value"));
            }
            _ => 0,
        },
    };
    let bounds = match (starts, ends) {
        (Some(starts), Some(ends)) => Some((Places::new("starts", starts)?, Places::new("ends", ends)?)),
        (None, None) => None,
        _ => return Err(bad_input("starts and ends: one without the other")),
    };
    let dimensions = shape.len();
    let pick = |numbers: &[usize], what: &str| match *numbers {
        [one] => Ok([one; 2]),
        [down, along] if dimensions == 2 => Ok([down, along]),
        _ => Err(bad_input(format!("{what}: {} numbers for {dimensions} dimensions", numbers.len()))),
    };
    let both = match (&bounds, width) {
        (Some(_), None) if dimensions == 1 => [Windows::new(1); 2],
        (None, Some(width)) => {
            let (width, stride) = (pick(&width, "width")?, pick(&stride, "stride")?);
            [0, 1].map(|axis| Windows { width: width[axis], stride: stride[axis], align, border })
        }
        (Some(_), Some(_)) => return Err(bad_input("width: windows by bounds have none")),
        (Some(_), None) => return Err(bad_input("starts: windows by bounds are for one dimension")),
        (None, None) => return Err(bad_input("width: how many elements has a window?")),
    };
    let is_time = lent.dtype.kind == Kind::Time;
    let (grid, len) = (shape.clone(), shape.iter().product::<usize>());
    let (found_values, found_positions, sizes) = call(py, Threads::All, move |_| {
        let windows = match (&bounds, &grid[..]) {
            (Some((starts, ends)), _) => Shape::Ragged { starts: starts.view(), ends: ends.view() },
            (None, &[_, columns]) => Shape::Grid { columns, windows: both },
            _ => Shape::Regular(both[0]),
        };
        let (coding, reordered) = (lent.dtype.coding(order), lent.reordered(order)?);
        let bits = reordered.as_ref().map_or(lent.bits(), |keys| Bits::of(keys));
        let count = windows.count(len)?;
        let sizes = match windows {
            Shape::Grid { columns, windows: [down, along] } => vec![down.count(grid[0]), along.count(columns)],
            _ => vec![count],
        };
        // Times are compared by other bits: their values are taken by position.
        let (with_values, with_positions) = (values && !is_time, positions || is_time);
        let mut words = Words::new(bits, if with_values { count } else { 0 })?;
        let places = if with_positions { count } else { 0 };
        let mut found = if u32::fits(len) {
            Positions::U32(large_zeroed(places, "positions of windows")?)
        } else {
            Positions::U64(large_zeroed(places, "positions of windows")?)
        };
        let outputs = Outputs {
            values: with_values.then(|| words.buffer()),
            positions: with_positions.then(|| match &mut found {
                Positions::U32(found) => u32::buffer(found),
                Positions::U64(found) => u64::buffer(found),
            }),
        };
        Builder::of(windows).engine(engine).device(device).run_bits(bits, coding, fill_bits, outputs)?;
        Ok((words, found, sizes))
    })?;
    let mut answer = (None, None);
    if positions || is_time {
        answer.1 = Some(out::shaped(&out::positions_below(py, found_positions, len)?, &sizes)?);
    }
    if values {
        let plain = if is_time {
            let at = answer.1.as_ref().expect("times have positions");
            let numpy = py.import("numpy")?;
            let none = at.call_method1("__lt__", (0,))?;
            let value = match fill {
                Some(fill) => numpy.call_method1("full", ((1,), fill, &dtype))?,
                None => numpy.call_method1("full", ((1,), "NaT", &dtype))?,
            };
            // With a last element for positions of -1 in an empty array.
            let all = numpy.call_method1("append", (numpy.call_method1("ravel", (array,))?, &value))?;
            numpy.call_method1("where", (none, value, all.get_item(at)?))?
        } else {
            out::shaped(&found_values.array(py).call_method1("view", (&dtype,))?, &sizes)?
        };
        answer.0 = Some(plain);
    }
    Ok((answer.0, answer.1.filter(|_| positions)))
}

/// Bits of values, of one of the widths.
enum Words {
    U8(Vec<u8>),
    U16(Vec<u16>),
    U32(Vec<u32>),
    U64(Vec<u64>),
}

impl Words {
    fn new(bits: Bits<'_>, count: usize) -> thalweg::Result<Self> {
        let what = "values of windows";
        Ok(match bits.width() {
            1 => Self::U8(large_zeroed(count, what)?),
            2 => Self::U16(large_zeroed(count, what)?),
            4 => Self::U32(large_zeroed(count, what)?),
            _ => Self::U64(large_zeroed(count, what)?),
        })
    }

    fn buffer(&mut self) -> BitsMut<'_> {
        match self {
            Self::U8(words) => BitsMut::U8(words),
            Self::U16(words) => BitsMut::U16(words),
            Self::U32(words) => BitsMut::U32(words),
            Self::U64(words) => BitsMut::U64(words),
        }
    }

    fn array(self, py: Python<'_>) -> Bound<'_, PyAny> {
        match self {
            Self::U8(words) => out::array(py, words),
            Self::U16(words) => out::array(py, words),
            Self::U32(words) => out::array(py, words),
            Self::U64(words) => out::array(py, words),
        }
    }
}
