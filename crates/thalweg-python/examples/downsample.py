"""Downsample a time series without losing its peaks.

A picture of 2,000 columns shows 2^24 samples: each column needs the smallest and the largest sample it stands for. Thinning
(every n-th sample) loses the peaks; pandas looks at every sample again for every zoom. With an index over the series a zoom
costs two queries a column, whatever it shows.

    python downsample.py [picture.png]
"""

from __future__ import annotations

import argparse

import numpy as np
import thalweg
from _timing import optional, timed

COLUMNS = 2000


class Picture:
    """A series that can be looked at from anywhere."""

    def __init__(self, series):
        self.low, self.high = thalweg.Rmq(series), thalweg.Rmq(series, "max")

    def columns(self, first, last):
        """The smallest and the largest sample of every column between two samples."""
        edges = np.linspace(first, last, COLUMNS + 1).astype(np.int64)
        return self.low.min(edges[:-1], edges[1:]), self.high.min(edges[:-1], edges[1:])


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("picture", nargs="?", help="a file for a plot")
    parser.add_argument("--samples", type=int, default=1 << 24, help="how many there are")
    options = parser.parse_args(arguments)
    n = options.samples
    rng = np.random.default_rng(1)
    series = np.cumsum(rng.normal(size=n)).astype(np.float32)
    series[rng.integers(0, n, 5)] += 3000  # what must not be lost
    print(f"{n} samples, {COLUMNS} columns")
    view = timed("both indexes", lambda: Picture(series))
    low, high = timed("all of it", lambda: view.columns(0, n))
    timed("a tenth of it", lambda: view.columns(n // 3, n // 3 + n // 10))

    edges = np.linspace(0, n, COLUMNS + 1).astype(np.int64)
    again = timed("the same with NumPy's reduceat, every time", lambda: np.maximum.reduceat(series, edges[:-1]))
    assert np.array_equal(high, again) and np.array_equal(low, np.minimum.reduceat(series, edges[:-1]))
    if pandas := optional("pandas"):
        column = np.repeat(np.arange(COLUMNS), np.diff(edges))
        frame = timed("pandas, grouped by column", lambda: pandas.Series(series).groupby(column).max())
        assert np.array_equal(high, frame.to_numpy())
    assert high.max() == series.max() and low.min() == series.min()

    if options.picture and (plot := optional("matplotlib.pyplot")):
        _, (above, below) = plot.subplots(2, sharex=True, figsize=(9, 5))
        above.plot(series[edges[:-1]], lw=0.5)
        above.set_title(f"every {n // COLUMNS}th sample")
        below.fill_between(np.arange(COLUMNS), low, high, lw=0.5)
        below.set_title("minimum and maximum of every column")
        plot.savefig(options.picture, dpi=100)


if __name__ == "__main__":
    main()
