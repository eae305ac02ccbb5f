"""A picture of 10^9 points: tsdownsample's MinMax, which reads the range, beside `thalweg view`, which asks its indexes.

    python bench/view-peers.py FILE.f32     # raw float32; made (a random walk of 10^9 steps) if it is not there

For Thalweg's side on the same file: cargo run --release -p thalweg-view --example measure -- FILE.f32
"""

import sys
import time
from pathlib import Path

import numpy as np

path = Path(sys.argv[1])
if not path.exists():
    count = int(float(sys.argv[2])) if len(sys.argv) > 2 else 10**9
    random = np.random.default_rng(7)
    height = 0.0
    with path.open("wb") as file:
        for start in range(0, count, 10**7):
            steps = random.standard_normal(min(10**7, count - start), dtype=np.float32).cumsum(dtype=np.float64) + height
            height = steps[-1]
            steps.astype(np.float32).tofile(file)
if len(sys.argv) > 3:
    sys.exit()

from tsdownsample import MinMaxDownsampler

array = np.memmap(path, np.float32, "r")
for parallel in (False, True):
    for zoom in (1, 16, 256):
        part = array[: len(array) // zoom]
        times = []
        for _ in range(3):
            begun = time.perf_counter()
            MinMaxDownsampler().downsample(part, n_out=8000, parallel=parallel)
            times.append(time.perf_counter() - begun)
        print(f"tsdownsample MinMax, {'two threads' if parallel else 'one thread'}, 1/{zoom} of {len(array)}: {min(times) * 1e3:.1f} ms")
