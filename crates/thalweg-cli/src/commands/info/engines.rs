//! The engines of every problem, and the devices that have them. A test runs each of them on either.

use serde::Serialize;
use thalweg::fourier::{blur, convolution, exact, transform};
use thalweg::geometry::{envelope, hull};
use thalweg::graph::{matching, path};
use thalweg::primitives::sort;
use thalweg::puzzle::sudoku;
use thalweg::text::{lz77, search};
use thalweg::{ansv, list, rmq, tree, window};

/// The engines of a problem, under their names.
#[derive(Serialize)]
pub struct Engines {
    pub problem: &'static str,
    /// What the CPU takes if nobody says another ...
    default: &'static str,
    names: &'static [&'static str],
    cpu: Vec<&'static str>,
    gpu: Vec<&'static str>,
    /// ... and what a GPU takes.
    gpu_default: Option<&'static str>,
}

impl Engines {
    /// What GPUs have, the default first; the CPU has all the others.
    fn new(problem: &'static str, names: &'static [&'static str], default: &'static str, gpu: &[&'static str]) -> Self {
        let needs_gpu = |name: &&str| NEED_A_GPU.contains(&(problem, *name));
        let cpu = names.iter().copied().filter(|name| !needs_gpu(name)).collect();
        Self { problem, default, names, cpu, gpu: gpu.to_vec(), gpu_default: gpu.first().copied() }
    }

    /// The engines of the CPU in words.
    pub fn on_cpu(&self) -> String {
        let needs_gpu = |name: &&str| !self.cpu.contains(name);
        let all = self.names.iter().map(|name| match name {
            name if name == &self.default => format!("{name} (default)"),
            name if needs_gpu(name) => format!("{name} (needs a GPU)"),
            name => (*name).to_owned(),
        });
        all.collect::<Vec<_>>().join(", ")
    }

    /// The engines of GPUs in words.
    pub fn on_gpu(&self) -> String {
        let all = self.gpu.iter().map(|name| match Some(*name) == self.gpu_default {
            true => format!("{name} (default)"),
            false => (*name).to_owned(),
        });
        if self.gpu.is_empty() { "none".to_owned() } else { all.collect::<Vec<_>>().join(", ") }
    }
}

/// What no CPU has.
const NEED_A_GPU: &[(&str, &str)] = &[("rmq", "ray"), ("ansv", "thesis"), ("transform", transform::GPU_ENGINE)];

/// All of them.
pub fn all() -> Vec<Engines> {
    vec![
        Engines::new(
            "rmq",
            rmq::Engine::NAMES,
            rmq::Engine::default().name(),
            &["lines", "hierarchy", "padded_tree", "inlabel", "ray", "naive"],
        ),
        Engines::new("ansv", ansv::Engine::NAMES, ansv::Engine::default().name(), &["tiles", "thesis"]),
        Engines::new("window", window::Engine::NAMES, window::Engine::default().name(), &["blocks"]),
        Engines::new("lz77", lz77::Engine::NAMES, lz77::Engine::default().name(), &["lpf"]),
        Engines::new("search", search::Engine::NAMES, search::Engine::default().name(), &["blocks", "duel"]),
        Engines::new("sort", sort::Engine::NAMES, "radix", &["radix", "merge"]),
        Engines::new(
            "list",
            list::Engine::NAMES,
            "helman_jaja",
            &["helman_jaja", "pointer_jumping", "independent_set"],
        ),
        Engines::new("forest", tree::Engine::NAMES, "pointer_jumping", &["pointer_jumping", "euler_tour"]),
        Engines::new("lca", tree::lca::Engine::NAMES, "inlabel", &["inlabel", "euler_rmq"]),
        Engines::new("envelope", envelope::Engine::NAMES, "merge", &["raster"]),
        Engines::new("path", path::Engine::NAMES, path::Engine::Jump.name(), &["buckets"]),
        Engines::new("matching", matching::Engine::NAMES, matching::Engine::default().name(), &["tutte"]),
        Engines::new("hull", hull::Engine::NAMES, hull::Engine::default().name(), &["slabs", "wagener"]),
        Engines::new(
            "transform",
            &[transform::ENGINE, transform::GPU_ENGINE],
            transform::ENGINE,
            &[transform::GPU_ENGINE],
        ),
        Engines::new("convolution", convolution::Engine::NAMES, convolution::Engine::Direct.name(), &["spectral"]),
        Engines::new("exact", exact::Engine::NAMES, exact::Engine::Direct.name(), &["ntt"]),
        Engines::new("blur", blur::Engine::NAMES, blur::Engine::Direct.name(), &[]),
        Engines::new("sudoku", sudoku::Engine::NAMES, sudoku::Engine::default().name(), &["bands"]),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_engines() {
        for engines in all() {
            let Engines { problem, default, names, gpu, .. } = &engines;
            assert!(names.contains(default) && gpu.iter().all(|name| names.contains(name)), "{problem}");
        }
        assert!(all()[1].on_cpu().contains("thesis (needs a GPU)"));
    }
}
