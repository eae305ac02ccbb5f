//! Checking a sample of the answers against a plain scan, or, where scans are too long, against another engine.

use std::fmt;

use crate::failure::{Failure, Outcome};
use crate::numbers::{counted, parse_count, show_count};
use rayon::prelude::*;
use serde::Serialize;

/// Answers checked unless told otherwise ...
const ROWS: usize = 1000;
/// ... and the elements that their scans may touch: a fraction of a second of one core ...
const WORK: f64 = (1u64 << 28) as f64;
/// ... or, where somebody asks for a number of answers, some seconds.
const PATIENT_WORK: f64 = 16.0 * WORK;

/// How much to check
#[derive(clap::Args)]
pub struct VerifyArgs {
    /// Check N answers, evenly spaced, against a plain scan, or against another engine where scans are long (default: up to
    /// 1000); the report says how many it were
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

    /// Whether somebody says how many are to be checked.
    pub fn is_asked_for(&self) -> bool {
        self.verify.is_some()
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
        let wanted = self.wanted(rows);
        let affordable = affordable(rows, wanted, cost, if self.verify.is_some() { PATIENT_WORK } else { WORK });
        check_rows(rows, affordable, check)
    }

    /// The same for answers that a scan, or another engine, can give, too. Where the scans would take too long, the other
    /// engine is built, and gives all that are wanted; what time allows is scanned all the same.
    pub fn compare<'o>(
        &self,
        rows: usize,
        cost: &dyn Fn(usize) -> usize,
        scan: Oracle<'_>,
        other: &dyn Fn() -> Outcome<Oracle<'o>>,
    ) -> Outcome<Verified> {
        let wanted = self.wanted(rows);
        let scanned = check_rows(rows, affordable(rows, wanted, cost, WORK), &scan.check)?;
        let by_scan = Verified { rows: scanned, of: rows, with: scan.name.to_owned() };
        if scanned == wanted {
            return Ok(by_scan);
        }
        // Where there is no memory for another engine, the answers are none the worse.
        let Ok(other) = other() else { return Ok(by_scan) };
        check_rows(rows, wanted, &other.check)?;
        let with = format!("{}, {} of them also to those of {}", other.name, show_count(scanned), scan.name);
        Ok(Verified { rows: wanted, of: rows, with })
    }

    /// How many rows are to be checked.
    pub fn wanted(&self, rows: usize) -> usize {
        if self.no_verify { 0 } else { self.verify.unwrap_or(ROWS).min(rows) }
    }
}

/// Somebody who knows the answers.
pub struct Oracle<'o> {
    /// Its name: "a plain scan".
    pub name: &'static str,
    /// What is wrong with a row.
    pub check: Box<dyn Fn(usize) -> Option<String> + Sync + 'o>,
}

impl<'o> Oracle<'o> {
    /// One with this name.
    pub fn new(name: &'static str, check: impl Fn(usize) -> Option<String> + Sync + 'o) -> Self {
        Self { name, check: Box::new(check) }
    }
}

/// What was checked. All was right, or there would be no report.
#[derive(Serialize)]
pub struct Verified {
    /// How many answers.
    #[serde(rename = "verified")]
    pub rows: usize,
    /// Of how many.
    #[serde(skip)]
    pub of: usize,
    /// Whose answers they equal.
    #[serde(rename = "verified_with")]
    pub with: String,
}

impl fmt::Display for Verified {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.rows {
            0 => f.write_str("no answer checked"),
            rows => write!(f, "{}: equal to those of {}", checked(rows, self.of, "answer"), self.with),
        }
    }
}

/// How many were checked, in words.
pub fn checked(rows: usize, of: usize, thing: &str) -> String {
    match rows {
        0 => format!("no {thing} checked"),
        1 if of == 1 => format!("1 {thing} checked"),
        _ if rows == of => format!("all {} checked", counted(of, thing)),
        1 => format!("1 of {} checked", counted(of, thing)),
        _ => format!("{} of {} checked, evenly spaced", show_count(rows), counted(of, thing)),
    }
}

