"""The largest rectangle in a histogram.

The highest rectangle over a bar reaches to the nearest lower bar on either side: all nearest smaller values, and the best
of n areas.

    python largest_rectangle.py [picture.png]
"""

from __future__ import annotations

import argparse

import numpy as np
import thalweg
from _timing import optional, timed


def largest_rectangle(heights):
    """Area, and where it begins and ends."""
    left, right = thalweg.ansv(heights)
    begin, end = left + 1, np.where(right < 0, len(heights), right)
    areas = heights * (end - begin).astype(np.int64)
    best = np.argmax(areas)
    return int(areas[best]), int(begin[best]), int(end[best])


def with_a_stack(heights):
    """The usual way."""
    best, stack = 0, [-1]
    for i in range(len(heights) + 1):
        height = heights[i] if i < len(heights) else 0
        while len(stack) > 1 and heights[stack[-1]] >= height:
            top = stack.pop()
            best = max(best, heights[top] * (i - stack[-1] - 1))
        stack.append(i)
    return best


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("picture", nargs="?", help="a file for a plot")
    parser.add_argument("--bars", type=int, default=1 << 22, help="how many there are")
    options = parser.parse_args(arguments)
    n = options.bars
    rng = np.random.default_rng(7)
    heights = (rng.normal(size=n).cumsum() * 100).astype(np.int64)
    heights -= heights.min() - 1
    print(f"{n} bars")
    area, begin, end = timed("thalweg", lambda: largest_rectangle(heights))
    plain = heights.tolist()
    assert area == timed("a stack in Python", lambda: with_a_stack(plain))
    if numba := optional("numba"):

        @numba.njit
        def compiled(heights):
            best, depth, stack = 0, 1, np.empty(len(heights) + 2, np.int64)
            stack[0] = -1
            for i in range(len(heights) + 1):
                height = heights[i] if i < len(heights) else 0
                while depth > 1 and heights[stack[depth - 1]] >= height:
                    depth -= 1
                    best = max(best, heights[stack[depth]] * (i - stack[depth - 1] - 1))
                stack[depth] = i
                depth += 1
            return best

        compiled(heights[:10])  # compiles
        assert area == timed("the same in numba", lambda: compiled(heights))
    assert area == (end - begin) * heights[begin:end].min()

    if options.picture and (plot := optional("matplotlib.pyplot")):
        plot.figure(figsize=(9, 4))
        plot.fill_between(np.arange(n), heights, step="mid", color="lightgrey")
        plot.fill_between([begin, end], [area / (end - begin)] * 2, alpha=0.6)
        plot.title(f"the largest rectangle: {end - begin} bars, {area // (end - begin)} high")
        plot.savefig(options.picture, dpi=100)


if __name__ == "__main__":
    main()
