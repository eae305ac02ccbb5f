"""Maximum matchings in graphs of any kind, with their proof.

A matching is a set of edges of which no two share a vertex: partners. `maximum_matching` finds one with as many edges as possible,
in any graph, bipartite or not, and labels that prove that there are no more, which `verify_matching` counts from the edges.

>>> import numpy as np
>>> from thalweg.matching import maximum_matching, verify_matching
>>> edges = np.array([[0, 1], [1, 2], [2, 0], [2, 3], [3, 4], [4, 5], [5, 3]])  # two triangles, joined by an edge
>>> partners, labels = maximum_matching(edges)
>>> int(partners[2]), bool((partners >= 0).all())
(3, True)
>>> first = np.flatnonzero(partners > np.arange(6))
>>> np.stack([first, partners[first]], 1).tolist()
[[0, 1], [2, 3], [4, 5]]
>>> verify_matching(edges, partners, labels)
3
"""

from __future__ import annotations

from ._native import maximum_matching, verify_matching

__all__ = ["maximum_matching", "verify_matching"]
