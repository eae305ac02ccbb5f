"""Batches of Sudokus: solutions, and how many there are.

Fill a grid of 9 x 9 so that every row, column and box of 3 x 3 has the digits from 1 to 9. `solve` takes millions of puzzles at
once, tells the solution of each and whether it is the only one; `count_solutions` counts alone; `generate` makes puzzles; `parse`
reads them from text, and `draw` draws one.

>>> import numpy as np
>>> from thalweg.sudoku import generate, solve
>>> puzzles = generate(100, seed=1)
>>> solutions, counts = solve(puzzles)
>>> bool((counts == 1).all())
True
>>> np.array_equal(np.sort(solutions, axis=2), np.broadcast_to(np.arange(1, 10), (100, 9, 9)))
True
>>> solve("1" * 81)[1]  # clues that contradict each other
0
"""

from __future__ import annotations

from ._native import count_solutions, draw, generate, parse, solve

__all__ = ["count_solutions", "draw", "generate", "parse", "solve"]
