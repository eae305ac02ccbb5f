"""Primitives, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
import thalweg
from conftest import EVERY_DTYPE, INTEGERS, NUMBERS, array_of, in_a_child, ranks, same_bits
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

SIZES = [0, 1, 2, 1000, 70_000]
ENGINES = ["radix", "merge", "comparison"]


def widened(dtype):
    """What integers are summed in."""
    kind = np.dtype(dtype).kind
    return {"b": "i8", "i": "i8", "u": "u8"}.get(kind, dtype)


def running_best(array, order):
    """Running minima or maxima, the first of equal ones."""
    best = np.zeros(len(array), "i8")
    rank = ranks(array, order).tolist()
    for i in range(1, len(rank)):
        best[i] = i if rank[i] < rank[best[i - 1]] else best[i - 1]
    return array[best]


@pytest.mark.parametrize("dtype", ["?", *INTEGERS])
@pytest.mark.parametrize("n", SIZES)
def test_sums_of_integers(dtype, n, threads):
    array = array_of(dtype, n)
    want = np.cumsum(array, dtype=widened(dtype))
    assert same_bits(thalweg.scan(array), want)
    assert same_bits(thalweg.scan(array, inclusive=False), np.concatenate([[0], want[:-1]])[:n].astype(want.dtype))
    total = thalweg.reduce(array)
    assert total.dtype == want.dtype and total == array.sum(dtype=want.dtype)


def test_sums_are_wide_and_wrap_around():
    assert thalweg.scan(np.full(3, 255, "u1")).tolist() == [255, 510, 765]
    assert thalweg.scan(np.full(3, 2**31 - 1, "i4"))[-1] == 3 * (2**31 - 1)
    assert thalweg.scan(np.full(2, 2**63, "u8")).tolist() == [2**63, 0]
    assert thalweg.reduce(np.full(2, 2**62, "i8")) == -(2**63)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("n", SIZES)
def test_sums_of_floats(dtype, n):
    array = np.random.default_rng(n).uniform(0, 1, n).astype(dtype)
    results = []
    for count in [1, 2, 3]:
        thalweg.set_threads(count)
        results.append((thalweg.scan(array), thalweg.scan(array, inclusive=False), thalweg.reduce(array)))
    thalweg.set_threads(None)
    inclusive, exclusive, total = results[0]
    assert inclusive.dtype == exclusive.dtype == total.dtype == array.dtype
    np.testing.assert_allclose(inclusive, np.cumsum(array, dtype="f8"), rtol=1e-4 if dtype == "f4" else 1e-12)
    np.testing.assert_allclose(exclusive[1:], inclusive[:-1], rtol=1e-5 if dtype == "f4" else 1e-12)
    assert (exclusive[:1] == 0).all()
    np.testing.assert_allclose(total, array.sum(dtype="f8"), rtol=1e-5 if dtype == "f4" else 1e-12)
    for other in results[1:]:
        assert all(same_bits(a, b) for a, b in zip(results[0], other))


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
@pytest.mark.parametrize("order", ["min", "max"])
def test_running_minima_and_maxima(dtype, order, threads):
    array = array_of(dtype, 40_000, most=10_000 if np.dtype(dtype).itemsize > 1 else 100)
    want = running_best(array, order)
    got = thalweg.scan(array, order)
    exclusive = thalweg.scan(array, order, inclusive=False)
    for result, wanted in [(got, want), (exclusive[1:], want[:-1])]:
        assert result.dtype == array.dtype
        nothing = ranks(wanted) == ranks(array).max() if array.dtype.kind in "fMm" else np.zeros(len(wanted), bool)
        assert np.array_equal(result[~nothing], wanted[~nothing]) and (ranks(result) == ranks(wanted)).all()
    kind = array.dtype.kind
    if kind == "f":
        assert np.isnan(exclusive[0])
    elif kind in "Mm":
        assert np.isnat(exclusive[0])
    elif kind == "b":
        assert exclusive[0] == (order == "min")
    else:
        assert exclusive[0] == (np.iinfo(dtype).max if order == "min" else np.iinfo(dtype).min)
    best = thalweg.reduce(array, order)
    assert best.dtype == array.dtype and best == array[np.argmin(ranks(array, order))]


def test_nan_and_zeros():
    nan = np.nan
    assert same_bits(thalweg.scan(np.array([0.0, -0.0, nan, -1.0]), "min"), np.array([0.0, 0.0, 0.0, -1.0]))
    assert same_bits(thalweg.scan(np.array([-0.0, 0.0]), "max"), np.array([-0.0, -0.0]))
    assert np.isnan(thalweg.scan(np.array([nan, 1.0]), "max")[0])
    assert np.isnan(thalweg.reduce(np.array([nan, nan]), "min"))
    assert np.isnat(thalweg.reduce(np.array(["NaT"], "M8[s]"), "min"))
    assert np.isnan(thalweg.scan(np.array([1.0, nan, 1.0]))[1:]).all()


@given(hnp.arrays("f4", st.integers(0, 50), elements=st.sampled_from([0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan])))
def test_small_floats(array):
    for order in ["min", "max"]:
        assert np.array_equal(thalweg.sort_index(array, order), np.argsort(ranks(array, order), kind="stable"))
        assert same_bits(thalweg.sort(array, order), array[np.argsort(ranks(array, order), kind="stable")])
        if len(array):
            assert np.array_equal(thalweg.scan(array, order), running_best(array, order), equal_nan=True)


def test_out():
    array = np.arange(10)
    out = np.zeros(10, "i8")
    assert thalweg.scan(array, out=out) is out and np.array_equal(out, np.cumsum(array))
    assert thalweg.scan(array, out=array) is array and np.array_equal(array, out)
    longer = np.arange(11)
    thalweg.scan(longer[:10], out=longer[1:])
    assert longer.tolist() == [0, *np.cumsum(np.arange(10))]
    with pytest.raises(TypeError, match="out: dtype int32"):
        thalweg.scan(array, out=np.zeros(10, "i4"))
    with pytest.raises(ValueError, match="out: shape"):
        thalweg.scan(array, out=np.zeros(9, "i8"))


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
@pytest.mark.parametrize("n", SIZES)
def test_compact_and_split(dtype, n, threads):
    array = array_of(dtype, n)
    for share in [0.0, 0.3, 1.0]:
        mask = np.random.default_rng(n).uniform(0, 1, n) < share
        assert same_bits(thalweg.compact(array, mask), np.compress(mask, array))
        where = thalweg.compact_index(mask)
        assert where.dtype == np.int32 and np.array_equal(where, np.flatnonzero(mask))
        falses, trues = thalweg.split(array, mask)
        assert same_bits(falses, array[~mask]) and same_bits(trues, array[mask])


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
@pytest.mark.parametrize("order", ["min", "max"])
def test_sorts(dtype, order, threads):
    array = array_of(dtype, 30_000)
    want = np.argsort(ranks(array, order), kind="stable")
    for engine in [None, *ENGINES]:
        places = thalweg.sort_index(array, order, engine=engine, device="cpu")
        assert places.dtype == np.int32 and np.array_equal(places, want)
        assert same_bits(thalweg.sort(array, order, engine=engine, device="cpu"), array[want])
    for values in [np.arange(30_000), np.arange(30_000, dtype="f4"), array]:
        assert same_bits(thalweg.sort_by_key(values, array, order), values[want])
    if dtype in NUMBERS and order == "min":
        assert np.array_equal(places, np.argsort(array, kind="stable"))


@pytest.mark.parametrize("n", SIZES)
def test_forks(n, threads):
    counts = np.random.default_rng(n).integers(0, 4, n)
    for dtype in INTEGERS:
        offsets, parents, which = thalweg.fork(counts.astype(dtype))
        assert np.array_equal(offsets, np.concatenate([[0], np.cumsum(counts)]))
        assert np.array_equal(parents, np.repeat(np.arange(n), counts))
        assert np.array_equal(which, np.arange(counts.sum()) - np.repeat(offsets[:-1], counts))
        assert offsets.dtype == parents.dtype == which.dtype == np.int32


def test_negative_counts():
    with pytest.raises(ValueError, match="counts: element 2 is negative") as error:
        thalweg.fork([0, 1, -1, -2])
    assert error.value.element == 2
    with pytest.raises(ValueError, match="element 0 is negative"):
        thalweg.fork(np.array([-1], "i4"))


def test_other_layouts():
    array = array_of("i4", 2000)
    mask = array > 0
    read_only = array.copy()
    read_only.flags.writeable = False
    for other in [np.repeat(array, 2)[::2], array.astype(">i4"), read_only, array[::-1].copy()[::-1]]:
        assert np.array_equal(thalweg.scan(other), np.cumsum(array))
        assert np.array_equal(thalweg.sort(other), np.sort(array))
        assert np.array_equal(thalweg.sort_index(other), np.argsort(array, kind="stable"))
        assert np.array_equal(thalweg.compact(other, np.repeat(mask, 3)[::3]), array[mask])
        assert thalweg.sort(other).dtype == np.int32
    assert thalweg.scan([1, 2]).tolist() == [1, 3] and thalweg.sort([]).tolist() == []
    assert thalweg.compact([], []).tolist() == [] and thalweg.compact_index([]).tolist() == []
    assert thalweg.reduce([]) == 0 and thalweg.scan([], "max").tolist() == []


def test_bad_arguments():
    with pytest.raises(ValueError, match="the array is empty"):
        thalweg.reduce([], "min")
    with pytest.raises(ValueError, match="op: 'mean' is none of 'sum', 'min', 'max'"):
        thalweg.scan([1], "mean")
    with pytest.raises(TypeError, match="sums of datetime64"):
        thalweg.scan(np.zeros(1, "m8[s]"))
    with pytest.raises(TypeError, match="mask: dtype int64, where booleans are needed"):
        thalweg.compact([1], [1])
    for function in [thalweg.compact, thalweg.split]:
        with pytest.raises(ValueError, match="mask: expected 2 elements, got 1"):
            function([1, 2], [True])
    with pytest.raises(ValueError, match="keys: expected 2 elements, got 3"):
        thalweg.sort_by_key([1, 2], [1, 2, 3])
    with pytest.raises(ValueError, match="order: 'down'"):
        thalweg.sort([1], "down")
    with pytest.raises(ValueError, match="unknown sort engine"):
        thalweg.sort_index([1], engine="magic")
    for bad, advice in [(np.zeros(2, "f2"), "float32"), (np.zeros(2, "c8"), "complex"), (np.array(["a"]), "unique")]:
        for function in [thalweg.scan, thalweg.sort, thalweg.sort_index, thalweg.reduce]:
            with pytest.raises(TypeError, match=advice):
                function(bad)


def test_in_a_child():
    array = array_of("i8", 100_000)

    def work():
        assert np.array_equal(thalweg.scan(array), np.cumsum(array))
        assert np.array_equal(thalweg.sort_index(array), np.argsort(array, kind="stable"))
        assert np.array_equal(thalweg.split(array, array > 0)[1], array[array > 0])

    work()
    assert in_a_child(work) == 0
