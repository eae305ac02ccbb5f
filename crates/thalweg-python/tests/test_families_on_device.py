"""Hulls, transforms, paths and the like on a GPU: the answers of the CPU."""

from __future__ import annotations

import os

import numpy as np
import pytest
import thalweg
from conftest import in_a_child
from thalweg import envelope, fft, hull, matching, path, sudoku

GPUS = [] if os.environ.get("THALWEG_SKIP_GPU") == "1" else thalweg.devices()
pytestmark = pytest.mark.skipif(not GPUS, reason="no GPU here, or THALWEG_SKIP_GPU=1")
RNG = np.random.default_rng(11)


@pytest.fixture
def gpu():
    return GPUS[0]["name"]


def test_transforms(gpu):
    a = (RNG.standard_normal((2, 3, 4, 30)) + 1j * RNG.standard_normal((2, 3, 4, 30))).astype("c8")
    for ours, numpys in [(fft.fftn, np.fft.fftn), (fft.ifft, np.fft.ifft)]:
        assert np.allclose(ours(a, device=gpu), numpys(a), atol=1e-4)
    assert np.allclose(fft.rfft2(a.real, device=gpu), np.fft.rfft2(a.real), atol=1e-4)
    assert np.allclose(fft.irfft(a, device=gpu), np.fft.irfft(a), atol=1e-4)
    out = a.copy()
    assert fft.fft(out, out=out, device=gpu) is out and np.allclose(out, np.fft.fft(a), atol=1e-4)
    with pytest.raises(thalweg.DeviceError, match="f64"):
        fft.fft(a.astype("c16"), device=gpu)


def test_convolutions(gpu):
    a, k = RNG.standard_normal(500).astype("f4"), RNG.standard_normal(40).astype("f4")
    assert np.allclose(fft.convolve(a, k, device=gpu), np.convolve(a, k), atol=1e-4)
    whole = RNG.integers(-(2**25), 2**25, 300)
    assert np.array_equal(fft.convolve(whole, whole, device=gpu), np.convolve(whole, whole))


def test_what_is_exact(gpu):
    points = RNG.standard_normal((20_000, 2)).astype("f4")
    assert np.array_equal(hull.convex_hull(points, device=gpu), hull.convex_hull(points, device="cpu"))
    segments = RNG.integers(0, 200, (50, 4)).astype("i4")
    for here, there in zip(
        envelope.raster(segments, 0, 200, device="cpu"), envelope.raster(segments, 0, 200, device=gpu)
    ):
        assert np.array_equal(here, there, equal_nan=True)
    edges = RNG.integers(0, 60, (80, 2))
    assert matching.verify_matching(edges, *matching.maximum_matching(edges, device=gpu)) > 0
    puzzles = sudoku.generate(50)
    for here, there in zip(sudoku.solve(puzzles, device="cpu"), sudoku.solve(puzzles, device=gpu)):
        assert np.array_equal(here, there)


def test_maps(gpu):
    walls = RNG.random((40, 50)) < 0.2
    here, there = path.Map(walls, device="cpu"), path.Map(walls, device=gpu)
    assert here.device == "cpu" and there.device == gpu and gpu in repr(there)
    goals = np.stack(np.indices(walls.shape), -1)[::5, ::5]
    for a, b in zip(here.paths([20, 25], goals), there.paths([20, 25], goals)):
        assert np.array_equal(a, b)

    def in_the_child():
        with pytest.raises(RuntimeError, match="fork"):
            there.lengths([0, 0], [1, 1])
        here.lengths([0, 0], [1, 1])

    assert in_a_child(in_the_child) == 0


def test_what_the_cpu_alone_can_do(gpu):
    with pytest.raises(thalweg.DeviceError, match="CPU"):
        envelope.lower_envelope([[0, 0, 1, 1]], device=gpu)
    with pytest.raises(thalweg.DeviceError, match="CPU"):
        thalweg.blur.gaussian(np.zeros((4, 4), "u1"), 1, device=gpu)
