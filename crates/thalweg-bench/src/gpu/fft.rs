//! `thalweg-bench fft --device gpu`.

use thalweg::fourier::transform::{Builder, Options};
use thalweg::gpu::fourier::transform::Plan;
use thalweg_cli::failure::Outcome;
use thalweg_cli::memory;

use super::{Gpu, race, race_on_host, row};
use crate::bench::{Bench, Case, Common, drive};
use crate::cases::fft::{KINDS, Layout, check, signal};
use crate::columns::{self, table};
use crate::report::{Adapter, Row};
use crate::table::maybe;
use crate::timing::time;

const ENGINE: &str = "stockham";

/// Runs the benchmark.
pub fn run(common: &Common, layout: Layout) -> Outcome {
    drive(&GpuFft { gpu: Gpu::open(&common.device)?, layout }, common)
}

struct GpuFft {
    gpu: Gpu,
    layout: Layout,
}

impl Bench for GpuFft {
    const NAME: &'static str = "fft";
    const SIZES: &'static [usize] = &[1 << 20, 1 << 24];
    const UNIT: &'static str = "ns per element";
    const DEFAULT_DTYPE: &'static str = "f32";
    const DEFAULT_KIND: &'static str = "line";
    const DTYPES: &'static [&'static str] = &["f32"];

    fn run(&self, _dtype: &str, case: &mut Case<'_>) -> Outcome<Vec<Row>> {
        let (shape, axes) = self.layout.of(case)?;
        memory::require(case.n.saturating_mul(8 * 5), &case.title())?;
        let device = &self.gpu.device;
        let signal = signal::<f32>(case);
        let options = Options { axes: Some(axes), ..Options::FORWARD };
        let plan = Plan::new(device, &shape, &options)?;
        let parts: Vec<f32> = signal.iter().flat_map(|x| [x.re, x.im]).collect();
        let bytes = 2 * size_of_val(&parts[..]);
        let who = format!("{} on {}", device.name(), case.title());

        // In place: what is timed after the first run is the transform of a transform, and so on.
        let array = std::cell::RefCell::new(device.upload(&parts)?);
        let run = |_| Ok(device.timed(|| plan.run(&mut array.borrow_mut()))?.1);
        let timings = race(&self.gpu, case, "device", 1, run, |_| {
            let mut parts = memory::filled(parts.len(), 0f32, "frequencies")?;
            array.borrow().download(&mut parts)?;
            let got: Vec<_> = parts.chunks_exact(2).map(|x| thalweg::fourier::Complex::new(x[0], x[1])).collect();
            check(&who, &signal, &got, &shape, axes)
        })?;
        drop(array);
        let on_device = row(case, "device", ENGINE).timed(timings[0], case.n);
        let mut rows = vec![Row { default: true, ..on_device.moving(bytes, self.gpu.card.copy_gb_per_s) }];

        let builder = Builder::new().axes(axes).device(device);
        let mut checked = false;
        let timings = race_on_host(case, "host to host", 1, |_| {
            let mut values = signal.clone();
            let (took, done) = time(|| builder.transform(&mut values, &shape));
            done?;
            if !std::mem::replace(&mut checked, true) {
                check(&who, &signal, &values, &shape, axes)?;
            }
            Ok(took)
        })?;
        rows.push(Row { default: true, ..row(case, "host_to_host", ENGINE).timed(timings[0], case.n) });
        Ok(rows)
    }

    fn kinds() -> Vec<&'static str> {
        KINDS.to_vec()
    }

    fn adapter(&self) -> Option<Adapter> {
        Some(self.gpu.describe())
    }

    fn tables(&self, rows: &[Row]) -> String {
        // Time over that of one pass over memory, at the speed of a copy.
        let passes = |row: &Row| maybe(row.share_of_copy.map(|share| 1.0 / share));
        let columns = [
            columns::what("transform"),
            columns::engine("engine"),
            columns::ms(),
            columns::ns("ns/element"),
            columns::gb_per_s(),
            columns::number("passes", passes),
        ];
        table(rows, columns).to_string()
    }

    fn panel(row: &Row) -> Option<String> {
        Some(format!("{}, {}", row.what, row.kind))
    }

    fn how_to_read(&self) -> String {
        "Some frequencies of the first transform were compared with their sums in double precision, and the whole by the way\n\
         back. device: the transform by the device's clock, the values being there; host to host: with their way there and\n\
         back, by the host's. GB/s: over the bytes read and written once. passes: the time over that of a copy of the values."
            .into()
    }
}
