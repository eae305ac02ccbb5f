#!/usr/bin/env python3
"""Times the Python package against what Python people use, one thread, on the same data in one run; every answer checked.

    python3 -m venv venv && venv/bin/pip install ./crates/thalweg-python numba networkx pydivsufsort
    venv/bin/python bench/python-peers.py [--text FILE] [--only NAME] > python-peers.csv

`--text FILE` is a text for the suffix array (its first 64 MiB); without it one is made. Milliseconds, the fastest of five runs
(three if one takes above two seconds). `argmin_pairs` hands the library what it is given: against it `argmin` shows what
two columns cost, and `--only calls` what a call does.
"""

import argparse
import os
import time

os.environ["OMP_NUM_THREADS"] = "1"  # before anybody loads OpenMP: pydivsufsort takes as many threads as it says

import numba
import numpy as np

import thalweg

SMALL, MEDIUM, LARGE = "small", "medium", "large"


def fastest(run, most=5):
    """Milliseconds, and the last answer."""
    best, left, answer = float("inf"), most, None
    while left > 0:
        start = time.perf_counter()
        answer = run()
        took = time.perf_counter() - start
        best = min(best, took)
        left -= 2 if took > 2 else 1
    return best * 1e3, answer


def report(what, ours, peer, peer_ms, our_ms):
    print(f"{what},{ours},{our_ms:.3f},{peer},{peer_ms:.3f},{peer_ms / our_ms:.2f}", flush=True)


# The usual way: a table of the answers of all ranges whose length is a power of two, in numba.
@numba.njit
def build_table(a, table):
    n = len(a)
    for i in range(n):
        table[0, i] = i
    for k in range(1, table.shape[0]):
        half = 1 << (k - 1)
        for i in range(n - (1 << k) + 1):
            x, y = table[k - 1, i], table[k - 1, i + half]
            table[k, i] = y if a[y] < a[x] else x


@numba.njit
def ask_table(a, table, start, stop, out):
    for q in range(len(start)):
        length = stop[q] - start[q]
        k = 0
        while (2 << k) <= length:
            k += 1
        x, y = table[k, start[q]], table[k, stop[q] - (1 << k)]
        out[q] = y if a[y] < a[x] else x


@numba.njit
def ansv_by_stack(a, left, right):
    n = len(a)
    stack = np.empty(n, np.int32)
    depth = 0
    for i in range(n):
        while depth > 0 and a[stack[depth - 1]] >= a[i]:
            depth -= 1
        left[i] = stack[depth - 1] if depth > 0 else -1
        stack[depth] = i
        depth += 1
    depth = 0
    for i in range(n - 1, -1, -1):
        while depth > 0 and a[stack[depth - 1]] >= a[i]:
            depth -= 1
        right[i] = stack[depth - 1] if depth > 0 else -1
        stack[depth] = i
        depth += 1


def ranges(n, count, kind, rng):
    """Lengths as the benchmarks have them: large up to n, medium about n^0.6, small about n^0.3."""
    length = {LARGE: rng.integers(1, n, count), MEDIUM: None, SMALL: None}[kind]
    if length is None:
        mean = np.log(float(n) ** (0.6 if kind == MEDIUM else 0.3))
        length = np.clip(np.exp(rng.normal(mean, 0.3, count)), 1, n).astype(np.int64)
    start = (rng.random(count) * (n - length + 1)).astype(np.int64)
    return start, start + length


def rmq(args):
    n, count = 1 << 24, 1 << 20
    rng = np.random.default_rng(1)
    a = rng.random(n, dtype=np.float32)
    table = np.empty((n.bit_length(), n), np.int32)
    build_table(a[:64], np.empty((6, 64), np.int32))
    ours_ms, index = fastest(lambda: thalweg.Rmq(a, device="cpu"))
    table_ms, _ = fastest(lambda: build_table(a, table), 1)
    report("build 2^24 f32", "Rmq", "sparse table in numba", table_ms, ours_ms)
    for kind in [LARGE, MEDIUM, SMALL]:
        start, stop = ranges(n, count, kind, rng)
        out, found = np.empty(count, np.int64), np.empty(count, np.int64)
        ask_table(a, table, start[:9], stop[:9], out)
        # In turns, so that both see the same machine.
        ours_ms = peer_ms = pairs_ms = float("inf")
        pairs = np.stack([start, stop - 1], 1)
        for _ in range(5):
            ours_ms = min(ours_ms, fastest(lambda: index.argmin(start, stop, out=found), 1)[0])
            peer_ms = min(peer_ms, fastest(lambda: ask_table(a, table, start, stop, out), 1)[0])
            pairs_ms = min(pairs_ms, fastest(lambda: index.argmin_pairs(pairs), 1)[0])
        assert np.array_equal(found, out)
        report(f"argmin 2^20 {kind} of 2^24 f32", "argmin", "sparse table in numba", peer_ms, ours_ms)
        report(f"argmin 2^20 {kind} of 2^24 f32", "argmin", "argmin_pairs", pairs_ms, ours_ms)
        few = {LARGE: 200, MEDIUM: 20_000, SMALL: 50_000}[kind]
        bounds = list(zip(start[:few].tolist(), stop[:few].tolist()))
        numpy_ms, answer = fastest(lambda: [s + a[s:e].argmin() for s, e in bounds], 3)
        assert answer == found[:few].tolist()
        report(f"argmin 2^20 {kind} of 2^24 f32", "argmin", "NumPy slice by slice", numpy_ms * count / few, ours_ms)


