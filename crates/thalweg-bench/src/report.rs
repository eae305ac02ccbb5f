//! The measurements, and the file that keeps them.

use std::collections::HashMap;
use std::fmt;
use std::fs;
use std::time::SystemTime;

use serde::Serialize;

use crate::timing::Timing;

/// One measurement with everything needed to read it alone.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Row {
    /// What was timed: `build`, `batch`, `single`, `both_sides`, or the name of a primitive.
    pub what: &'static str,
    /// Length of the array.
    pub n: usize,
    /// Type of its elements.
    pub dtype: &'static str,
    /// Kind of array.
    pub kind: &'static str,
    /// Kind of ranges, for queries.
    pub queries: Option<&'static str>,
    /// Who was timed.
    pub engine: &'static str,
    /// Whether this is the engine that the library would choose.
    pub default: bool,
    /// Whether ratios are taken against this one: another crate, or what the standard library offers; for ANSV, which
    /// has no peers, the sequential `stack`.
    pub peer: bool,
    /// Threads of the pool that it ran on; 0 for the GPU.
    pub threads: usize,
    /// What `ns_per_item` counts: elements, or queries.
    pub items: usize,
    /// Timed runs.
    pub runs: usize,
    /// Median time of a run.
    pub median_ns: f64,
    /// Time of the fastest run.
    pub min_ns: f64,
    /// Median time per item.
    pub ns_per_item: f64,
    /// Bytes read and written at least, over the median time.
    pub gb_per_s: Option<f64>,
    /// The same as a share of this machine's copy speed on as many threads.
    pub share_of_copy: Option<f64>,
    /// Memory beside the array and the answers.
    pub extra_bits_per_element: Option<f64>,
    /// Time of the fastest peer on the same task and threads over this one's: above 1 this one is faster.
    pub ratio_to_best_peer: Option<f64>,
    /// Whether every answer was the leftmost minimum, where several places hold it.
    pub leftmost: Option<bool>,
}

impl Row {
    /// Takes over a timing.
    pub fn timed(mut self, timing: Timing, items: usize) -> Self {
        (self.items, self.runs) = (items, timing.runs);
        (self.median_ns, self.min_ns) = (timing.median, timing.min);
        self.ns_per_item = timing.median / items.max(1) as f64;
        self
    }

    /// Notes the bytes that a run moves at least, to be compared with the speed of a copy.
    pub fn moving(mut self, bytes: usize, copy_gb_per_s: f64) -> Self {
        let speed = bytes as f64 / self.median_ns;
        (self.gb_per_s, self.share_of_copy) = (Some(speed), Some(speed / copy_gb_per_s));
        self
    }

    /// Notes extra memory, if it is known.
    pub fn extra(mut self, bytes: Option<usize>) -> Self {
        self.extra_bits_per_element = bytes.map(|bytes| 8.0 * bytes as f64 / self.n.max(1) as f64);
        self
    }

    /// What two rows must share for their times to be compared.
    fn task(&self) -> impl Eq + std::hash::Hash + use<> {
        (self.what, self.n, self.dtype, self.kind, self.queries, self.threads)
    }
}

/// Fills in every row's ratio to the fastest peer on the same task.
pub fn compare(rows: &mut [Row]) {
    let mut best = HashMap::new();
    for row in rows.iter().filter(|row| row.peer) {
        let best = best.entry(row.task()).or_insert(f64::INFINITY);
        *best = best.min(row.median_ns);
    }
    for row in rows {
        row.ratio_to_best_peer = best.get(&row.task()).map(|best| best / row.median_ns);
    }
}

/// The speed of a copy on some threads.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct CopySpeed {
    pub threads: usize,
    /// Bytes read and bytes written, together.
    pub gb_per_s: f64,
}

/// A GPU, and what its memory can do.
#[derive(Clone, Debug, Serialize)]
pub struct Adapter {
    pub name: String,
    pub driver: String,
    /// Bytes read and bytes written, together.
    pub copy_gb_per_s: f64,
    /// Reads of 64 bytes at random places, in billions a second.
    pub random_reads_g_per_s: f64,
}

impl fmt::Display for Adapter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, driver, copy_gb_per_s, random_reads_g_per_s } = self;
        write!(f, "{name} ({driver}): copy, read + written: {copy_gb_per_s:.0} GB/s, ")?;
        write!(f, "random reads of 64 bytes: {random_reads_g_per_s:.1} G/s")
    }
}

