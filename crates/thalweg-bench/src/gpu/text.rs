//! `thalweg-bench text --device gpu`: suffix arrays, longest previous factors, common extensions, string matching, LZ77.

use thalweg::gpu::text::search::{Engine, find_all};
use thalweg::gpu::text::{Lce, Text, check_suffixes, lpf, lpf_with_sources, suffix_array, suffix_array_with_lcp};
use thalweg::gpu::{DeviceArray, rmq};
use thalweg::text as cpu;
use thalweg_cli::failure::{Failure, Outcome};
use thalweg_cli::memory;

use super::{Gpu, race_on_host, row};
use crate::bench::{Bench, Case, Common, drive};
use crate::check;
use crate::columns::{self, table};
use crate::report::{Adapter, Row};
use crate::texts::{Part, Texts};
use crate::timing::time;

/// Runs the benchmark.
pub fn run(common: &Common, texts: Texts) -> Outcome {
    drive(&GpuText { gpu: Gpu::open(&common.device)?, texts }, common)
}

struct GpuText {
    gpu: Gpu,
    texts: Texts,
}

impl GpuText {
    fn case(&self, case: &mut Case<'_>) -> Outcome<Vec<Row>> {
        memory::require(case.n.saturating_mul(40), &case.title())?;
        let (n, device) = (case.n, &self.gpu.device);
        let who = |what: &str| format!("{what} on {}, {}", device.name(), case.title());
        let same = |what: &str, want: &[u32], got: &DeviceArray<u32>| -> Outcome {
            check::equal(&who(what), what, want, &got.to_vec()?, |&x| x)
        };
        let mut made = Vec::new();
        let bytes = self.texts.text(case, &mut made);
        let pattern = self.texts.pattern(bytes);

        // What the CPU finds.
        let too_long = || Failure::at("--n", format_args!("{n}: positions on the device take fewer than 2^31 - 1"));
        let suffixes = cpu::suffix_array(bytes)?;
        let narrow = |positions: &thalweg::Positions| positions.as_u32().map(<[u32]>::to_vec).ok_or_else(too_long);
        let (sa, lcp) = (narrow(suffixes.positions())?, narrow(&suffixes.lcp()?)?);
        drop(suffixes);

        let mut rows = Vec::new();
        let text = Text::upload(device, bytes)?;
        if self.texts.wants(Part::Sort) {
            let sort = || suffix_array(&text);
            rows.push(
                self.gpu.time(case, ("suffix array", "doubling"), n, sort, |got| same("suffix array", &sa, got))?,
            );
            let sort = || suffix_array_with_lcp(&text);
            rows.push(self.gpu.time(case, ("suffix array, LCP", "doubling"), n, sort, |got| {
                same("suffix array", &sa, &got.positions)?;
                same("LCP", &lcp, &got.lcp)
            })?);
            rows.extend(self.sort_from_host_to_host(case, bytes, (&sa, &lcp))?);
        }
        let (positions, common) = (device.upload(&sa)?, device.upload(&lcp)?);
        if self.texts.wants(Part::Sort) {
            let check = || check_suffixes(&text, &positions, None);
            rows.push(self.gpu.time(case, ("check", "ranks"), n, check, |_| Ok(()))?);
            let check = || check_suffixes(&text, &positions, Some(&common));
            rows.push(self.gpu.time(case, ("check, LCP", "ranks"), n, check, |_| Ok(()))?);
        }
        if self.texts.wants(Part::Lz77) {
            let lengths = narrow(&cpu::lpf(bytes)?)?;
            let find = || lpf(&positions, &common);
            rows.push(self.gpu.time(case, ("LPF", "climb"), n, find, |got| same("LPF", &lengths, got))?);
            let find = || lpf_with_sources(&positions, &common);
            rows.push(
                self.gpu.time(case, ("LPF, sources", "climb"), n, find, |got| same("LPF", &lengths, &got.lengths))?,
            );
        }
        if self.texts.wants(Part::Lce) {
            let pairs = self.texts.pairs(case, bytes);
            let mut expected = memory::filled(pairs.len(), 0u32, "expected answers")?;
            cpu::Lce::new(bytes)?.batch(&pairs, &mut expected)?;
            let (queries, out) = (device.upload(pairs.as_flattened())?, device.allocate::<u32>(pairs.len())?);
            let build = || Lce::new(&positions, common.clone());
            let engine = rmq::Engine::default().name();
            rows.push(self.gpu.time(case, ("extensions: index", engine), n, build, |_| Ok(()))?);
            let lce = build()?;
            let ask = || lce.batch(&queries, &out);
            let who = ("extensions", lce.engine());
            rows.push(self.gpu.time(case, who, pairs.len(), ask, |_| same("extensions", &expected, &out))?);
        }
        drop((positions, common));
        if self.texts.wants(Part::Search) {
            let places = narrow(&cpu::find_all(bytes, pattern)?)?;
            for engine in [Engine::Blocks, Engine::Duel] {
                let find = || find_all(&text, pattern, engine);
                let who = ("find_all", engine.name());
                let mut row = self.gpu.time(case, who, n, find, |got| same("places", &places, got))?;
                row.default = engine == Engine::default();
                rows.push(row);
            }
        }
        drop(text);
        if self.texts.wants(Part::Lz77) {
            // From the text on the host to its phrases there.
            let factors = cpu::lz77(bytes)?;
            let timings = race_on_host(case, "lz77, host to host", 1, |_| {
                let builder = cpu::lz77::Builder::new().device(device);
                let (took, got) = time(|| builder.run(bytes));
                if got?.into_inner() != factors {
                    return Err(Failure::wrong_answer(who("lz77: other phrases")));
                }
                Ok(took)
            })?;
            rows.push(row(case, "lz77, host to host", "doubling").timed(timings[0], n));
        }
        Ok(rows)
    }
}

