//! The command, started by mpiexec, on several numbers of ranks and threads.
//!
//! Results are compared byte by byte with files made of the library's answers; and, where THALWEG names the command `thalweg`, with
//! its files. MPIEXEC names the launcher, of the MPI that the command was built on, if that is not `mpiexec`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;
use thalweg_arrays::ansv::{self, Relation};
use thalweg_cli::dtype::Element;
use thalweg_cli::input::npy::header;
use thalweg_core::Positions;
use thalweg_core::primitives::{inclusive_scan, sort, sort_idx};
use thalweg_data::{ArrayKind, ForestKind, ListKind, QueryKind};
use thalweg_trees::list::{self, Direction, Options};
use thalweg_trees::tree::Forest;

/// Ranks, threads and bytes of a message.
const SHAPES: [(usize, usize, usize); 6] =
    [(1, 1, 1 << 30), (1, 2, 1000), (2, 1, 1 << 30), (3, 2, 1000), (4, 1, 1 << 20), (7, 1, 1000)];

/// Less than most numbers of ranks, no multiple of any, and more than a tile a rank.
const SIZES: [usize; 4] = [0, 3, 1009, 70_001];

fn mpiexec(ranks: usize) -> Command {
    let launcher = std::env::var_os("MPIEXEC").unwrap_or_else(|| "mpiexec".into());
    let mut command = Command::new(&launcher);
    let version = Command::new(&launcher).arg("--version").output().expect("MPI is installed").stdout;
    if String::from_utf8_lossy(&version).contains("Open") {
        command.args(["--allow-run-as-root", "--oversubscribe", "--bind-to", "none"]);
    }
    command.args(["-n", &ranks.to_string(), env!("CARGO_BIN_EXE_thalweg-mpi")]);
    command
}

/// A folder with files.
struct Place(TempDir);

impl Place {
    fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn save<T: Element>(&self, name: &str, shape: &[usize], data: &[T]) {
        fs::write(self.path(name), bytes(shape, data)).unwrap();
    }

    /// Runs a job here that must succeed.
    fn run(&self, (ranks, threads, limit): (usize, usize, usize), arguments: &str) {
        let done = self.job((ranks, threads, limit), arguments);
        let text = String::from_utf8_lossy(&done.stderr);
        assert!(done.status.success(), "{ranks} x {threads}: {arguments}: {text}");
    }

    fn job(&self, (ranks, threads, limit): (usize, usize, usize), arguments: &str) -> Output {
        let mut command = mpiexec(ranks);
        command.args(arguments.split(' ')).args(["--threads", &threads.to_string()]);
        command.env("THALWEG_MPI_LIMIT", limit.to_string()).current_dir(self.0.path()).output().unwrap()
    }

    /// Whether the command `thalweg`, if it is known, writes the same.
    fn as_thalweg(&self, arguments: &str, files: &[(&str, &str)]) {
        let Some(thalweg) = std::env::var_os("THALWEG") else { return };
        let own = files.iter().fold(arguments.to_owned(), |all, (ours, its)| all.replace(ours, its));
        let done = Command::new(thalweg).args(own.split(' ')).current_dir(self.0.path()).output().unwrap();
        assert!(done.status.success(), "{own}: {}", String::from_utf8_lossy(&done.stderr));
        for (ours, its) in files {
            assert!(fs::read(self.path(ours)).unwrap() == fs::read(self.path(its)).unwrap(), "{arguments}: {ours}");
        }
    }

    fn holds<T: Element>(&self, name: &str, shape: &[usize], data: &[T], case: &str) {
        assert!(fs::read(self.path(name)).unwrap() == bytes(shape, data), "{case}: {name}");
    }

