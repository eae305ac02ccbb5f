//! Checking a sample of the answers against a plain scan.

use rayon::prelude::*;
use thalweg_cli::failure::{Failure, Outcome};
use thalweg_cli::numbers::parse_count;

/// Answers checked unless told otherwise ...
const ROWS: usize = 1000;
/// ... and the elements that their scans may touch: a fraction of a second of one core.
const WORK: f64 = (1u64 << 28) as f64;

/// How much to check
#[derive(clap::Args)]
pub struct VerifyArgs {
    /// Check N answers against a plain scan (default: up to 1000, fewer where scans are long)
    #[arg(long, value_name = "N", value_parser = parse_count)]
    verify: Option<usize>,

    /// Check no answers
    #[arg(long, conflicts_with = "verify")]
    no_verify: bool,
}

impl VerifyArgs {
    /// Whether nothing is to be checked.
    pub fn is_off(&self) -> bool {
        self.no_verify
    }

    /// Checks rows that are evenly spaced over all `rows`, in parallel, and returns how many. `cost` tells how many
    /// elements a row's scan will touch, roughly; `check` returns what is wrong with a row. The first wrong row fails.
    ///
    /// Not generic, as the callers are: one copy of the parallel loop is enough.
    pub fn check(
        &self,
        rows: usize,
        cost: &dyn Fn(usize) -> usize,
        check: &(dyn Fn(usize) -> Option<String> + Sync),
    ) -> Outcome<usize> {
        let wanted = match self.verify {
            _ if self.no_verify => 0,
            Some(wanted) => wanted.min(rows),
            None => {
                let most = ROWS.min(rows);
                let total: f64 = (0..most).map(|i| cost(place(i, most, rows)) as f64 + 1.0).sum();
                (most as f64 * (WORK / total).min(1.0)).ceil() as usize
            }
        };
        let wrong = (0..wanted).into_par_iter().find_map_first(|i| check(place(i, wanted, rows)));
        wrong.map_or(Ok(wanted), |text| Err(Failure::wrong_answer(text)))
    }
}

/// Row `i` of `count` that are spread evenly over `rows`.
fn place(i: usize, count: usize, rows: usize) -> usize {
    ((i as u128 * rows as u128) / count as u128) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    fn checked(args: &VerifyArgs, rows: usize, cost: usize) -> Vec<usize> {
        let seen = Mutex::new(Vec::new());
        let count = args
            .check(rows, &|_| cost, &|row| {
                seen.lock().expect("no check panics").push(row);
                None
            })
            .expect("nothing is wrong");
        let mut seen = seen.into_inner().expect("no check panics");
        seen.sort_unstable();
        assert_eq!(seen.len(), count);
        seen
    }

    #[test]
    fn samples_are_spread_and_bounded() {
        let default = VerifyArgs { verify: None, no_verify: false };
        assert!(checked(&default, 0, 1).is_empty());
        assert_eq!(checked(&default, 5, 1), [0, 1, 2, 3, 4]);
        let many = checked(&default, 1_000_000, 10);
        assert_eq!((many.len(), many[1]), (1000, 1000));
        assert_eq!(checked(&default, 1_000_000, 1 << 26).len(), 4);
        assert_eq!(checked(&default, 1_000_000, usize::MAX >> 1).len(), 1);
        assert_eq!(
            checked(&VerifyArgs { verify: Some(7), no_verify: false }, 70, 1 << 40),
            [0, 10, 20, 30, 40, 50, 60]
        );
        assert!(checked(&VerifyArgs { verify: None, no_verify: true }, 70, 1).is_empty());
    }

    #[test]
    fn the_first_wrong_row_is_reported() {
        let args = VerifyArgs { verify: Some(100), no_verify: false };
        let failure = args.check(100, &|_| 1, &|row| (row >= 40).then(|| format!("row {row}"))).unwrap_err();
        assert_eq!(failure.to_string(), "verification failed: row 40");
    }
}
