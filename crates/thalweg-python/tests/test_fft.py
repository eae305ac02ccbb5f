"""Transforms and convolutions, against NumPy."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import thalweg
from conftest import in_a_child
from hypothesis import given
from hypothesis import strategies as st
from thalweg import fft

RNG = np.random.default_rng(1)
TOLERANCE = {"f": 2e-6, "F": 2e-6, "d": 1e-14, "D": 1e-14}


def numbers(shape, dtype):
    values = RNG.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        values = values + 1j * RNG.standard_normal(shape)
    return values.astype(dtype)


def expect_close(got, want, like):
    assert got.shape == want.shape
    scale = np.abs(want).max() if want.size else 0
    assert np.abs(got - want).max(initial=0) <= TOLERANCE[np.dtype(like).char] * max(scale, 1e-300)


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16"])
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 17, 60, 64, 101, 1000, 4096])
def test_lines(n, dtype):
    a = numbers(n, dtype)
    wide = a.astype("c16")
    for ours, numpys in [(fft.fft, np.fft.fft), (fft.ifft, np.fft.ifft)]:
        got = ours(a)
        assert got.dtype == (np.complex64 if dtype in ("f4", "c8") else np.complex128)
        expect_close(got, numpys(wide), dtype)
    if dtype[0] == "f":
        half = fft.rfft(a)
        assert half.dtype == (np.complex64 if dtype == "f4" else np.complex128)
        expect_close(half, np.fft.rfft(a.astype("f8")), dtype)
        back = fft.irfft(half, n)
        assert back.dtype == a.dtype
        expect_close(back, a, dtype)


def test_long_lines():
    a = numbers(1 << 17, "c16")
    expect_close(fft.fft(a), np.fft.fft(a), "d")
    real = numbers(1 << 18, "f8")
    expect_close(fft.rfft(real), np.fft.rfft(real), "d")
    expect_close(fft.irfft(fft.rfft(real)), real, "d")


@given(st.data())
def test_as_numpy(data):
    dimensions = data.draw(st.integers(1, 5))
    shape = data.draw(st.lists(st.integers(1, 5), min_size=dimensions, max_size=dimensions))
    dtype = data.draw(st.sampled_from(["f8", "c16", "i4", "u1", "f4", "c8"]))
    a = (numbers(shape, "c16") * 10).real.astype(dtype) if dtype in ("i4", "u1") else numbers(shape, dtype)
    places = data.draw(st.permutations(range(dimensions)))
    axes = [int(p) - dimensions * data.draw(st.booleans()) for p in places[: data.draw(st.integers(1, dimensions))]]
    sizes = data.draw(st.none() | st.lists(st.integers(1, 7), min_size=len(axes), max_size=len(axes)))
    norm = data.draw(st.sampled_from([None, "backward", "ortho", "forward"]))
    wide = a.astype("c16")
    like = "f" if dtype in ("f4", "c8") else "d"
    expect_close(fft.fftn(a, sizes, axes, norm), np.fft.fftn(wide, sizes, axes, norm), like)
    expect_close(fft.ifftn(a, sizes, axes, norm), np.fft.ifftn(wide, sizes, axes, norm), like)
    n = None if sizes is None else sizes[0]
    expect_close(fft.fft(a, n, axes[0], norm), np.fft.fft(wide, n, axes[0], norm), like)
    if np.dtype(dtype).kind != "c":
        expect_close(fft.rfftn(a, sizes, axes, norm), np.fft.rfftn(wide.real, sizes, axes, norm), like)
        expect_close(fft.rfft(a, n, axes[0], norm), np.fft.rfft(wide.real, n, axes[0], norm), like)
    sizes = sizes or [a.shape[axis] for axis in axes]
    expect_close(fft.irfftn(a, sizes, axes, norm), np.fft.irfftn(wide, sizes, axes, norm), like)
    expect_close(fft.irfft(a, sizes[0], axes[0], norm), np.fft.irfft(wide, sizes[0], axes[0], norm), like)
    if dimensions > 1:
        expect_close(fft.fft2(a), np.fft.fft2(wide), like)
        expect_close(fft.ifft2(a, norm=norm), np.fft.ifft2(wide, norm=norm), like)
        expect_close(fft.irfft2(a, (4, 3)), np.fft.irfft2(wide, (4, 3)), like)
        if np.dtype(dtype).kind != "c":
            expect_close(fft.rfft2(a), np.fft.rfft2(wide.real), like)


def test_sizes_without_axes_are_of_the_last():
    a = numbers((2, 3, 4), "f8")
    assert fft.fftn(a, (2, -1)).shape == (2, 2, 4)
    expect_close(fft.fftn(a, (2, -1)), np.fft.fftn(a, (2, 4), (1, 2)), "d")


@pytest.mark.parametrize(
    "view", [lambda a: a[::2], lambda a: a[::-1], lambda a: a.T, lambda a: a.astype(a.dtype.newbyteorder())]
)
@pytest.mark.parametrize("dtype", ["f8", "c8"])
def test_layouts(view, dtype):
    a = view(numbers((6, 8), dtype))
    a.flags.writeable = False
    expect_close(fft.fft2(a), np.fft.fft2(a.astype("c16")), "f" if dtype == "c8" else "d")
    if dtype == "f8":
        expect_close(fft.rfft2(a), np.fft.rfft2(a), "d")


def test_unaligned():
    raw = np.zeros(16 * 8 + 1, "u1")
    a = raw[1:].view("c16")
    a[:] = numbers(8, "c16")
    expect_close(fft.fft(a), np.fft.fft(a), "d")


def test_nothing_and_empty_batches():
    assert fft.fft(np.zeros((0, 4))).shape == (0, 4)
    assert fft.rfft(np.zeros((0, 4), "f4")).shape == (0, 3)
    assert fft.rfft(np.zeros((0, 4), "f4")).dtype == np.complex64
    assert fft.irfft(np.zeros((0, 3))).shape == (0, 4)
    for transform in (fft.fft, fft.rfft, fft.irfft):
        with pytest.raises(ValueError, match="nothing to transform"):
            transform(np.zeros(0))
    with pytest.raises(ValueError):
        fft.fft(np.float64(3))


def test_into_an_array():
    a = numbers((4, 5), "c16")
    out = np.empty((4, 5), "c16")
    assert fft.fft(a, out=out) is out
    expect_close(out, np.fft.fft(a), "d")
    # In place.
    want = np.fft.fftn(a)
    assert fft.fftn(a, out=a) is a
    expect_close(a, want, "d")
    # What overlaps in another way.
    line = numbers(20, "c16")
    want = np.fft.fft(line[:10])
    fft.fft(line[:10], out=line[5:15])
    expect_close(line[5:15], want, "d")
    line = numbers(20, "c16")
    want = np.fft.fft(line[::2])
    fft.fft(line[::2], out=line[:10])
    expect_close(line[:10], want, "d")
    real = numbers(8, "f8")
    pairs = np.zeros(8, "c16")
    pairs.real[:] = real
    fft.fft(pairs.real, out=pairs)
    expect_close(pairs, np.fft.fft(real), "d")
    for bad in (np.empty((4, 4), "c16"), np.empty((5, 4), "c16").T):
        with pytest.raises(ValueError, match="out"):
            fft.fft(a, out=bad)
    with pytest.raises(TypeError, match="out"):
        fft.fft(a, out=np.empty((4, 5), "c8"))


@pytest.mark.parametrize(
    "ask, error, message",
    [
        (lambda a: fft.fft(a, axis=1), ValueError, "no axis 1"),
        (lambda a: fft.fft(a, n=0), ValueError, "n: 0"),
        (lambda a: fft.fft(a, n=-1), ValueError, "n: -1"),
        (lambda a: fft.fft(a, norm="none"), ValueError, "norm"),
        (lambda a: fft.fftn(a, axes=(0, 0)), ValueError, "named twice"),
        (lambda a: fft.fftn(a, axes=(0, -1)), ValueError, "named twice"),
        (lambda a: fft.fftn(a, axes=()), ValueError, "none is named"),
        (lambda a: fft.fftn(a, s=(2, 2), axes=(0,)), ValueError, "2 sizes for 1 axes"),
        (lambda a: fft.fftn(a, s=(-2,)), ValueError, "s: -2"),
        (lambda a: fft.fft2(a), ValueError, "no axis"),
        (lambda a: fft.rfft(a + 1j), TypeError, "complex"),
        (lambda a: fft.fft(a.astype("f2")), TypeError, "float32"),
        (lambda a: fft.fft(a.astype(np.longdouble)), TypeError, "float64"),
        (lambda a: fft.fft(a.astype(np.clongdouble)), TypeError, "complex128"),
        (lambda a: fft.fft(a.astype(object)), TypeError, "astype"),
        (lambda a: fft.fft(a.astype("M8[s]")), TypeError, "int64"),
        (lambda a: fft.fft("abcd"), TypeError, "a: a str"),
        (lambda a: fft.fft(a, device="nothing like it"), thalweg.Error, ""),
    ],
)
def test_refused(ask, error, message):
    with pytest.raises(error, match=message or None) as raised:
        ask(np.arange(4.0))
    assert isinstance(raised.value, thalweg.Error)


def work():
    a = np.arange(4096.0)
    assert fft.fft(a)[0].real == 4095 * 2048
    assert np.allclose(fft.irfft(fft.rfft(a)), a)
    assert fft.convolve(np.ones(1000), np.ones(1000), engine="spectral")[999] == pytest.approx(1000)
    assert fft.convolve([1, 2], [3, 4], engine="ntt").tolist() == [3, 10, 8]


def test_several_threads_at_once():
    with ThreadPoolExecutor(4) as pool:
        for done in [pool.submit(work) for _ in range(12)]:
            done.result()


def test_after_a_fork():
    work()
    assert in_a_child(work) == 0


# Convolutions.


@given(
    st.integers(1, 60), st.integers(1, 60), st.sampled_from(["f4", "f8"]), st.sampled_from([None, "direct", "spectral"])
)
def test_convolutions_are_those_of_numpy(n, m, dtype, engine):
    a, b = numbers(n, dtype), numbers(m, dtype)
    wide_a, wide_b = a.astype("f8"), b.astype("f8")
    bound = 1e-5 if dtype == "f4" else 1e-13
    norms = np.linalg.norm(wide_a) * np.linalg.norm(wide_b)
    for mode in ("full", "valid"):
        got = fft.convolve(a, b, mode, engine=engine)
        assert got.dtype == a.dtype
        assert np.abs(got - np.convolve(wide_a, wide_b, mode)).max() <= bound * norms
    full = fft.correlate(a, b, engine=engine)
    assert np.abs(full - np.correlate(wide_a, wide_b, "full")).max() <= bound * norms
    same = fft.convolve(a, b, "same", engine=engine)
    assert np.abs(same - np.convolve(wide_a, wide_b)[m // 2 :][:n]).max() <= bound * norms


@pytest.mark.parametrize("boundary", ["zero", "wrap", "reflect", "nearest"])
def test_two_dimensions_by_the_definition(boundary):
    modes = {"zero": "constant", "wrap": "wrap", "reflect": "symmetric", "nearest": "edge"}
    a, k = numbers((6, 7), "f8"), numbers((3, 5), "f8")
    padded = np.pad(a, [(1, 1), (2, 2)], mode=modes[boundary])
    windows = np.lib.stride_tricks.sliding_window_view(padded, k.shape)
    want = (windows * k).sum((2, 3))
    assert np.allclose(fft.correlate(a, k, "same", boundary), want)
    assert np.allclose(fft.convolve(a, k[::-1, ::-1], "same", boundary), want)


def test_as_scipy_does():
    ndimage = pytest.importorskip("scipy.ndimage")
    modes = {"zero": "constant", "wrap": "wrap", "reflect": "reflect", "nearest": "nearest"}
    for n, m in [(9, 4), (9, 5), (3, 8), (1, 3)]:
        a, k = numbers(n, "f8"), numbers(m, "f8")
        for ours, scipys in modes.items():
            assert np.allclose(fft.convolve(a, k, "same", ours), ndimage.convolve(a, k, mode=scipys))
            assert np.allclose(fft.correlate(a, k, "same", ours), ndimage.correlate(a, k, mode=scipys))


@given(
    st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=12),
    st.lists(st.integers(-(2**31), 2**31 - 1), min_size=1, max_size=12),
    st.sampled_from([None, "ntt", "direct", "naive"]),
)
def test_exact(a, b, engine):
    want = [sum(a[j] * b[i - j] for j in range(len(a)) if 0 <= i - j < len(b)) for i in range(len(a) + len(b) - 1)]
    got = fft.convolve_exact(np.array(a), np.array(b, "i4"), dtype="object", engine=engine)
    assert got.tolist() == want
    too_large = next((i for i, x in enumerate(want) if not -(2**63) <= x < 2**63), None)
    if too_large is None:
        assert fft.convolve(np.array(a), np.array(b)).tolist() == want
    else:
        with pytest.raises(ValueError, match="does not fit") as raised:
            fft.convolve_exact(np.array(a), np.array(b, "i4"), engine=engine)
        assert raised.value.element == too_large


@pytest.mark.parametrize("dtype", ["?", "u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", ">i4", ">u2"])
def test_exact_types(dtype):
    a = np.array([1, 0, 1, 1, 0, 1], dtype)[::-1]
    b = np.arange(1, 4, dtype="i8")
    want = np.convolve(a.astype("i8"), b)
    for got in (fft.convolve(a, b), fft.convolve_exact(a, b), fft.convolve_exact(b, a)):
        assert got.dtype == np.int64 and got.tolist() == want.tolist()
    assert fft.convolve_exact(a, b, dtype="uint64").dtype == np.uint64
    two = fft.convolve_exact(np.ones((2, 3), dtype), np.ones((2, 2), dtype), correlate=True)
    assert two.tolist() == [[1, 2, 2, 1], [2, 4, 4, 2], [1, 2, 2, 1]]


def test_floats_are_promoted():
    assert fft.convolve(np.ones(3, "f4"), np.ones(2, "f8")).dtype == np.float64
    assert fft.convolve(np.ones(3, "f4"), np.ones(2, "i4")).dtype == np.float64
    assert fft.convolve(np.ones(3, "i4"), np.ones(2, "f4")).tolist() == [1, 2, 2, 1]


@pytest.mark.parametrize(
    "ask, error, message",
    [
        (lambda: fft.convolve(np.ones(3) + 0j, np.ones(2)), TypeError, "complex"),
        (lambda: fft.convolve(np.ones(0), np.ones(2)), ValueError, "empty"),
        (lambda: fft.convolve(np.ones((2, 2)), np.ones(2)), ValueError, "dimensions"),
        (lambda: fft.convolve(np.ones((2, 2, 2)), np.ones((2, 2, 2))), ValueError, "one or two"),
        (lambda: fft.convolve(np.ones(3), np.ones(2), "half"), ValueError, "mode: 'half'"),
        (lambda: fft.convolve(np.ones(3), np.ones(2), "same", "mirror"), ValueError, "boundary: 'mirror'"),
        (lambda: fft.convolve(np.ones(3), np.ones(2), "full", "wrap"), ValueError, "zero"),
        (lambda: fft.convolve(np.ones(3), np.ones(2), engine="best"), ValueError, "unknown"),
        (lambda: fft.convolve_exact(np.ones(3), np.ones(2, int)), TypeError, "integers"),
        (lambda: fft.convolve_exact([1], [1], dtype="int32"), ValueError, "dtype: 'int32'"),
    ],
)
def test_refused_convolutions(ask, error, message):
    with pytest.raises(error, match=message or None):
        ask()
