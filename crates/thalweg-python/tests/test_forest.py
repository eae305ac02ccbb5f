"""Forests, against walks in Python."""

from __future__ import annotations

import copy
import gc
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import thalweg
from conftest import EVERY_DTYPE, array_of, in_a_child, ranks
from hypothesis import given
from hypothesis import strategies as st

LINKS = ["i4", "i8", "u4", "u8"]


def some_parents(n, seed=0, trees=3, near=None, itself=False):
    """The parents of a forest in a random numbering. Parents are among the `near` nodes before: 1 makes paths."""
    rng = np.random.default_rng(seed)
    up = np.full(n, -1)
    for i in range(min(trees, n), n):
        up[i] = rng.integers(max(0, i - near) if near else 0, i)
    number = rng.permutation(n)
    parents = np.full(n, -1)
    parents[number] = np.where(up < 0, -1, number[up])
    if itself:
        roots = np.flatnonzero(parents < 0)[::2]
        parents[roots] = roots
    return parents


class Walked:
    """Everything about a forest, by walking."""

    def __init__(self, parents):
        n = len(parents)
        self.parents = [-1 if p == v else int(p) for v, p in enumerate(parents)]
        self.children = [[] for _ in range(n)]
        self.trees = []
        for v, p in enumerate(self.parents):
            (self.trees if p < 0 else self.children[p]).append(v)
        self.roots, self.depths, self.sizes = [0] * n, [0] * n, [1] * n
        self.order, post = [], []
        for root in self.trees:
            stack = [(root, False)]
            while stack:
                v, is_left = stack.pop()
                if is_left:
                    post.append(v)
                    continue
                self.order.append(v)
                p = self.parents[v]
                self.roots[v], self.depths[v] = (v, 0) if p < 0 else (self.roots[p], self.depths[p] + 1)
                stack.append((v, True))
                stack.extend((c, False) for c in reversed(self.children[v]))
        for v in post:
            if self.parents[v] >= 0:
                self.sizes[self.parents[v]] += self.sizes[v]
        self.preorder, self.postorder = [0] * n, [0] * n
        for place, v in enumerate(self.order):
            self.preorder[v] = place
        for place, v in enumerate(post):
            self.postorder[v] = place

    def lca(self, x, y):
        while x != y:
            if x < 0 or y < 0:
                return -1
            if self.depths[x] >= self.depths[y]:
                x = self.parents[x]
            else:
                y = self.parents[y]
        return x

    def subtree(self, v):
        return self.order[self.preorder[v] : self.preorder[v] + self.sizes[v]]


NAMES = ["roots", "depths", "sizes", "order", "preorder", "postorder", "trees"]


def check(forest, walked):
    for name in NAMES:
        assert np.array_equal(getattr(forest, name), getattr(walked, name)), name
    offsets, nodes = forest.children
    rows = [nodes[offsets[v] : offsets[v + 1]].tolist() for v in range(len(forest))]
    assert rows == walked.children and nodes[offsets[-1] :].tolist() == walked.trees


@pytest.mark.parametrize("dtype", LINKS)
@pytest.mark.parametrize("engine", [None, "euler_tour", "pointer_jumping"])
@pytest.mark.parametrize("near", [None, 3, 1])
def test_every_dtype_and_engine(dtype, engine, near, threads):
    parents = some_parents(1500, near=near, itself=True)
    walked = Walked(parents)
    forest = thalweg.Forest(parents.astype(dtype), engine=engine, device="cpu")
    check(forest, walked)
    for name in NAMES:
        assert getattr(forest, name).dtype == np.int32
    assert len(forest) == 1500 and forest.device == "cpu" and forest.engine == (engine or "pointer_jumping")


@given(st.integers(0, 40), st.integers(1, 4), st.integers(0, 99), st.sampled_from([None, 2, 1]))
def test_small_forests(n, trees, seed, near):
    parents = some_parents(n, seed, trees, near, itself=True)
    walked = Walked(parents)
    forest = thalweg.Forest(parents)
    check(forest, walked)
    x, y = np.arange(n)[:, None], np.arange(n)
    assert forest.lca(x, y).tolist() == [[walked.lca(int(i), int(j)) for j in y] for i in range(n)]


