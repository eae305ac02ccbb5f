"""Linked lists, against walks in Python."""

from __future__ import annotations

import numpy as np
import pytest
import thalweg
from conftest import in_a_child
from hypothesis import given
from hypothesis import strategies as st

LINKS = ["i4", "i8", "u4", "u8"]
ENGINES = ["helman_jaja", "sequential", "pointer_jumping", "independent_set"]


def some_lists(n, lists=3, seed=0, itself=False):
    """Lists in a random order, whose ends have -1 or, every second one, themselves."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(n)
    following = np.full(n, -1)
    for k, chain in enumerate(np.array_split(order, lists)):
        following[chain[:-1]] = chain[1:]
        if itself and k % 2 and len(chain):
            following[chain[-1]] = chain[-1]
    return following


def walked(following, weights, from_head=False):
    """Sums to the end of the lists, modulo 2^64 where they must be."""
    n, following = len(following), [int(x) for x in following]
    ends = [j for j, to in enumerate(following) if to in (-1, j)]
    before = {to: i for i, to in enumerate(following) if to not in (-1, i)}
    sums = [0] * n
    for end in ends:
        chain = [end]
        while chain[-1] in before:
            chain.append(before[chain[-1]])
        total = 0
        for i in reversed(chain) if from_head else chain:
            total += int(weights[i])
            sums[i] = total
    return sums


@pytest.mark.parametrize("dtype", LINKS)
@pytest.mark.parametrize("engine", [None, *ENGINES])
def test_every_dtype_and_engine(dtype, engine, threads):
    following = some_lists(3000, itself=True)
    links = following.astype(dtype)  # -1 becomes the largest of unsigned numbers
    ranks = thalweg.rank(links, engine=engine, device="cpu")
    assert ranks.dtype == np.int32
    assert np.array_equal(ranks, np.array(walked(following, np.ones(3000))) - 1)
    weights = np.random.default_rng(1).integers(-50, 50, 3000)
    for direction in ["to_end", "from_head"]:
        sums = thalweg.rank(links, weights, direction=direction, engine=engine, device="cpu")
        assert sums.dtype == np.int64
        assert np.array_equal(sums, walked(following, weights, direction == "from_head"))


def test_large_lists(threads):
    n = 300_000
    order = np.random.default_rng(2).permutation(n)
    following = np.full(n, -1)
    following[order[:-1]] = order[1:]
    ranks = thalweg.rank(following)
    assert np.array_equal(ranks[order], np.arange(n)[::-1])
    assert np.array_equal(thalweg.rank(following, direction="from_head")[order], np.arange(n))
    weights = np.random.default_rng(3).integers(0, 2**31, n).astype("u4")
    assert np.array_equal(thalweg.rank(following, weights)[order], np.cumsum(weights[order][::-1], dtype="u8")[::-1])


@pytest.mark.parametrize("dtype", ["?", "u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8"])
def test_every_dtype_of_weights(dtype):
    following = some_lists(500)
    info = np.iinfo(dtype) if dtype != "?" else np.iinfo("u1")
    weights = np.random.default_rng(4).integers(info.min, info.max, 500, dtype=info.dtype, endpoint=True)
    weights = weights.astype(dtype)
    sums = thalweg.rank(following, weights)
    assert sums.dtype == (np.uint64 if np.dtype(dtype).kind == "u" else np.int64)
    want = [s % 2**64 for s in walked(following, weights)]
    assert [int(s) % 2**64 for s in sums] == want


def test_sums_of_32_bits_are_exact_and_those_of_64_wrap_around():
    following = np.array([1, 2, 3, -1])
    assert thalweg.rank(following, np.full(4, 2**32 - 1, "u4"))[0] == 4 * (2**32 - 1)
    assert thalweg.rank(following, np.full(4, 2**31 - 1, "i4"))[0] == 4 * (2**31 - 1)
    assert thalweg.rank(following, np.full(4, 2**63, "u8"))[0] == 0


@given(st.integers(0, 60), st.integers(1, 5), st.integers(0, 99))
def test_small_lists(n, lists, seed):
    following = some_lists(n, lists, seed, itself=True)
    assert np.array_equal(thalweg.rank(following) + 1, walked(following, np.ones(n)))


def test_other_layouts():
    following = some_lists(200)
    want = thalweg.rank(following)
    spread = np.full(400, 7)
    spread[::2] = following
    assert np.array_equal(thalweg.rank(spread[::2]), want)
    assert np.array_equal(thalweg.rank(following.astype(">i8")), want)
    assert np.array_equal(thalweg.rank(following.astype("i2")), want)
    assert np.array_equal(thalweg.rank(following.tolist()), want)
    read_only = following.copy()
    read_only.flags.writeable = False
    assert np.array_equal(thalweg.rank(read_only), want)
    assert np.array_equal(thalweg.rank(following, np.ones(200, ">i4")), want + 1)
    assert len(thalweg.rank([])) == 0 and len(thalweg.rank(np.zeros(0, "i4"), [])) == 0
    assert thalweg.rank([-1]).tolist() == [0] and thalweg.rank([0], [5]).tolist() == [5]


def test_what_is_no_list():
    with pytest.raises(ValueError, match=r"element 1 points to 9, but there are only 3") as error:
        thalweg.rank([-1, 9, 0])
    assert error.value.element == 1 and isinstance(error.value, thalweg.Error)
    with pytest.raises(ValueError, match=r"element 2 points to -2, but there are only 3; -1 is none") as error:
        thalweg.rank(np.array([-1, 0, -2], "i4"))
    assert error.value.element == 2
    with pytest.raises(ValueError, match=r"element 2 points to 4294967294"):
        thalweg.rank(np.array([0, 0, 2**32 - 2], "u4"))
    with pytest.raises(ValueError, match=r"element 0 follows two others of the list: 1 and 2") as error:
        thalweg.rank([-1, 0, 0])
    assert error.value.element == 0
    with pytest.raises(ValueError, match=r"element 1 is on a cycle") as error:
        thalweg.rank([-1, 2, 1])
    assert error.value.element == 1


def test_bad_arguments():
    with pytest.raises(TypeError, match="float64 does not work; links are positions"):
        thalweg.rank([0.5, 1.5])
    with pytest.raises(TypeError, match="bool"):
        thalweg.rank([True, False])
    with pytest.raises(TypeError, match="float64 does not work; sums are exact, in integers"):
        thalweg.rank([-1, -1], [0.5, 1.5])
    with pytest.raises(TypeError, match=r"\.view\(np.int64\)"):
        thalweg.rank([-1], np.zeros(1, "m8[s]"))
    with pytest.raises(ValueError, match="weights: expected 2 elements, got 3"):
        thalweg.rank([-1, -1], [1, 2, 3])
    with pytest.raises(ValueError, match="direction: 'up' is none of 'to_end', 'from_head'"):
        thalweg.rank([-1], direction="up")
    with pytest.raises(ValueError, match="unknown list engine"):
        thalweg.rank([-1], engine="magic")
    with pytest.raises(ValueError, match="dimensions"):
        thalweg.rank([[1, -1]])


def test_in_a_child():
    following = some_lists(100_000)
    want = thalweg.rank(following)

    def work():
        assert np.array_equal(thalweg.rank(following), want)

    assert in_a_child(work) == 0
