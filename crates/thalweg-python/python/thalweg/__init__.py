"""Range minima, nearest smaller values, trees and texts at the speed of memory.

NumPy arrays in, NumPy arrays out. Results are exact: bit-equal to a plain scan, the leftmost position on ties.

>>> import numpy as np, thalweg
>>> r = thalweg.Rmq(np.array([5, 3, 8, 1, 9]))
>>> r.argmin([0, 1, 4], [3, 5, 5])
array([1, 3, 4])
"""

from __future__ import annotations

from . import _openmp  # before the extension module
from . import blur, envelope, fft, hull, matching, path, sudoku, window
from ._errors import (
    DeviceError,
    DtypeError,
    Error,
    FileError,
    FormatError,
    InputError,
    MissingFileError,
    OutOfMemoryError,
    QueryError,
)
from ._native import (
    ChangingRmq,
    Forest,
    Lz77,
    Rmq,
    SuffixArray,
    __version__,
    ansv,
    bwt,
    cartesian_tree,
    compact,
    compact_index,
    count,
    devices,
    find_all,
    fork,
    info,
    inverse_bwt,
    longest_repeat,
    lz77,
    rank,
    reduce,
    scan,
    set_threads,
    sort,
    sort_by_key,
    sort_index,
    split,
)
from ._text import Bwt, Repeat
from ._trees import CartesianTree

_openmp.restore()

__all__ = [
    "Bwt",
    "CartesianTree",
    "ChangingRmq",
    "DeviceError",
    "DtypeError",
    "Error",
    "FileError",
    "Forest",
    "FormatError",
    "InputError",
    "Lz77",
    "MissingFileError",
    "OutOfMemoryError",
    "QueryError",
    "Repeat",
    "Rmq",
    "SuffixArray",
    "__version__",
    "ansv",
    "blur",
    "bwt",
    "cartesian_tree",
    "compact",
    "compact_index",
    "count",
    "devices",
    "envelope",
    "fft",
    "find_all",
    "fork",
    "hull",
    "info",
    "inverse_bwt",
    "longest_repeat",
    "lz77",
    "matching",
    "path",
    "rank",
    "reduce",
    "scan",
    "set_threads",
    "sort",
    "sort_by_key",
    "sort_index",
    "split",
    "sudoku",
    "window",
]
