//! Results that all ranks write, each its own part: beside their place, and renamed by rank 0 when all have written.

use std::ops::Range;
use std::path::{Path, PathBuf};

use thalweg_cli::dtype::Element;
use thalweg_cli::failure::{Failure, Outcome};
use thalweg_cli::format::is_standard;
use thalweg_cli::output::{self, Output, same_place, write_part};
use thalweg_core::{PositionsRef, Result};
use thalweg_parts::Ranks;

use crate::world::{Run, World};

/// Refuses standard input, of which only one rank would see something.
pub fn expect_file(path: Option<&Path>, option: &str) -> Outcome {
    match path {
        Some(path) if is_standard(path) => {
            Err(Failure::new(format_args!("{option} -: several processes cannot share standard input; give a file")))
        }
        Some(_) => Ok(()),
        None => Ok(()),
    }
}

/// A result.
pub struct Shared {
    /// At rank 0.
    output: Option<Output>,
    name: String,
}

/// The files of a command.
#[derive(Default)]
pub struct Results {
    taken: Vec<PathBuf>,
}

impl Results {
    /// Prepares a result, if it is asked for: at rank 0, and all hear whether that went well.
    pub fn create(&mut self, world: &World, path: Option<&Path>, raw: bool) -> Run<Option<Shared>> {
        let Some(path) = path else { return Ok(None) };
        let twice = self.taken.iter().any(|taken| same_place(taken, path));
        self.taken.push(path.to_owned());
        let name = path.display().to_string();
        let output = match (twice, world.rank()) {
            (true, _) => Err(Failure::at(&name, "two results would go to the same file")),
            (false, 0) => Output::create(path, raw).map(Some),
            (false, _) => Ok(None),
        };
        Ok(Some(Shared { output: world.agree(output)?, name }))
    }
}

impl Shared {
    /// Writes this rank's rows of a result of `rows` in all, each of `columns` elements. `fill` gets a range of this rank's rows, from
    /// 0 on, and the place for them.
    pub fn write<T: Element>(
        &mut self,
        world: &World,
        rows: usize,
        columns: Option<usize>,
        fill: &(dyn Fn(Range<usize>, &mut [T]) + Sync),
    ) -> Run {
        let shape: Vec<usize> = [rows].into_iter().chain(columns).collect();
        let begun = self.output.as_mut().map(|output| output.begin_parts::<T>(&shape)).transpose();
        let place = world.agree(begun)?;
        let told =
            place.map_or_else(Vec::new, |(path, at)| [&at.to_le_bytes(), path.as_os_str().as_encoded_bytes()].concat());
        let told = world.of_first(told)?;
        let written = (|| {
            let (at, path) = told.split_first_chunk::<8>().ok_or_else(|| Failure::new("rank 0 began no file"))?;
            let path = std::str::from_utf8(path).map_err(|_| Failure::at(&self.name, "the name is no text"))?;
            let (columns, range) = (columns.unwrap_or(1), world.part(rows));
            let at = u64::from_le_bytes(*at) + (range.start * columns * size_of::<T>()) as u64;
            write_part(Path::new(path), at, range.len(), columns, fill)
        })();
        // The name of the result, not that beside it.
        world.agree(written.map_err(|e: Failure| Failure::at(&self.name, e)))
    }

    /// Writes lists of positions as the columns of a result: int64, -1 for none.
    pub fn write_positions(&mut self, world: &World, rows: usize, lists: &[PositionsRef<'_>]) -> Run {
        let columns = lists.len();
        let fill = |range: Range<usize>, out: &mut [i64]| {
            for (column, list) in lists.iter().enumerate() {
                let places = out[column..].iter_mut().step_by(columns);
                match list {
                    // "None" is -1 in either width, if its sign is kept.
                    PositionsRef::U32(list) => places.zip(&list[range.clone()]).for_each(|(out, &at)| {
                        *out = if at == u32::MAX { -1 } else { i64::from(at) };
                    }),
                    PositionsRef::U64(list) => {
                        places.zip(&list[range.clone()]).for_each(|(out, &at)| *out = at as i64);
                    }
                }
            }
        };
        self.write(world, rows, (columns > 1).then_some(columns), &fill)
    }
}

/// Lets all results appear, when all ranks have written them.
pub fn commit(world: &World, results: impl IntoIterator<Item = Shared>) -> Run {
    world.meet()?;
    world.agree(output::commit(results.into_iter().filter_map(|result| result.output)))
}

/// The sum of what ranks have.
pub fn total(world: &World, own: u128) -> Result<u128> {
    let halves = thalweg_parts::ranks::gather_one(world, [own as u64, (own >> 64) as u64])?;
    Ok(halves.into_iter().fold(0u128, |sum, [low, high]| sum.saturating_add(u128::from(low) | u128::from(high) << 64)))
}
