"""Convex hulls, against a sequential one in Python's integers and fractions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
import thalweg
from conftest import NUMBERS, works_everywhere
from hypothesis import given
from hypothesis import strategies as st
from thalweg.hull import convex_hull

ENGINES = [None, "slabs", "chains", "wagener", "graham", "naive"]


def oracle(points, boundary=False):
    """Andrew's chains, exact; of equal points the first."""
    places = {}
    for i, (x, y) in enumerate(points):
        places.setdefault((Fraction(x), Fraction(y)), i)
    order = sorted(places)
    if len(order) < 3:
        return [places[p] for p in order]

    def chain(order):
        stack = []
        for p in order:
            while len(stack) > 1:
                (ax, ay), (bx, by) = stack[-2:]
                turn = (bx - ax) * (p[1] - ay) - (by - ay) * (p[0] - ax)
                if turn > 0 or (turn == 0 and boundary):
                    break
                stack.pop()
            stack.append(p)
        return stack

    lower, upper = chain(order), chain(order[::-1])
    if boundary and len(lower) == len(order) and len(upper) == len(order):
        return [places[p] for p in order]  # all on one line
    return [places[p] for p in lower[:-1] + upper[:-1]]


@given(st.data(), st.booleans(), st.sampled_from(ENGINES), st.sampled_from(NUMBERS))
def test_small_grids(data, boundary, engine, dtype):
    low = -3 if dtype[0] != "u" else 0
    points = data.draw(st.lists(st.tuples(st.integers(low, 4), st.integers(low, 4)), max_size=40))
    array = np.array(points, dtype).reshape(-1, 2)
    got = convex_hull(array, boundary, engine=engine)
    assert got.dtype == np.int32
    assert got.tolist() == oracle(points, boundary)


@given(
    st.lists(st.tuples(*[st.floats(allow_nan=False, allow_infinity=False)] * 2), max_size=12), st.sampled_from(ENGINES)
)
def test_any_doubles(points, engine):
    assert convex_hull(np.array(points).reshape(-1, 2), engine=engine).tolist() == oracle(points)


def test_large_integers():
    top = 2**63 - 1
    points = [[-top, -top], [top, -top], [top, top], [-top, top], [0, -top], [1, 1 - top]]
    assert convex_hull(np.array(points)).tolist() == oracle(points)
    points = [[0, 0], [2**64 - 1, 0], [2**64 - 1, 2**64 - 1], [2**63, 2**63 - 1]]
    assert convex_hull(np.array(points, "u8")).tolist() == oracle(points)


def test_many_points():
    points = np.random.default_rng(3).standard_normal((100_000, 2))
    want = convex_hull(points, engine="graham")
    assert np.array_equal(convex_hull(points), want)
    spatial = pytest.importorskip("scipy.spatial")
    vertices = spatial.ConvexHull(points).vertices
    start = int(np.flatnonzero(vertices == want[0])[0])
    assert np.array_equal(np.roll(vertices, -start), want)


@pytest.mark.parametrize(
    "view",
    [
        lambda a: a[::2],
        lambda a: a[:, ::-1],
        lambda a: np.asfortranarray(a),
        lambda a: a.astype(">f8"),
        lambda a: a.tolist(),
        lambda a: a.astype("f4"),
    ],
)
def test_layouts(view):
    points = view(np.random.default_rng(4).integers(-50, 50, (200, 2)).astype("f8"))
    if isinstance(points, np.ndarray):
        points.flags.writeable = False
    assert convex_hull(points).tolist() == oracle(np.asarray(points).tolist())


def test_few_points():
    assert convex_hull([]).tolist() == []
    assert convex_hull(np.zeros((0, 2), "i4")).dtype == np.int32
    assert convex_hull([[3, 4]]).tolist() == [0]
    assert convex_hull([[3, 4], [3, 4]]).tolist() == [0]
    assert convex_hull([[3, 3], [1, 1], [2, 2]]).tolist() == [1, 0]
    assert convex_hull([[3, 3], [1, 1], [2, 2]], boundary=True).tolist() == [1, 2, 0]
    assert convex_hull([[0.0, 0.0], [-0.0, 0.0], [1.0, 0.0]]).tolist() == [0, 2]


@pytest.mark.parametrize(
    "points, error, message",
    [
        ([[1.0, 2.0, 3.0]], ValueError, r"points: shape \[1, 3\]"),
        ([1.0, 2.0], ValueError, "points: shape"),
        (np.zeros((3, 2), bool), TypeError, "booleans"),
        (np.zeros((3, 2), "M8[s]"), TypeError, "times"),
        (np.zeros((3, 2), "c8"), TypeError, "complex"),
        (np.zeros((3, 2), "f2"), TypeError, "float32"),
        (np.zeros((3, 2), object), TypeError, "astype"),
    ],
)
def test_refused(points, error, message):
    with pytest.raises(error, match=message or None) as raised:
        convex_hull(points)
    assert isinstance(raised.value, thalweg.Error)


def test_what_is_not_finite_is_named():
    points = np.zeros((5, 2))
    points[3, 1] = np.nan
    with pytest.raises(ValueError, match="point 3: a coordinate is NaN") as raised:
        convex_hull(points)
    assert raised.value.element == 3
    points[2, 0] = -np.inf
    with pytest.raises(ValueError) as raised:
        convex_hull(points.astype("f4"))
    assert raised.value.element == 2
    with pytest.raises(ValueError, match="unknown hull engine"):
        convex_hull([[0, 0]], engine="quick")


def work():
    points = np.random.default_rng(5).standard_normal((20_000, 2))
    assert np.array_equal(convex_hull(points), convex_hull(points, engine="graham"))


def test_on_threads_and_after_forks():
    works_everywhere(work)
