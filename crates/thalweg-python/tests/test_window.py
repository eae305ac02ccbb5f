"""Sliding windows, against plain scans."""

from __future__ import annotations

import numpy as np
import pytest
import thalweg
from conftest import EVERY_DTYPE, array_of, is_refused, ranks
from thalweg import window

ALIGNS = ["centred", "trailing", "leading"]


def scan(array, width, order, align="centred", border="shrink", stride=1):
    """Positions by looking at every window."""
    rank, n = ranks(array, order), len(array)
    before = {"centred": width // 2, "trailing": width - 1, "leading": 0}[align]
    found = []
    for i in range(n):
        start, end = i - before, i - before + width
        whole = start >= 0 and end <= n
        if border == "drop" and not whole:
            continue
        if border == "fill" and not whole:
            found.append(-1)
        else:
            start = max(start, 0)
            found.append(start + int(np.argmin(rank[start : min(end, n)])))
    return np.array(found[::stride], "i8")


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
@pytest.mark.parametrize("width", [1, 2, 7, 40, 5000])
def test_every_dtype(dtype, width):
    array = array_of(dtype, 700)
    for order, values, positions in [("min", window.minimum, window.argmin), ("max", window.maximum, window.argmax)]:
        for border in ["shrink", "drop", "fill"]:
            want = scan(array, width, order, "trailing", border)
            np.testing.assert_array_equal(positions(array, width, align="trailing", border=border), want)
            if border != "fill":
                got = values(array, width, align="trailing", border=border)
                assert got.dtype == array.dtype
                np.testing.assert_array_equal(got, array[want])


@pytest.mark.parametrize("align", ALIGNS)
@pytest.mark.parametrize("stride", [1, 2, 30])
def test_alignments_and_strides(align, stride):
    array = array_of("f4", 999)
    want = scan(array, 10, "min", align, "shrink", stride)
    values, positions = window.minimum(array, 10, align=align, stride=stride, return_positions=True)
    np.testing.assert_array_equal(positions, want)
    np.testing.assert_array_equal(values, array[want])


def test_scipy_agrees():
    ndimage = pytest.importorskip("scipy.ndimage")
    picture = np.random.default_rng(1).integers(0, 50, (60, 45)).astype("i2")
    for size in [1, 2, 3, 8, (3, 11), (70, 5)]:
        got = window.minimum(picture, size)
        np.testing.assert_array_equal(got, ndimage.minimum_filter(picture, size, mode="constant", cval=32767))
        np.testing.assert_array_equal(picture.ravel()[window.argmin(picture, size)], got)
    assert window.maximum(picture, 5, border="drop", stride=[2, 3]).shape == (28, 14)


def test_bounds():
    array = np.array([3, 1, 4, 1, 5])
    np.testing.assert_array_equal(window.minimum(array, starts=[0, 2], ends=[2, 5]), [1, 1])
    np.testing.assert_array_equal(window.argmin(array, starts=[0, 2, 4], ends=[2, 4, 4]), [1, 3, -1])
    for starts, ends, part in [([1, 0], [2, 3], "ascend"), ([0], [6], "behind"), ([2], [1], "before"), ([0], [1, 2], "ends")]:
        with pytest.raises(thalweg.InputError, match=part):
            window.argmin(array, starts=starts, ends=ends)
    for dtype in ["i1", "i4", "u4", "i8", "u8", ">i8"]:
        starts, ends = np.array([0, 2, 4], dtype), np.array([[2], [4], [4]], "u4")
        np.testing.assert_array_equal(window.argmin(array, starts=starts, ends=ends), [1, 3, -1])
    for dtype in ["i4", "i8"]:
        is_refused(lambda: window.argmin(array, starts=np.array([0, -1], dtype), ends=[1, 2]), thalweg.InputError, "starts: -1", 1)
    is_refused(lambda: window.argmin(array, starts=[0.5], ends=[1]), thalweg.DtypeError, "starts")


def test_times():
    days = np.array(["2020-01-03", "NaT", "2020-01-01"], "M8[D]")
    np.testing.assert_array_equal(window.minimum(days, 2, align="trailing"), days[[0, 0, 2]])
    np.testing.assert_array_equal(window.argmax(days, 3), [0, 0, 2])


def test_what_is_refused():
    array = np.arange(6)
    for arguments, part in [
        ({"width": 0}, "width"),
        ({"width": 2, "stride": 0}, "stride"),
        ({"width": [2, 2]}, "width"),
        ({}, "width"),
        ({"width": 2, "border": "fill"}, "fill"),
        ({"width": 2, "border": "wrap"}, "border"),
        ({"width": 2, "starts": [0], "ends": [1]}, "width"),
        ({"starts": [0]}, "ends"),
    ]:
        with pytest.raises(thalweg.InputError, match=part):
            window.minimum(array, **arguments)
    with pytest.raises(thalweg.InputError, match="dimensions"):
        window.minimum(np.zeros((2, 2, 2)), 2)
    assert window.minimum(array[:0], 3).shape == (0,)
