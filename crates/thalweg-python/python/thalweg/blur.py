"""Gaussian blur of pictures.

`gaussian` blurs grey pictures, colours and colours with alpha, of 8 or 16 bits or in float32, by sums of products for small
deviations and by Fourier transforms for large ones, so that no sigma is slow. Kernel and borders are those of
`scipy.ndimage.gaussian_filter`; but channels are not blurred into one another, and integers are rounded, not cut off.

>>> import numpy as np
>>> from thalweg.blur import gaussian
>>> picture = np.zeros((64, 64, 3), np.uint8)
>>> picture[32, 32] = 255, 128, 0
>>> gaussian(picture, 1.5)[32, 30:35, 0]
array([ 7, 14, 18, 14,  7], dtype=uint8)
>>> int(gaussian(np.full((4, 6), 7, np.uint16), sigma=(2, 30)).min())  # no border darkens
7
"""

from __future__ import annotations

from ._native import gaussian

__all__ = ["gaussian"]
