"""Shortest paths, against Dijkstra's algorithm in pairs of integers."""

from __future__ import annotations

import heapq
import pickle
from concurrent.futures import ThreadPoolExecutor
from functools import total_ordering

import numpy as np
import pytest
import thalweg
from conftest import EVERY_DTYPE, in_a_child
from hypothesis import given
from hypothesis import strategies as st
from thalweg.path import Graph, Map


@total_ordering
class Length:
    """a + b sqrt(2), compared exactly."""

    def __init__(self, a, b):
        self.a, self.b = a, b

    def __eq__(self, other):
        return (self.a, self.b) == (other.a, other.b)

    def __lt__(self, other):
        a, b = self.a - other.a, self.b - other.b  # a + b sqrt(2) < 0?
        if a <= 0 and b <= 0:
            return (a, b) != (0, 0)
        if a >= 0 and b >= 0:
            return False
        return a * a > 2 * b * b if a < 0 else 2 * b * b > a * a


def oracle(costs, start, moves):
    """Lengths from a cell to all others; costs of 0 are walls."""
    rows, columns = costs.shape
    free = lambda r, c: 0 <= r < rows and 0 <= c < columns and costs[r, c] > 0
    found = {}
    queue = [(Length(0, 0), start)] if free(*start) else []
    while queue:
        length, (r, c) = heapq.heappop(queue)
        if (r, c) in found:
            continue
        found[r, c] = length
        for dr in (-1, 0, 1):
            for dc in (-1, 0, 1):
                if not free(r + dr, c + dc):
                    continue
                cost = int(costs[r + dr, c + dc])
                if abs(dr) + abs(dc) == 1:
                    heapq.heappush(queue, (Length(length.a + cost, length.b), (r + dr, c + dc)))
                elif abs(dr) + abs(dc) == 2 and moves == 8 and free(r + dr, c) and free(r, c + dc):
                    heapq.heappush(queue, (Length(length.a, length.b + cost), (r + dr, c + dc)))
    return found


@given(st.data())
def test_maps(data):
    rows, columns = data.draw(st.integers(1, 7)), data.draw(st.integers(1, 7))
    with_costs = data.draw(st.booleans())
    cell = st.sampled_from([0, 1, 1, 2, 5]) if with_costs else st.sampled_from([0, 0, 0, 1])
    cells = np.array(data.draw(st.lists(cell, min_size=rows * columns, max_size=rows * columns))).reshape(rows, columns)
    costs = cells if with_costs else (cells == 0).astype(int)
    moves = data.draw(st.sampled_from([4, 8]))
    engine = data.draw(st.sampled_from([None, "buckets", "dijkstra"]))
    m = Map(cells, with_costs, moves, engine=engine)
    start = (data.draw(st.integers(0, rows - 1)), data.draw(st.integers(0, columns - 1)))
    want = oracle(costs, start, moves)
    goals = np.stack(np.indices((rows, columns)), -1)
    exact = m.exact_lengths(start, goals)
    assert exact.dtype == np.int64 and exact.shape == (rows, columns, 2)
    for r in range(rows):
        for c in range(columns):
            length = want.get((r, c))
            assert exact[r, c].tolist() == ([length.a, length.b] if length else [-1, -1])
    want_floats = np.where(exact[..., 0] < 0, np.inf, exact @ [1.0, 2**0.5])
    lengths = m.lengths(start, goals)
    assert lengths.dtype == np.float64 and np.allclose(lengths, want_floats)
    all_lengths, places, offsets = m.paths(start, goals)
    assert np.array_equal(all_lengths, lengths) and offsets.shape == (rows * columns + 1,)
    for i, goal in enumerate(goals.reshape(-1, 2)):
        path = places[offsets[i] : offsets[i + 1]]
        alone = m.path(start, goal)
        if np.isinf(lengths[tuple(goal)]):
            assert len(path) == 0 and alone is None
            continue
        assert np.array_equal(path, alone)
        assert path[0].tolist() == list(start) and path[-1].tolist() == goal.tolist()
        steps = np.abs(np.diff(path, axis=0)).sum(1)
        entered = costs[tuple(path[1:].T)]
        assert [entered[steps == 1].sum(), entered[steps == 2].sum()] == exact[tuple(goal)].tolist()


