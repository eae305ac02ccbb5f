"""Shortest paths on maps and in graphs, exact.

A `Map` is a grid of cells that are walls or free, or that cost something to enter. It is prepared once and answers batches of
queries from anywhere to anywhere, on all threads: lengths, which are rounded once, or paths. A `Graph` has arcs with weights.

>>> import numpy as np
>>> from thalweg.path import Graph, Map
>>> walls = np.zeros((5, 5), bool)
>>> walls[1, :4] = True
>>> m = Map(walls)
>>> m.lengths([0, 0], [[0, 4], [2, 0]])
array([ 4., 10.])
>>> m.path([0, 3], [2, 3]).tolist()
[[0, 3], [0, 4], [1, 4], [2, 4], [2, 3]]
>>> hills = Map([[1, 9, 1], [1, 2, 1]], costs=True, moves=4)
>>> hills.lengths([0, 0], [0, 2])
5.0
>>> Graph([[0, 1], [1, 2], [0, 2]], [1, 1, 3]).path(0, 2)
array([0, 1, 2], dtype=int32)
"""

from __future__ import annotations

from typing import Any as _Any

from ._native import Graph, Map

__all__ = ["Graph", "Map"]


def _restore(cells: _Any, costs: bool, moves: _Any, engine: str | None, device: str, expected_queries: int) -> Map:
    """A map that was pickled."""
    return Map(cells, costs, moves, engine=engine, device=device, expected_queries=expected_queries)