/// How many rows, of so many that are wanted, can be scanned with this work.
fn affordable(rows: usize, wanted: usize, cost: &dyn Fn(usize) -> usize, work: f64) -> usize {
    // A thousand tell what the others cost.
    let asked = wanted.min(ROWS);
    let total: f64 = (0..asked).map(|i| cost(place(i, asked, rows)) as f64 + 1.0).sum();
    let all = total * wanted as f64 / asked.max(1) as f64;
    if all <= work { wanted } else { (wanted as f64 * (work / all)).ceil() as usize }
}

/// Checks `count` of the rows, evenly spaced. The first wrong one fails.
pub fn check_rows(rows: usize, count: usize, check: &(dyn Fn(usize) -> Option<String> + Sync)) -> Outcome<usize> {
    let wrong = (0..count).into_par_iter().find_map_first(|i| check(place(i, count, rows)));
    wrong.map_or(Ok(count), |text| Err(Failure::wrong_answer(text)))
}

/// Row `i` of `count` that are spread evenly over `rows`.
pub fn place(i: usize, count: usize, rows: usize) -> usize {
    ((i as u128 * rows as u128) / count as u128) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    fn seen(args: &VerifyArgs, rows: usize, cost: usize) -> Vec<usize> {
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
        assert!(seen(&default, 0, 1).is_empty());
        assert_eq!(seen(&default, 5, 1), [0, 1, 2, 3, 4]);
        let many = seen(&default, 1_000_000, 10);
        assert_eq!((many.len(), many[1]), (1000, 1000));
        assert_eq!(seen(&default, 1_000_000, 1 << 26).len(), 4);
        assert_eq!(seen(&default, 1_000_000, usize::MAX >> 1).len(), 1);
        let seven = VerifyArgs { verify: Some(7), no_verify: false };
        assert_eq!(seen(&seven, 70, 1 << 20), [0, 10, 20, 30, 40, 50, 60]);
        // Also what somebody asks for has an end.
        assert_eq!(seen(&seven, 70, 1 << 31), [0, 35]);
        assert!(seen(&VerifyArgs { verify: None, no_verify: true }, 70, 1).is_empty());
    }

    #[test]
    fn another_engine_takes_over_where_scans_are_long() {
        let default = VerifyArgs { verify: None, no_verify: false };
        let compare = |args: &VerifyArgs, rows, cost: usize, wrong: Option<usize>| {
            let scan = Oracle::new("a plain scan", |_| None);
            let other = || {
                assert!(cost > 1 << 18, "scans are enough");
                Ok(Oracle::new("hierarchy", move |row| (Some(row) == wrong).then(|| "wrong".to_owned())))
            };
            args.compare(rows, &|_| cost, scan, &other)
        };
        let said = |verified: Outcome<Verified>| verified.expect("nothing is wrong").to_string();
        assert_eq!(said(compare(&default, 5, 1, None)), "all 5 answers checked: equal to those of a plain scan");
        let few = "1,000 of 9,000 answers checked, evenly spaced: equal to those of";
        assert_eq!(said(compare(&default, 9000, 100, None)), format!("{few} a plain scan"));
        let both = format!("{few} hierarchy, 4 of them also to those of a plain scan");
        assert_eq!(said(compare(&default, 9000, 1 << 26, None)), both);
        assert_eq!(
            compare(&default, 9000, 1 << 26, Some(9 * 777)).err().expect("it is wrong").to_string(),
            "verification failed: wrong"
        );
        let many = VerifyArgs { verify: Some(5000), no_verify: false };
        assert_eq!(compare(&many, 9000, 1 << 30, None).expect("nothing is wrong").rows, 5000);
        let scan = Oracle::new("a plain scan", |_| None);
        let none = || Err(Failure::new("out of memory"));
        assert_eq!(default.compare(9000, &|_| 1 << 26, scan, &none).expect("nothing is wrong").rows, 4);
        let off = VerifyArgs { verify: None, no_verify: true };
        assert_eq!(said(compare(&off, 9000, 1 << 30, None)), "no answer checked");
    }

    #[test]
    fn the_first_wrong_row_is_reported() {
        let args = VerifyArgs { verify: Some(100), no_verify: false };
        let failure = args.check(100, &|_| 1, &|row| (row >= 40).then(|| format!("row {row}"))).unwrap_err();
        assert_eq!(failure.to_string(), "verification failed: row 40");
    }
}
