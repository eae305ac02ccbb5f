//! `thalweg-bench rmq`: building an index, batches of queries, single queries.

use std::hint::black_box;

use thalweg::rmq::Engine;
use thalweg::{Key, Order, Rmq};
use thalweg_cli::choice::one_of;
use thalweg_cli::failure::{Failure, Outcome};
use thalweg_cli::memory;
use thalweg_cli::numbers::parse_count;
use thalweg_cli::numbers::show_bytes;
use thalweg_cli::rmq_engine::RmqEngineArgs;
use thalweg_data::QueryKind;

use crate::bench::{Bench, Case, Common, Selection, drive, on_gpu, timed_types};
use crate::check;
use crate::columns::{self, of, table};
use crate::peers::{self, PeerIndex, RmqPeer};
use crate::report::Row;
use crate::table::{maybe, times};
use crate::timing::time;

/// Range minimum queries: build, batches, single queries
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    common: Common,
    /// Engines to time, or all
    #[arg(long, num_args = 1.., value_delimiter = ',', default_value = "all")]
    engine: Vec<String>,
    /// Kinds of ranges
    #[arg(long, num_args = 1.., value_delimiter = ',', value_parser = one_of(QueryKind::ALL, QueryKind::name),
        default_values = ["large", "medium", "small", "mixed"])]
    queries: Vec<QueryKind>,
    /// Queries in a batch
    #[arg(long, value_parser = parse_count, default_value = "2^20")]
    count: usize,
    /// Leave out indexes of more bytes than this [default: an eighth of the free memory]
    #[arg(long, value_name = "BYTES", value_parser = parse_count)]
    max_extra: Option<usize>,
    #[command(flatten)]
    options: RmqEngineArgs,
}

/// Single queries are a sample of the batch: they are slower, and their speed needs no more than this many.
const SINGLES: usize = 1 << 17;

/// Elements that `naive` may read for a batch before it is left out: some tenths of a second.
const NAIVE_READS: u64 = 1 << 28;

/// Runs the benchmark.
pub fn run(args: Args) -> Outcome {
    if args.count == 0 {
        return Err(Failure::at("--count", "a batch of 0 queries has nothing to time"));
    }
    on_gpu!(args.common, crate::gpu::rmq::run(&args.common, &args.engine, &args.queries, args.count, args.options));
    let of_the_cpu = |engine| Rmq::with_engine(&[0u8][..], Order::Min, engine).map(drop);
    let mut selection = Selection::parse(&args.engine, Engine::ALL)?.on_device(of_the_cpu)?;
    args.options.expect_of(&selection.engines)?;
    for engine in &mut selection.engines {
        *engine = args.options.applied(*engine);
        // Sizes that do not work are refused before anything is printed.
        Rmq::with_engine(&[0u8][..], Order::Min, *engine)?;
    }
    let bench = RmqBench {
        selection,
        queries: args.queries,
        count: args.count,
        max_extra: args.max_extra.or(memory::available().map(|free| free as usize / 8)).unwrap_or(usize::MAX),
    };
    drive(&bench, &args.common)
}

struct RmqBench {
    selection: Selection<Engine>,
    queries: Vec<QueryKind>,
    count: usize,
    max_extra: usize,
}

/// Who takes part: an engine of ours or a peer.
#[derive(Clone, Copy)]
enum Entrant {
    Ours(Engine),
    Peer(RmqPeer),
}

impl Entrant {
    fn name(self) -> &'static str {
        match self {
            Self::Ours(engine) => engine.name(),
            Self::Peer(peer) => peer.name(),
        }
    }

    fn is_peer(self) -> bool {
        matches!(self, Self::Peer(_))
    }

    fn is_default(self) -> bool {
        matches!(self, Self::Ours(engine) if engine == Engine::default())
    }

    /// About how many bytes the index takes: exact enough to keep the memory from running out. Engines tell the
    /// truth only once they are built.
    fn predicted_bytes<K: Key>(self, n: usize) -> usize {
        match self {
            Self::Ours(engine) => match engine.name() {
                "naive" => 0,
                "sparse_table" | "prefix_suffix_tree" => 4 * n * n.next_power_of_two().ilog2().max(1) as usize,
                _ => n * (size_of::<K>() + 4) / 2,
            },
            Self::Peer(peer) => peer.predicted_bytes(n),
        }
    }

    /// Bytes that building reads per element.
    fn bytes_per_element<K: Key>(self) -> usize {
        match self {
            Self::Peer(RmqPeer::Fast | RmqPeer::Binary) => size_of::<u64>(),
            Self::Ours(..) | Self::Peer(RmqPeer::Succinct) => size_of::<K>(),
        }
    }

    fn input<K: Key>(self, array: &[K]) -> Vec<u64> {
        match self {
            Self::Ours(..) => Vec::new(),
            Self::Peer(peer) => peer.input(array),
        }
    }

    fn build<K: Key>(self, array: &[K], input: Vec<u64>) -> Outcome<Index<'_, K>> {
        Ok(match self {
            Self::Ours(engine) => Index::Ours(Rmq::with_engine(array, Order::Min, engine)?),
            Self::Peer(peer) => Index::Peer(peer.build(array, input)),
        })
    }
}

