#!/usr/bin/env python3
"""Times other libraries' Fourier transforms on what `thalweg-bench fft` times: random complex numbers, in single or double
precision, as a line, a matrix or rows. Which of them are there decides who takes part; their versions are printed.

    pip install numpy scipy pyfftw mkl_fft
    bench/fft-peers.py --shape 16777216 4096x4096 16384x1024/rows --dtype f32 f64 --threads 1 2

A shape with /rows transforms the rows only. Every result is compared with scipy's in double precision. Medians of interleaved
runs, one to warm up; plans are made before (pyfftw: FFTW_ESTIMATE, or --effort FFTW_MEASURE).
"""
import argparse
import csv
import statistics
import sys
import time

import numpy
import scipy
import scipy.fft

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--shape", nargs="+", default=["1048576", "16777216", "4096x4096", "16384x1024/rows"])
parser.add_argument("--dtype", nargs="+", default=["f32"], choices=["f32", "f64"])
parser.add_argument("--threads", nargs="+", type=int, default=[1])
parser.add_argument("--repeat", type=int, default=5)
parser.add_argument("--effort", default="FFTW_ESTIMATE")
parser.add_argument("--csv", type=argparse.FileType("w"))
args = parser.parse_args()

versions = {"numpy": numpy.__version__, "scipy": scipy.__version__}
try:
    import pyfftw

    versions["pyfftw"] = pyfftw.__version__
except ImportError:
    pyfftw = None
try:
    import mkl
    import mkl_fft

    versions["mkl_fft"] = mkl_fft.__version__
except ImportError:
    mkl_fft = mkl = None
print(", ".join(f"{name} {version}" for name, version in versions.items()), flush=True)


def peers(values, axes, threads):
    """Functions of no arguments that transform a copy of the values and return it, by name."""
    found = {"scipy": lambda: scipy.fft.fftn(values, axes=axes, workers=threads)}
    if threads == 1:
        found["numpy"] = lambda: numpy.fft.fftn(values, axes=axes)
    if pyfftw:
        given, taken = (pyfftw.empty_aligned(values.shape, values.dtype) for _ in range(2))
        plan = pyfftw.FFTW(given, taken, axes=axes, threads=threads, flags=(args.effort,))
        given[:] = values
        found["pyfftw"] = lambda: plan()
    if mkl_fft:

        def by_mkl():
            mkl.set_num_threads(threads)
            return mkl_fft.fftn(values, axes=axes)

        found["mkl_fft"] = by_mkl
    return found


rows = []
for text in args.shape:
    sizes, _, rows_only = text.partition("/")
    shape = tuple(int(size) for size in sizes.split("x"))
    axes = (len(shape) - 1,) if rows_only else tuple(range(len(shape)))
    for dtype in args.dtype:
        random = numpy.random.default_rng(1)
        exact = random.uniform(-1, 1, shape) + 1j * random.uniform(-1, 1, shape)
        values = exact.astype({"f32": numpy.complex64, "f64": numpy.complex128}[dtype])
        exact = scipy.fft.fftn(values.astype(numpy.complex128), axes=axes)
        size = numpy.linalg.norm(exact.ravel())
        for threads in args.threads:
            entrants = peers(values, axes, threads)
            times = {name: [] for name in entrants}
            for turn in range(args.repeat + 1):
                for name, run in entrants.items():
                    start = time.perf_counter()
                    result = run()
                    took = time.perf_counter() - start
                    if turn > 0:
                        times[name].append(took)
                        continue
                    error = numpy.linalg.norm((result - exact).ravel()) / size
                    if not error < {"f32": 1e-6, "f64": 1e-14}[dtype]:
                        sys.exit(f"{name}, {text}, {dtype}: off by {error}")
            for name, taken in times.items():
                median, fastest = statistics.median(taken) * 1e3, min(taken) * 1e3
                rows.append([text, dtype, threads, name, f"{median:.3f}", f"{fastest:.3f}"])
                print(f"{text:>20} {dtype} {threads:3} threads {name:>8} {median:10.3f} ms, fastest {fastest:.3f}", flush=True)
if args.csv:
    writer = csv.writer(args.csv)
    writer.writerow(["shape", "dtype", "threads", "library", "median_ms", "fastest_ms"])
    writer.writerows(rows)
