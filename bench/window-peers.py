#!/usr/bin/env python3
"""Sliding windows against their peers, in one process on the same data, answers compared.

    python bench/window-peers.py [log2 of the elements] [threads]

Prints nanoseconds an element: a copy by NumPy, thalweg.window, bottleneck.move_min and move_argmin; and for a picture
scipy.ndimage.minimum_filter. Needs the packages thalweg (a release build), numpy, bottleneck and scipy.
"""

import sys
import time

import bottleneck
import numpy as np
import thalweg
from scipy import ndimage


def best(work, repeat=3):
    """Seconds of the fastest run, and what it gave."""
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        result = work()
        times.append(time.perf_counter() - start)
    return min(times), result


def line(name, n, ours, theirs, copy):
    """One row of the table."""
    share = f"{100 * copy / ours:4.0f} % of copy" if copy else ""
    print(f"{name:34} {1e9 * ours / n:8.2f} ns {1e9 * theirs / n:8.2f} ns {theirs / ours:7.1f}x {share}", flush=True)


def main():
    bits = int(sys.argv[1]) if len(sys.argv) > 1 else 24
    thalweg.set_threads(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    n = 1 << bits
    print(f"{'':34} {'thalweg':>11} {'peer':>11}")
    for dtype in ("float32", "float64"):
        array = np.random.default_rng(7).random(n).astype(dtype)
        copy = best(array.copy)[0]
        for width in (2, 16, 100, 1024, 1 << 16, n // 2):
            options = {"align": "trailing", "border": "fill"}
            ours, got = best(lambda: thalweg.window.minimum(array, width, **options))
            theirs, want = best(lambda: bottleneck.move_min(array, width), 1)
            assert np.array_equal(got, want, equal_nan=True), (dtype, width)
            line(f"{dtype} minimum of {width}", n, ours, theirs, copy)
            ours, got = best(lambda: thalweg.window.argmin(array, width, **options))
            theirs, want = best(lambda: bottleneck.move_argmin(array, width), 1)
            # The peer counts back from a window's end, and takes the last of equal ones.
            back = np.arange(n)[width - 1 :] - want[width - 1 :].astype(np.int64)
            assert np.array_equal(array[got[width - 1 :]], array[back]), (dtype, width)
            line(f"{dtype} position of it", n, ours, theirs, copy)
    side = 1 << (bits // 2)
    picture = np.random.default_rng(7).random((side, side), dtype=np.float32)
    copy = best(picture.copy)[0]
    for size in (3, 15, 63):
        ours, got = best(lambda: thalweg.window.minimum(picture, size))
        theirs, want = best(lambda: ndimage.minimum_filter(picture, size, mode="constant", cval=np.inf), 1)
        assert np.array_equal(got, want), size
        line(f"float32 minimum of {size} x {size}", side * side, ours, theirs, copy)


if __name__ == "__main__":
    main()
