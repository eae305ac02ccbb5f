//! Maps for paths: walls or costs from `.npy`, Moving AI's `.map` files, or generated.

use std::path::{Path, PathBuf};

use thalweg::graph::path::Grid;
use thalweg::graph::path::moving_ai::read_map;
use thalweg_data::GridKind;

use super::npy::Shape;
use super::{Bytes, Loaded, SeedArgs, integers, name_of};
use crate::choice::one_of;
use crate::dtype::with_dtype;
use crate::failure::{Failure, Outcome};
use crate::format::{is_named, unpacked};
use crate::memory;
use crate::numbers::parse_count;

/// Where the map comes from
#[derive(clap::Args)]
#[command(next_help_heading = "Map")]
pub struct MapArgs {
    /// The map: .npy of shape (rows, columns), nonzero for walls; or .map of Moving AI's benchmark; generated if left out
    #[arg(long, value_name = "FILE")]
    pub grid: Option<PathBuf>,

    /// The numbers of the .npy (or of the generated map) are costs of entering a cell, 0 for walls
    #[arg(long)]
    pub costs: bool,

    /// Rows of a generated map
    #[arg(long, value_parser = parse_count, default_value = "512", conflicts_with = "grid")]
    pub rows: usize,

    /// Columns of a generated map
    #[arg(long, value_parser = parse_count, default_value = "512", conflicts_with = "grid")]
    pub cols: usize,

    /// Kind of map to generate
    #[arg(long, alias = "grid-kind", value_parser = one_of(GridKind::ALL, GridKind::name), default_value = "rooms", conflicts_with = "grid")]
    pub kind: GridKind,

    /// Walls of generated maps of kind random, in percent [default: 20]
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u32).range(0..=100), conflicts_with = "grid")]
    pub walls: Option<u32>,

    /// The seed.
    #[command(flatten)]
    pub seed: SeedArgs,
}

/// Costs of generated maps are up to this.
pub const MOST: u32 = 9;

/// A map, and where it comes from.
pub struct Map {
    /// The map.
    pub grid: Grid,
    /// The file's name, or the kind that is generated.
    pub origin: String,
    /// What it is and how it was taken, for `--verbose`.
    pub description: String,
}

impl MapArgs {
    /// Reads the file, or makes a map.
    pub fn open(&self) -> Outcome<Map> {
        match &self.grid {
            Some(path) => open(path, self.costs),
            None => self.generated(),
        }
    }

    fn generated(&self) -> Outcome<Map> {
        let Self { rows, cols, kind, walls, seed, .. } = *self;
        let seed = seed.get();
        let walls = percent_of_walls(kind, walls)?;
        let grid = match self.costs {
            true => Grid::from_costs(rows, cols, make_costs(kind, [rows, cols], walls, seed)?),
            false => Grid::from_walls(rows, cols, &make(kind, [rows, cols], walls, seed)?),
        }?;
        let description = format!("no --grid, so a map of {rows} x {cols} cells is generated");
        Ok(Map { grid, origin: format!("{}, seed {seed}", kind.name()), description })
    }
}

/// Reads a file. Whether its numbers are costs is not seen.
pub fn open(path: &Path, costs: bool) -> Outcome<Map> {
    if is_named(&unpacked(path).1, "map") { of_moving_ai(path, costs) } else { of_npy(path, costs) }
}

fn of_moving_ai(path: &Path, costs: bool) -> Outcome<Map> {
    let name = name_of(path);
    if costs {
        return Err(Failure::at(&name, "a .map file has no costs (--costs)"));
    }
    let bytes = Bytes::open(path, &name)?;
    let grid = read_map(bytes.get()).map_err(|error| Failure::at(&name, error))?;
    Ok(Map { description: format!("{name}, a map of Moving AI"), grid, origin: name })
}

fn of_npy(path: &Path, costs: bool) -> Outcome<Map> {
    let file = Loaded::open_grid(path)?;
    let &[rows, cols] = &file.layout.shape[..] else {
        let shape = Shape(&file.layout.shape);
        return Err(file.failure(format_args!("the grid has shape {shape}, expected (rows, columns)")));
    };
    let fortran = file.layout.fortran;
    let grid = if costs {
        Grid::from_costs(rows, cols, integers::costs(&file, rows, cols)?)
    } else {
        // Anything but zero is a wall, NaN too.
        with_dtype!(file.layout.dtype, T => {
            let place = |row: usize, column: usize| if fortran { column * rows + row } else { row * cols + column };
            Grid::from_fn(rows, cols, |row, column| file.element::<T>(place(row, column)) != T::default())
        })
    };
    let grid = grid.map_err(|error| file.failure(error))?;
    Ok(Map { grid, origin: file.name.clone(), description: file.describe(false) })
}

/// What `--walls` says, which is of no use for other kinds than `random`.
pub fn percent_of_walls(kind: GridKind, walls: Option<u32>) -> Outcome<u32> {
    if walls.is_some() && kind != GridKind::Random {
        return Err(Failure::new(format_args!("--walls is for random maps, not for {} (--kind random)", kind.name())));
    }
    Ok(walls.unwrap_or(20))
}

/// A map of a kind, 1 for walls, if there is memory for it.
pub fn make(kind: GridKind, [rows, cols]: [usize; 2], percent: u32, seed: u64) -> Outcome<Vec<u8>> {
    // A maze keeps a number for every place, and the order of the walls.
    let each = if kind == GridKind::Maze { 8 } else { 1 };
    memory::require(rows.saturating_mul(cols).saturating_mul(each), "the map")?;
    Ok(kind.make(rows, cols, percent, seed))
}

/// The same with costs.
pub fn make_costs(kind: GridKind, [rows, cols]: [usize; 2], percent: u32, seed: u64) -> Outcome<Vec<u32>> {
    memory::require(rows.saturating_mul(cols).saturating_mul(9), "the map")?;
    Ok(kind.make_costs(rows, cols, percent, MOST, seed))
}
