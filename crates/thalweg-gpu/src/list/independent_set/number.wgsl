// Numbers what remains.
fn remaining(k: u32, i: u32) { numbers_put(i, k); }