@pytest.mark.parametrize("engine", [None, "inlabel", "euler_rmq", "naive"])
@pytest.mark.parametrize("dtype", LINKS)
def test_lowest_common_ancestors(engine, dtype, threads):
    parents = some_parents(2000, 5, near=50)
    walked = Walked(parents)
    forest = thalweg.Forest(parents.astype(dtype), lca_engine=engine, device="cpu")
    rng = np.random.default_rng(1)
    x, y = rng.integers(0, 2000, (2, 3000))
    want = [walked.lca(i, j) for i, j in zip(x.tolist(), y.tolist())]
    assert -1 in want and len(set(want)) > 20
    for of_x in LINKS:
        for of_y in ["i4", "u8"]:
            got = forest.lca(x.astype(of_x), y.astype(of_y))
            assert got.dtype == np.dtype("i8" if "8" in of_x + of_y else "i4")
            assert np.array_equal(got, want)
        pairs = np.stack([x, y], axis=1).astype(of_x)
        got = forest.lca_pairs(pairs)
        assert got.dtype == np.dtype(f"i{pairs.itemsize}") and np.array_equal(got, want)
    assert [forest.lca(i, j) for i, j in zip(x[:100].tolist(), y[:100].tolist())] == want[:100]
    assert type(forest.lca(0, 0)) is int and forest.lca(np.int64(7), np.array(7)) == 7