    /// Nothing but these files.
    fn is_clean(&self, names: &[&str]) {
        let mut found: Vec<_> = fs::read_dir(self.0.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        found.sort();
        assert_eq!(found, names);
    }
}

/// A file that holds these.
fn bytes<T: Element>(shape: &[usize], data: &[T]) -> Vec<u8> {
    [&header(T::DTYPE, shape), bytemuck::cast_slice(data)].concat()
}

fn signed(positions: &Positions) -> Vec<i64> {
    positions.iter().map(|at| at.map_or(-1, |at| at as i64)).collect()
}

/// All shapes for some sizes, some for all.
fn shapes_and_sizes() -> impl Iterator<Item = ((usize, usize, usize), usize)> {
    let all = SHAPES.into_iter().flat_map(|shape| SIZES.map(|n| (shape, n)));
    all.filter(|&((ranks, _, _), n)| n > 1000 || ranks == 7 || ranks == 2)
}

#[test]
fn nearest_smaller_values() {
    for (shape, n) in shapes_and_sizes() {
        let place = Place::new();
        let kind = if n % 2 == 0 { ArrayKind::Worst } else { ArrayKind::Random };
        let array = kind.make::<f32>(n, 5);
        place.save("a.npy", &[n], &array);
        place.run(shape, "ansv --array a.npy -o both.npy --left left.npy --right right.npy --max");
        let found = ansv::solve(&array, Relation::Greater, ansv::Engine::Stack).unwrap();
        let (left, right) = (signed(&found.left), signed(&found.right));
        let both: Vec<i64> = left.iter().zip(&right).flat_map(|(&left, &right)| [left, right]).collect();
        let case = format!("{shape:?} n={n}");
        place.holds("left.npy", &[n], &left, &case);
        place.holds("right.npy", &[n], &right, &case);
        place.holds("both.npy", &[n, 2], &both, &case);
        let files = [("both.npy", "b.npy"), ("left.npy", "l.npy"), ("right.npy", "r.npy")];
        place.as_thalweg("ansv --array a.npy -o both.npy --left left.npy --right right.npy --max", &files);
    }
    let place = Place::new();
    let array = ArrayKind::Worst.make::<u64>(50_000, 5);
    place.save("a.npy", &[50_000], &array);
    place.run((4, 1, 1000), "ansv --array a.npy --right right.npy --relation not-larger");
    let found = ansv::solve(&array, Relation::NotLarger, ansv::Engine::Stack).unwrap();
    place.holds("right.npy", &[50_000], &signed(&found.right), "one side");
    place.is_clean(&["a.npy", "right.npy"]);
}

#[test]
fn range_minima() {
    for (shape, n) in shapes_and_sizes().filter(|&(_, n)| n > 0) {
        let place = Place::new();
        let array = ArrayKind::Few.make::<i16>(n, 5);
        let queries: Vec<i64> =
            QueryKind::Mixed.make::<u64>(n, 501, 3).into_iter().flatten().map(|bound| bound as i64).collect();
        place.save("a.npy", &[n], &array);
        place.save("q.npy", &[501, 2], &queries);
        place.run(shape, "rmq --array a.npy --queries q.npy --what index -o at.npy");
        place.run(shape, "rmq --array a.npy --queries q.npy -o value.npy");
        let rmq = thalweg_arrays::Rmq::new(&array).unwrap();
        let ranges = queries.chunks(2).map(|query| query[0] as usize..=query[1] as usize);
        let at: Vec<i64> = ranges.map(|range| rmq.position(range).unwrap() as i64).collect();
        let values: Vec<i16> = at.iter().map(|&at| array[at as usize]).collect();
        let case = format!("{shape:?} n={n}");
        place.holds("at.npy", &[501], &at, &case);
        place.holds("value.npy", &[501], &values, &case);
        place.as_thalweg("rmq --array a.npy --queries q.npy --what index -o at.npy", &[("at.npy", "t.npy")]);
        place.as_thalweg("rmq --array a.npy --queries q.npy -o value.npy", &[("value.npy", "v.npy")]);
    }
}

#[test]
fn scans_and_sorts() {
    for (shape, n) in shapes_and_sizes() {
        let place = Place::new();
        let (floats, numbers) = (ArrayKind::Random.make::<f32>(n, 5), ArrayKind::Few.make::<i8>(n, 5));
        place.save("f.npy", &[n], &floats);
        place.save("i.npy", &[n], &numbers);
        let case = format!("{shape:?} n={n}");
        place.run(shape, "scan --array f.npy -o sums.npy");
        let wide: Vec<f64> = floats.iter().map(|&x| f64::from(x)).collect();
        place.holds("sums.npy", &[n], &inclusive_scan(&wide, 0.0, |a, b| a + b).unwrap(), &case);
        place.run(shape, "scan --array i.npy -o min.npy --op min --exclusive");
        let minima: Vec<i8> = (0..n).map(|i| numbers[..i].iter().copied().min().unwrap_or(i8::MAX)).collect();
        place.holds("min.npy", &[n], &minima, &case);
        place.run(shape, "sort --array f.npy -o sorted.npy");
        let mut sorted = floats.clone();
        sort(&mut sorted).unwrap();
        place.holds("sorted.npy", &[n], &sorted, &case);
        place.run(shape, "sort --array i.npy --positions at.npy");
        place.holds("at.npy", &[n], &signed(&sort_idx(&numbers).unwrap()), &case);
    }
}

#[test]
fn lists_and_forests() {
    for (shape, n) in shapes_and_sizes() {
        let place = Place::new();
        let (next, parents) = (ListKind::Several.make::<u32>(n, 5), ForestKind::Random.shuffled::<u32>(n, 5));
        let links =
            |links: &[u32]| links.iter().map(|&to| if to == u32::MAX { -1 } else { i64::from(to) }).collect::<Vec<_>>();
        place.save("next.npy", &[n], &links(&next));
        place.save("parents.npy", &[n], &links(&parents));
        let weights: Vec<i32> = (0..n as i32).map(|i| i % 77 - 30).collect();
        place.save("weights.npy", &[n], &weights);
        // Lists have thousands of rounds with messages that short.
        let (ranks, threads, limit) = shape;
        let shape = (ranks, threads, if n > 2000 { limit.max(1 << 16) } else { limit });
        let case = format!("{shape:?} n={n}");
        place.run(shape, "rank --next next.npy -o ranks.npy");
        let ranks: Vec<i64> = list::rank(&next, &Options::default()).unwrap().into_iter().map(i64::from).collect();
        place.holds("ranks.npy", &[n], &ranks, &case);
        place.run(shape, "rank --next next.npy --weights weights.npy --direction from-head -o sums.npy");
        let options = Options { direction: Direction::FromHead, ..Options::default() };
        place.holds("sums.npy", &[n], &list::sums(&next, &weights, &options).unwrap(), &case);
        place.run(shape, "forest --parents parents.npy --roots roots.npy --depths depths.npy");
        let (roots, depths) = Forest::from_parents(&parents).unwrap().into_roots_and_depths();
        place.holds("roots.npy", &[n], &links(&roots), &case);
        place.holds("depths.npy", &[n], &links(&depths), &case);
        place.as_thalweg("rank --next next.npy -o ranks.npy", &[("ranks.npy", "r.npy")]);
        place.as_thalweg(
            "forest --parents parents.npy --roots roots.npy --depths depths.npy",
            &[("roots.npy", "ro.npy"), ("depths.npy", "de.npy")],
        );
    }
}

/// Answers are checked, and rank 0 alone says where the time went.
#[test]
fn checks_and_times_are_told_once() {
    let place = Place::new();
    place.save("a.npy", &[5000], &ArrayKind::Random.make::<f64>(5000, 5));
    for (command, verified) in [
        ("ansv --array a.npy", 3000),
        ("rmq --array a.npy --count 900", 900),
        ("scan --array a.npy", 5000),
        ("sort --array a.npy", 5000),
        ("rank --n 5000", 5000),
        ("forest --n 5000", 5000),
    ] {
        let done = place.job((3, 1, 1 << 20), &format!("{command} --verbose --json"));
        let said = String::from_utf8_lossy(&done.stderr);
        assert!(done.status.success(), "{said}");
        for (line, times) in
            [("ranks: 3, of 1 thread each", 1), ("time: preparing", 1), ("checking", 1), ("exchanged:", 1)]
        {
            assert_eq!(said.matches(line).count(), times, "{line}: {said}");
        }
        let report: serde_json::Value = serde_json::from_slice(&done.stdout).unwrap();
        assert_eq!(report["verified"], verified, "{report}");
        let quiet = place.job((2, 1, 1 << 20), &format!("{command} --no-verify --json"));
        assert!(quiet.status.success() && !String::from_utf8_lossy(&quiet.stderr).contains("time:"));
        let report: serde_json::Value = serde_json::from_slice(&quiet.stdout).unwrap();
        assert_eq!(report["verified"], 0, "{report}");
    }
}

/// One wrong answer of one rank is found by those who check all, and nothing is written; who checks nothing has it.
#[test]
fn wrong_answers_are_found() {
    let place = Place::new();
    place.save("a.npy", &[1000], &ArrayKind::Few.make::<f32>(1000, 5));
    let weights: Vec<i64> = (0..1000).map(|i| i % 7 - 3).collect();
    place.save("w.npy", &[1000], &weights);
    let next: Vec<i64> = ListKind::Several.make::<u32>(1000, 5).into_iter().map(|to| i64::from(to as i32)).collect();
    place.save("l.npy", &[1000], &next);
    let files = names(&place);
    for (arguments, words) in [
        ("ansv --array a.npy --left out.npy", "element 499: found"),
        ("rmq --array a.npy --count 900 -o out.npy", "row 450: a plain scan"),
        ("scan --array a.npy -o out.npy", "element 499: found"),
        ("scan --array a.npy --op min --exclusive -o out.npy", "element 499: found"),
        ("sort --array a.npy -o out.npy", "the sorted elements are not those of the array"),
        ("sort --array a.npy --positions out.npy", "the positions are not all positions"),
        ("rank --next l.npy -o out.npy", "does not follow from that of"),
        ("rank --next l.npy --direction from-head -o out.npy", "does not follow from that of"),
        ("rank --next l.npy --weights w.npy --direction from-head -o out.npy", "does not follow from that of"),
        ("forest --parents l.npy --roots out.npy", "from its parent"),
        ("forest --parents l.npy --depths out.npy", "from its parent"),
    ] {
        let job = |more: &str| {
            let mut command = mpiexec(3);
            command.args(arguments.split(' ')).args(more.split(' ')).current_dir(place.0.path());
            command.env("THALWEG_MPI_FAULT", "wrong:1").output().unwrap()
        };
        let done = job("--threads 1");
        let said = String::from_utf8_lossy(&done.stderr);
        assert_eq!(said.matches("verification failed").count(), 1, "{arguments}: {said}");
        assert!(said.contains(words), "{arguments}: {said}");
        assert_eq!(done.status.code(), Some(3), "{arguments}");
        assert_eq!(names(&place), files, "{arguments}");
        assert!(job("--no-verify").status.success(), "{arguments}");
        fs::remove_file(place.path("out.npy")).unwrap();
    }
    // Ranges of rows, of which the last is checked, tell of all before it.
    for ranks in [1, 3, 7] {
        for arguments in
            ["scan --array a.npy", "scan --array a.npy --exclusive --op max", "sort --array a.npy --positions p.npy"]
        {
            place.run((ranks, 1, 1000), &format!("{arguments} --verify 10"));
        }
        place.run((ranks, 1, 1000), "rank --next l.npy --weights w.npy --verify 10");
        place.run((ranks, 1, 1000), "forest --parents l.npy --verify 0");
        // NaN, both zeros, infinities.
        place.run((ranks, 1, 1000), "scan --n 2000 --kind special --dtype f64");
        place.run((ranks, 1, 1000), "sort --n 2000 --kind special --dtype f32");
    }
}

/// One line on stderr that says this, exit code 2, and the folder as it was.
fn is_refused(place: &Place, ranks: usize, arguments: &str, line: &str) {
    fs::write(place.path("old.npy"), "old").unwrap();
    let before: Vec<_> = names(place);
    let done = place.job((ranks, 1, 1 << 20), arguments);
    let said = String::from_utf8_lossy(&done.stderr);
    let lines: Vec<&str> = said.lines().filter(|line| line.contains("thalweg-mpi:")).collect();
    assert_eq!(lines, [format!("thalweg-mpi: {line}")], "{ranks}: {arguments}: {said}");
    assert_eq!(done.status.code(), Some(2), "{ranks}: {arguments}");
    assert_eq!(fs::read(place.path("old.npy")).unwrap(), b"old", "{arguments}");
    assert_eq!(names(place), before, "{arguments}");
}

fn names(place: &Place) -> Vec<std::ffi::OsString> {
    let mut names: Vec<_> = fs::read_dir(place.0.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    names
}

#[test]
fn bad_input_is_one_line_from_all() {
    let place = Place::new();
    place.save("a.npy", &[100], &ArrayKind::Random.make::<i32>(100, 1));
    let mut queries = vec![0i64; 2000];
    (queries[1500], queries[601], queries[1801]) = (7, 100, -1);
    place.save("outside.npy", &[900, 2], &queries[..1800]);
    place.save("negative.npy", &[1000, 2], &queries);
    let mut next: Vec<i64> = (1..=100).collect();
    next[99] = -1;
    next[70] = 100;
    next[90] = -5;
    place.save("outside_list.npy", &[100], &next);
    (next[70], next[90]) = (71, 3);
    place.save("join.npy", &[100], &next);
    next[2] = -1;
    place.save("cycle.npy", &[100], &next);
    fs::write(place.path("cut.npy"), &bytes(&[100], &[1i32; 100])[..200]).unwrap();
    for ranks in [1, 3, 7] {
        for (arguments, line) in [
            (
                "rmq --array a.npy --queries outside.npy -o old.npy",
                "outside.npy: row 300: range 0..=100: not inside an array of 100 elements",
            ),
            (
                "rmq --array a.npy --queries negative.npy -o old.npy",
                "negative.npy: row 900: right bound -1 is negative",
            ),
            (
                "rank --next outside_list.npy -o old.npy",
                "outside_list.npy: row 70: points to element 100, but there are only 100 elements",
            ),
            ("rank --next join.npy -o old.npy", "join.npy: element 3 follows two others of the list: 2 and 90"),
            ("rank --next cycle.npy -o old.npy", "cycle.npy: element 3 is on a cycle"),
            ("forest --parents cycle.npy --roots old.npy", "cycle.npy: node 3 is on a cycle"),
            ("ansv --array none.npy --left old.npy", "none.npy: No such file or directory"),
            ("ansv --array a.npy --left old.npy --right old.npy", "old.npy: two results would go to the same file"),
            ("ansv --array a.npy --left none/old.npy", "none/old.npy: No such file or directory"),
            (
                "sort --array - --dtype i32 -o old.npy",
                "--array -: several processes cannot share standard input; give a file",
            ),
        ] {
            is_refused(&place, ranks, arguments, line);
        }
        let done = place.job((ranks, 1, 1000), "ansv --nonsense");
        assert_eq!(done.status.code(), Some(2));
        assert_eq!(String::from_utf8_lossy(&done.stderr).matches("--nonsense").count(), 1);
    }
}

/// Starts a job that takes long, and writes over an old file in the end.
fn long_job(place: &Place, fault: Option<&str>) -> Child {
    fs::write(place.path("old.npy"), "old").unwrap();
    let mut command = mpiexec(3);
    command.args("sort --n 2^26 --dtype u64 -o old.npy --threads 1".split(' ')).current_dir(place.0.path());
    command.envs(fault.map(|fault| ("THALWEG_MPI_FAULT", fault)));
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// It ends, badly, within ten seconds; what was there is there, and the next job clears what is left.
fn ends_badly(place: &Place, mut job: Child, case: &str) {
    let start = Instant::now();
    let status = loop {
        if let Some(status) = job.try_wait().unwrap() {
            break status;
        }
        assert!(start.elapsed() < Duration::from_secs(10), "{case}: still running");
        std::thread::sleep(Duration::from_millis(50));
    };
    assert!(!status.success(), "{case}");
    assert_eq!(fs::read(place.path("old.npy")).unwrap(), b"old", "{case}");
    place.save("a.npy", &[4], &[4u8, 2, 3, 1]);
    place.run((2, 1, 1000), "sort --array a.npy -o old.npy");
    place.holds("old.npy", &[4], &[1u8, 2, 3, 4], case);
    place.is_clean(&["a.npy", "old.npy"]);
}

#[test]
fn a_rank_that_panics_or_exits_ends_the_job() {
    for fault in ["panic:0", "panic:2", "exit:1", "alone:2"] {
        let place = Place::new();
        ends_badly(&place, long_job(&place, Some(fault)), fault);
    }
}

/// Processes that run the command in this folder.
fn ranks_in(folder: &Path) -> Vec<String> {
    let is_rank = |process: &Path| {
        let name = fs::read(process.join("cmdline")).unwrap_or_default();
        fs::read_link(process.join("cwd")).is_ok_and(|cwd| cwd == folder)
            && name.starts_with(env!("CARGO_BIN_EXE_thalweg-mpi").as_bytes())
    };
    let all = fs::read_dir("/proc").unwrap().flatten();
    all.filter(|entry| is_rank(&entry.path())).map(|entry| entry.file_name().into_string().unwrap()).collect()
}

#[test]
#[cfg(target_os = "linux")]
fn a_rank_that_is_killed_ends_the_job() {
    let place = Place::new();
    let job = long_job(&place, None);
    let start = Instant::now();
    let folder = fs::canonicalize(place.0.path()).unwrap();
    let ranks = loop {
        let ranks = ranks_in(&folder);
        if ranks.len() == 3 {
            break ranks;
        }
        assert!(start.elapsed() < Duration::from_secs(20), "ranks start");
        std::thread::sleep(Duration::from_millis(20));
    };
    std::thread::sleep(Duration::from_millis(300));
    Command::new("kill").args(["-9", &ranks[1]]).status().unwrap();
    ends_badly(&place, job, "killed");
}
