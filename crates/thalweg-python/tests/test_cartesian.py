"""Cartesian trees, against a stack."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import thalweg
from conftest import EVERY_DTYPE, array_of, ranks
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp


def by_stack(array, order="min"):
    """Parents and children, with the stack of the rightmost path."""
    rank = ranks(array, order).tolist()
    n = len(rank)
    parents, left, right, stack = [-1] * n, [-1] * n, [-1] * n, []
    for i in range(n):
        last = -1
        while stack and rank[stack[-1]] > rank[i]:
            last = stack.pop()
        if last >= 0:
            left[i], parents[last] = last, i
        if stack:
            right[stack[-1]], parents[i] = i, stack[-1]
        stack.append(i)
    return parents, left, right, stack[0] if stack else -1


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
@pytest.mark.parametrize("order", ["min", "max"])
def test_every_dtype_and_order(dtype, order, threads):
    array = array_of(dtype, 3000)
    tree = thalweg.cartesian_tree(array, order)
    for got, want in zip(tree[:3], by_stack(array, order)):
        assert got.dtype == np.int32 and np.array_equal(got, want)
    assert tree.root == by_stack(array, order)[3]


@given(hnp.arrays("i2", st.integers(0, 80), elements=st.integers(-2, 2)))
def test_small_arrays_with_many_equal_elements(array):
    tree = thalweg.cartesian_tree(array)
    for got, want in zip(tree, by_stack(array)):
        assert np.array_equal(got, want)


def test_a_path(threads):
    n = 200_000
    tree = thalweg.cartesian_tree(np.arange(n))
    assert tree.root == 0 and np.array_equal(tree.parents, np.arange(-1, n - 1))
    assert np.array_equal(tree.right[:-1], np.arange(1, n)) and (tree.left == -1).all()


def test_its_lowest_common_ancestors_are_range_minima():
    array = array_of("f8", 2000)
    forest, rmq = thalweg.Forest(thalweg.cartesian_tree(array).parents), thalweg.Rmq(array)
    rng = np.random.default_rng(1)
    i, j = np.sort(rng.integers(0, 2000, (2, 5000)), axis=0)
    assert np.array_equal(forest.lca(i, j), rmq.argmin(i, j + 1))


def test_the_tuple():
    tree = thalweg.cartesian_tree([2, 1])
    assert isinstance(tree, thalweg.CartesianTree)
    parents, left, right, root = pickle.loads(pickle.dumps(tree))
    assert (parents.tolist(), left.tolist(), right.tolist(), root) == ([1, -1], [-1, 0], [-1, -1], 1)
    assert thalweg.cartesian_tree([]).root == -1


def test_other_layouts_and_bad_arguments():
    array = np.arange(20)[::-2]
    assert np.array_equal(thalweg.cartesian_tree(array).parents, by_stack(array)[0])
    assert np.array_equal(thalweg.cartesian_tree(array.astype(">f4")).parents, by_stack(array)[0])
    with pytest.raises(ValueError, match="not contiguous"):
        thalweg.cartesian_tree(array, copy=False)
    with pytest.raises(TypeError, match="float16"):
        thalweg.cartesian_tree(np.zeros(3, "f2"))
    with pytest.raises(ValueError, match="order: 'up' is none of 'min', 'max'"):
        thalweg.cartesian_tree(array, "up")
