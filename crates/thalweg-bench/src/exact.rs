//! `thalweg-bench exact`: exact convolutions of integers.

use std::hint::black_box;

use tfhe_ntt::prime32::Plan as PeersPlan;
use thalweg::fourier::Shape;
use thalweg::fourier::exact::{Builder, Engine, Extent, Integer};
use thalweg::{Answer, Device};
use thalweg_cli::failure::Outcome;
use thalweg_cli::memory;
use thalweg_cli::numbers::parse_count;
use thalweg_data::Random;

use crate::bench::{Bench, Case, Common, Selection, drive};
use crate::columns::{self, table};
use crate::report::Row;
use crate::timing::time;

/// Exact convolutions of integers: all elements, in i64
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    common: Common,
    /// Engines to time, or all
    #[arg(long, num_args = 1.., value_delimiter = ',', default_value = "all")]
    engine: Vec<String>,
    /// Elements of the kernel [default: as many as the array has]
    #[arg(long, value_name = "M", value_parser = parse_count)]
    kernel: Option<usize>,
}

/// Products that the direct engine is given unless it is named, and the naive one.
const MANY: f64 = 1e10;
const FEW: f64 = 1e8;

/// Runs the benchmark. With a GPU, its times are those of the CPU's table: from host to host, copies and all.
pub fn run(args: Args) -> Outcome {
    let device = match args.common.device.as_str() {
        "cpu" => None,
        name => Some(name.parse::<Device>()?),
    };
    let selection = Selection::parse(&args.engine, Engine::ALL)?;
    drive(&ExactBench { selection, kernel: args.kernel, device }, &args.common)
}

struct ExactBench {
    selection: Selection<Engine>,
    kernel: Option<usize>,
    device: Option<Device>,
}

/// Who takes part.
#[derive(Clone, Copy, PartialEq)]
enum Entrant {
    Ours(Engine),
    /// The engine `ntt` on the GPU.
    Gpu,
    /// The crate `ac-library-rs`, `convolution_i64`, on one thread.
    AcLibrary,
    /// The transforms of the crate `tfhe-ntt`, modulo three of our primes, with plain remainders; on one thread.
    TfheNtt,
}

impl Entrant {
    fn name(self) -> &'static str {
        match self {
            Self::Ours(engine) => engine.name(),
            Self::Gpu => "ntt on the GPU",
            Self::AcLibrary => "ac-library-rs",
            Self::TfheNtt => "tfhe-ntt",
        }
    }
}

/// Elements at random: of 20 bits, or all of a byte, so that sums fit `i64`.
trait Element: Integer + Into<i64> {
    fn of(bits: u64) -> Self;
}

impl Element for u8 {
    fn of(bits: u64) -> Self {
        bits as Self
    }
}

impl Element for i32 {
    fn of(bits: u64) -> Self {
        (bits as Self) >> 12
    }
}

impl ExactBench {
    fn entrants(&self, case: &mut Case<'_>, kernel: usize) -> Vec<Entrant> {
        let mut entrants = Vec::new();
        let products = case.n as f64 * kernel as f64;
        for &engine in &self.selection.engines {
            let most = match engine {
                Engine::Naive => FEW,
                Engine::Direct => MANY,
                _ => f64::INFINITY,
            };
            if products > most && !self.selection.named {
                case.skip(engine.name(), "takes long (name it to wait for it)");
            } else {
                entrants.push(Entrant::Ours(engine));
            }
        }
        if self.device.is_some() {
            entrants.push(Entrant::Gpu);
        }
        if case.common.peers {
            if case.n + kernel <= 1 << 24 {
                entrants.extend([Entrant::AcLibrary, Entrant::TfheNtt]);
            } else {
                case.skip("every peer", "results of up to 2^24 only");
            }
        }
        entrants
    }

    fn case<T: Element>(&self, case: &mut Case<'_>) -> Outcome<Vec<Row>> {
        let (n, m) = (case.n, self.kernel.unwrap_or(case.n));
        memory::require((n + m).saturating_mul(60), &case.title())?;
        let random = Random::new(case.common.seed, 15);
        let array: Vec<T> = (0..n as u64).map(|i| T::of(random.bits(2 * i) >> 20)).collect();
        let kernel: Vec<T> = (0..m as u64).map(|i| T::of(random.bits(2 * i + 1) >> 20)).collect();
        let (shape, kernel_shape) = (Shape::line(n)?, Shape::line(m)?);
        let convolve = |device: Device, engine: Engine| {
            let builder = Builder::new().extent(Extent::Full).device(device).engine(engine);
            builder.convolve::<T, T, i64>(black_box(&array), &shape, &kernel, &kernel_shape).map(Answer::into_inner)
        };
        let expected = convolve(Device::Cpu, Engine::Ntt)?;
        self.check_some(case, &array, &kernel, &expected)?;
        let entrants = self.entrants(case, m);
        // As its users would have them.
        let wide = |values: &[T]| -> Vec<i64> { values.iter().map(|&x| x.into()).collect() };
        let (wide_array, wide_kernel) = (wide(&array), wide(&kernel));
        let peer = entrants.contains(&Entrant::TfheNtt).then(|| TfheNtt::new(n + m - 1));

        let mut rows = Vec::new();
        for pool in case.pools {
            let timings = case.race(pool, "convolution", entrants.len(), |i| {
                let (took, found) = match entrants[i] {
                    Entrant::Ours(engine) => time(|| convolve(Device::Cpu, engine)),
                    Entrant::Gpu => {
                        let device = self.device.clone().expect("it takes part only if there is one");
                        time(|| convolve(device, Engine::Ntt))
                    }
                    Entrant::AcLibrary => {
                        time(|| Ok(ac_library::convolution_i64(black_box(&wide_array), black_box(&wide_kernel))))
                    }
                    Entrant::TfheNtt => {
                        let peer = peer.as_ref().expect("it takes part");
                        time(|| Ok(peer.convolve(black_box(&wide_array), black_box(&wide_kernel))))
                    }
                };
                let who = format!("{} on {}", entrants[i].name(), case.title());
                crate::check::equal(&who, "element", &expected, &found?, |&sum| sum)?;
                Ok(took)
            })?;
            for (&entrant, timing) in entrants.iter().zip(timings) {
                let mut row = case.row(pool, "convolution", entrant.name()).timed(timing, n + m - 1);
                row.peer = matches!(entrant, Entrant::AcLibrary | Entrant::TfheNtt);
                row.default = entrant == Entrant::Ours(Engine::Ntt);
                rows.push(row);
            }
        }
        Ok(rows)
    }

