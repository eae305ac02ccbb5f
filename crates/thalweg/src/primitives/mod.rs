//! Parallel primitives (the set of BSGP, Hou et al. 2008).
