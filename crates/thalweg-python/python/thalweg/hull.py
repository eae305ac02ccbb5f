"""Convex hulls of points in the plane, exact.

The hull of points is the smallest convex polygon around them. `convex_hull` tells its corners as positions in the input, as
`scipy.spatial.ConvexHull.vertices` does, counter-clockwise; but every decision is exact, so that points on a line, equal points
and points that nearly are need no options and lose no corner. On one thread ten million points take about as long as reading
them twice.

>>> import numpy as np
>>> from thalweg.hull import convex_hull
>>> grid = np.array([[x, y] for y in range(2) for x in range(3)])
>>> corners = convex_hull(grid)
>>> grid[corners].tolist()
[[0, 0], [2, 0], [2, 1], [0, 1]]
>>> convex_hull(grid, boundary=True)  # with the points on the edges
array([0, 1, 2, 5, 4, 3], dtype=int32)
"""

from __future__ import annotations

from ._native import convex_hull

__all__ = ["convex_hull"]