def test_broadcasting_and_single_queries():
    m = Map(np.zeros((4, 5)))
    assert m.lengths([0, 0], [0, 3]) == 3.0 and isinstance(m.lengths((0, 0), (0, 3)), float)
    assert m.exact_lengths([0, 0], [3, 3]).tolist() == [0, 3]
    starts = np.array([[0, 0], [1, 0], [2, 0]])
    assert m.lengths(starts[:, None], [[0, 4], [0, 0]]).shape == (3, 2)
    assert m.lengths(np.zeros((0, 2), int), [0, 0]).shape == (0,)
    lengths, cells, offsets = m.paths(np.zeros((0, 2), int), [0, 0])
    assert lengths.shape == (0,) and cells.shape == (0, 2) and offsets.tolist() == [0]
    lengths, cells, offsets = m.paths([0, 0], [0, 0])
    assert lengths == 0 and cells.tolist() == [[0, 0]] and offsets.tolist() == [0, 1]


@pytest.mark.parametrize("dtype", [*EVERY_DTYPE, ">i4", ">f8"])
def test_walls_of_every_dtype(dtype):
    walls = np.array([[0, 1, 0], [0, 1, 0], [0, 0, 0]])
    for view in (lambda a: a, lambda a: np.asfortranarray(a), lambda a: np.repeat(a, 2, 0)[::2]):
        cells = view(walls.astype("i8").astype(dtype))
        cells.flags.writeable = False
        assert np.array_equal(Map(cells).cells, walls)
        assert Map(cells, moves=4).lengths([0, 0], [0, 2]) == 6


def test_costs():
    hills = np.array([[1, 9, 1], [1, 2, 1]], ">u2")
    m = Map(hills, costs=True, moves=4)
    assert m.lengths([0, 0], [0, 2]) == 5 and m.has_costs and m.engine == "buckets"
    assert m.cells.dtype == np.uint32 and np.array_equal(m.cells, hills)
    huge = Map(np.full((1, 3), 2**32 - 1), costs=True)
    assert huge.exact_lengths([0, 0], [0, 2]).tolist() == [2 * (2**32 - 1), 0]
    for bad in (-1, 2**32):
        with pytest.raises(ValueError, match=f"{bad} at row 1 and column 0") as raised:
            Map([[1, 1], [bad, 1]], costs=True)
        assert raised.value.element == 2


@pytest.mark.parametrize(
    "ask, error, message, row",
    [
        (
            lambda m: m.lengths([0, 0], [[0, 1], [0, 9]]),
            IndexError,
            "query 1: row 0 and column 9 are not on a map of 3 x 3",
            1,
        ),
        (lambda m: m.lengths([[0, 0], [-1, 2]], [0, 0]), IndexError, "query 1: row -1", 1),
        (lambda m: m.lengths([2**40, 0], [0, 0]), IndexError, "^row 1099511627776", None),
        (lambda m: m.path([0, 0], [3, 0]), IndexError, "row 3", None),
        (lambda m: m.lengths([0, 0, 0], [0, 0, 0]), ValueError, "start: shape", None),
        (lambda m: m.lengths(0, [0, 0]), ValueError, "start: shape", None),
        (lambda m: m.lengths([[0, 0]] * 2, [[0, 0]] * 3), ValueError, "do not go together", None),
        (lambda m: m.lengths([0.0, 0.5], [0, 0]), TypeError, "integers", None),
        (lambda m: m.path([[0, 0]], [0, 0]), ValueError, "paths takes many", None),
        (lambda m: Map([0, 1]), ValueError, "cells: shape", None),
        (lambda m: Map([[0]], moves=6), ValueError, "moves: 6", None),
        (lambda m: Map([[0.5]], costs=True), TypeError, "integers", None),
        (lambda m: Map([[1]], costs=True, engine="jump"), ValueError, "", None),
        (lambda m: Map([[1]], engine="fly"), ValueError, "unknown", None),
        (lambda m: Map(np.zeros((2, 2), object)), TypeError, "astype", None),
    ],
)
def test_refused(ask, error, message, row):
    with pytest.raises(error, match=message or None) as raised:
        ask(Map(np.zeros((3, 3))))
    assert isinstance(raised.value, thalweg.Error)
    assert getattr(raised.value, "row", None) == row


