"""Nearest smaller values and range minima of dask arrays: each chunk where it lies, and little between them.

`thalweg.dask` is not imported by `import thalweg`; it needs `dask[array]`.

>>> import dask.array as da, numpy as np
>>> import thalweg.dask
>>> array = da.from_array(np.array([4, 2, 6, 2, 8, 1]), chunks=2)
>>> left, right = thalweg.dask.ansv(array)
>>> left.compute(), right.compute()
(array([-1, -1,  1, -1,  3, -1]), array([ 1,  5,  3,  5,  5, -1]))
>>> rmq = thalweg.dask.Rmq(array)
>>> rmq.argmin([0, 2, 0], [2, 5, 6])
array([1, 3, 5])
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

import dask
import dask.array as da

from . import parts
from ._errors import InputError, QueryError
from ._native import Rmq as _Rmq
from .parts import _ranks

__all__ = ["Rmq", "ansv"]


def ansv(
    array: da.Array,
    side: Literal["both", "left", "right"] = "both",
    relation: Literal["smaller", "not_larger", "greater", "not_smaller"] = "smaller",
) -> Any:
    """The nearest smaller element on either side of every element of a dask array: `thalweg.ansv`, lazily.

    Every chunk is solved by itself. What finds no neighbour in its chunk, its prefix and suffix minima, goes to one task, which
    finds the rest: about ln(chunk) elements a chunk on random data, all of it at worst (an array that rises and then falls). So
    that task's memory is the limit.

    Returns int64 dask arrays with the array's chunks, -1 for none: both sides, or the one asked for.

    >>> import dask.array as da, numpy as np
    >>> import thalweg.dask
    >>> thalweg.dask.ansv(da.from_array(np.array([1, 3, 2]), chunks=1), "left").compute()
    array([-1,  0,  0])
    """
    if side not in ("both", "left", "right"):
        raise InputError(f"side: expected 'both', 'left' or 'right', got {side!r}")
    parts.check_relation(relation)
    starts = _starts(array)
    blocks = array.to_delayed().ravel()
    solved = [dask.delayed(parts.solve)(block, int(start), relation) for block, start in zip(blocks, starts)]
    opens = [dask.delayed(_opened)(one) for one in solved]

    def whole(right: bool) -> da.Array:
        # One task meets all, and every chunk takes its own from that.
        met = dask.delayed(parts.meet)(opens, "right" if right else "left", relation)
        pieces = [
            da.from_delayed(dask.delayed(_settled)(one, right, met, i), (size,), dtype=np.int64)
            for i, (one, size) in enumerate(zip(solved, array.chunks[0]))
        ]
        return da.concatenate(pieces) if pieces else da.zeros(0, dtype=np.int64)

    if side == "both":
        return whole(False), whole(True)
    return whole(side == "right")


class Rmq:
    """Range minima of a dask array: `thalweg.Rmq` for one whose chunks stay where they are.

    Computes the minimum of every chunk at once. A batch computes an index of those chunks in which a range ends, and only if the
    chunk's own minimum is outside the range and can beat what lies between.

    >>> import dask.array as da, numpy as np
    >>> import thalweg.dask
    >>> rmq = thalweg.dask.Rmq(da.from_array(np.array([5.0, 3.0, 8.0, 1.0]), chunks=2), order="max")
    >>> rmq.argmin([0, 1], [2, 4]), rmq.min([0, 1], [2, 4])
    (array([0, 2]), array([5., 8.]))
    """

    def __init__(self, array: da.Array, order: Literal["min", "max"] = "min") -> None:
        if order not in ("min", "max"):
            raise InputError(f"order: expected 'min' or 'max', got {order!r}")
        starts = _starts(array)
        sizes = np.array(array.chunks[0], dtype=np.int64)
        self._order: Literal["min", "max"] = order
        self._len = int(sizes.sum())
        kept = np.flatnonzero(sizes > 0)
        blocks = array.to_delayed().ravel()
        self._blocks = [blocks[i] for i in kept]
        self._starts = starts[kept]
        self._ends = self._starts + sizes[kept]
        found = dask.compute(*[dask.delayed(_best)(block, order) for block in self._blocks])
        self._minima = np.array([at for at, _ in found], dtype=np.int64) + self._starts
        values = np.array([value for _, value in found], dtype=array.dtype)
        self._ranks = _ranks(values, order)
        self._values = values
        # Over the chunks: ranks are unsigned, and the best is the smallest.
        self._top = _Rmq(self._ranks, device="cpu") if len(values) else None

    def __len__(self) -> int:
        return self._len

    def argmin(self, start: ArrayLike, stop: ArrayLike) -> NDArray[np.int64]:
        """The leftmost position of the best element of every range `start[i]:stop[i]`."""
        return self._answer(start, stop)[0]

    def min(self, start: ArrayLike, stop: ArrayLike) -> NDArray[Any]:
        """The best element of every range `start[i]:stop[i]`."""
        return self._answer(start, stop)[1]

    def _answer(self, start: ArrayLike, stop: ArrayLike) -> tuple[NDArray[np.int64], NDArray[Any]]:
        left, right = np.broadcast_arrays(np.asarray(start, dtype=np.int64), np.asarray(stop, dtype=np.int64))
        shape = left.shape
        left, right = left.ravel(), right.ravel()
        bad = np.flatnonzero((left < 0) | (left >= right) | (right > self._len))
        if len(bad):
            row = int(bad[0])
            raise QueryError(f"query {row}: {left[row]}:{right[row]} is no range inside an array of {self._len} elements")
        if not len(left) or self._top is None:
            return np.zeros(shape, np.int64), np.zeros(shape, self._values.dtype)
        last = right - 1
        first_block = np.searchsorted(self._starts, left, "right") - 1
        last_block = np.searchsorted(self._starts, last, "right") - 1
        worst = np.iinfo(np.uint64).max
        best_rank, best_at = np.full(len(left), worst), np.full(len(left), self._len, dtype=np.int64)
        best_value = np.zeros(len(left), self._values.dtype)

        def offer(rows: NDArray[Any], ranks: NDArray[Any], at: NDArray[Any], values: NDArray[Any]) -> None:
            """Takes what is better, or as good and further left."""
            better = (ranks < best_rank[rows]) | ((ranks == best_rank[rows]) & (at < best_at[rows]))
            rows = rows[better]
            best_rank[rows], best_at[rows], best_value[rows] = ranks[better], at[better], values[better]

        rows = np.flatnonzero(last_block - first_block > 1)
        if len(rows):
            block = self._top.argmin(first_block[rows] + 1, last_block[rows])
            offer(rows, self._ranks[block], self._minima[block], self._values[block])
        ends = [first_block, last_block]
        for block in ends:
            rows = np.flatnonzero((left <= self._minima[block]) & (self._minima[block] <= last))
            offer(rows, self._ranks[block[rows]], self._minima[block[rows]], self._values[block[rows]])
        asked: dict[int, list[NDArray[Any]]] = {}
        for number, block in enumerate(ends):
            outside = (self._minima[block] < left) | (last < self._minima[block])
            if number == 1:
                outside &= first_block != last_block
            can_beat = self._ranks[block] <= best_rank
            for i in np.unique(block[outside & can_beat]):
                asked.setdefault(int(i), []).append(np.flatnonzero(outside & can_beat & (block == i)))
        tasks, all_rows = [], []
        for i, found in asked.items():
            rows = np.unique(np.concatenate(found))
            all_rows.append(rows)
            begin = np.maximum(left[rows], self._starts[i]) - self._starts[i]
            end = np.minimum(right[rows], self._ends[i]) - self._starts[i]
            tasks.append(dask.delayed(_ask)(self._blocks[i], self._order, begin, end))
        for i, rows, (at, values) in zip(asked, all_rows, dask.compute(*tasks)):
            offer(rows, _ranks(values, self._order), at + self._starts[i], values)
        return best_at.reshape(shape), best_value.reshape(shape)


def _starts(array: da.Array) -> NDArray[np.int64]:
    """Where chunks begin."""
    if array.ndim != 1:
        raise InputError(f"the array has {array.ndim} dimensions, expected one")
    sizes = array.chunks[0]
    if any(np.isnan(size) for size in sizes):
        raise InputError("the chunks have unknown sizes: compute_chunk_sizes() finds them")
    return np.concatenate([[0], np.cumsum(sizes)])[:-1].astype(np.int64)


def _opened(one: parts.Solved) -> parts.Open:
    return one.open


def _settled(one: parts.Solved, right: bool, met: list[NDArray[np.int64]], i: int) -> NDArray[np.int64]:
    return parts.settle(one, "right" if right else "left", met[i])


def _best(block: NDArray[Any], order: str) -> tuple[int, Any]:
    at = int(_ranks(block, order).argmin())
    return at, block[at]


def _ask(
    block: NDArray[Any], order: Literal["min", "max"], begin: NDArray[Any], end: NDArray[Any]
) -> tuple[NDArray[np.int64], NDArray[Any]]:
    index = _Rmq(block, order, device="cpu")
    at = index.argmin(begin, end) if order == "min" else index.argmax(begin, end)
    return at, block[at]
