"""Lower and upper envelopes of segments, exact.

What is seen of segments from below, or from above: which one is the lowest, from where to where. Segments may cross, overlap,
be vertical or points; floats may be rays and lines. `lower_envelope` and `upper_envelope` tell the pieces from left to right, an
`Envelope` tells values at any x, and `raster` tells values at every whole number of a range without making pieces.

>>> import numpy as np
>>> from thalweg.envelope import lower_envelope, raster
>>> roof, floor, hole = [0, 4, 9, 7], [0, 0, 3, 0], [5, 0, 9, 0]
>>> e = lower_envelope(np.array([roof, floor, hole]))
>>> e.starts.tolist(), e.segments.tolist()
([0.0, 3.0, 5.0, 9.0], [1, 0, 2, -1])
>>> e(4.0), e(100)
(5.333333333333333, nan)
>>> raster(np.array([roof, floor, hole]), 2, 7)[1]
array([1, 1, 0, 2, 2], dtype=int32)
"""

from __future__ import annotations

from typing import Any as _Any

from ._native import Envelope, lower_envelope, raster, upper_envelope

__all__ = ["Envelope", "lower_envelope", "raster", "upper_envelope"]


def _restore(segments: _Any, side: str, engine: str | None) -> Envelope:
    """An envelope that was pickled."""
    return (lower_envelope if side == "lower" else upper_envelope)(segments, engine=engine)
