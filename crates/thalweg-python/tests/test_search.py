"""String matching against Python's own."""

import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thalweg

ENGINES = ["blocks", "duel", "boyer_moore", "kmp", "naive"]


def occurrences(text, pattern):
    return [i for i in range(len(text) - len(pattern) + 1) if text.startswith(pattern, i)]


texts = st.one_of(st.binary(max_size=60), st.lists(st.sampled_from(b"ab"), max_size=80).map(bytes))


@pytest.mark.parametrize("engine", [None, *ENGINES])
@given(text=texts, pattern=st.one_of(st.binary(max_size=3), st.lists(st.sampled_from(b"ab"), max_size=6).map(bytes)))
def test_places(engine, text, pattern):
    for one in (pattern, text[2:5], text):
        expected = occurrences(text, one)
        found = thalweg.find_all(text, one, engine=engine)
        assert found.tolist() == expected and found.dtype == np.int32
        assert thalweg.count(text, one, engine=engine) == len(expected)


@pytest.mark.parametrize("make", [bytes, bytearray, memoryview, lambda text: np.frombuffer(text, np.uint8)])
def test_whatever_is_a_text(make):
    assert thalweg.find_all(make(b"banana"), make(b"ana")).tolist() == [1, 3]
    assert thalweg.count(make(b"banana"), make(b"ana")) == 2


def test_blocks():
    """Patterns across the borders of the parts that threads look into."""
    text = np.zeros(1_500_000, np.uint8)
    places = np.sort(np.random.default_rng(6).choice(len(text) // 7 - 1, 40_000, replace=False)) * 7
    pattern = bytes([1, 2, 3, 4, 5])
    for i, symbol in enumerate(pattern):
        text[places + i] = symbol
    assert np.array_equal(thalweg.find_all(text, pattern), places)
    assert thalweg.count(text, pattern) == len(places)
    assert thalweg.count(text, b"\0") == len(text) - 5 * len(places)


def test_threads():
    text, found = b"abcab" * 100_000, []
    threads = [threading.Thread(target=lambda: found.append(thalweg.count(text, b"bca"))) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [100_000] * 6


def test_what_does_not_work():
    with pytest.raises(TypeError, match=r"text: a str; .*\.encode"):
        thalweg.find_all("banana", b"ana")
    with pytest.raises(TypeError, match=r"pattern: a str; .*\.encode"):
        thalweg.find_all(b"banana", "ana")
    with pytest.raises(TypeError, match="pattern: symbols of several bytes"):
        thalweg.count(b"banana", np.zeros(2, np.uint16))
    with pytest.raises(ValueError, match="blocks"):
        thalweg.find_all(b"banana", b"a", engine="no such engine")
    with pytest.raises(TypeError):
        thalweg.find_all(b"banana", 97)
