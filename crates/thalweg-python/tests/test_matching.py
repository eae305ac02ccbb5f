"""Maximum matchings, against all subsets of edges, and their proofs."""

from __future__ import annotations


import numpy as np
import pytest
from conftest import INTEGERS, is_refused, works_everywhere
from hypothesis import given
from hypothesis import strategies as st
from thalweg.matching import maximum_matching, verify_matching

ENGINES = [None, "forest", "tutte", "naive"]


def most(edges):
    """The size of a maximum matching, by trying each edge and leaving it out."""
    if not edges:
        return 0
    (a, b), *rest = edges
    without = most(rest)
    if a == b:
        return without
    return max(without, 1 + most([e for e in rest if not {a, b} & set(e)]))


def expect_proved(edges, partners, labels, nodes):
    """The bound of Tutte and Berge, counted here."""
    assert len(partners) == len(labels) == nodes
    pairs = {frozenset(e) for e in edges if e[0] != e[1]}
    for v, u in enumerate(partners.tolist()):
        assert u == -1 or (partners[u] == v and frozenset((u, v)) in pairs)
    left = {v for v in range(nodes) if labels[v] != 1}
    odd = 0
    while left:
        part, todo = set(), [left.pop()]
        while todo:
            v = todo.pop()
            part.add(v)
            near = {next(iter(p - {v})) for p in pairs if v in p} & left
            left -= near
            todo += near
        odd += len(part) % 2
        assert {int(labels[v]) for v in part} == {2 if len(part) % 2 else 0}
    assert 2 * int((partners >= 0).sum() // 2) == nodes + int((labels == 1).sum()) - odd


@given(
    st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=12), st.integers(8, 10), st.sampled_from(ENGINES)
)
def test_small_graphs(edges, nodes, engine):
    array = np.array(edges, "i8").reshape(-1, 2)
    partners, labels = maximum_matching(array, nodes, engine=engine)
    assert partners.dtype == np.int32 and labels.dtype == np.uint8
    assert int((partners >= 0).sum()) == 2 * most(edges)
    expect_proved(edges, partners, labels, nodes)
    assert verify_matching(array, partners, labels) == most(edges)


@pytest.mark.parametrize("dtype", [*INTEGERS, ">i4", ">u8"])
def test_every_dtype_and_layout(dtype):
    edges = np.array([[0, 1], [1, 2], [2, 3], [3, 4]], dtype)
    want = maximum_matching(edges.astype("i8"))
    edges.flags.writeable = False
    for view in (edges, np.asfortranarray(edges), np.repeat(edges, 2, 0)[::2], edges[:, ::-1]):
        got = maximum_matching(view)
        assert got[0].shape == (5,) and np.array_equal(got[1], want[1])
        assert verify_matching(view, *got) == 2


def test_nothing():
    for edges in ([], np.zeros((0, 2), "u4")):
        partners, labels = maximum_matching(edges)
        assert partners.shape == labels.shape == (0,)
        partners, labels = maximum_matching(edges, 3)
        assert partners.tolist() == [-1] * 3 and labels.tolist() == [2] * 3


def test_seeds():
    cycle = np.array([[v, (v + 1) % 9] for v in range(9)])
    for seed in (0, 1, 2**64 - 1):
        assert verify_matching(cycle, *maximum_matching(cycle, engine="tutte", seed=seed)) == 4


def test_as_networkx_does():
    networkx = pytest.importorskip("networkx")
    graph = networkx.gnm_random_graph(200, 260, seed=5)
    edges = np.array(graph.edges)
    partners, labels = maximum_matching(edges, 200)
    assert int((partners >= 0).sum()) // 2 == len(networkx.max_weight_matching(graph, maxcardinality=True))
    assert verify_matching(edges, partners, labels) == int((partners >= 0).sum()) // 2


def test_sparse_matrices():
    sparse = pytest.importorskip("scipy.sparse")
    matrix = sparse.csr_matrix(([1, 1], ([0, 1], [1, 2])), shape=(5, 5))
    partners, labels = maximum_matching(matrix)
    assert partners.shape == (5,) and labels.tolist() == [2, 1, 2, 2, 2]
    assert verify_matching(matrix, partners, labels) == 1
    with pytest.raises(ValueError, match="square"):
        maximum_matching(sparse.csr_matrix((2, 3)))


@pytest.mark.parametrize(
    "ask, error, message, element",
    [
        (lambda: maximum_matching([[0, 1], [1, 5]], 5), ValueError, "edge 1: there is no node 5, only 5", 1),
        (lambda: maximum_matching([[0, 1], [2, 3], [1, -2]]), ValueError, "edge 2: a vertex below 0", 2),
        (lambda: maximum_matching(np.array([[0, -1]], "i4")), ValueError, "edge 0: a vertex below 0", 0),
        (lambda: maximum_matching([[0, 1, 2]]), ValueError, "edges: shape", None),
        (lambda: maximum_matching([[0.5, 1.0]]), TypeError, "integers", None),
        (lambda: maximum_matching([[0, 1]], engine="quick"), ValueError, "unknown matching engine", None),
        (lambda: maximum_matching([[0, 30]], engine="naive"), ValueError, "22", None),
        (lambda: verify_matching([[0, 1]], [-1, -1], [0, 0]), ValueError, "0 pairs", None),
        (lambda: verify_matching([[0, 1]], [1, 2], [0, 0]), ValueError, "vertex 0", None),
        (lambda: verify_matching([[0, 1]], [1, 2**40], [0, 0]), ValueError, "vertex 0", None),
        (lambda: verify_matching([[0, 1], [1, 2]], [2, -1, 0], [2, 1, 2]), ValueError, "no edge", None),
        (lambda: verify_matching([[0, 1]], [1, 0], [0, 7]), ValueError, "labels", None),
        (lambda: verify_matching([[0, 1]], [1, 0], [0]), ValueError, "same graph", None),
        (lambda: verify_matching([[0, -1]], [1, 0], [0, 0]), ValueError, "below 0", None),
    ],
)
def test_refused(ask, error, message, element):
    is_refused(ask, error, message, element)


def work():
    edges = np.random.default_rng(2).integers(0, 20_000, (30_000, 2))
    verify_matching(edges, *maximum_matching(edges))


def test_on_threads_and_after_forks():
    works_everywhere(work)
