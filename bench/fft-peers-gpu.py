#!/usr/bin/env python3
"""Measures what our transforms on a GPU are compared with: cuFFT, through PyTorch, and MKL on the same machine's CPU.

    bench/fft-peers-gpu.py > fft-peers-gpu.txt

cuFFT's times are by CUDA's events around a transform of data that is on the device, the fastest of many; the plan is made
before. The convolution is what `thalweg bench convolve --device gpu` times: a transform, a product with a spectrum that is
ready, and the transform back. MKL's times are by the wall clock. Every result is checked by going back.
"""
import time

import torch

DEVICE = "cuda"


def on_gpu(work, repeat=50):
    for _ in range(5):
        work()
    best = float("inf")
    for _ in range(repeat):
        start, stop = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        work()
        stop.record()
        torch.cuda.synchronize()
        best = min(best, start.elapsed_time(stop))
    return best


def on_cpu(work, repeat=5):
    work()
    best = float("inf")
    for _ in range(repeat):
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return best * 1e3


def check(values, back):
    error = float((values - back).norm() / values.norm())
    assert error < 1e-5, error


print("torch", torch.__version__, "CUDA", torch.version.cuda, torch.cuda.get_device_name())
for exponent in [10, 16, 20, 22, 24, 26, 28]:
    x = torch.randn(2**exponent, dtype=torch.complex64, device=DEVICE)
    check(x, torch.fft.ifft(torch.fft.fft(x)))
    print(f"cuFFT c64 2^{exponent}: {on_gpu(lambda: torch.fft.fft(x)):.4f} ms")
for n in [1000003, 3**15, 10**7, 2**24 - 3]:
    x = torch.randn(n, dtype=torch.complex64, device=DEVICE)
    check(x, torch.fft.ifft(torch.fft.fft(x)))
    print(f"cuFFT c64 {n}: {on_gpu(lambda: torch.fft.fft(x)):.4f} ms")
for shape in [(4096, 4096), (65536, 256), (256, 256, 256)]:
    x = torch.randn(shape, dtype=torch.complex64, device=DEVICE)
    every = list(range(len(shape))) if shape != (65536, 256) else [1]
    print(f"cuFFT c64 {shape} axes {every}: {on_gpu(lambda: torch.fft.fftn(x, dim=every)):.4f} ms")

for kind in [torch.complex64, torch.float32]:
    x = torch.randn(4096, 4096, dtype=kind, device=DEVICE)
    real = kind == torch.float32
    there, back = (torch.fft.rfft2, torch.fft.irfft2) if real else (torch.fft.fft2, torch.fft.ifft2)
    spectrum = there(torch.randn_like(x))

    def convolve():
        y = there(x)
        y *= spectrum
        return back(y)

    print(f"cuFFT convolution 4096 x 4096 of {kind}: {on_gpu(convolve):.4f} ms")

print("MKL" if torch.backends.mkl.is_available() else "no MKL: what PyTorch has instead")
x = torch.randn(2**24, dtype=torch.complex64)
check(x, torch.fft.ifft(torch.fft.fft(x)))
for threads in [1, 2, 16]:
    torch.set_num_threads(threads)
    print(f"CPU c64 2^24, {threads} threads: {on_cpu(lambda: torch.fft.fft(x)):.1f} ms")
