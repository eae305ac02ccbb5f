//! Sudokus on the device against the suite and the CPU's answers, in one piece and in many.

use thalweg_core::Error;
use thalweg_data::SudokuKind;
use thalweg_gpu::puzzle::sudoku::{Engine, Options, solve, solve_into, upload};
use thalweg_gpu::testing;
use thalweg_puzzle::sudoku::solve_with;
use thalweg_suites::puzzle::sudoku::suite_of;

#[test]
fn sudokus() {
    let Some(device) = testing::device() else { return };
    suite_of("bands on the device", 300, &|puzzles, limit, counts, solutions| {
        solve_into(&device, puzzles, Options { limit, engine: None }, counts, solutions)
    });
}

/// Pieces of 550 puzzles, and seven slots.
#[test]
fn sudokus_in_small_bindings() {
    let Some(device) = testing::open(thalweg_gpu::Options { checked: true, binding_bytes: Some(1 << 16) }) else {
        return;
    };
    let puzzles = SudokuKind::Mixed.make(1200, 31);
    let options = Options { limit: 3, engine: None };
    let want = solve_with(&puzzles, options).unwrap();
    let (mut counts, mut solutions) = (vec![9; 1200], vec![[9; 81]; 1200]);
    solve_into(&device, &puzzles, options, &mut counts, Some(&mut solutions)).unwrap();
    assert_eq!(counts, want.counts);
    assert_eq!(solutions, want.solutions);
}

/// One puzzle's search spreads over all slots, and still counts every solution once.
#[test]
fn many_solutions_of_one_puzzle() {
    let Some(device) = testing::device() else { return };
    let mut puzzle = thalweg_puzzle::sudoku::examples::EXAMPLES[1].puzzle;
    puzzle[7] = 0;
    for (limit, want) in [(u32::MAX, 507_806), (507_806, 507_806), (507_805, 507_805), (100_000, 100_000)] {
        let mut counts = [7];
        solve_into(&device, &[puzzle], Options { limit, engine: None }, &mut counts, None).unwrap();
        assert_eq!(counts, [want], "limit {limit}");
    }
    let (mut counts, mut solutions) = ([7], [[7; 81]]);
    solve_into(&device, &[[0; 81]], Options { limit: 50_000, engine: None }, &mut counts, Some(&mut solutions))
        .unwrap();
    assert_eq!(counts, [50_000]);
    assert_eq!(solutions[0][..18], b"123456789456789123".map(|byte| byte - b'0'));
}

#[test]
fn puzzles_and_answers_stay_on_the_device() {
    let Some(device) = testing::device() else { return };
    let puzzles = SudokuKind::Several.make(70, 4);
    let want = solve_with(&puzzles, Options { limit: 1, engine: None }).unwrap();
    let there = upload(&device, &puzzles).unwrap();
    let (mut counts, mut solutions) = (vec![9; 70], vec![[9; 81]; 70]);
    let solved = solve(&there, 1, true).unwrap();
    solved.download(&mut counts, Some(&mut solutions)).unwrap();
    assert_eq!((&counts, &solutions), (&want.counts, &want.solutions));
    assert!(matches!(solved.download(&mut counts[1..], None), Err(Error::Length { expected: 70, .. })));
    assert!(matches!(solved.download(&mut counts, Some(&mut solutions[1..])), Err(Error::Length { expected: 70, .. })));
    let counted = solve(&there, 5, false).unwrap();
    counted.download(&mut counts, None).unwrap();
    assert_eq!(counts, thalweg_puzzle::sudoku::count(&puzzles, Options { limit: 5, engine: None }).unwrap());
    assert!(matches!(counted.download(&mut counts, Some(&mut solutions)), Err(Error::BadOption { .. })));
    assert!(matches!(solve(&there, 0, false), Err(Error::BadOption { option: "limit", .. })));
}

#[test]
fn what_gpus_do_not_have() {
    let Some(device) = testing::device() else { return };
    let options = Options { limit: 2, engine: Some(Engine::ExactCover) };
    let refused = solve_into(&device, &[[0; 81]], options, &mut [0], None).unwrap_err();
    assert!(matches!(refused, Error::NotOnDevice { engine: "exact_cover", .. }), "{refused}");
}

/// More puzzles than are solved together, with the time that a real card takes.
#[test]
#[ignore = "5 million puzzles: for a real card"]
fn millions_of_sudokus() {
    let Some(device) = testing::open(thalweg_gpu::Options { checked: false, binding_bytes: None }) else { return };
    for (kind, n) in [
        (SudokuKind::Seventeen, 5_000_000),
        (SudokuKind::Hard, 1_000_000),
        (SudokuKind::Hardest, 1_000_000),
        (SudokuKind::Several, 1_000_000),
    ] {
        let puzzles = kind.make(n, 1);
        let want = solve_with(&puzzles, Options::default()).unwrap();
        let there = upload(&device, &puzzles).unwrap();
        for run in 0..3 {
            let (solved, time) = device.timed(|| solve(&there, 2, true)).unwrap();
            let (mut counts, mut solutions) = (vec![9; n], vec![[9; 81]; n]);
            solved.download(&mut counts, Some(&mut solutions)).unwrap();
            assert!(counts == want.counts && solutions == want.solutions, "{}", kind.name());
            let of_device = n as f64 / time.device.as_secs_f64() / 1e6;
            let start = std::time::Instant::now();
            solve_into(&device, &puzzles, Options::default(), &mut counts, Some(&mut solutions)).unwrap();
            let of_host = n as f64 / start.elapsed().as_secs_f64() / 1e6;
            assert!(counts == want.counts && solutions == want.solutions, "{}, host to host", kind.name());
            println!("{n} {}, run {run}: {of_device:.0} million/s, host to host {of_host:.0}", kind.name());
        }
    }
}
