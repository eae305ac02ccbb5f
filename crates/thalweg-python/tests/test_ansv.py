"""Nearest smaller values, against a stack."""

from __future__ import annotations

import numpy as np
import pytest
import thalweg
from conftest import EVERY_DTYPE, array_of, ranks
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

RELATIONS = ["smaller", "not_larger", "greater", "not_smaller"]


def nearest(array, relation):
    """Left and right, with a stack."""
    rank = ranks(array, "min" if relation in ("smaller", "not_larger") else "max").tolist()
    strict = relation in ("smaller", "greater")

    def one_side(rank):
        stack, answers = [], []
        for i, r in enumerate(rank):
            while stack and (rank[stack[-1]] >= r if strict else rank[stack[-1]] > r):
                stack.pop()
            answers.append(stack[-1] if stack else -1)
            stack.append(i)
        return np.array(answers, "i8")

    right = one_side(rank[::-1])[::-1]
    return one_side(rank), np.where(right < 0, -1, len(rank) - 1 - right)


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
@pytest.mark.parametrize("relation", RELATIONS)
def test_every_dtype_and_relation(dtype, relation, threads):
    array = array_of(dtype, 5000)
    want = nearest(array, relation)
    left, right = thalweg.ansv(array, relation=relation)
    assert left.dtype == right.dtype == np.int32
    assert np.array_equal(left, want[0]) and np.array_equal(right, want[1])
    assert np.array_equal(thalweg.ansv(array, "left", relation), want[0])
    assert np.array_equal(thalweg.ansv(array, "right", relation), want[1])


@pytest.mark.parametrize("engine", ["tiles", "stack", "berkman", "merging", "bsz", "naive"])
def test_every_engine(engine):
    array = array_of("f4", 4000)
    want = nearest(array, "not_larger")
    for got, wanted in zip(thalweg.ansv(array, relation="not_larger", engine=engine, device="cpu"), want):
        assert np.array_equal(got, wanted)


@given(hnp.arrays("i2", st.integers(0, 300), elements=st.integers(-2, 2)), st.sampled_from(RELATIONS))
def test_small_arrays_with_many_equal_elements(array, relation):
    for got, wanted in zip(thalweg.ansv(array, relation=relation), nearest(array, relation)):
        assert np.array_equal(got, wanted)


def test_large_and_monotone(threads):
    n = 1_000_000
    rising = np.arange(n, dtype="u4")
    left, right = thalweg.ansv(rising)
    assert np.array_equal(left, np.arange(-1, n - 1)) and (right == -1).all()
    left, right = thalweg.ansv(rising[::-1])
    assert (left == -1).all() and np.array_equal(right[:-1], np.arange(1, n)) and right[-1] == -1


def test_bad_arguments():
    with pytest.raises(ValueError, match="side: 'top' is none of 'both', 'left', 'right'"):
        thalweg.ansv([1], "top")
    with pytest.raises(ValueError, match="relation: 'less'"):
        thalweg.ansv([1], relation="less")
    with pytest.raises(ValueError, match="unknown ansv engine"):
        thalweg.ansv([1], engine="magic")