def test_empty_maps():
    m = Map(np.zeros((0, 5)))
    assert m.shape == (0, 5) and m.lengths(np.zeros((0, 2), int), np.zeros((0, 2), int)).shape == (0,)
    with pytest.raises(IndexError):
        m.lengths([0, 0], [0, 0])


def test_maps_are_described_and_pickled():
    cells = np.random.default_rng(1).integers(0, 4, (20, 30))
    for m in (Map(cells > 2), Map(cells, True, 4, engine="dijkstra", expected_queries=9)):
        again = pickle.loads(pickle.dumps(m))
        assert repr(again) == repr(m) and again.engine == m.engine and np.array_equal(again.cells, m.cells)
        goals = np.argwhere(cells == 1)
        assert np.array_equal(again.lengths([0, 0], goals), m.lengths([0, 0], goals))
    assert repr(Map(cells)) == "<thalweg.path.Map: 20 x 30, 8 moves, jump on the CPU>"
    assert Map(cells).device == "cpu" and Map(cells).chosen.startswith("jump on the CPU") and Map(cells).moves == 8


# Graphs.


def dijkstra(arcs, weights, nodes, source):
    lengths = {}
    queue = [(0, source)]
    while queue:
        length, v = heapq.heappop(queue)
        if v not in lengths:
            lengths[v] = length
            for (a, b), weight in zip(arcs, weights):
                if a == v:
                    heapq.heappush(queue, (length + weight, b))
    return [lengths.get(v, -1) for v in range(nodes)]


@given(
    st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6), st.sampled_from([0, 1, 2, 5, 2**32 - 1])), max_size=20),
    st.integers(7, 9),
    st.integers(0, 6),
)
def test_graphs(rows, nodes, source):
    arcs, weights = [(a, b) for a, b, _ in rows], [w for *_, w in rows]
    g = Graph(np.array(arcs, "i8").reshape(-1, 2), np.array(weights, "i8"), nodes)
    assert len(g) == nodes and g.arcs == len(arcs)
    want = dijkstra(arcs, weights, nodes, source)
    lengths = g.lengths(source, np.arange(nodes))
    assert lengths.dtype == np.int64 and lengths.tolist() == want
    again, vertices, offsets = g.paths(source, np.arange(nodes))
    assert again.tolist() == want
    for target in range(nodes):
        path = vertices[offsets[target] : offsets[target + 1]].tolist()
        alone = g.path(source, target)
        if want[target] < 0:
            assert path == [] and alone is None
            continue
        assert alone.tolist() == path and path[0] == source and path[-1] == target
        cheapest = [min(w for arc, w in zip(arcs, weights) if arc == step) for step in zip(path, path[1:])]
        assert sum(cheapest) == want[target]
    # What is left to vertex 0, which is feasible.
    back = dijkstra([(b, a) for a, b in arcs], weights, nodes, 0)
    if min(back) >= 0:
        assert g.lengths(source, 0, back) == want[0]
        assert g.path(source, 0, back).tolist() == vertices[: offsets[1]].tolist()
    again = pickle.loads(pickle.dumps(g))
    assert repr(again) == repr(g) and again.lengths(source, np.arange(nodes)).tolist() == want


