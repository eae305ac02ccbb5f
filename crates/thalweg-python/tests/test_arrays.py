"""What counts as an array, and what is copied."""

from __future__ import annotations

import mmap
import weakref

import numpy as np
import pytest
import thalweg
from conftest import array_of, same_bits


def index_of(array, **options):
    index = thalweg.Rmq(array, **options)
    want = np.asarray(array)
    assert same_bits(np.asarray(index.min(np.arange(len(want)), np.arange(1, len(want) + 1))).astype(want.dtype), want)
    return index


def test_what_lies_well_is_not_copied():
    array = array_of("f8", 1000)
    assert index_of(array).array is array
    assert index_of(array, copy=False).array is array
    part = array[10:500]
    assert np.shares_memory(index_of(part, copy=False).array, array)
    array.flags.writeable = False
    assert index_of(array, copy=False).array is array
    copied = index_of(array, copy=True).array
    assert copied is not array and not np.shares_memory(copied, array)


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda a: a[::2], "not contiguous"),
        (lambda a: a[::-1], "not contiguous"),
        (lambda a: a.astype(a.dtype.newbyteorder()), "byte order"),
        (lambda a: np.frombuffer(b"x" + a.tobytes(), "u1")[1:].view(a.dtype), "not aligned"),
        (lambda a: a.tolist(), "cannot be used without copying"),
    ],
)
def test_what_does_not_is_copied_or_refused(make, why):
    array = make(array_of("i4", 999))
    if not isinstance(array, list):
        assert index_of(array).array is not array
    index_of(array)
    with pytest.raises(ValueError, match=why):
        thalweg.Rmq(array, copy=False)


def test_mapped_files(tmp_path):
    path = tmp_path / "a.npy"
    np.save(path, array_of("u2", 5000))
    for mode in ["r", "r+", "c"]:
        array = np.load(path, mmap_mode=mode)
        assert index_of(array, copy=False).array is array
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as view:
        index = thalweg.Rmq(np.frombuffer(view, "u1"))
        assert len(index) == len(view)
        del index


def test_buffers_and_sequences():
    assert thalweg.Rmq(memoryview(bytes([3, 1, 2])), copy=False).argmin() == 1
    assert thalweg.Rmq(bytearray([3, 1, 2])).argmin() == 1
    assert thalweg.Rmq([3.5, 1, True]).argmin() == 1
    assert thalweg.Rmq(range(5, 0, -1)).argmin() == 4


class Protocol:
    """An array of another library, that knows one protocol only."""

    def __init__(self, array, device=(1, 0)):
        self.array, self.device = array, device


class ByArray(Protocol):
    def __array__(self, dtype=None, copy=None):
        return self.array


class ByDlpack(Protocol):
    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.device


class ByInterface(Protocol):
    @property
    def __array_interface__(self):
        return self.array.__array_interface__


@pytest.mark.parametrize("library", [ByArray, ByDlpack, ByInterface])
def test_arrays_of_other_libraries(library):
    array = array_of("f4", 100)
    index = thalweg.Rmq(library(array), copy=False)
    assert np.shares_memory(index.array, array)
    assert same_bits(index.min(np.arange(100), np.arange(1, 101)), array)


def test_arrays_on_other_devices_are_refused_with_advice():
    with pytest.raises(TypeError, match=r"tensor\.cpu\(\).*cupy\.asnumpy"):
        thalweg.Rmq(ByDlpack(array_of("f4", 3), device=(2, 0)))

    class OfCuda:
        __cuda_array_interface__ = {}

    with pytest.raises(thalweg.DtypeError, match="another device"):
        thalweg.ansv(OfCuda())


@pytest.mark.parametrize(
    ("array", "advice"),
    [
        (np.zeros(3, "f2"), r"astype\(np\.float32\)"),
        (np.zeros(3, complex), "no order"),
        (np.array([1, None], object), "astype"),
        (np.array(["a", "b"]), "np.unique"),
        (np.zeros(3, [("x", "i4")]), "numbers"),
        ("text", "a str"),
        (b"bytes", "a bytes"),
    ],
)
def test_types_that_do_not_work_say_what_does(array, advice):
    for call in [thalweg.Rmq, thalweg.ansv]:
        with pytest.raises(thalweg.DtypeError, match=advice) as caught:
            call(array)
        assert isinstance(caught.value, TypeError)


def test_shapes():
    with pytest.raises(ValueError, match="2 dimensions"):
        thalweg.Rmq(np.zeros((2, 2)))
    with pytest.raises(ValueError, match="0 dimensions"):
        thalweg.Rmq(5)
    assert len(thalweg.Rmq(np.zeros(0))) == 0
    assert [side.shape for side in thalweg.ansv(np.zeros(0))] == [(0,), (0,)]


def test_arrays_are_held_and_let_go():
    class Array(np.ndarray):
        pass

    array = np.arange(1000).view(Array)
    index = thalweg.Rmq(array)
    held = weakref.ref(array)
    del array
    assert held() is not None and index.argmin(5, 9) == 5
    del index
    # The reference may be given back by the next call.
    thalweg.info()
    assert held() is None
