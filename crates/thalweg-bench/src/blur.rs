//! `thalweg-bench blur`: Gaussian blur of pictures.

use std::hint::black_box;

use thalweg::fourier::blur::{Builder, Engine, Options, Picture, Sample, choose, radius};
use thalweg::{Answer, Device};
use thalweg_cli::failure::{Failure, Outcome};
use thalweg_cli::memory;
use thalweg_data::pictures::NaiveBlur;
use thalweg_data::{PictureKind, Random};

use crate::bench::{Bench, Case, Common, Selection, drive};
use crate::columns::{self, table};
use crate::report::Row;
use crate::timing::time;

/// Gaussian blur of pictures: n pixels, 7 wide and 5 high
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    common: Common,
    /// Engines to time, or all
    #[arg(long, num_args = 1.., value_delimiter = ',', default_value = "all")]
    engine: Vec<String>,
    /// Standard deviations in pixels
    #[arg(long, num_args = 1.., value_delimiter = ',', default_values_t = [1.0, 2.0, 5.0, 10.0, 20.0, 50.0])]
    sigma: Vec<f64>,
}

/// The engine that computes in double precision takes part up to so many pixels, unless it is named.
const SLOW: usize = 1 << 16;
/// Pixels whose exact blur an answer is compared with.
const SAMPLES: u64 = 40;

/// Runs the benchmark.
pub fn run(args: Args) -> Outcome {
    if args.common.device != "cpu" {
        return Err(Failure::at("--device", format_args!("{}: the blur is timed on the CPU", args.common.device)));
    }
    for &sigma in &args.sigma {
        radius(sigma)?;
    }
    let selection = Selection::parse(&args.engine, Engine::ALL)?;
    let sigmas = args.sigma.iter().map(|&sigma| (sigma, &*format!("sigma {sigma}").leak())).collect();
    drive(&BlurBench { selection, sigmas }, &args.common)
}

struct BlurBench {
    selection: Selection<Engine>,
    /// With their names.
    sigmas: Vec<(f64, &'static str)>,
}

impl BlurBench {
    fn case<S: Sample>(&self, case: &mut Case<'_>) -> Outcome<Vec<Row>> {
        let height = ((case.n as f64 * 5.0 / 7.0).sqrt().round() as usize).max(1);
        let channels = match case.kind {
            "grey" => 1,
            "rgb" => 3,
            _ => 4,
        };
        let picture = Picture { height, width: (case.n / height).max(1), channels, alpha: channels == 4 };
        let size = [picture.height, picture.width, channels];
        memory::require(case.n.saturating_mul(channels * (16 + 3 * size_of::<S>())), &case.title())?;
        let pixels: Vec<S> =
            PictureKind::Noise.make(size, case.common.seed).iter().map(|x| S::of(x * S::OPAQUE)).collect();
        let wide: Vec<f64> = pixels.iter().map(|sample| sample.wide()).collect();
        let mut engines = self.selection.engines.clone();
        if case.n > SLOW && !self.selection.named {
            engines.retain(|&engine| engine != Engine::Naive);
            case.skip(Engine::Naive.name(), "takes long (name it to wait for it)");
        }

        let mut rows = Vec::new();
        for &(sigma, name) in &self.sigmas {
            let exact = exact(case, &wide, picture, sigma);
            for pool in case.pools {
                let timings = case.race(pool, name, engines.len(), |i| {
                    let builder = Builder::new(sigma).device(Device::Cpu).engine(engines[i]);
                    let (took, blurred) = time(|| builder.blur(black_box(&pixels), picture).map(Answer::into_inner));
                    check(&format!("{}, {name}, {}", engines[i], case.title()), &blurred?, picture, &exact)?;
                    Ok(took)
                })?;
                let chosen = choose(picture, &Options::new(sigma))?;
                for (&engine, timing) in engines.iter().zip(timings) {
                    let row = case.row(pool, "blur", engine.name()).timed(timing, pixels.len());
                    let mut row = row.moving(2 * size_of_val(&pixels[..]), pool.copy_gb_per_s);
                    row.queries = Some(name);
                    row.default = engine == chosen;
                    rows.push(row);
                }
            }
        }
        Ok(rows)
    }
}

/// Pixels with their exact blur: the corners, and some at random.
fn exact(case: &Case<'_>, samples: &[f64], picture: Picture, sigma: f64) -> Vec<(usize, Vec<f64>)> {
    let Picture { height, width, channels, alpha } = picture;
    let naive = NaiveBlur { size: [height, width, channels], alpha, sigma: [sigma; 2], boundary: "reflect" };
    let random = Random::new(case.common.seed, 21);
    let last = height * width - 1;
    let places = (0..SAMPLES).map(|i| random.below(i, last as u64 + 1) as usize);
    let corners = [0, width - 1, last + 1 - width, last];
    corners.into_iter().chain(places).map(|at| (at, naive.pixel(samples, at / width, at % width))).collect()
}

/// Fails unless a picture has these pixels, to half a level and a little.
fn check<S: Sample>(who: &str, blurred: &[S], picture: Picture, exact: &[(usize, Vec<f64>)]) -> Outcome {
    let most = if S::OPAQUE > 1.0 { 0.5 } else { 0.0 } + S::OPAQUE / f64::from(1 << 19);
    for (at, wanted) in exact {
        let got = &blurred[at * picture.channels..][..picture.channels];
        if got.iter().zip(wanted).any(|(got, wanted)| (got.wide() - wanted).abs() > most) {
            return crate::check::wrong(who, format!("pixel {at} is {got:?}, not {wanted:?}"));
        }
    }
    Ok(())
}

impl Bench for BlurBench {
    const NAME: &'static str = "blur";
    const SIZES: &'static [usize] = &[1_400_000];
    const UNIT: &'static str = "ns per sample";
    const DEFAULT_DTYPE: &'static str = "u8";
    const DEFAULT_KIND: &'static str = "grey";
    const DTYPES: &'static [&'static str] = &["u8", "u16", "f32"];

    fn kinds() -> Vec<&'static str> {
        vec!["grey", "rgb", "rgba"]
    }

    fn run(&self, dtype: &str, case: &mut Case<'_>) -> Outcome<Vec<Row>> {
        match dtype {
            "u8" => self.case::<u8>(case),
            "u16" => self.case::<u16>(case),
            _ => self.case::<f32>(case),
        }
    }

    fn tables(&self, rows: &[Row]) -> String {
        let columns = [
            columns::asked("sigma"),
            columns::engine_or_choice("engine"),
            columns::threads().together(),
            columns::ms(),
            columns::ns("ns/sample"),
            columns::gb_per_s(),
        ];
        table(rows, columns).to_string()
    }

    fn panel(row: &Row) -> Option<String> {
        row.queries.map(Into::into)
    }

    fn how_to_read(&self) -> String {
        "Corners and some other pixels of every picture were compared with sums in double precision. GB/s: over the bytes\n\
         of both pictures. From host to host. scipy on the same pictures: bench/blur-peers.py."
            .into()
    }
}
