"""Fourier transforms and convolutions, by the conventions of `numpy.fft`.

`fft`, `rfft` and their kin have the names, arguments and results of NumPy's, for any length, axis and number of dimensions; float32
stays float32 (complex64). They run on all threads, and with `out=` in place. What is missing here: `hfft`, long double, and
`out=` for real transforms.

`convolve` and `correlate` slide a kernel over arrays of one or two dimensions, directly or by transforms, whichever is faster.
Integers are convolved exactly, by transforms modulo primes where that pays: `convolve_exact`.

>>> import numpy as np
>>> from thalweg import fft
>>> t = np.arange(1000) / 1000
>>> spectrum = fft.rfft(np.sin(2 * np.pi * 50 * t))
>>> int(np.abs(spectrum).argmax())  # 50 Hz
50
>>> fft.convolve([1, 2, 3], [0, 1, 1])
array([0, 1, 3, 5, 3])
"""

from __future__ import annotations

from ._native import (
    convolve,
    convolve_exact,
    correlate,
    fft,
    fft2,
    fftn,
    ifft,
    ifft2,
    ifftn,
    irfft,
    irfft2,
    irfftn,
    rfft,
    rfft2,
    rfftn,
)

__all__ = [
    "convolve",
    "convolve_exact",
    "correlate",
    "fft",
    "fft2",
    "fftn",
    "ifft",
    "ifft2",
    "ifftn",
    "irfft",
    "irfft2",
    "irfftn",
    "rfft",
    "rfft2",
    "rfftn",
]
