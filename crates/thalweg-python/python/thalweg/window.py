"""Minima and maxima of sliding windows, and where they are.

A window an element: centred (as `scipy.ndimage.minimum_filter`), trailing (as `bottleneck.move_min`) or leading; what reaches
over the ends is shrunk, dropped, or filled. Arrays of two dimensions have windows of rows and columns. Of equal elements the
leftmost counts; NaN and NaT are worse than everything.

>>> import numpy as np
>>> from thalweg import window
>>> a = np.array([3, 1, 4, 1, 5, 9])
>>> window.minimum(a, 3)
array([1, 1, 1, 1, 1, 5])
>>> window.argmax(a, 3, align="trailing", border="drop")
array([2, 2, 4, 5], dtype=int32)
>>> window.maximum(a, starts=[0, 2], ends=[2, 6])
array([3, 9])
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._native import windows as _windows

__all__ = ["argmax", "argmin", "maximum", "minimum"]

_Sizes = int | Sequence[int]


def _sizes(sizes: _Sizes) -> list[int]:
    return [int(size) for size in np.atleast_1d(np.asarray(sizes))]


def _ask(
    array: ArrayLike,
    width: _Sizes | None,
    order: str,
    values: bool,
    positions: bool,
    align: str,
    border: str,
    stride: _Sizes,
    fill: Any,
    starts: ArrayLike | None,
    ends: ArrayLike | None,
    device: str,
) -> tuple[Any, Any]:
    return _windows(
        array,
        None if width is None else _sizes(width),
        _sizes(stride),
        starts,
        ends,
        order=order,
        values=values,
        positions=positions,
        align=align,
        border=border,
        fill=fill,
        device=device,
    )


def minimum(
    array: ArrayLike,
    width: _Sizes | None = None,
    *,
    align: str = "centred",
    border: str = "shrink",
    stride: _Sizes = 1,
    fill: Any = None,
    starts: ArrayLike | None = None,
    ends: ArrayLike | None = None,
    return_positions: bool = False,
    device: str = "auto",
) -> Any:
    """The minimum of every window.

    Args:
        array: One or two dimensions; bool, integers, float32, float64, datetime64 or timedelta64.
        width: Elements of a window; for two dimensions a number for both, or rows and columns.
        align: Where a window lies, seen from its element: "centred", "trailing" or "leading".
        border: What becomes of windows that reach over an end: "shrink", "drop" or "fill".
        stride: Every how many-th window.
        fill: The value of windows that have none; without it, NaN or NaT (integers need one).
        starts, ends: Windows by bounds instead of a width; both ascend, ends are exclusive.
        return_positions: Positions, too, as `argmin` tells them.
        device: "auto", "cpu", "gpu", or an adapter's name or number.

    >>> from thalweg.window import minimum
    >>> minimum([5.0, 3.0, 4.0], 2, align="trailing", border="fill")
    array([nan,  3.,  3.])
    """
    found = _ask(array, width, "min", True, return_positions, align, border, stride, fill, starts, ends, device)
    return found if return_positions else found[0]


def maximum(
    array: ArrayLike,
    width: _Sizes | None = None,
    *,
    align: str = "centred",
    border: str = "shrink",
    stride: _Sizes = 1,
    fill: Any = None,
    starts: ArrayLike | None = None,
    ends: ArrayLike | None = None,
    return_positions: bool = False,
    device: str = "auto",
) -> Any:
    """The maximum of every window. See `minimum`.

    >>> from thalweg.window import maximum
    >>> maximum([[1, 5], [7, 2]], [1, 2], align="leading", return_positions=True)
    (array([[5, 5],
           [7, 2]]), array([[1, 1],
           [2, 3]], dtype=int32))
    """
    found = _ask(array, width, "max", True, return_positions, align, border, stride, fill, starts, ends, device)
    return found if return_positions else found[0]


def argmin(
    array: ArrayLike,
    width: _Sizes | None = None,
    *,
    align: str = "centred",
    border: str = "shrink",
    stride: _Sizes = 1,
    starts: ArrayLike | None = None,
    ends: ArrayLike | None = None,
    device: str = "auto",
) -> NDArray[Any]:
    """Where the minimum of every window is: the leftmost position in the array (row by row), -1 for none. See `minimum`.

    >>> from thalweg.window import argmin
    >>> argmin([2, 1, 1, 3], 3)
    array([1, 1, 1, 2], dtype=int32)
    """
    return _ask(array, width, "min", False, True, align, border, stride, None, starts, ends, device)[1]


def argmax(
    array: ArrayLike,
    width: _Sizes | None = None,
    *,
    align: str = "centred",
    border: str = "shrink",
    stride: _Sizes = 1,
    starts: ArrayLike | None = None,
    ends: ArrayLike | None = None,
    device: str = "auto",
) -> NDArray[Any]:
    """Where the maximum of every window is. See `argmin`.

    >>> from thalweg.window import argmax
    >>> argmax([2, 1, 1, 3], 2, align="trailing", border="fill")
    array([-1,  0,  1,  3], dtype=int32)
    """
    return _ask(array, width, "max", False, True, align, border, stride, None, starts, ends, device)[1]
