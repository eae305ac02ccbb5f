"""Envelopes, against fractions."""

from __future__ import annotations

import pickle
from fractions import Fraction

import numpy as np
import pytest
from conftest import NUMBERS, is_refused, works_everywhere
from hypothesis import given
from hypothesis import strategies as st
from thalweg.envelope import Envelope, lower_envelope, raster, upper_envelope

INF = np.inf


def heights(segment, x, side):
    """The height of a segment at x, or None."""
    x1, y1, x2, y2 = map(Fraction, segment)
    if x1 > x2:
        x1, y1, x2, y2 = x2, y2, x1, y1
    if not x1 <= x <= x2:
        return None
    if x1 == x2:
        return (min if side == "lower" else max)(y1, y2)
    return y1 + (y2 - y1) * (x - x1) / (x2 - x1)


def oracle(segments, x, side):
    """The value at x and the first segment that has it."""
    best = (max if side == "upper" else min)(
        (h for s in segments if (h := heights(s, x, side)) is not None), default=None
    )
    if best is None:
        return None, -1
    return best, next(i for i, s in enumerate(segments) if heights(s, x, side) == best)


SEGMENTS = st.lists(st.tuples(*[st.integers(0, 9)] * 4), max_size=12)


@given(
    SEGMENTS,
    st.sampled_from(["lower", "upper"]),
    st.sampled_from([None, "merge", "sweep", "naive"]),
    st.sampled_from(NUMBERS),
)
def test_pieces(segments, side, engine, dtype):
    array = np.array(segments, dtype).reshape(-1, 4)
    e = (lower_envelope if side == "lower" else upper_envelope)(array, engine=engine)
    assert isinstance(e, Envelope) and e.side == side
    assert len(e) == len(e.starts) == len(e.segments) and e.starts.dtype == np.float64 and e.segments.dtype == np.int32
    starts = [e.exact_start(i) for i in range(len(e))]
    assert [float(s) for s in starts] == e.starts.tolist() and starts == sorted(starts)
    # In the middle of every piece its segment is the lowest.
    for i, (a, b) in enumerate(zip(starts, starts[1:])):
        if a < b:
            value, segment = oracle(segments, (a + b) / 2, side)
            own = int(e.segments[i])
            assert (own < 0) == (segment < 0)
            assert own < 0 or heights(segments[own], (a + b) / 2, side) == value
    xs = [Fraction(x, 4) for x in range(-4, 45)]
    want = [oracle(segments, x, side)[0] for x in xs]
    got = e(np.array([float(x) for x in xs]))
    assert got.tolist() == pytest.approx([np.nan if w is None else float(w) for w in want], nan_ok=True, rel=0, abs=0)


@given(
    SEGMENTS, st.sampled_from(["lower", "upper"]), st.sampled_from([None, "raster", "naive"]), st.sampled_from(NUMBERS)
)
def test_rasters(segments, side, engine, dtype):
    array = np.array(segments, dtype).reshape(-1, 4)
    values, ids = raster(array, -2, 12, side, engine=engine)
    assert values.dtype == np.float64 and ids.dtype == np.int32 and len(values) == len(ids) == 14
    for x, value, segment in zip(range(-2, 12), values, ids):
        want, first = oracle(segments, x, side)
        assert segment == first
        assert np.isnan(value) if want is None else value == float(want)


def test_lines_and_rays():
    lines = np.array([[-INF, 1, INF, 0], [-INF, -1, INF, 4], [5, -9, INF, 0]])
    e = lower_envelope(lines)
    assert e.starts.tolist() == [-INF, 2, 5, 13] and e.segments.tolist() == [0, 1, 2, 1]
    assert e.exact_start(0) is None and e.exact_start(-1) == 13
    assert e([-100, 2, 4, 6, 100]).tolist() == [-100, 2, 0, -9, -96]


def test_values_in_every_form():
    e = lower_envelope(np.array([[0, 0, 8, 4]], "i4"))
    assert e(3) == 1.5 and isinstance(e(3), float) and np.isnan(e(9))
    assert np.array_equal(e(np.array([[1, 2], [3, 9]], ">i2")), [[0.5, 1], [1.5, np.nan]], equal_nan=True)
    assert e(np.arange(8, dtype="f4")[::2]).tolist() == [0, 1, 2, 3]
    assert e([]).shape == (0,)
    for bad in (np.nan, INF):
        with pytest.raises(ValueError, match="x 1") as raised:
            e([0.0, bad])
        assert raised.value.element == 1
    with pytest.raises(TypeError, match="numbers"):
        e(np.zeros(2, bool))
    with pytest.raises(IndexError, match="no piece 2"):
        e.exact_start(2)
    with pytest.raises(IndexError):
        e.exact_start(-3)


def test_what_is_told_is_kept():
    e = lower_envelope([[0, 0, 1, 1]])
    assert e.starts is e.starts and not e.starts.flags.writeable and not e.segments.flags.writeable


def test_layouts():
    rows = np.random.default_rng(1).integers(0, 99, (60, 4)).astype("f8")
    want = lower_envelope(rows)
    big = rows.astype(">f8")
    big.flags.writeable = False
    for view in (np.asfortranarray(rows), np.repeat(rows, 2, 0)[::2], big, rows.tolist()):
        got = lower_envelope(view)
        assert np.array_equal(got.starts, want.starts) and np.array_equal(got.segments, want.segments)


def test_described_and_pickled():
    for make in (lower_envelope, upper_envelope):
        e = make([[0, 0, 3, 3], [0, 2, 5, 0]], engine="sweep")
        again = pickle.loads(pickle.dumps(e))
        assert repr(again) == repr(e) and np.array_equal(again.starts, e.starts)
    assert repr(e) == "<thalweg.envelope.Envelope: upper, 4 pieces of 2 segments>"
    assert len(lower_envelope([])) == 0


@pytest.mark.parametrize(
    "ask, error, message, element",
    [
        (lambda: lower_envelope([[0, 0, 1, 1.0], [0, np.nan, 1, 1]]), ValueError, "segment 1: a coordinate is NaN", 1),
        (lambda: lower_envelope([[INF, 0, INF, 1.0]]), ValueError, "segment 0: both ends", 0),
        (lambda: lower_envelope([[0, 0, 1]]), ValueError, r"segments: shape \[1, 3\]", None),
        (lambda: lower_envelope(np.zeros((1, 4), bool)), TypeError, "booleans", None),
        (lambda: lower_envelope([[0, 0, 1, 1]], engine="raster"), ValueError, "raster", None),
        (lambda: raster([[0, 0, 1, 1]], 3, 2), ValueError, "2 lies before 3", None),
        (lambda: raster([[0, 0, 1, 1]], 0, 2**33), ValueError, "grid", None),
        (lambda: raster([[0, 0, 1, 1]], 0, 2, "left"), ValueError, "side: 'left'", None),
        (lambda: raster([[0, 0, 1, 1]], 0, 2, engine="merge"), ValueError, "", None),
    ],
)
def test_refused(ask, error, message, element):
    is_refused(ask, error, message, element)


def work():
    rows = np.random.default_rng(2).integers(0, 10_000, (5000, 4))
    e = lower_envelope(rows)
    assert np.array_equal(e(np.arange(10_000)), raster(rows, 0, 10_000)[0], equal_nan=True)


def test_on_threads_and_after_forks():
    works_everywhere(work)
