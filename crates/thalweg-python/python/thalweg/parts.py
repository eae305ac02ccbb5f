"""Nearest smaller values of an array in parts, for whatever runs tasks on them: Dask (`thalweg.dask`), Ray, a pool of processes.

Every part is solved where it lies (`solve`). What finds no neighbour in its part, its prefix and suffix minima, is all that others
have to know (`Solved.open`): one task meets all of that (`meet`), and every part takes its own from there (`settle`).

>>> import numpy as np
>>> from thalweg import parts
>>> array = np.array([4, 2, 6, 2, 8, 1])
>>> solved = [parts.solve(array[start : start + 2], start) for start in (0, 2, 4)]
>>> met = parts.meet([one.open for one in solved], "left")
>>> np.concatenate([parts.settle(one, "left", found) for one, found in zip(solved, met)])
array([-1, -1,  1, -1,  3, -1])
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, Sequence

import numpy as np
from numpy.typing import NDArray

from ._errors import InputError
from ._native import ansv as _ansv

__all__ = ["Open", "Solved", "meet", "settle", "solve"]


class Open(NamedTuple):
    """What has no neighbour in its part: ranks, the best the smallest, and positions in the array, from left to right.

    >>> import numpy as np
    >>> from thalweg import parts
    >>> parts.solve(np.array([3, 5, 4]), start=10).open.left_at
    array([10])
    """

    left_ranks: NDArray[np.uint64]
    left_at: NDArray[np.int64]
    right_ranks: NDArray[np.uint64]
    right_at: NDArray[np.int64]


class Solved(NamedTuple):
    """A part that has been solved by itself: its neighbours' positions in the array, -1 for those that are not in it.

    >>> import numpy as np
    >>> from thalweg import parts
    >>> parts.solve(np.array([3, 5, 4]), start=10).left
    array([-1, 10, 10])
    """

    start: int
    left: NDArray[np.int64]
    right: NDArray[np.int64]
    open: Open


def solve(
    part: NDArray[Any], start: int, relation: Literal["smaller", "not_larger", "greater", "not_smaller"] = "smaller"
) -> Solved:
    """Solves a part that begins at position `start` of the array, as `thalweg.ansv` would if there were nothing else.

    >>> import numpy as np
    >>> from thalweg import parts
    >>> parts.solve(np.array([3, 5, 4]), start=10).right
    array([-1, 12, -1])
    """
    check_relation(relation)
    left, right = _ansv(part, "both", relation, device="cpu")
    prefix, suffix = np.flatnonzero(left < 0), np.flatnonzero(right < 0)
    order = "min" if relation in ("smaller", "not_larger") else "max"
    opened = Open(_ranks(part[prefix], order), prefix + start, _ranks(part[suffix], order), suffix + start)
    moved = [np.where(side < 0, -1, side.astype(np.int64) + start) for side in (left, right)]
    return Solved(start, moved[0], moved[1], opened)


def meet(
    opens: Sequence[Open],
    side: Literal["left", "right"],
    relation: Literal["smaller", "not_larger", "greater", "not_smaller"] = "smaller",
) -> list[NDArray[np.int64]]:
    """For every part, in their order, the neighbours on one side of what has none in it. `relation` is that of `solve`.

    About ln(n) elements a part on random data, all of it at worst, if the array rises and then falls.

    >>> import numpy as np
    >>> from thalweg import parts
    >>> solved = [parts.solve(np.array(part), start) for start, part in [(0, [1, 5]), (2, [3, 2])]]
    >>> parts.meet([one.open for one in solved], "left")
    [array([-1]), array([0, 0])]
    """
    check_relation(relation)
    right, strict = check_side(side), relation in ("smaller", "greater")
    # A ladder holds what parts that were passed offer, from the best to the worst, which is from the furthest to the nearest: those
    # hide what is behind them and not better.
    found: list[NDArray[np.int64]] = [np.zeros(0, np.int64)] * len(opens)
    ladder_ranks, ladder_at = np.zeros(0, np.uint64), np.zeros(0, np.int64)
    for i in reversed(range(len(opens))) if right else range(len(opens)):
        one = opens[i]
        seekers = one.right_ranks if right else one.left_ranks
        rungs, at = (one.left_ranks[::-1], one.left_at[::-1]) if right else (one.right_ranks, one.right_at)
        # The nearest that serves is the last of those that do.
        serving = np.searchsorted(ladder_ranks, seekers, "left" if strict else "right")
        found[i] = np.concatenate([[-1], ladder_at])[serving]
        if len(rungs):
            kept = np.searchsorted(ladder_ranks, rungs[0], "left")
            ladder_ranks = np.concatenate([ladder_ranks[:kept], rungs])
            ladder_at = np.concatenate([ladder_at[:kept], at])
    return found


def settle(solved: Solved, side: Literal["left", "right"], found: NDArray[np.int64]) -> NDArray[np.int64]:
    """The neighbours of a part on one side, with those that `meet` found for it.

    >>> import numpy as np
    >>> from thalweg import parts
    >>> parts.settle(parts.solve(np.array([3, 5, 4]), start=10), "left", np.array([7]))
    array([ 7, 10, 10])
    """
    right = check_side(side)
    out = (solved.right if right else solved.left).copy()
    out[(solved.open.right_at if right else solved.open.left_at) - solved.start] = found
    return out


def check_relation(relation: str) -> None:
    """Refuses what is no relation."""
    if relation not in ("smaller", "not_larger", "greater", "not_smaller"):
        raise InputError(f"relation: expected 'smaller', 'not_larger', 'greater' or 'not_smaller', got {relation!r}")


def check_side(side: str) -> bool:
    """Whether it is the right side; refuses what is neither."""
    if side not in ("left", "right"):
        raise InputError(f"side: expected 'left' or 'right', got {side!r}")
    return side == "right"


def _ranks(array: NDArray[Any], order: str) -> NDArray[np.uint64]:
    """Numbers that compare as the library compares, the best first: NaN and NaT last, -0.0 equals 0.0."""
    top = np.uint64(1 << 63)
    kind = array.dtype.kind
    if kind == "f":
        bits = (array.astype(np.float64) + 0.0).view(np.uint64)
        ranks = np.where(bits & top, ~bits, bits | top)
        missing = np.isnan(array)
    elif kind in "Mm":
        ranks, missing = array.view(np.int64).view(np.uint64) ^ top, np.isnat(array)
    elif kind == "i":
        ranks, missing = array.astype(np.int64).view(np.uint64) ^ top, None
    elif kind in "ub":
        ranks, missing = array.astype(np.uint64), None
    else:
        raise InputError(f"dtype {array.dtype} is not supported")
    if order == "max":
        ranks = ~ranks
    return ranks if missing is None else np.where(missing, np.uint64(2**64 - 1), ranks)
