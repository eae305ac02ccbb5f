"""What the tests share."""

from __future__ import annotations

import os
import signal
import traceback
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import thalweg
from hypothesis import settings

# Every run the same, and no file of examples beside the sources.
settings.register_profile("thalweg", max_examples=60, deadline=None, derandomize=True, database=None)
settings.load_profile("thalweg")

INTEGERS = ["u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8"]
NUMBERS = [*INTEGERS, "f4", "f8"]
EVERY_DTYPE = ["?", *NUMBERS, "M8[s]", "M8[ns]", "m8[us]"]


def array_of(dtype, n, seed=0, most=100):
    """Numbers with many duplicates; every tenth of a dtype that has it is NaN or NaT."""
    rng = np.random.default_rng(seed)
    kind = np.dtype(dtype).kind
    if kind == "b":
        return rng.integers(0, 2, n) == 1
    values = rng.integers(0 if kind == "u" else -most // 2, most // 2, n).astype("i8")
    array = values.astype(dtype)
    if kind == "f":
        array /= 4
        array[rng.integers(0, 10, n) == 0] = np.nan
        array[rng.integers(0, 10, n) == 0] = -0.0
    elif kind in "Mm":
        array[rng.integers(0, 10, n) == 0] = "NaT"
    return array


def ranks(array, order="min"):
    """Integers that compare as the library compares: NaN and NaT last, -0.0 equals 0.0."""
    a = np.asarray(array)
    missing = np.isnan(a) if a.dtype.kind == "f" else np.isnat(a) if a.dtype.kind in "Mm" else np.zeros(a.shape, bool)
    whole = a.view("i8") if a.dtype.kind in "Mm" else a + 0 if a.dtype.kind == "f" else a
    known = np.unique(whole[~missing])
    rank = np.searchsorted(known, np.where(missing, known[0] if len(known) else 0, whole)).astype("i8")
    if order == "max":
        rank = len(known) - 1 - rank
    return np.where(missing, len(known), rank)


def same_bits(a, b):
    """Whether arrays are equal to the last bit, NaN and signs of zeros included."""
    a, b = np.ascontiguousarray(a), np.ascontiguousarray(b)
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


def in_a_child(work):
    """Runs work in a process made by os.fork(), which must end well within a minute."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # "this process is multi-threaded"
        child = os.fork()
    if child == 0:
        code = 1
        try:
            signal.alarm(60)
            work()
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status)


def works_everywhere(work):
    """Runs work here, on several threads at once, and after a fork."""
    work()
    with ThreadPoolExecutor(4) as pool:
        for done in [pool.submit(work) for _ in range(8)]:
            done.result()
    assert in_a_child(work) == 0


def is_refused(ask, error, message, element=None):
    """Whether a call fails as it should: the class, what is said, and the element."""
    with pytest.raises(error, match=message or None) as raised:
        ask()
    assert isinstance(raised.value, thalweg.Error)
    assert getattr(raised.value, "element", None) == element


@pytest.fixture(params=[1, 2])
def threads(request):
    """Everything on one thread and on two."""
    thalweg.set_threads(request.param)
    yield request.param
    thalweg.set_threads(None)