def test_sparse_rows():
    g = Graph.from_csr(np.array([0, 2, 3, 3], "i4"), np.array([1, 2, 2], "i4"), np.array([4, 9, 4], "u1"))
    assert g.lengths([0, 1, 2], 2).tolist() == [8, 4, 0]
    assert repr(g) == "<thalweg.path.Graph: 3 vertices, 3 arcs>"
    assert isinstance(g.lengths(0, 2), int) and g.lengths([[0], [1]], [1, 2]).shape == (2, 2)
    assert len(Graph([], [])) == 0 and len(Graph([], [], 4)) == 4


GRAPH = Graph([[0, 1], [1, 2]], [1, 2])


@pytest.mark.parametrize(
    "ask, error, message, place",
    [
        (lambda: GRAPH.lengths([0, 3], 0), IndexError, "query 1: there is no vertex 3, only 3", ("row", 1)),
        (lambda: GRAPH.lengths(0, -1), IndexError, "^there is no vertex -1", ("row", None)),
        (lambda: GRAPH.path([0, 1], 2), ValueError, "paths takes many", ("element", None)),
        (lambda: GRAPH.lengths(0, 2, [9, 0, 0]), ValueError, "potentials", ("element", None)),
        (lambda: GRAPH.lengths(0, 2, [0, 0]), ValueError, "potentials", ("element", None)),
        (lambda: GRAPH.lengths(0, 2, [-1, 0, 0]), ValueError, "potentials", ("element", None)),
        (lambda: GRAPH.lengths(0.0, 2), TypeError, "integers", ("row", None)),
        (lambda: Graph([[0, 1]], [1.5]), TypeError, "integers", ("row", None)),
        (lambda: Graph([[0, 1]], [-1]), ValueError, "weights: -1 at 0", ("element", 0)),
        (lambda: Graph([[0, 1]] * 2, [1, 2**32]), ValueError, "weights: 4294967296 at 1", ("element", 1)),
        (lambda: Graph([[0, 1]], [1, 2]), ValueError, "weights", ("element", None)),
        (lambda: Graph([[0, 1], [1, -1]], [1, 2]), ValueError, "arc 1: there is no vertex -1", ("element", 1)),
        (lambda: Graph([[0, 1], [1, 5]], [1, 2], 3), ValueError, "edge 1: there is no node 5", ("element", 1)),
        (lambda: Graph([0, 1], [1, 2]), ValueError, "arcs: shape", ("element", None)),
        (lambda: Graph.from_csr([0, 2, 1], [0], [1]), ValueError, "offset", ("element", None)),
        (lambda: Graph.from_csr([], [], []), ValueError, "offset", ("element", None)),
        (lambda: Graph.from_csr([0, -1, 1], [0], [1]), ValueError, "offset", ("element", None)),
        (lambda: Graph.from_csr([0, 1], [7], [1]), ValueError, "no node 7", ("element", 0)),
    ],
)
def test_refused_graphs(ask, error, message, place):
    with pytest.raises(error, match=message or None) as raised:
        ask()
    assert isinstance(raised.value, thalweg.Error)
    assert getattr(raised.value, place[0], None) == place[1]


def work():
    walls = np.random.default_rng(7).integers(0, 4, (25, 25)) == 0
    walls[0, 0] = False
    m, slow = Map(walls), Map(walls, engine="dijkstra")
    goals = np.stack(np.indices((25, 25)), -1)
    assert np.array_equal(m.exact_lengths([0, 0], goals), slow.exact_lengths([0, 0], goals))
    assert GRAPH.lengths(0, 2) == 3


def test_several_threads_at_once():
    with ThreadPoolExecutor(4) as pool:
        for done in [pool.submit(work) for _ in range(4)]:
            done.result()


def test_after_a_fork():
    work()
    assert in_a_child(work) == 0
