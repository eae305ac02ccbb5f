"""The same answers on a GPU, or on the software renderer that stands in for one."""

from __future__ import annotations

import os

import numpy as np
import pytest
import thalweg
from conftest import array_of, same_bits

# By its name: a software renderer is not taken for "gpu".
GPUS = thalweg.devices() if os.environ.get("THALWEG_SKIP_GPU") != "1" else []
GPU = GPUS[0]["name"] if GPUS else None
gpu = pytest.mark.skipif(not GPUS, reason="no GPU here, or THALWEG_SKIP_GPU=1")


@gpu
@pytest.mark.parametrize("dtype", ["?", "u1", "i4", "f4", "f8", "M8[s]"])
def test_range_minima(dtype):
    array = array_of(dtype, 20_000)
    here, there = thalweg.Rmq(array, device="cpu"), thalweg.Rmq(array, device=GPU)
    assert there.device != "cpu" and there.device in repr(there) and there.engine == "lines"
    start = np.arange(0, 19_000, 7)
    stop = start + 1 + start % 997
    assert np.array_equal(here.argmin(start, stop), there.argmin(start, stop))
    assert same_bits(here.min(start, stop), there.min(start, stop))
    pairs = np.stack([start, stop - 1], 1).astype("u4")
    assert np.array_equal(here.argmin_pairs(pairs), there.argmin_pairs(pairs))
    assert same_bits(here.min_pairs(pairs), there.min_pairs(pairs))
    assert there.argmin(3, 500) == here.argmin(3, 500) and same_bits(there.min(3, 500), here.min(3, 500))
    stop[5] = 30_000
    with pytest.raises(IndexError) as caught:
        there.argmin(start, stop)
    assert caught.value.row == 5


@gpu
@pytest.mark.parametrize("dtype", ["u1", "i4", "f4", "f8"])
def test_elements_in_order(dtype):
    array = array_of(dtype, 20_000)
    here, there = (thalweg.Rmq(array, "max", device=device) for device in ["cpu", GPU])
    start = np.arange(0, 19_000, 997)
    for k in [3, 50]:
        assert np.array_equal(here.smallest(start, start + 900, k=k), there.smallest(start, start + 900, k=k))
    for a, b in zip(here.below(start, start + 900, array[7]), there.below(start, start + 900, array[7])):
        assert np.array_equal(a, b)


@gpu
@pytest.mark.parametrize("dtype", ["u1", "i4", "f4", "f8"])
def test_arrays_that_change(dtype):
    array = array_of(dtype, 6_000)
    here, there = (thalweg.ChangingRmq(array, device=device) for device in ["cpu", GPU])
    assert GPU in there.chosen or "cpu" not in there.chosen
    start = np.arange(0, 5_000, 7)
    stop = start + 1 + start % 997
    random = np.random.default_rng(1)
    for count in [1, 500, 9_000]:
        positions, values = random.integers(0, 6_000, count), array_of(dtype, count, seed=count)
        for index in [here, there]:
            index.set(positions, values)
            index.append(values[:70])
        assert same_bits(here.array, there.array) and len(there) == len(here)
        assert np.array_equal(here.argmin(start, stop), there.argmin(start, stop))
        assert same_bits(here.min(start, stop), there.min(start, stop))
    with pytest.raises(thalweg.InputError) as caught:
        there.set([3, 10_000], [array[0], array[1]])
    assert caught.value.element == 1


@gpu
def test_nearest_smaller_values():
    array = array_of("f4", 30_000)
    for relation in ["smaller", "not_smaller"]:
        here, there = (thalweg.ansv(array, relation=relation, device=device) for device in ["cpu", GPU])
        assert all(np.array_equal(a, b) for a, b in zip(here, there))


@gpu
def test_names():
    for name in [GPU, GPU.upper(), "0"]:
        assert thalweg.Rmq([3, 1, 2], device=name).argmin() == 1
    for bad in ["no such device", "", " "]:
        with pytest.raises((RuntimeError, ValueError)):
            thalweg.Rmq([3, 1, 2], device=bad)


def test_engines_without_a_device():
    with pytest.raises(RuntimeError, match="GPU"):
        thalweg.Rmq([3, 1, 2], engine="ray", device="cpu")
