"""What the examples share: a clock, and peers that may not be installed."""

from __future__ import annotations

import importlib
import time


def timed(what, call):
    """Runs, prints how long it took, and returns the result."""
    begin = time.perf_counter()
    result = call()
    print(f"  {what:<44}{(time.perf_counter() - begin) * 1e3:10.1f} ms")
    return result


def optional(name):
    """A module, or None with a word about it."""
    try:
        return importlib.import_module(name)
    except ImportError:
        print(f"  ({name} is not installed: pip install {name})")
        return None