impl GpuText {
    /// Suffix array, LCP and Burrows-Wheeler transform, from the text on the host to the results there.
    fn sort_from_host_to_host(&self, case: &Case<'_>, bytes: &[u8], (sa, lcp): (&[u32], &[u32])) -> Outcome<Vec<Row>> {
        let builder = cpu::SuffixBuilder::new().device(&self.gpu.device);
        let who = |what: &str| format!("{what} from host to host, {}", case.title());
        let same = |what: &str, want: &[u32], got: &thalweg::Positions| match got.as_u32() {
            Some(got) => check::equal(&who(what), what, want, got, |&x| x),
            None => Err(Failure::wrong_answer(who(what))),
        };
        let whats = ["suffix array, host to host", "suffix array, LCP, host to host", "BWT, host to host"];
        let timings = race_on_host(case, "host to host", whats.len(), |contestant| match contestant {
            0 => {
                let (took, got) = time(|| builder.build(bytes));
                same("suffix array", sa, got?.into_inner().positions())?;
                Ok(took)
            }
            1 => {
                let (took, got) = time(|| builder.build_with_lcp(bytes));
                let (suffixes, common) = got?.into_inner();
                same("suffix array", sa, suffixes.positions())?;
                same("LCP", lcp, &common)?;
                Ok(took)
            }
            _ => {
                let (took, got) = time(|| builder.bwt(bytes));
                let got = got?.into_inner();
                let is_right = |(rank, &position): (usize, &u32)| {
                    let (rank, symbol) = (rank + 1, bytes[(position as usize).max(1) - 1]);
                    position == 0 || got.symbols[rank - usize::from(rank > got.primary)] == symbol
                };
                if !sa.iter().enumerate().all(is_right) {
                    return Err(Failure::wrong_answer(who("BWT")));
                }
                Ok(took)
            }
        })?;
        Ok(whats.iter().zip(timings).map(|(what, timing)| row(case, what, "doubling").timed(timing, case.n)).collect())
    }
}

impl Bench for GpuText {
    const NAME: &'static str = "text";
    const SIZES: &'static [usize] = &[1 << 22, 1 << 26];
    const UNIT: &'static str = "ns per byte or pair";
    const DTYPES: &'static [&'static str] = &["u8"];

    fn run(&self, _dtype: &str, case: &mut Case<'_>) -> Outcome<Vec<Row>> {
        self.case(case)
    }

    fn kinds() -> Vec<&'static str> {
        Texts::kinds()
    }

    fn adapter(&self) -> Option<Adapter> {
        Some(self.gpu.describe())
    }

    fn tables(&self, rows: &[Row]) -> String {
        let columns = [
            columns::what("what").together(),
            columns::engine("engine"),
            columns::ms(),
            columns::ns("ns/byte or pair"),
        ];
        table(rows, columns).to_string()
    }

    fn panel(row: &Row) -> Option<String> {
        Some(row.what.into())
    }

    fn how_to_read(&self) -> String {
        "Every answer was checked against the CPU's. ms: by the device's clock, everything on the device, unless it says from host\n\
         to host: from the text there to suffixes, transform or phrases there, suffixes being checked on the way. LPF: suffix and LCP array given; extensions: random pairs."
            .into()
    }
}
