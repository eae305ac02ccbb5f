"""Threads, forks and signals."""

from __future__ import annotations

import multiprocessing
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import thalweg
from conftest import in_a_child

ARRAY = np.random.default_rng(3).integers(0, 1 << 30, 1 << 18)
INDEX = thalweg.Rmq(ARRAY)
START = np.arange(100_000)


def work():
    want = np.minimum.reduceat(ARRAY, np.arange(0, 1 << 18, 64))
    assert np.array_equal(INDEX.min(np.arange(0, 1 << 18, 64), np.arange(64, (1 << 18) + 1, 64)), want)
    left, right = thalweg.ansv(ARRAY)
    assert (ARRAY[left[left >= 0]] < ARRAY[left >= 0]).all()
    assert thalweg.Rmq(ARRAY[::-1]).argmin() == np.argmin(ARRAY[::-1])


def test_several_threads_at_once():
    with ThreadPoolExecutor(8) as pool:
        for done in [pool.submit(work) for _ in range(24)]:
            done.result()


def test_the_interpreter_is_let_go():
    ticks, running = [], True

    def tick():
        while running:
            ticks.append(time.monotonic())
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    begin = time.monotonic()
    thalweg.Rmq(np.arange(1 << 22)[::-1].copy(), engine="inlabel", device="cpu")
    end = time.monotonic()
    running = False
    thread.join()
    during = [t for t in ticks if begin < t < end]
    gaps = np.diff([begin, *during, end])
    assert gaps.max() < max(0.5 * (end - begin), 0.05), f"nobody else ran for {gaps.max()} of {end - begin} s"


def test_numbers_of_threads():
    for n in [1, 3]:
        thalweg.set_threads(n)
        assert thalweg.info()["threads"] == n
        work()
    thalweg.set_threads(None)
    for bad in [0, 100_000]:
        with pytest.raises(ValueError, match="threads"):
            thalweg.set_threads(bad)


fork = pytest.mark.skipif(not hasattr(__import__("os"), "fork"), reason="no fork here")


@fork
def test_children_work():
    work()  # so that the parent has threads
    assert in_a_child(work) == 0
    assert in_a_child(lambda: in_a_child(work) == 0 or 1 / 0) == 0
    work()


@fork
def test_pools_of_processes():
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map(INDEX.argmin, [0, 5, 100]) == [INDEX.argmin(s) for s in [0, 5, 100]]


@fork
def test_children_have_no_gpu():
    def child():
        with pytest.raises(thalweg.DeviceError, match="spawn"):
            thalweg.Rmq([1, 2], device="gpu")
        with pytest.raises(RuntimeError, match="spawn"):
            thalweg.devices()
        assert thalweg.Rmq(np.arange(10), device="auto").device == "cpu"

    assert in_a_child(child) == 0


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers here")
def test_signals_end_long_calls():
    array = np.random.default_rng(5).integers(0, 1 << 60, 1 << 23)

    def interrupt(*_):
        raise KeyboardInterrupt

    def ends(call):
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        begin = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            call()
        return time.monotonic() - begin

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        # Looks at 2^22 elements for every query: minutes.
        slow = thalweg.Rmq(array, engine="naive", device="cpu")
        start = np.zeros(1 << 12, "i8")
        assert ends(lambda: slow.argmin(start, 1 << 22)) < 1.0
        assert ends(lambda: slow.argmin_pairs(np.array([[0, 1 << 22]] * 4096))) < 1.0
        # Into an array of the caller, which must not be written to any more when the call has ended.
        start, out = np.zeros(1 << 26, "u4"), np.full(1 << 26, -5, "i4")
        quick = thalweg.Rmq(array)
        assert ends(lambda: quick.argmin(start, 1 << 22, out=out)) < 1.0
        unanswered = (out == -5).sum()
        assert unanswered > 0
        time.sleep(0.1)
        assert (out == -5).sum() == unanswered
    finally:
        signal.signal(signal.SIGALRM, before)
    work()  # the next calls are as ever
