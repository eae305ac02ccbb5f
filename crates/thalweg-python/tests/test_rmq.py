"""Range minima, against NumPy."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import thalweg
from conftest import EVERY_DTYPE, INTEGERS, array_of, ranks, same_bits
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

ENGINES = [
    "lines",
    "hierarchy",
    "padded_tree",
    "inlabel",
    "balanced_parens",
    "sparse_table",
    "prefix_suffix_tree",
    "naive",
]


def ranges(n, count, seed=1):
    """Half-open ranges inside an array, short and long."""
    rng = np.random.default_rng(seed)
    start = rng.integers(0, n, count)
    length = np.minimum(rng.integers(1, n + 1, count), np.where(rng.integers(0, 2, count) == 0, n, 20))
    return start, np.minimum(start + length, n)


def leftmost(array, order, start, stop):
    """The answers, by looking at everything."""
    rank = ranks(array, order)
    return np.array([s + np.argmin(rank[s:e]) for s, e in zip(start.ravel(), stop.ravel())], "i8").reshape(start.shape)


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
@pytest.mark.parametrize("order", ["min", "max"])
def test_every_dtype_and_order(dtype, order, threads):
    array = array_of(dtype, 3000)
    index = thalweg.Rmq(array, order)
    start, stop = ranges(len(array), 4000)
    want = leftmost(array, order, start, stop)
    assert np.array_equal(index.argmin(start, stop), want)
    assert same_bits(index.min(start, stop), array[want])
    pairs = np.stack([start, stop - 1], 1)
    assert np.array_equal(index.argmin_pairs(pairs), want)
    assert same_bits(index.min_pairs(pairs), array[want])
    for i in range(50):
        assert index.argmin(int(start[i]), int(stop[i])) == want[i]
        assert same_bits(index.min(int(start[i]), int(stop[i])), array[want[i]])


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("dtype", ["u1", "i4", "f8"])
def test_every_engine(engine, dtype):
    array = array_of(dtype, 2000)
    index = thalweg.Rmq(array, engine=engine.upper().replace("_", "-"), device="cpu")
    assert index.engine == engine
    start, stop = ranges(len(array), 1000)
    want = leftmost(array, "min", start, stop)
    assert np.array_equal(index.argmin(start, stop), want)
    assert same_bits(index.min(start, stop), array[want])


@given(
    hnp.arrays(st.sampled_from(["i1", "u2", "f4"]), st.integers(1, 200), elements=st.integers(0, 4)),
    st.data(),
)
def test_small_arrays_with_many_equal_elements(array, data):
    n = len(array)
    start = data.draw(hnp.arrays("i8", st.integers(0, 20), elements=st.integers(0, n - 1)))
    stop = np.array([data.draw(st.integers(s + 1, n)) for s in start], "i8")
    for order in ["min", "max"]:
        assert np.array_equal(thalweg.Rmq(array, order).argmin(start, stop), leftmost(array, order, start, stop))


@pytest.mark.parametrize("dtype", INTEGERS)
def test_bounds_of_every_integer_type(dtype):
    index = thalweg.Rmq(np.arange(100)[::-1].copy())
    start, stop = np.array([0, 5, 99], dtype), np.array([100, 7, 100], dtype)
    answers = index.argmin(start, stop)
    assert answers.tolist() == [99, 6, 99]
    assert answers.dtype == ("i4" if np.dtype(dtype).itemsize == 4 else "i8")
    pairs = np.array([[0, 99], [5, 6]], dtype)
    assert index.argmin_pairs(pairs).tolist() == [99, 6]


def test_bounds_broadcast_and_answers_have_their_shape():
    array = array_of("f8", 500)
    index = thalweg.Rmq(array)
    start, stop = np.arange(6).reshape(3, 2, 1) * 7, np.array([100, 200, 300, 400])
    want = leftmost(array, "min", *np.broadcast_arrays(start, stop))
    assert np.array_equal(index.argmin(start, stop), want)
    assert index.argmin(start, stop).shape == (3, 2, 4)
    assert same_bits(index.min(start, 500), array[leftmost(array, "min", start, np.full_like(start, 500))])
    strided = np.arange(40)[::-4]
    assert np.array_equal(index.argmin(strided, 60), leftmost(array, "min", strided, np.full_like(strided, 60)))
    assert index.argmin() == index.argmin(0, 500) == index.argmin(stop=500)
    assert isinstance(index.argmin(np.int64(3), np.uint8(9)), int)
    assert index.argmin([], []).shape == (0,)
    assert index.argmin_pairs(np.zeros((0, 2), "i4")).shape == (0,)


def test_out():
    index = thalweg.Rmq(np.array([3.5, 1.5, 2.5]))
    out = np.zeros(2, "i8")
    assert index.argmin([0, 2], 3, out=out) is out and out.tolist() == [1, 2]
    values = np.zeros(2)
    assert index.min([0, 2], 3, out=values) is values and values.tolist() == [1.5, 2.5]
    narrow = np.zeros(1, "i4")
    assert index.argmin_pairs(np.array([[0, 2]], "u4"), out=narrow) is narrow and narrow[0] == 1
    with pytest.raises(TypeError, match="out: dtype float64"):
        index.argmin([0], [1], out=np.zeros(1))
    with pytest.raises(ValueError, match=r"out: shape \[2\]"):
        index.argmin([0], [1], out=out)
    with pytest.raises(ValueError, match="contiguous"):
        index.argmin([0, 1], 3, out=np.zeros(4, "i8")[::2])
    read_only = np.zeros(1, "i8")
    read_only.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        index.argmin([0], [1], out=read_only)
    for shared in [lambda: index.argmin(out, 3, out=out), lambda: index.min([0, 1, 2], 3, out=index.array)]:
        with pytest.raises(ValueError, match="shares memory"):
            shared()
    with pytest.raises(ValueError, match="one query"):
        index.argmin(0, 1, out=out)


def test_bad_queries_name_their_row():
    index = thalweg.Rmq(np.arange(10))
    for start, stop, row, text in [
        (3, 3, None, r"range \[3, 3\) is empty"),
        (-1, 3, None, r"range \[-1, 3\) is not inside an array of 10 elements"),
        (3, 11, None, "11"),
        (0, 2**80, None, "not inside"),
        ([0, 4, 2], [5, 4, 11], 1, r"query 1: range \[4, 4\) is empty"),
        ([0, 1], [5, 11], 1, "query 1"),
        ([0, -3], [5, 1], 1, r"\[-3, 1\)"),
        (np.array([0, 2**64 - 1], "u8"), 10, 1, "query 1"),
        (np.zeros((2, 3), "i4"), np.array([[1, 1, 1], [1, 0, 1]]), 4, "query 4"),
    ]:
        with pytest.raises(thalweg.QueryError, match=text) as caught:
            index.argmin(start, stop)
        assert caught.value.row == row
        assert isinstance(caught.value, IndexError)
    rows = np.zeros(3_000_000, "i4")
    for bad in [0, 1_500_000, 2_999_999]:
        stop = np.ones(3_000_000, "i4")
        stop[bad:] = 12
        with pytest.raises(IndexError) as caught:
            index.argmin(rows, stop)
        assert caught.value.row == bad
    with pytest.raises(thalweg.QueryError, match=r"query 1: range \[-1, 3\]") as caught:
        index.argmin_pairs(np.array([[0, 3], [-1, 3]]))
    assert caught.value.row == 1
    with pytest.raises(IndexError):
        thalweg.Rmq(np.zeros(0)).argmin()


def test_bad_arguments():
    index = thalweg.Rmq(np.arange(10))
    with pytest.raises(TypeError, match="integers are needed"):
        index.argmin([0.5], [3])
    with pytest.raises(ValueError, match="do not go together"):
        index.argmin([0, 1], [3, 4, 5])
    with pytest.raises(ValueError, match=r"\(queries, 2\)"):
        index.argmin_pairs(np.zeros((3, 3), "i8"))
    with pytest.raises(ValueError, match="order: 'least' is none of 'min', 'max'"):
        thalweg.Rmq([1], "least")
    with pytest.raises(ValueError, match="unknown rmq engine 'magic'"):
        thalweg.Rmq([1], engine="magic")
    with pytest.raises(RuntimeError):
        thalweg.Rmq([1], device="no such device")


def test_maxima_by_their_name():
    array = array_of("f8", 300)
    start, stop = ranges(300, 200)
    highest = thalweg.Rmq(array, "max")
    assert np.array_equal(highest.argmax(start, stop), leftmost(array, "max", start, stop))
    assert same_bits(highest.max(start, stop), highest.min(start, stop))
    assert highest.argmax() == highest.argmin() and same_bits(highest.max(), highest.min())
    for call in [thalweg.Rmq(array).argmax, thalweg.Rmq(array).max]:
        with pytest.raises(ValueError, match="order=\"max\""):
            call()


def test_what_the_index_tells():
    array = np.array([2.0, 1.0])
    index = thalweg.Rmq(array, "max", engine="sparse_table", device="cpu")
    assert (len(index), index.order, index.engine, index.device) == (2, "max", "sparse_table", "cpu")
    assert index.array is array and index.dtype == "f8" and index.nbytes > 0
    assert repr(index) == "<thalweg.Rmq: max of 2 float64, sparse_table on the CPU>"
    assert index.chosen.startswith("sparse_table on the CPU: ")


def test_without_the_array():
    array = array_of("f4", 5000)
    index = thalweg.Rmq(array, keep_array=False)
    start, stop = ranges(len(array), 2000)
    want = leftmost(array, "min", start, stop)
    array[:] = 0
    assert np.array_equal(index.argmin(start, stop), want)
    assert index.array is None and index.engine == "balanced_parens" and index.nbytes < 5000
    with pytest.raises(ValueError, match="no values"):
        index.min(0, 1)
    with pytest.raises(ValueError, match="no values"):
        index.min_pairs([[0, 1]])
    with pytest.raises(TypeError, match="pickled"):
        pickle.dumps(index)
    times = array_of("M8[s]", 300)
    index = thalweg.Rmq(times, keep_array=False)
    start, stop = ranges(300, 300)
    assert np.array_equal(index.argmin(start, stop), leftmost(times, "min", start, stop))


@pytest.mark.parametrize("engine", [None, "padded_tree", "balanced_parens", "sparse_table", "hierarchy"])
@pytest.mark.parametrize("dtype", ["u1", "f8"])
def test_saved_and_opened(tmp_path, engine, dtype):
    array = array_of(dtype, 3000)
    path = tmp_path / "index.thw"
    thalweg.Rmq(array, "max", engine=engine).save(path)
    start, stop = ranges(len(array), 1000)
    want = leftmost(array, "max", start, stop)
    for index in [thalweg.Rmq.open(path), thalweg.Rmq.open(str(path), verify=False)]:
        assert np.array_equal(index.argmin(start, stop), want)
        assert same_bits(index.min(start, stop), array[want])
        assert same_bits(index.min(3, 900), array[leftmost(array, "max", np.array([3]), np.array([900]))][0])
        assert (len(index), index.order, index.dtype) == (3000, "max", dtype)
        again = pickle.loads(pickle.dumps(index))
        assert np.array_equal(again.argmin(start, stop), want)


def test_files_that_are_not_there_or_no_indexes(tmp_path):
    with pytest.raises(FileNotFoundError, match="nothing.thw") as caught:
        thalweg.Rmq.open(tmp_path / "nothing.thw")
    assert isinstance(caught.value, thalweg.Error)
    path = tmp_path / "text.thw"
    path.write_text("no index")
    with pytest.raises(thalweg.FormatError, match="byte 0"):
        thalweg.Rmq.open(path)
    thalweg.Rmq(np.arange(100_000)).save(path)
    whole = bytearray(path.read_bytes())
    whole[-5] ^= 1
    path.write_bytes(whole)
    with pytest.raises(ValueError, match="checksum"):
        thalweg.Rmq.open(path)
    with pytest.raises(OSError):
        thalweg.Rmq(np.arange(3)).save(tmp_path / "no folder" / "index.thw")
    with pytest.raises(ValueError, match="NaT"):
        thalweg.Rmq(np.array([1, "NaT"], "M8[s]")).save(path)


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
def test_pickled(dtype):
    array = array_of(dtype, 500)
    index = pickle.loads(pickle.dumps(thalweg.Rmq(array, "max", engine="hierarchy", device="cpu")))
    assert (index.order, index.engine, index.device) == ("max", "hierarchy", "cpu")
    start, stop = ranges(500, 100)
    assert np.array_equal(index.argmin(start, stop), leftmost(array, "max", start, stop))


def test_exact_far_out():
    # Neighbours in the total order that a conversion to another type would make equal.
    array = np.array([2**63 + 1, 2**63, 2**64 - 1], "u8")
    assert thalweg.Rmq(array).argmin() == 1 and thalweg.Rmq(array, "max").argmin() == 2
    array = np.array([0.0, -0.0, 5e-324, np.nan, -5e-324, np.inf, -np.inf])
    assert thalweg.Rmq(array).argmin(0, 3) == 0 and thalweg.Rmq(array).argmin(0, 6) == 4
    assert thalweg.Rmq(array).argmin(3, 4) == 3 and thalweg.Rmq(array, "max").argmin(3, 4) == 3
    times = np.array(["NaT", "1970-01-02", "NaT", "1970-01-01"], "M8[D]")
    assert thalweg.Rmq(times).argmin() == 3 and thalweg.Rmq(times, "max").argmin() == 1
    assert np.isnat(thalweg.Rmq(times).min(2, 3)) and thalweg.Rmq(times).min() == times[3]
