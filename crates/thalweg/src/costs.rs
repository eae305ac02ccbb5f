//! What a run costs on either device, roughly: the rule of [`Device::Auto`](crate::Device::Auto).
//!
//! Every problem has a `costs` function beside its builder that fills in a [`Costs`]. What a GPU costs is not known before
//! it is opened, and opening it is most of what it costs for all but the largest inputs. So the rule is made of round
//! numbers: whole runs on an H200 with 16 cores, and the benchmarks on one and two (`bench/auto-rule.py`;
//! `bench/results/auto-h200.csv`). Most inputs stay on the CPU: what wins on a GPU is a large batch of queries, and trees of
//! some 2^24 nodes on.

/// Seconds to find and open a GPU and to compile kernels: 0.23 to 0.31 measured.
const OPEN: f64 = 0.25;
/// Bytes a second over the bus, with the host's copies and the memory that the host and the device touch for the first
/// time: 7 to 8 GB/s measured for arrays of 2^28 and 2^30 elements.
const BUS: f64 = 8e9;

/// What a run costs: seconds on all threads of the CPU, bytes over the bus and seconds beside the copies on a GPU.
///
/// ```
/// let few = thalweg::rmq::costs(1 << 20, 4, 1000, 8);
/// assert!(!few.gpu_wins(false));
/// let many = thalweg::rmq::costs(1 << 24, 4, 1 << 30, 8);
/// assert!(many.gpu_wins(false));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Costs {
    /// Seconds on the CPU.
    pub cpu: f64,
    /// Bytes that go to the device.
    pub bytes_up: f64,
    /// Bytes that come back.
    pub bytes_down: f64,
    /// Seconds on the device beside the copies, where they count.
    pub device: f64,
}

impl Costs {
    /// Seconds on a GPU with all copies, and with its start unless it is open already.
    pub fn gpu(&self, is_open: bool) -> f64 {
        let start = if is_open { 0.0 } else { OPEN };
        start + (self.bytes_up + self.bytes_down) / BUS + self.device
    }

    /// Whether the GPU wins.
    pub fn gpu_wins(&self, is_open: bool) -> bool {
        self.gpu(is_open) < self.cpu
    }

    /// The two times, in words.
    #[cfg(feature = "gpu")]
    pub(crate) fn in_words(&self, is_open: bool) -> String {
        let with = if is_open { "the copies" } else { "its start and the copies" };
        format!("about {:.1} s on the CPU, {:.1} s on a GPU with {with}", self.cpu, self.gpu(is_open))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_open_device_costs_no_start() {
        let costs = Costs { cpu: 0.2, bytes_up: 8e8, ..Costs::default() };
        assert!(!costs.gpu_wins(false) && costs.gpu_wins(true));
        assert!((costs.gpu(false) - 0.35).abs() < 1e-9 && (costs.gpu(true) - 0.1).abs() < 1e-9);
    }
}
