"""Dask arrays: chunk by chunk the same as in one piece."""

from __future__ import annotations

import numpy as np
import pytest
import thalweg
from conftest import EVERY_DTYPE, array_of, ranks, same_bits

da = pytest.importorskip("dask.array")
import dask  # noqa: E402
import thalweg.dask  # noqa: E402

RELATIONS = ["smaller", "not_larger", "greater", "not_smaller"]


@pytest.fixture(autouse=True)
def _one_thread():
    with dask.config.set(scheduler="synchronous"):
        yield


def shapes(n):
    rng = np.random.default_rng(n)
    yield rng.integers(0, 9, n)
    yield np.concatenate([np.arange(n // 2), np.arange(n - n // 2)[::-1]])
    yield np.arange(n)[::-1] // 3


@pytest.mark.parametrize("chunk", [1, 7, 50, 1000])
@pytest.mark.parametrize("relation", RELATIONS)
def test_nearest_values(chunk, relation):
    for n in [1, 6, 100]:
        for array in shapes(n):
            left, right = thalweg.dask.ansv(da.from_array(array, chunks=chunk), relation=relation)
            want = thalweg.ansv(array, relation=relation, device="cpu")
            assert same_bits(left.compute(), want[0].astype("i8")), (n, chunk)
            assert same_bits(right.compute(), want[1].astype("i8")), (n, chunk)


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
def test_every_dtype(dtype):
    array = array_of(dtype, 300, 5)
    lazily = da.from_array(array, chunks=37)
    for relation in RELATIONS:
        got = thalweg.dask.ansv(lazily, "left", relation)
        assert got.chunks == lazily.chunks
        assert same_bits(got.compute(), thalweg.ansv(array, "left", relation, device="cpu").astype("i8")), relation
    rng = np.random.default_rng(1)
    start = rng.integers(0, 300, 400)
    stop = np.minimum(300, start + 1 + rng.integers(0, rng.choice([5, 40, 300], 400)))
    for order in ["min", "max"]:
        rmq = thalweg.dask.Rmq(lazily, order)
        rank = ranks(array, order)
        want = np.array([a + rank[a:b].argmin() for a, b in zip(start, stop)])
        assert (rmq.argmin(start, stop) == want).all()
        assert same_bits(rmq.min(start, stop), array[want])


def test_empty_and_uneven_chunks():
    array = np.array([3, 1, 2, 1, 5])
    lazily = da.concatenate([da.from_array(part) for part in (array[:0], array[:3], array[:0], array[3:])])
    left, right = thalweg.dask.ansv(lazily)
    assert left.compute().tolist() == [-1, -1, 1, -1, 3]
    assert right.compute().tolist() == [1, -1, 3, -1, -1]
    assert thalweg.dask.Rmq(lazily).argmin([0, 2], [5, 5]).tolist() == [1, 3]
    assert len(thalweg.dask.Rmq(lazily[:0])) == 0


def test_what_is_refused():
    array = da.arange(10, chunks=3)
    with pytest.raises(thalweg.InputError, match="dimensions"):
        thalweg.dask.ansv(da.zeros((3, 3)))
    with pytest.raises(thalweg.InputError, match="compute_chunk_sizes"):
        thalweg.dask.ansv(array[array > 3])
    with pytest.raises(thalweg.InputError, match="relation"):
        thalweg.dask.ansv(array, relation="near")
    for start, stop in [(3, 3), (-1, 2), (5, 11)]:
        with pytest.raises(thalweg.QueryError, match="query 1"):
            thalweg.dask.Rmq(array).argmin([0, start], [1, stop])


def test_on_a_cluster():
    distributed = pytest.importorskip("distributed")
    array = np.random.default_rng(3).integers(0, 1000, 20_000)
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        with distributed.Client(cluster), dask.config.set(scheduler="distributed"):
            lazily = da.from_array(array, chunks=3001)
            left, right = dask.compute(*thalweg.dask.ansv(lazily))
            at = thalweg.dask.Rmq(lazily).argmin([0, 5, 7000], [20_000, 9000, 7003])
    want = thalweg.ansv(array, device="cpu")
    assert same_bits(left, want[0].astype("i8")) and same_bits(right, want[1].astype("i8"))
    assert at.tolist() == [array.argmin(), 5 + array[5:9000].argmin(), 7000 + array[7000:7003].argmin()]
