"""Range minima over arrays that change, against NumPy."""

from __future__ import annotations

import pickle
import threading

import numpy as np
import pytest
import thalweg
from conftest import EVERY_DTYPE, array_of, is_refused, ranks, works_everywhere
from test_rmq import ranges

PLAIN = [dtype for dtype in EVERY_DTYPE if np.dtype(dtype).kind not in "mM"]


def argmin(array, order, start, stop):
    """The answers, by looking at everything."""
    rank = ranks(array, order)
    return np.array([s + np.argmin(rank[s:e]) for s, e in zip(start, stop)])


def same(got, want):
    return got.dtype == want.dtype and got.tobytes() == want.tobytes()


@pytest.mark.parametrize("dtype", PLAIN)
@pytest.mark.parametrize("order", ["min", "max"])
def test_every_dtype_and_order(dtype, order, threads):
    array = array_of(dtype, 5000).copy()
    index = thalweg.ChangingRmq(array, order)
    random = np.random.default_rng(1)
    for count in [1, 3, 400, 20_000]:
        positions = random.integers(0, len(array), count).astype(random.choice(["i4", "u4", "i8", "u8"]))
        values = array_of(dtype, count, seed=count)
        for at, value in zip(positions, values):
            array[at] = value
        index.set(positions, values)
        index.append(values[:70])
        array = np.concatenate([array, values[:70]])
        assert len(index) == len(array) and same(index.array, array)
        start, stop = ranges(len(array), 200)
        want = argmin(array, order, start, stop)
        assert np.array_equal(index.argmin(start, stop), want)
        assert same(index.min(start, stop), array[want])
        assert np.array_equal(index.argmin_pairs(np.stack([start, stop - 1], 1)), want)
        assert np.array_equal(index.smallest(start, stop, 1)[:, 0], want)


def test_numbers_and_arrays():
    index = thalweg.ChangingRmq([5, 3, 8])
    index.set(2, 1)
    assert index.argmin() == 2 and index.min(0, 2) == 3
    index.set([[0, 1], [2, 0]], 7)
    assert index.array.tolist() == [7, 7, 7]
    index.set([], [])
    index.append(4)
    index.append(np.array([[2, 9]], "i1"))
    index.reserve(1000)
    assert index.array.tolist() == [7, 7, 7, 4, 2, 9] and index.argmin() == 4
    assert index.below(0, 6, 4).tolist() == [3, 4]
    assert (index.order, index.dtype, index.nbytes > 0) == ("min", np.dtype("i8"), True)
    assert "lines" in index.chosen and "ChangingRmq: min of 6 int64" in repr(index)
    empty = thalweg.ChangingRmq(np.zeros(0, "f4"), order="max")
    empty.append(np.arange(10, dtype="f8"))
    assert empty.argmax() == 9 and empty.max() == 9 and empty.dtype == "f4"
    copied = pickle.loads(pickle.dumps(index))
    copied.set(0, 0)
    assert copied.argmin() == 0 and index.argmin() == 4


def test_the_array_is_its_own():
    array = np.arange(100.0)
    index = thalweg.ChangingRmq(array)
    array[:] = 0
    index.array[:] = -1
    assert index.argmin(50) == 50 and index.min(50) == 50


def test_bad_input():
    index = thalweg.ChangingRmq(np.arange(5, dtype="i2"))
    for ask, error, message, element in [
        (lambda: index.set([0, 5], [1, 1]), thalweg.InputError, "no element 5", 1),
        (lambda: index.set([2, -1], [1, 1]), thalweg.InputError, "positions: -1", 1),
        (lambda: index.set([0, 1], [1, 2, 3]), thalweg.InputError, "3 for 2", None),
        (lambda: index.set(0, 40_000), thalweg.InputError, "int16", None),
        (lambda: index.append(0.5), thalweg.InputError, "int16", None),
        (lambda: index.set([0.5], [1]), thalweg.DtypeError, "positions", None),
        (lambda: index.argmax(), thalweg.InputError, "maxima", None),
        (lambda: thalweg.ChangingRmq(np.zeros((2, 2))), thalweg.InputError, "dimensions", None),
        (lambda: thalweg.ChangingRmq(np.array(["2020-01-01"], "M8[D]")), thalweg.DtypeError, "times", None),
        (lambda: thalweg.ChangingRmq([1], order="least"), thalweg.InputError, "order", None),
    ]:
        is_refused(ask, error, message, element)
    assert index.array.tolist() == [0, 1, 2, 3, 4]


def test_everywhere():
    def work():
        index = thalweg.ChangingRmq(np.arange(30_000))
        index.set(np.arange(20_000) + 100, -1 - np.arange(20_000))
        assert (index.argmin(), index.min()) == (20_099, -20_000)

    works_everywhere(work)


def test_threads_that_ask_and_change_at_once():
    index = thalweg.ChangingRmq(np.full(50_000, 100))
    wrong = []

    def change():
        for value in range(99, 79, -1):
            index.set(np.arange(50_000), value)

    def ask():
        start = np.zeros(2000, "i8")
        for _ in range(40):
            # All elements are the same, whenever it is asked.
            found = index.min(start, 50_000)
            if len(set(found.tolist())) != 1 or index.argmin() != 0:
                wrong.append(found)

    threads = [threading.Thread(target=work) for work in [change, ask, ask]]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong and index.min() == 80