    /// Some answers, by the definition.
    fn check_some<T: Element>(&self, case: &Case<'_>, array: &[T], kernel: &[T], found: &[i64]) -> Outcome {
        let random = Random::new(case.common.seed, 16);
        for i in 0..20 {
            let at = random.below(i, found.len() as u64) as usize;
            let first = (at + 1).saturating_sub(kernel.len());
            let sum: i64 = (first..array.len().min(at + 1)).map(|i| array[i].into() * kernel[at - i].into()).sum();
            if sum != found[at] {
                let complaint = format!("element {at} is {sum}, not {}", found[at]);
                return crate::check::wrong(&format!("ntt on {}", case.title()), complaint);
            }
        }
        Ok(())
    }
}

/// What a user of `tfhe-ntt` would write: three transforms for each of three primes, and remainders.
struct TfheNtt {
    len: usize,
    plans: Vec<(u32, PeersPlan)>,
}

impl TfheNtt {
    fn new(answers: usize) -> Self {
        let len = answers.next_power_of_two().max(32);
        // They have roots of the order that it needs, twice the length.
        let primes = [1_811_939_329, 2_013_265_921, 2_113_929_217];
        let plan = |p: u32| Some((p, PeersPlan::try_new(len, p)?));
        Self { len, plans: primes.into_iter().filter_map(plan).collect() }
    }

    fn convolve(&self, array: &[i64], kernel: &[i64]) -> Vec<i64> {
        let residues: Vec<Vec<u32>> = self
            .plans
            .iter()
            .map(|(p, plan)| {
                let filled = |values: &[i64]| {
                    let mut all = vec![0; self.len];
                    let p = i64::from(*p);
                    all.iter_mut().zip(values).for_each(|(out, x)| *out = x.rem_euclid(p) as u32);
                    plan.fwd(&mut all);
                    all
                };
                let (mut a, b) = (filled(array), filled(kernel));
                plan.mul_assign_normalize(&mut a, &b);
                plan.inv(&mut a);
                a
            })
            .collect();
        let [p, q, r] = [0, 1, 2].map(|i| u64::from(self.plans[i].0));
        let power = |base: u64, modulus: u64| {
            let (mut result, mut square, mut exponent) = (1, base % modulus, modulus - 2);
            while exponent > 0 {
                if exponent & 1 == 1 {
                    result = result * square % modulus;
                }
                square = square * square % modulus;
                exponent >>= 1;
            }
            result
        };
        let (p_in_q, p_in_r, q_in_r) = (power(p, q), power(p, r), power(q, r));
        let whole = u128::from(p * q) * u128::from(r);
        (0..array.len() + kernel.len() - 1)
            .map(|i| {
                let [a, b, c] = [0, 1, 2].map(|k| u64::from(residues[k][i]));
                let second = (b + q - a) % q * p_in_q % q;
                let third = ((c + r - a) % r * p_in_r % r + r - second) % r * q_in_r % r;
                let sum = u128::from(a + second * p) + u128::from(third) * u128::from(p * q);
                if sum > whole / 2 { sum.wrapping_sub(whole) as i64 } else { sum as i64 }
            })
            .collect()
    }
}

impl Bench for ExactBench {
    const NAME: &'static str = "exact";
    const SIZES: &'static [usize] = &[1 << 16, 1 << 20];
    const UNIT: &'static str = "ns per answer";
    const DTYPES: &'static [&'static str] = &["i32", "u8"];
    const DEFAULT_DTYPE: &'static str = "i32";

    fn kinds() -> Vec<&'static str> {
        vec!["random"]
    }

    fn run(&self, dtype: &str, case: &mut Case<'_>) -> Outcome<Vec<Row>> {
        if dtype == "u8" { self.case::<u8>(case) } else { self.case::<i32>(case) }
    }

    fn tables(&self, rows: &[Row]) -> String {
        let columns = [
            columns::engine("engine"),
            columns::threads(),
            columns::ms(),
            columns::ns("ns/answer"),
            columns::versus("vs best peer"),
        ];
        table(rows, columns).to_string()
    }

    fn panel(_row: &Row) -> Option<String> {
        Some("convolution".into())
    }

    fn how_to_read(&self) -> String {
        "All n + m - 1 answers, in i64, compared one by one; elements are bytes, or numbers of 20 bits. The peers run on one\n\
         thread. Above 1x is faster than the best of them."
            .into()
    }
}