enum Index<'a, K: Key> {
    Ours(Rmq<'a, K>),
    Peer(PeerIndex),
}

impl<K: Key> Index<'_, K> {
    fn extra_bytes(&self) -> Option<usize> {
        match self {
            Self::Ours(rmq) => Some(rmq.extra_bytes()),
            Self::Peer(peer) => peer.extra_bytes(),
        }
    }

    fn batch(&self, queries: &[[u32; 2]], out: &mut [u32]) -> Outcome {
        match self {
            Self::Ours(rmq) => rmq.positions(queries, out)?,
            Self::Peer(peer) => peer.batch(queries, out),
        }
        Ok(())
    }

    fn one_by_one(&self, queries: &[[u32; 2]]) -> u64 {
        match self {
            Self::Ours(rmq) => peers::one_by_one(queries, |l, r| rmq.position(l..=r).unwrap_or(usize::MAX)),
            Self::Peer(peer) => peer.one_by_one(queries),
        }
    }
}

/// A batch and its right answers.
struct Workload {
    kind: QueryKind,
    queries: Vec<[u32; 2]>,
    expected: Vec<u32>,
}

impl RmqBench {
    /// The engines and peers whose index may be built.
    fn entrants<K: Key>(&self, case: &mut Case<'_>) -> Outcome<Vec<Entrant>> {
        let ours = self.selection.engines.iter().map(|&engine| Entrant::Ours(engine));
        let peers = RmqPeer::ALL.iter().filter(|_| case.common.peers).map(|&peer| Entrant::Peer(peer));
        let mut entrants: Vec<Entrant> = ours.chain(peers).collect();
        entrants.retain(|entrant| {
            let bytes = entrant.predicted_bytes::<K>(case.n);
            if bytes > self.max_extra {
                let (bytes, limit) = (show_bytes(bytes as u64), show_bytes(self.max_extra as u64));
                case.skip(entrant.name(), format_args!("index of {bytes}, over the limit of {limit} (--max-extra)"));
            }
            bytes <= self.max_extra
        });
        // All indexes are alive at once, and one more while building is timed, with its input.
        let sizes = entrants.iter().map(|entrant| entrant.predicted_bytes::<K>(case.n));
        let indexes = sizes.clone().sum::<usize>() + sizes.max().unwrap_or(0);
        let data = case.n * (size_of::<K>() + 8) + self.count * 12 * self.queries.len();
        memory::require(indexes + data, &case.title())?;
        Ok(entrants)
    }

    fn workload<K: Key>(&self, case: &Case<'_>, array: &[K], kind: QueryKind) -> Outcome<Workload> {
        let mut queries = memory::filled(self.count, [0u32; 2], "the queries")?;
        kind.fill(case.n, case.common.seed, &mut queries);
        let expected = check::leftmost_minima(array, &queries)?;
        Ok(Workload { kind, queries, expected })
    }

    fn time_builds<K: Key>(&self, case: &Case<'_>, array: &[K], entrants: &[Entrant]) -> Outcome<Vec<Row>> {
        let mut rows = Vec::new();
        // The oracle builds nothing.
        let entrants: Vec<Entrant> =
            entrants.iter().copied().filter(|entrant| !matches!(entrant, Entrant::Ours(Engine::Naive))).collect();
        for pool in case.pools {
            let mut extra = vec![None; entrants.len()];
            let timings = case.race(pool, "build", entrants.len(), |i| {
                let input = entrants[i].input(array);
                let (took, index) = time(|| entrants[i].build(array, black_box(input)));
                extra[i] = black_box(index?).extra_bytes();
                Ok(took)
            })?;
            for ((entrant, timing), extra) in entrants.iter().zip(timings).zip(extra) {
                let mut row = case.row(pool, "build", entrant.name()).timed(timing, case.n).extra(extra);
                (row.peer, row.default) = (entrant.is_peer(), entrant.is_default());
                // At least: the array read, the index written.
                let bytes = case.n * entrant.bytes_per_element::<K>() + extra.unwrap_or(0);
                rows.push(row.moving(bytes, pool.copy_gb_per_s));
            }
        }
        Ok(rows)
    }

