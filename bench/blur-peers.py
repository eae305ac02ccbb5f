#!/usr/bin/env python3
"""Times scipy on what `thalweg-bench blur` and `thalweg-bench convolve` run on, one thread, and names the versions.

    python3 -m venv venv && venv/bin/pip install numpy scipy
    venv/bin/python bench/blur-peers.py > blur-scipy.csv
    venv/bin/python bench/blur-peers.py --convolve > convolve-scipy.csv

Milliseconds, the fastest of five runs (three if one takes above a second), by the process's own clock, so that others on
the machine count less. Noise of 1400 x 1000 pixels; borders are reflected, the kernel is cut off at four deviations, as here.
"""
import platform
import sys
import time

import numpy
import scipy
import scipy.ndimage
import scipy.signal


def fastest(run):
    """Milliseconds."""
    best, left = float("inf"), 5
    while left > 0:
        start = time.process_time()
        run()
        took = time.process_time() - start
        best = min(best, took)
        left -= 2 if took > 1 else 1
    return best * 1e3


def blurs():
    print("what,dtype,kind,sigma,ms")
    random = numpy.random.default_rng(1)
    for kind, shape in [("grey", (1000, 1400)), ("rgb", (1000, 1400, 3))]:
        noise = random.integers(0, 256, size=shape)
        for dtype in ["uint8", "float32", "float64"]:
            picture = noise.astype(dtype)
            for sigma in [1, 2, 3, 5, 7, 10, 15, 20, 30, 40, 50]:
                sigmas = [sigma, sigma, 0][: len(shape)]
                ms = fastest(lambda: scipy.ndimage.gaussian_filter(picture, sigmas, mode="reflect"))
                print(f"gaussian_filter,{dtype},{kind},{sigma},{ms:.2f}", flush=True)


def convolutions():
    print("what,dtype,kind,kernel,ms")
    random = numpy.random.default_rng(1)
    for kind, shape in [("line", (1 << 20,)), ("grid", (1024, 1024))]:
        for dtype in ["float32", "float64"]:
            array = random.normal(size=shape).astype(dtype)
            for side in [3, 15, 63]:
                kernel = random.normal(size=[side] * len(shape)).astype(dtype)
                runs = {
                    "ndimage.convolve": lambda: scipy.ndimage.convolve(array, kernel, mode="reflect"),
                    # Zeros beyond the ends: scipy has no others here.
                    "signal.oaconvolve": lambda: scipy.signal.oaconvolve(array, kernel, mode="same"),
                    "signal.fftconvolve": lambda: scipy.signal.fftconvolve(array, kernel, mode="same"),
                }
                for name, run in runs.items():
                    print(f"{name},{dtype},{kind},{side},{fastest(run):.2f}", flush=True)


with open("/proc/cpuinfo") as cpuinfo:
    model = next((line.split(":")[1].strip() for line in cpuinfo if line.startswith("model name")), "unknown CPU")
print(f"# scipy {scipy.__version__}, numpy {numpy.__version__}, Python {platform.python_version()}, {model}")
convolutions() if "--convolve" in sys.argv[1:] else blurs()