def ansv(_):
    n = 1 << 24
    for name, a in [
        ("random", np.random.default_rng(2).integers(0, 1 << 31, n).astype(np.int32)),
        ("rising", np.arange(n, dtype=np.int32)),
    ]:
        left, right = np.empty(n, np.int32), np.empty(n, np.int32)
        ansv_by_stack(a[:9], left[:9], right[:9])
        ours_ms, (l, r) = fastest(lambda: thalweg.ansv(a, device="cpu"))
        peer_ms, _ = fastest(lambda: ansv_by_stack(a, left, right))
        assert np.array_equal(l, left) and np.array_equal(r, right)
        report(f"ansv 2^24 i32 {name}", "ansv", "stack in numba", peer_ms, ours_ms)


def suffixes(args):
    import pydivsufsort

    size = 64 << 20
    if args.text:
        with open(args.text, "rb") as file:
            text = file.read(size)
    else:
        rng = np.random.default_rng(3)
        words = [bytes(rng.integers(97, 123, rng.integers(2, 12)).astype(np.uint8)) for _ in range(20_000)]
        text = b" ".join(words[i] for i in (rng.random(size // 5) ** 3 * 20_000).astype(int))[:size]
    array = np.frombuffer(text, np.uint8).copy()  # which it wants to be able to write to
    ours_ms = peer_ms = float("inf")
    for _ in range(3):
        took, ours = fastest(lambda: thalweg.SuffixArray(text, device="cpu"), 1)
        ours_ms = min(ours_ms, took)
        took, theirs = fastest(lambda: pydivsufsort.divsufsort(array), 1)
        peer_ms = min(peer_ms, took)
        assert np.array_equal(ours.positions, theirs)
    report(f"suffix array of {len(text) >> 20} MiB", "SuffixArray", "pydivsufsort", peer_ms, ours_ms)


def lca(_):
    import networkx

    n = 100_000
    rng = np.random.default_rng(4)
    parents = (np.arange(n) * rng.random(n) ** 0.5).astype(np.int64)
    parents[0] = -1
    x, y = rng.integers(0, n, (2, n))
    ours_ms, common = fastest(lambda: thalweg.Forest(parents, device="cpu").lca(x, y))
    graph = networkx.DiGraph((p, i) for i, p in enumerate(parents.tolist()) if p >= 0)
    pairs = list(zip(x.tolist(), y.tolist()))
    peer_ms, answer = fastest(lambda: dict(networkx.tree_all_pairs_lowest_common_ancestor(graph, pairs=pairs)), 1)
    assert all(c == answer.get((a, b), answer.get((b, a))) for c, (a, b) in zip(common.tolist(), pairs))
    report("LCA of 10^5 pairs of 10^5 nodes", "Forest and lca", "networkx", peer_ms, ours_ms)


def calls(_):
    """What a call costs."""
    a = np.arange(1000)
    index = thalweg.Rmq(a)
    many = range(100_000)
    ms, _ = fastest(lambda: [index.argmin(5, 900) for _ in many])
    print(f"# a query of two ints: {ms * 10:.0f} ns", flush=True)
    pair = np.array([5])
    ms, _ = fastest(lambda: [index.argmin(pair, 900) for _ in range(1000)])
    print(f"# a batch of one: {ms:.1f} microseconds", flush=True)


ALL = {"calls": calls, "rmq": rmq, "ansv": ansv, "lca": lca, "suffixes": suffixes}

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--text")
    parser.add_argument("--only", choices=ALL)
    args = parser.parse_args()
    thalweg.set_threads(1)
    print(f"# thalweg {thalweg.__version__}, NumPy {np.__version__}, numba {numba.__version__}, {thalweg.info()}")
    print("what,ours,ms,peer,peer ms,ratio")
    for name, run in ALL.items():
        if args.only in (None, name):
            run(args)
