"""Blurs, against sums of products."""

from __future__ import annotations


import numpy as np
import pytest
import thalweg
from conftest import works_everywhere
from hypothesis import given
from hypothesis import strategies as st
from thalweg.blur import gaussian

PADS = {"zero": "constant", "wrap": "wrap", "reflect": "symmetric", "nearest": "edge"}


def oracle(image, sigma, boundary="reflect"):
    """In doubles; the kernel ends at four deviations."""
    for axis, s in enumerate(sigma):
        radius = int(4 * s + 0.5)
        kernel = np.exp(-0.5 * (np.arange(-radius, radius + 1) / s) ** 2)
        pad = [(0, 0)] * image.ndim
        pad[axis] = (radius, radius)
        windows = np.lib.stride_tricks.sliding_window_view(np.pad(image, pad, PADS[boundary]), len(kernel), axis)
        image = windows @ (kernel / kernel.sum())
    return image


def picture(shape, dtype, seed=0):
    values = np.random.default_rng(seed).random(shape)
    return (values * np.iinfo(dtype).max).astype(dtype) if np.dtype(dtype).kind == "u" else values.astype(dtype)


def expect_close(got, want, dtype):
    assert got.dtype == dtype and got.shape == want.shape
    limit = 0.5 + 2e-6 * np.iinfo(dtype).max if np.dtype(dtype).kind == "u" else 2e-6
    assert np.abs(got - want).max() <= limit


@given(
    st.integers(1, 20),
    st.integers(1, 20),
    st.sampled_from([None, 1, 2, 3, 4]),
    st.sampled_from(["u1", "u2", "f4"]),
    st.floats(0.3, 6),
    st.floats(0.3, 6),
    st.sampled_from(list(PADS)),
    st.sampled_from([None, "direct", "spectral", "naive"]),
)
def test_by_the_definition(height, width, channels, dtype, down, along, boundary, engine):
    shape = (height, width) if channels is None else (height, width, channels)
    image = picture(shape, dtype)
    want = oracle(image.astype("f8"), (down, along), boundary)
    expect_close(gaussian(image, (down, along), boundary, engine=engine), want, dtype)


def test_as_scipy_does():
    ndimage = pytest.importorskip("scipy.ndimage")
    image = picture((40, 50), "f4")
    for ours, scipys in [("reflect", "reflect"), ("zero", "constant"), ("nearest", "nearest"), ("wrap", "wrap")]:
        want = ndimage.gaussian_filter(image.astype("f8"), 2.5, mode=scipys)
        expect_close(gaussian(image, 2.5, ours), want, np.float32)
    colours = picture((20, 30, 3), "f4")
    want = ndimage.gaussian_filter(colours.astype("f8"), (2, 3, 0))
    expect_close(gaussian(colours, (2, 3)), want, np.float32)


def test_alpha_weighs_colours():
    image = picture((12, 14, 4), "f4")
    blurred = gaussian(image, 1.5, alpha=True)
    wide = image.astype("f8")
    alpha = oracle(wide[..., 3:], (1.5, 1.5))
    colours = oracle(wide[..., :3] * wide[..., 3:], (1.5, 1.5)) / alpha
    assert np.allclose(blurred, np.concatenate([colours, alpha], 2), atol=1e-5)
    assert not np.allclose(gaussian(image, 1.5), blurred, atol=1e-3)


@pytest.mark.parametrize("dtype", ["u1", "u2", "f4"])
def test_layouts(dtype):
    image = picture((16, 12, 3), dtype)
    want = gaussian(image, 2)
    swapped = image.astype(np.dtype(dtype).newbyteorder())
    swapped.flags.writeable = False
    for view in (np.asfortranarray(image), np.repeat(image, 2, 1)[:, ::2], swapped):
        got = gaussian(view, 2)
        assert got.dtype.isnative and np.array_equal(got, want)
    assert np.array_equal(gaussian(np.full((5, 7), 9, dtype), 3), np.full((5, 7), 9, dtype)) or dtype == "f4"


@pytest.mark.parametrize(
    "ask, error, message",
    [
        (lambda: gaussian(np.zeros((4, 4)), 1), TypeError, "float32"),
        (lambda: gaussian(np.zeros((4, 4), bool), 1), TypeError, "uint8"),
        (lambda: gaussian(np.zeros((4, 4), "i4"), 1), TypeError, "int32"),
        (lambda: gaussian(np.zeros(4, "u1"), 1), ValueError, "image: shape"),
        (lambda: gaussian(np.zeros((4, 4, 5), "u1"), 1), ValueError, "channels"),
        (lambda: gaussian(np.zeros((0, 4), "u1"), 1), ValueError, "empty"),
        (lambda: gaussian(np.zeros((4, 4), "u1"), 1, alpha=True), ValueError, "alpha"),
        (lambda: gaussian(np.zeros((4, 4), "u1"), 0), ValueError, "sigma"),
        (lambda: gaussian(np.zeros((4, 4), "u1"), np.nan), ValueError, "sigma"),
        (lambda: gaussian(np.zeros((4, 4), "u1"), 1, "mirror"), ValueError, "boundary: 'mirror'"),
        (lambda: gaussian(np.zeros((4, 4), "u1"), 1, engine="box"), ValueError, "unknown blur engine"),
    ],
)
def test_refused(ask, error, message):
    with pytest.raises(error, match=message or None) as raised:
        ask()
    assert isinstance(raised.value, thalweg.Error)


def test_sigmas_of_other_types():
    for bad in ("wide", (1, 2, 3), None):
        with pytest.raises(TypeError, match="sigma"):
            gaussian(np.zeros((4, 4), "u1"), bad)
    image = picture((9, 9), "f4")
    for good in ([2, 3.0], np.array([2, 3]), (np.float32(2), np.int8(3))):
        assert np.array_equal(gaussian(image, good), gaussian(image, (2.0, 3.0)))
    assert np.array_equal(gaussian(image, np.int16(2)), gaussian(image, 2.0))


def work():
    image = picture((60, 80, 3), "u1", 5)
    expect_close(gaussian(image, 3), oracle(image.astype("f8"), (3, 3)), np.uint8)


def test_on_threads_and_after_forks():
    works_everywhere(work)
