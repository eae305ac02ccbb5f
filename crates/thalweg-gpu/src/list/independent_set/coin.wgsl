// Contraction of lists by random independent sets, and its way back. `counts[r]` elements are active in round r; the
// places before the active ones of round r + 1 hold those that round r took out.
struct Params { count: u32, round: u32, workgroups: u32, seed: u32 }

// One of two numbers for every element and round.
fn coin(i: u32) -> u32 { return mixed(i ^ mixed(params.round + params.seed)) & 1u; }
