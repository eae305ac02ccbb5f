"""What functions about trees return."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["CartesianTree"]


class CartesianTree(NamedTuple):
    """The Cartesian tree of an array; -1 stands for none. See `cartesian_tree`."""

    parents: NDArray[np.signedinteger[Any]]
    """The parent of every element."""
    left: NDArray[np.signedinteger[Any]]
    """The left child of every element."""
    right: NDArray[np.signedinteger[Any]]
    """The right child of every element."""
    root: int
    """The element without a parent."""
