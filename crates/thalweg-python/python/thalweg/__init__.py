"""Range minima, nearest smaller values, trees and texts at the speed of memory.

NumPy arrays in, NumPy arrays out. Results are exact: bit-equal to a plain scan, the leftmost position on ties.

>>> import numpy as np, thalweg
>>> r = thalweg.Rmq(np.array([5, 3, 8, 1, 9]))
>>> r.argmin([0, 1, 4], [3, 5, 5])
array([1, 3, 4])
"""

from __future__ import annotations

from . import _openmp  # before the extension module
from . import blur, envelope, fft, hull, matching, path, sudoku
from ._errors import *  # noqa: F403
from ._native import (
    Lz77,
    Rmq,
    SuffixArray,
    __version__,
    ansv,
    bwt,
    count,
    devices,
    find_all,
    info,
    inverse_bwt,
    longest_repeat,
    lz77,
    set_threads,
)
from ._text import *  # noqa: F403

_openmp.restore()