    fn time_queries<K: Key>(
        &self,
        case: &mut Case<'_>,
        array: &[K],
        indexes: &[(Entrant, Index<'_, K>)],
        work: &Workload,
    ) -> Outcome<Vec<Row>> {
        let Workload { kind, queries, expected } = work;
        let reads = queries.iter().map(|&[l, r]| u64::from(r - l) + 1).sum::<u64>();
        let mut indexes: Vec<&(Entrant, Index<'_, K>)> = indexes.iter().collect();
        if reads > NAIVE_READS && !self.selection.named {
            indexes.retain(|(entrant, _)| {
                let naive = matches!(entrant, Entrant::Ours(Engine::Naive));
                if naive {
                    let why = format_args!("{} ranges would read {:.1e} elements", kind.name(), reads as f64);
                    case.skip(entrant.name(), why);
                }
                !naive
            });
        }
        let sample = &queries[..queries.len().min(SINGLES)];
        let mut out = memory::filled(queries.len(), 0, "the answers")?;
        let mut sums = vec![0; indexes.len()];
        let mut leftmost = vec![false; indexes.len()];
        let mut rows = Vec::new();
        for (nth, pool) in case.pools.iter().enumerate() {
            let row = |i: usize, what| {
                let entrant = indexes[i].0;
                let mut row = case.row(pool, what, entrant.name());
                row.queries = Some(kind.name());
                (row.peer, row.default) = (entrant.is_peer(), entrant.is_default());
                row
            };
            let timings = case.race(pool, &format!("batch, {}", kind.name()), indexes.len(), |i| {
                let (entrant, index) = indexes[i];
                // Poison: an answer that is not written shows.
                out.fill(u32::MAX);
                let (took, done) = time(|| index.batch(black_box(queries), &mut out));
                done?;
                let who = format!("{}, {} ranges on {}", entrant.name(), kind.name(), case.title());
                leftmost[i] = check::ranges(&who, array, queries, expected, &out, !entrant.is_peer())?;
                sums[i] = out[..sample.len()].iter().copied().map(u64::from).fold(0, u64::wrapping_add);
                Ok(took)
            })?;
            for (i, timing) in timings.into_iter().enumerate() {
                let mut row = row(i, "batch").timed(timing, queries.len());
                row.leftmost = Some(leftmost[i]);
                rows.push(row);
            }
            // A query by itself runs on one thread, whatever the pool.
            if nth > 0 {
                continue;
            }
            let timings = case.race(pool, &format!("single, {}", kind.name()), indexes.len(), |i| {
                let (entrant, index) = indexes[i];
                let (took, sum) = time(|| index.one_by_one(black_box(sample)));
                if sum == sums[i] {
                    return Ok(took);
                }
                let who = format!("{}, {} ranges on {}", entrant.name(), kind.name(), case.title());
                check::wrong(&who, "single queries and the batch disagree")
            })?;
            rows.extend(
                timings.into_iter().enumerate().map(|(i, timing)| row(i, "single").timed(timing, sample.len())),
            );
        }
        Ok(rows)
    }

    /// Times everybody on one array.
    fn case<K: Key>(&self, case: &mut Case<'_>) -> Outcome<Vec<Row>> {
        let entrants = self.entrants::<K>(case)?;
        let array = case.array::<K>()?;
        let mut rows = self.time_builds(case, &array, &entrants)?;
        let mut indexes = Vec::new();
        for entrant in entrants {
            indexes.push((entrant, entrant.build(&array, entrant.input(&array))?));
        }
        for &kind in &self.queries {
            let work = self.workload(case, &array, kind)?;
            rows.extend(self.time_queries(case, &array, &indexes, &work)?);
        }
        Ok(rows)
    }
}

impl Bench for RmqBench {
    const NAME: &'static str = "rmq";
    const SIZES: &'static [usize] = &[1 << 20, 1 << 24];
    const UNIT: &'static str = "ns per query";

    timed_types!(u32, u64, f32, f64);

    fn tables(&self, rows: &[Row]) -> String {
        let builds = [
            columns::engine("build"),
            columns::threads().together(),
            columns::ns("ns/element"),
            columns::gb_per_s(),
            columns::of_copy(),
            columns::extra_bits("extra bits/element"),
            columns::versus("vs best peer"),
        ];
        let single = |batch: &Row| {
            let of_batch = |row: &&Row| {
                row.what == "single"
                    && (row.engine, row.queries, row.threads) == (batch.engine, batch.queries, batch.threads)
            };
            rows.iter().find(of_batch)
        };
        let leftmost = |row: &Row| row.leftmost.map_or("-", |yes| if yes { "yes" } else { "no" }).into();
        let queries = [
            columns::asked("ranges"),
            columns::engine("engine"),
            columns::threads(),
            columns::ns("batch ns/query"),
            columns::versus("vs best peer"),
            columns::number("single ns/query", |row| maybe(single(row).map(|row| row.ns_per_item))),
            columns::number("vs best peer", |row| times(single(row).and_then(|row| row.ratio_to_best_peer))),
            columns::number("leftmost", leftmost),
        ];
        let (builds, queries) = (table(of(rows, "build"), builds), table(of(rows, "batch"), queries));
        format!("{builds}\n{queries}")
    }

    fn panel(row: &Row) -> Option<String> {
        row.queries.filter(|_| row.what == "batch").map(|kind| format!("{kind} ranges"))
    }

    fn how_to_read(&self) -> String {
        "Every answer was checked. 'vs best peer': the fastest peer's time over this one's, above 1x is faster.\n\
         The peers build on one thread; their batches are spread over the threads as ours are. Rows of one thread are\n\
         the fair comparison."
            .into()
    }
}
