"""What functions of texts return."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Bwt", "Repeat"]


class Bwt(NamedTuple):
    """The Burrows-Wheeler transform of a text. `thalweg.inverse_bwt(*bwt)` is the text."""

    symbols: NDArray[np.uint8] | NDArray[np.uint32]
    """The symbol before every suffix, in their order; the text's last one first, the whole text left out."""
    primary: int
    """Where the whole text was left out."""


class Repeat(NamedTuple):
    """A part of a text that occurs more than once."""

    positions: NDArray[np.int32] | NDArray[np.int64]
    """Where it begins, from left to right."""
    length: int
    """How long it is."""


def _sorted(cls: type, text: Any, device: str) -> Any:
    """Makes a `SuffixArray` again, whose options have names."""
    return cls(text, device=device)
