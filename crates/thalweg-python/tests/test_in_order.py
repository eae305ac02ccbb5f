"""Elements of ranges in order, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
import thalweg
from conftest import EVERY_DTYPE, array_of, is_refused, ranks, works_everywhere
from test_rmq import ENGINES, ranges


def smallest(array, order, start, stop, k):
    """The answers, by sorting."""
    rank, rows = ranks(array, order), []
    for s, e in zip(start, stop):
        told = s + np.argsort(rank[s:e], kind="stable")[:k]
        rows.append(np.concatenate([told, np.full(k - len(told), -1)]))
    return np.array(rows, "i8").reshape(len(start), k)


def below(array, order, start, stop, threshold):
    """The answers, by looking at everything."""
    both = ranks(np.concatenate([array, threshold]), order)
    rank, most = both[: len(array)], both[len(array) :]
    return [s + np.flatnonzero(rank[s:e] <= t) for s, e, t in zip(start, stop, most)]


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
@pytest.mark.parametrize("order", ["min", "max"])
def test_every_dtype_and_order(dtype, order, threads):
    array = array_of(dtype, 3000)
    index = thalweg.Rmq(array, order)
    start, stop = ranges(len(array), 300)
    for k in [0, 1, 7, 200]:
        want = smallest(array, order, start, stop, k)
        assert np.array_equal(index.smallest(start, stop, k), want)
        narrow = index.smallest(start.astype("i4"), stop.astype("i4"), k)
        assert narrow.dtype == "i4" and np.array_equal(narrow, want)
        for i in range(5):
            got = index.smallest(int(start[i]), int(stop[i]), k)
            assert np.array_equal(got, want[i][want[i] >= 0])
    threshold = array_of(dtype, 300, seed=5)
    want = below(array, order, start, stop, threshold)
    lengths, positions = index.below(start, stop, threshold)
    assert np.array_equal(lengths, [len(row) for row in want])
    assert np.array_equal(positions, np.concatenate(want))
    for i in range(20):
        assert np.array_equal(index.below(int(start[i]), int(stop[i]), threshold[i]), want[i])
        lengths, positions = index.below(start[: i + 1], stop[: i + 1], threshold[i])
        one = below(array, order, start[: i + 1], stop[: i + 1], np.repeat(threshold[i : i + 1], i + 1))
        assert np.array_equal(positions, np.concatenate(one)) and np.array_equal(lengths, [len(row) for row in one])


@pytest.mark.parametrize("engine", ENGINES)
def test_every_engine(engine):
    array = array_of("f8", 500)
    index = thalweg.Rmq(array, engine=engine)
    start, stop = ranges(len(array), 100)
    assert np.array_equal(index.smallest(start, stop, 9), smallest(array, "min", start, stop, 9))
    want = below(array, "min", start, stop, np.repeat(array[:1], 100))
    assert np.array_equal(index.below(start, stop, array[0])[1], np.concatenate(want))


def test_shapes_and_bounds():
    index = thalweg.Rmq(np.arange(10, 0, -1))
    assert index.smallest(np.zeros((2, 3), int), 10, 4).shape == (2, 3, 4)
    assert index.smallest(k=2).tolist() == [9, 8]
    out = np.zeros((1, 2), "i8")
    assert index.smallest([0], [5], 2, out) is out and out.tolist() == [[4, 3]]
    lengths, positions = index.below(np.zeros((2, 1), int), [[10], [5]], 3)
    assert lengths.shape == (2, 1) and positions.tolist() == [7, 8, 9]
    assert index.below(None, None, 1).tolist() == [9]
    works_everywhere(lambda: index.smallest([0, 1], 10, 3))


def test_times_may_be_words():
    index = thalweg.Rmq(np.array(["2024-01-03", "NaT", "2024-01-01"], "M8[D]"))
    assert index.below(None, None, "2024-01-02").tolist() == [2]
    assert index.below(None, None, np.datetime64("NaT")).tolist() == [0, 1, 2]
    assert index.smallest(k=3).tolist() == [2, 0, 1]


def test_what_cannot_be_asked():
    index = thalweg.Rmq(np.array([3, 1, 2], "u1"))
    is_refused(lambda: index.smallest(2, 2), thalweg.QueryError, r"range \[2, 2\) is empty")
    is_refused(lambda: index.smallest([0, 1], 4), thalweg.QueryError, r"query 0: range \[0, 4\)")
    is_refused(lambda: index.below([0, 1], [1, 9], 1), thalweg.QueryError, r"query 1: range \[1, 9\)")
    for threshold in [300, -1, 2.5, "x", [1, 300]]:
        is_refused(lambda: index.below([0, 1], 3, threshold), thalweg.InputError, "threshold")
    is_refused(lambda: index.below([0, 1], 3, [1, 1, 1]), thalweg.InputError, "do not go together")
    alone = thalweg.Rmq(np.array([3, 1, 2]), keep_array=False)
    is_refused(lambda: alone.smallest(), thalweg.Error, "without the array")
    is_refused(lambda: alone.below(None, None, 1), thalweg.Error, "without the array")