/// All that a run found out.
#[derive(Debug, Serialize)]
pub struct Report {
    /// Day of the run, in UTC.
    pub date: String,
    /// The GPU, if the engines ran on one.
    pub adapter: Option<Adapter>,
    pub problem: &'static str,
    pub version: &'static str,
    pub cpu: String,
    pub cores: usize,
    /// Vector instructions that the binary was compiled for. Our engines choose at run time; the peers do not.
    pub compiled_for: Vec<&'static str>,
    pub seed: u64,
    pub repeat: usize,
    pub copy: Vec<CopySpeed>,
    /// What was left out, and why.
    pub skipped: Vec<String>,
    pub rows: Vec<Row>,
}

impl Report {
    /// Where the engines ran.
    pub fn machine(&self) -> &str {
        self.adapter.as_ref().map_or(&self.cpu, |adapter| &adapter.name)
    }

    /// The rows as comma-separated values, each with the day and the machine, so that tables can be put together.
    pub fn to_csv(&self) -> String {
        let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
        let (device, driver) = match &self.adapter {
            Some(adapter) => (quoted(&adapter.name), quoted(&adapter.driver)),
            None => (quoted(&self.cpu), String::new()),
        };
        let number = |x: Option<f64>| x.map_or(String::new(), |x| format!("{x:.4}"));
        let mut text = String::from(
            "date,device,driver,problem,what,n,dtype,kind,queries,engine,threads,items,runs,median_ns,min_ns,\
             ns_per_item,gb_per_s,share_of_copy,extra_bits_per_element,ratio_to_best_peer\n",
        );
        for row in &self.rows {
            let cells = [
                self.date.clone(),
                device.clone(),
                driver.clone(),
                self.problem.into(),
                quoted(row.what),
                row.n.to_string(),
                row.dtype.into(),
                row.kind.into(),
                row.queries.unwrap_or_default().into(),
                quoted(row.engine),
                row.threads.to_string(),
                row.items.to_string(),
                row.runs.to_string(),
                format!("{:.0}", row.median_ns),
                format!("{:.0}", row.min_ns),
                format!("{:.5}", row.ns_per_item),
                number(row.gb_per_s),
                number(row.share_of_copy),
                number(row.extra_bits_per_element),
                number(row.ratio_to_best_peer),
            ];
            text += &(cells.join(",") + "\n");
        }
        text
    }
}

/// The day, in UTC, as 2026-01-31.
pub fn today() -> String {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    date(since.as_secs() / 86_400)
}

/// The date of a day counted from 1970-01-01: whole eras of 400 years first, and years that begin in March, so that the
/// leap day comes last.
fn date(day: u64) -> String {
    let day = day + 719_468;
    let (era, of_era) = (day / 146_097, day % 146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * of_year + 2) / 153;
    let of_month = of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    format!("{:04}-{month:02}-{of_month:02}", era * 400 + year_of_era + u64::from(month <= 2))
}

/// The instruction sets that matter to the peers, as far as the compiler was allowed to use them.
pub fn compiled_for() -> Vec<&'static str> {
    let features = [
        (cfg!(target_feature = "popcnt"), "popcnt"),
        (cfg!(target_feature = "bmi2"), "bmi2"),
        (cfg!(target_feature = "avx2"), "avx2"),
        (cfg!(target_feature = "avx512f"), "avx512f"),
    ];
    features.into_iter().filter_map(|(there, name)| there.then_some(name)).collect()
}

/// The processor's name, where the system tells.
pub fn cpu_model() -> String {
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = text.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    name.map_or("unknown".into(), |(_, name)| name.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(engine: &'static str, peer: bool, threads: usize, median: f64) -> Row {
        let row = Row { what: "batch", n: 1024, engine, peer, threads, ..Row::default() };
        row.timed(Timing { median, min: median, runs: 3 }, 10)
    }

    #[test]
    fn ratios_are_to_the_fastest_peer_of_the_same_task() {
        let mut rows = [
            row("ours", false, 1, 100.0),
            row("slow", true, 1, 800.0),
            row("fast", true, 1, 400.0),
            row("ours", false, 2, 50.0),
        ];
        compare(&mut rows);
        let ratios: Vec<Option<f64>> = rows.iter().map(|row| row.ratio_to_best_peer).collect();
        assert_eq!(ratios, [Some(4.0), Some(0.5), Some(1.0), None]);
        assert_eq!(rows[0].ns_per_item, 10.0);
    }

    #[test]
    fn days_have_their_dates() {
        let dates = [0, 59, 11_016, 11_017, 20_772].map(date);
        assert_eq!(dates, ["1970-01-01", "1970-03-01", "2000-02-29", "2000-03-01", "2026-11-15"]);
    }

    #[test]
    fn speeds_and_sizes() {
        let row = row("ours", false, 1, 100.0).moving(1000, 20.0).extra(Some(256));
        assert_eq!((row.gb_per_s, row.share_of_copy, row.extra_bits_per_element), (Some(10.0), Some(0.5), Some(2.0)));
    }
}
