//! Widths of windows.

/// Those that are asked for, or of the usual ones those below half of `n`, and that half.
pub fn widths(asked: &[usize], usual: &[usize], n: usize) -> Vec<usize> {
    if !asked.is_empty() {
        return asked.to_vec();
    }
    let half = (n / 2).max(1);
    usual.iter().copied().filter(|&width| width < half).chain([half]).collect()
}