def test_large_forests(threads):
    n = 200_000
    parents = np.maximum((np.arange(n) - 1) // 2, -1)  # a heap
    parents[0] = -1
    forest = thalweg.Forest(parents)
    assert np.array_equal(forest.depths, np.floor(np.log2(np.arange(1, n + 1))))
    rng = np.random.default_rng(2)
    x, y = rng.integers(0, n, (2, n))
    want_x, want_y = x + 1, y + 1
    while (want_x != want_y).any():
        want_x, want_y = np.where(want_x > want_y, want_x // 2, want_x), np.where(want_y > want_x, want_y // 2, want_y)
    assert np.array_equal(forest.lca(x, y), want_x - 1)
    path = thalweg.Forest(np.arange(-1, n - 1, dtype="i4"))
    assert np.array_equal(path.sizes, np.arange(n)[::-1] + 1)
    assert np.array_equal(path.lca(x, y), np.minimum(x, y))


def test_broadcasting_and_out():
    forest = thalweg.Forest([2, 0, -1, 2, -1])
    assert forest.lca([[0], [1]], [0, 3, 4]).tolist() == [[0, 2, -1], [0, 2, -1]]
    assert forest.lca([], []).shape == (0,) and forest.lca_pairs(np.zeros((0, 2), "i4")).shape == (0,)
    out = np.zeros(3, "i8")
    assert forest.lca(1, [0, 3, 4], out=out) is out and out.tolist() == [0, 2, -1]
    assert forest.lca_pairs([[1, 0], [1, 3], [1, 4]], out=out) is out
    with pytest.raises(TypeError, match="out: dtype int32"):
        forest.lca(1, [0, 3, 4], out=np.zeros(3, "i4"))
    with pytest.raises(ValueError, match="out: shape"):
        forest.lca(1, [0, 3, 4], out=np.zeros(2, "i8"))
    with pytest.raises(ValueError, match="out: one query"):
        forest.lca(1, 2, out=np.zeros(1, "i8"))
    with pytest.raises(ValueError, match="do not go together"):
        forest.lca([0, 1], [0, 1, 2])
    with pytest.raises(ValueError, match=r"pairs have \(queries, 2\)"):
        forest.lca_pairs([[1, 2, 3]])


@pytest.mark.parametrize("wide", [False, True])
def test_nodes_that_do_not_exist(wide):
    forest = thalweg.Forest(np.array([2, 0, -1, 2, -1], "i8" if wide else "i4"))
    for bad in [5, -1, -(2**40), 2**70]:
        for pair in [(bad, 0), (0, bad)]:
            with pytest.raises(IndexError, match="there is no node .*, only 5") as error:
                forest.lca(*pair)
            assert error.value.row is None
    for bad, dtype in [(5, "i4"), (-1, "i4"), (-1, "i8"), (2**40, "i8"), (2**32, "u8"), (2**32 - 1, "u4")]:
        column = np.array([0, 1, 2, bad, bad, 0]).astype(dtype)
        said = rf"query 3: there is no node {bad}, only 5"
        with pytest.raises(IndexError, match=said) as error:
            forest.lca(column, np.zeros(6, dtype))
        assert error.value.row == 3
        with pytest.raises(IndexError, match=said) as error:
            forest.lca_pairs(np.stack([np.zeros(6, dtype), column], axis=1))
        assert error.value.row == 3
        with pytest.raises(IndexError, match=said) as error:
            forest.subtree([1, 2, 3, 4, 5], "min", column)
        assert error.value.row == 3
    with pytest.raises(IndexError) as error:
        forest.lca(np.arange(5000) % 5 + (np.arange(5000) == 4321) * 5, 0)
    assert error.value.row == 4321
    with pytest.raises(IndexError):
        thalweg.Forest([]).lca(0, 0)
    with pytest.raises(TypeError, match="integers"):
        forest.lca([0.5], 0)


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
@pytest.mark.parametrize("links", ["i4", "u8"])
def test_best_of_subtrees(dtype, links, threads):
    n = 700
    parents = some_parents(n, 3, near=30)
    walked, forest = Walked(parents), thalweg.Forest(parents.astype(links))
    values = array_of(dtype, n)
    for order in ["min", "max"]:
        rank = ranks(values, order).tolist()
        best = np.array([min(walked.subtree(v), key=rank.__getitem__) for v in range(n)])
        where = forest.subtree(values, f"arg{order}")
        assert where.dtype == forest.depths.dtype and np.array_equal(where, best)
        found = forest.subtree(values, order)
        assert found.dtype == values.dtype and found.tobytes() == values[best].tobytes()
        nodes = np.random.default_rng(0).integers(0, n, (5, 7)).astype("i4")
        assert forest.subtree(values, order, nodes).tobytes() == values[best[nodes]].tobytes()
        assert np.array_equal(forest.subtree(values, f"arg{order}", nodes.astype("u8")), best[nodes])
        assert type(forest.subtree(values, f"arg{order}", 5)) is int
        assert forest.subtree(values, f"arg{order}", 5) == best[5]
        assert forest.subtree(values, order, 5).tobytes() == values[best[5]].tobytes()
        assert forest.subtree(values, order, 5).dtype == values.dtype


@pytest.mark.parametrize("dtype", ["?", "u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8"])
def test_sums_of_subtrees(dtype, threads):
    n = 500
    parents = some_parents(n, 4, near=20)
    walked, forest = Walked(parents), thalweg.Forest(parents)
    values = array_of(dtype, n)
    want = [sum(int(values[u]) for u in walked.subtree(v)) for v in range(n)]
    sums = forest.subtree(values, "sum")
    assert sums.dtype == (np.uint64 if np.dtype(dtype).kind == "u" else np.int64) and sums.tolist() == want
    assert forest.subtree(values, "sum", [3, 3, 4]).tolist() == [want[3], want[3], want[4]]
    assert forest.subtree(values, "sum", 3) == want[3]
    assert thalweg.Forest([-1, 0]).subtree(np.full(2, 2**32 - 1, "u4"), "sum")[0] == 2**33 - 2


def test_bad_subtrees():
    forest = thalweg.Forest([2, 0, -1, 2, -1])
    with pytest.raises(ValueError, match="expected 5 elements, got 4"):
        forest.subtree([1, 2, 3, 4])
    with pytest.raises(ValueError, match="expected 5 elements, got 4"):
        forest.subtree([1, 2, 3, 4], "sum")
    with pytest.raises(ValueError, match="what: 'mean' is none of"):
        forest.subtree([1, 2, 3, 4, 5], "mean")
    with pytest.raises(TypeError, match="sums are exact, in integers"):
        forest.subtree([0.5] * 5, "sum")
    with pytest.raises(TypeError, match="complex"):
        forest.subtree([1j] * 5)
    with pytest.raises(TypeError, match="nodes: .*integers"):
        forest.subtree([1, 2, 3, 4, 5], "min", [0.5])


def test_what_is_no_forest():
    for engine in [None, "euler_tour"]:
        with pytest.raises(ValueError, match="node 1 points to 9, but there are only 3") as error:
            thalweg.Forest([-1, 9, 0], engine=engine)
        assert error.value.element == 1
        for dtype in ["i4", "i8"]:
            with pytest.raises(ValueError, match="node 2 points to -5, but there are only 3; -1 is none") as error:
                thalweg.Forest(np.array([-1, 0, -5], dtype), engine=engine)
            assert error.value.element == 2
        with pytest.raises(ValueError, match="node 40001 points to 4294967296, but there are only 50000") as error:
            thalweg.Forest(np.where(np.arange(50_000) > 40_000, 2**32, 0), engine=engine)
        assert error.value.element == 40_001
        with pytest.raises(ValueError, match="node 0 points to 18446744073709551614"):
            thalweg.Forest(np.array([2**64 - 2], "u8"), engine=engine)
        with pytest.raises(ValueError, match="node 1 is on a cycle") as error:
            thalweg.Forest([-1, 3, 1, 2], engine=engine)
        assert error.value.element == 1
    with pytest.raises(TypeError, match="links are positions"):
        thalweg.Forest([0.0, 1.0])
    with pytest.raises(ValueError, match="unknown forest engine"):
        thalweg.Forest([-1], engine="magic")
    with pytest.raises(ValueError, match="unknown lca engine"):
        thalweg.Forest([-1], lca_engine="magic")


def test_layouts_and_copies():
    parents = some_parents(300)
    walked = Walked(parents)
    spread = np.full(600, 7)
    spread[::2] = parents
    read_only = parents.copy()
    read_only.flags.writeable = False
    for other in [spread[::2], parents.astype(">i8"), parents.astype("i2"), parents.tolist(), read_only]:
        check(thalweg.Forest(other), walked)
    assert thalweg.Forest(parents).parents is parents
    assert thalweg.Forest(parents, copy=False).parents is parents
    assert thalweg.Forest(parents, copy=True).parents is not parents
    with pytest.raises(ValueError, match="not contiguous"):
        thalweg.Forest(spread[::2], copy=False)
    with pytest.raises(ValueError, match="int16 must be converted"):
        thalweg.Forest(parents.astype("i2"), copy=False)


def test_empty_and_single():
    empty = thalweg.Forest([])
    check(empty, Walked([]))
    assert len(empty) == 0 and empty.subtree([]).shape == (0,) and empty.subtree([], "sum").shape == (0,)
    one = thalweg.Forest(np.array([-1], "i4"))
    check(one, Walked([-1]))
    assert one.lca(0, 0) == 0 and one.subtree([7], "argmax").tolist() == [0]


def test_attributes_are_read_only_and_outlive_the_forest():
    forest = thalweg.Forest(some_parents(1000))
    depths = forest.depths
    want = depths.copy()
    with pytest.raises(ValueError):
        depths[0] = 1
    assert np.shares_memory(depths, forest.depths)
    del forest
    gc.collect()
    filler = [np.ones(1000) for _ in range(50)]
    assert np.array_equal(depths, want) and len(filler) == 50


def test_pickles_and_copies():
    parents = some_parents(200).astype("i4")
    forest = thalweg.Forest(parents, engine="euler_tour", lca_engine="naive", device="cpu")
    for other in [pickle.loads(pickle.dumps(forest)), copy.copy(forest), copy.deepcopy(forest)]:
        assert other.engine == "euler_tour" and other.parents.dtype == np.int32
        check(other, Walked(parents))
        assert np.array_equal(other.lca(0, np.arange(200)), forest.lca(0, np.arange(200)))
    assert repr(forest) == "<thalweg.Forest: 200 nodes, parents int32, euler_tour on the CPU>"


def test_several_threads_ask_first():
    parents = some_parents(50_000, near=100)
    x, y = np.random.default_rng(0).integers(0, 50_000, (2, 1000))
    want = thalweg.Forest(parents).lca(x, y)
    for engine in [None, "euler_tour"]:
        forest = thalweg.Forest(parents, engine=engine)
        with ThreadPoolExecutor(8) as pool:
            answers = [pool.submit(forest.lca, x, y) for _ in range(8)]
            places = [pool.submit(lambda: forest.postorder) for _ in range(8)]
            assert all(np.array_equal(a.result(), want) for a in answers)
            first = places[0].result()
            assert all(np.shares_memory(p.result(), first) for p in places)


def test_in_a_child():
    parents = some_parents(20_000, near=100)
    asked, unasked = thalweg.Forest(parents), thalweg.Forest(parents)
    x, y = np.random.default_rng(0).integers(0, 20_000, (2, 1000))
    want = asked.lca(x, y)

    def work():
        for forest in [asked, unasked, thalweg.Forest(parents)]:
            assert np.array_equal(forest.lca(x, y), want)
            assert forest.subtree(np.arange(20_000), "max")[forest.trees[0]] >= forest.trees[0]
            assert forest.postorder.sum() == 20_000 * 19_999 // 2

    assert in_a_child(work) == 0


def test_a_child_made_while_the_index_is_being_made():
    """Locks that another thread of the parent holds are not waited for."""
    forest = thalweg.Forest(np.arange(-1, 400_000 - 1))
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(forest.lca, 5, 9)
        codes = [in_a_child(lambda: forest.lca(5, 9) == 5 or 1 / 0) for _ in range(2)]
        assert asked.result() == 5
    assert codes == [0, 0]
