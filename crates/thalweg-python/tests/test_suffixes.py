"""Suffix arrays against sorting, and what is read off them against its definition."""

import array
import copy
import gc
import mmap
import pickle
import subprocess
import sys
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thalweg


def sorted_suffixes(text):
    return sorted(range(len(text)), key=lambda i: text[i:])


def extension(text, i, j):
    k = 0
    while i + k < len(text) and j + k < len(text) and text[i + k] == text[j + k]:
        k += 1
    return k


def occurrences(text, pattern):
    """All places, the end of the text among them for an empty pattern."""
    return [i for i in range(len(text) - len(pattern) + 1) if text[i : i + len(pattern)] == pattern]


def check(s, text):
    """Everything about the suffixes of a list or bytes."""
    expected = sorted_suffixes(text)
    assert s.positions.tolist() == expected and s.positions.dtype == np.int32
    assert len(s) == len(text)
    assert np.array_equal(s.inverse[s.positions], np.arange(len(text)))
    lcp = [0] * len(text)
    for rank in range(1, len(text)):
        lcp[rank] = extension(text, expected[rank - 1], expected[rank])
    assert s.lcp.tolist() == lcp
    symbols, primary = s.bwt()
    rows = [len(text), *expected]
    assert symbols.tolist() == [text[row - 1] for row in rows if row]
    assert primary == (rows.index(0) if len(text) else 0)
    assert thalweg.inverse_bwt(symbols, primary).tolist() == list(text)
    length = max(lcp, default=0)
    repeat = s.longest_repeat()
    assert repeat.length == length
    if length:
        first = min(min(expected[r], expected[r - 1]) for r in range(1, len(text)) if lcp[r] == length)
        assert repeat.positions.tolist() == occurrences(text, text[first : first + length])
    else:
        assert len(repeat.positions) == 0


small_texts = st.one_of(
    st.binary(max_size=40),
    st.lists(st.sampled_from(b"ab"), max_size=60).map(bytes),
    st.tuples(st.binary(max_size=4), st.integers(0, 12), st.binary(max_size=2)).map(lambda t: t[0] * t[1] + t[2]),
)


@given(small_texts)
def test_everything_of_small_texts(text):
    check(thalweg.SuffixArray(text), text)
    bwt, same = thalweg.bwt(text), thalweg.SuffixArray(text).bwt()
    assert isinstance(bwt, thalweg.Bwt) and bwt.primary == same.primary
    assert np.array_equal(bwt.symbols, same.symbols) and bwt.symbols.dtype == np.uint8
    repeat, again = thalweg.longest_repeat(text), thalweg.SuffixArray(text).longest_repeat()
    assert isinstance(repeat, thalweg.Repeat)
    assert repeat.length == again.length and np.array_equal(repeat.positions, again.positions)


@given(st.lists(st.sampled_from([0, 1, 255, 256, 70_000, 2**32 - 1]), max_size=40))
def test_everything_of_texts_of_numbers(symbols):
    s = thalweg.SuffixArray(np.array(symbols, np.uint32))
    check(s, symbols)
    assert s.bwt().symbols.dtype == np.uint32
    assert thalweg.bwt(np.array(symbols, np.uint32)).symbols.tolist() == s.bwt().symbols.tolist()
    assert thalweg.longest_repeat(np.array(symbols, np.uint32)).length == s.longest_repeat().length


@given(small_texts, small_texts, st.lists(st.binary(max_size=3), max_size=5))
def test_patterns(text, pattern, patterns):
    s = thalweg.SuffixArray(text)
    patterns = [pattern, text[1:3], text[-2:], text + b"a", b"", *patterns]
    for one in patterns:
        expected = occurrences(text, one)
        assert s.find(one).tolist() == expected and s.find(one).dtype == np.int32
        assert s.count(one) == len(expected) and type(s.count(one)) is int
        start, stop = s.range(one)
        assert sorted(s.positions[start:stop]) == [i for i in expected if i < len(text)]
    assert [found.tolist() for found in s.find(patterns)] == [occurrences(text, one) for one in patterns]
    assert s.count(tuple(patterns)).tolist() == [len(occurrences(text, one)) for one in patterns]
    assert s.range(patterns).tolist() == [list(s.range(one)) for one in patterns]


def test_no_patterns():
    s = thalweg.SuffixArray(b"banana")
    assert s.find([]) == [] and s.count([]).tolist() == [] and s.range([]).shape == (0, 2)


def test_many_places_and_long_patterns():
    text = b"ab" * 20_000
    s = thalweg.SuffixArray(text)
    assert np.array_equal(s.find(b"ab"), np.arange(0, 40_000, 2))
    assert s.find(text[:30_000]).tolist() == list(range(0, 10_001, 2))
    assert [len(places) for places in s.find([b"a", b"ba", text])] == [20_000, 19_999, 1]


@pytest.mark.parametrize("pattern", [[7, 70_000], np.array([7, 70_000], np.uint32), np.array([7, 70_000], np.int64)])
def test_patterns_of_numbers(pattern):
    s = thalweg.SuffixArray(np.array([7, 70_000, 7, 7, 70_000], np.uint32))
    pattern = np.asarray(pattern)
    assert s.find(pattern).tolist() == [0, 3] and s.count(pattern) == 2
    assert s.find(np.array([], np.uint8)).tolist() == [0, 1, 2, 3, 4, 5]
    assert [found.tolist() for found in s.find([pattern, [7], []])] == [[0, 3], [0, 2, 3], [0, 1, 2, 3, 4, 5]]
    with pytest.raises(ValueError, match="between 0 and"):
        s.find(np.array([-1]))
    with pytest.raises(ValueError, match="between 0 and"):
        s.find(np.array([2**32]))
    with pytest.raises(TypeError, match="integers"):
        s.find(np.array([0.5]))
    with pytest.raises(ValueError, match="pattern 0"):
        s.find([7])  # a list is a list of patterns


@given(st.data(), small_texts.filter(len))
def test_extensions(data, text):
    s = thalweg.SuffixArray(text)
    positions = st.lists(st.integers(0, len(text) - 1), min_size=4, max_size=4)
    i, j = data.draw(positions), data.draw(positions)
    expected = [extension(text, a, b) for a, b in zip(i, j)]
    assert [s.lce(a, b) for a, b in zip(i, j)] == expected and type(s.lce(i[0], j[0])) is int
    for dtype, wide in [(np.int32, False), (np.uint32, False), (np.int64, True), (np.uint64, True), (np.int8, True)]:
        answers = s.lce(np.array(i, dtype), np.array(j, dtype))
        assert answers.tolist() == expected and answers.dtype == (np.int64 if wide else np.int32)
    pairs = np.array([i, j]).T
    assert s.lce_pairs(pairs).tolist() == expected
    narrow = s.lce_pairs(np.ascontiguousarray(pairs, np.uint32))
    assert narrow.tolist() == expected and narrow.dtype == np.int32
    assert s.lce(np.array(i)[:, None], j).tolist() == [[extension(text, a, b) for b in j] for a in i]
    out = np.empty(4, np.int64)
    assert s.lce(i, j, out=out) is out and out.tolist() == expected


def test_extensions_of_long_repeats_in_long_batches():
    text = b"abc" * 10_000
    s = thalweg.SuffixArray(text)
    random = np.random.default_rng(1)
    i, j = random.integers(0, len(text), (2, 1 << 15))
    expected = np.where((i - j) % 3 == 0, len(text) - np.maximum(i, j), 0)
    assert np.array_equal(s.lce(i, j), expected)
    assert np.array_equal(s.lce_pairs(np.stack((i, j), axis=1).astype(np.int32)), expected)


def test_extensions_outside_the_text():
    s = thalweg.SuffixArray(b"banana")
    for i, j in [(0, 6), (6, 0), (-1, 0), (0, 2**70)]:
        with pytest.raises(thalweg.QueryError, match="inside a text of 6"):
            s.lce(i, j)
    with pytest.raises(IndexError, match="pair 2: positions 1 and -3 ") as caught:
        s.lce([0, 1, 1, 9], [0, 1, -3, 9])
    assert caught.value.row == 2
    with pytest.raises(IndexError, match="pair 1: positions 6 and 0 ") as caught:
        s.lce_pairs([[0, 0], [6, 0]])
    assert caught.value.row == 1
    with pytest.raises(IndexError):
        thalweg.SuffixArray(b"").lce(0, 0)
    with pytest.raises(TypeError, match="integers"):
        s.lce([0.5], [1])
    with pytest.raises(ValueError, match="shape"):
        s.lce_pairs([1, 2, 3])
    with pytest.raises(TypeError, match="out: dtype"):
        s.lce([1, 2], 3, out=np.empty(2, np.int32))
    assert thalweg.SuffixArray(b"").lce([], []).tolist() == []


def test_all_values_of_a_byte():
    text = bytes(range(256)) * 2
    check(thalweg.SuffixArray(text), text)
    check(thalweg.SuffixArray(text[::-1]), text[::-1])


@pytest.mark.parametrize(
    "make",
    [
        bytes,
        bytearray,
        memoryview,
        lambda text: memoryview(bytearray(text)),
        lambda text: array.array("B", text),
        lambda text: np.frombuffer(text, np.uint8),
        lambda text: np.frombuffer(text, "S1"),
        lambda text: np.frombuffer(bytes(2) + text + bytes(1), np.uint8)[2:-1],
        lambda text: np.repeat(np.frombuffer(text, np.uint8), 3)[::3],
        lambda text: memoryview(bytes(b for pair in zip(text, text) for b in pair))[::2],
        lambda text: np.frombuffer(text, np.uint8).astype(np.uint16),
        lambda text: np.frombuffer(text, np.uint8).astype(">u2"),
        lambda text: np.frombuffer(text, np.uint8).astype(np.uint32),
        lambda text: np.frombuffer(text, np.uint8).astype(">u4"),
        lambda text: array.array("I", list(text)),
    ],
)
def test_whatever_is_a_text(make):
    text = b"mississippi"
    s = thalweg.SuffixArray(make(text))
    check(s, text)
    assert bytes(s.text) == text if isinstance(s.text, bytes) else s.text.astype("u1").tobytes() == text


def test_bool_is_a_text():
    text = np.array([True, False, True])
    assert thalweg.SuffixArray(text).positions.tolist() == [1, 2, 0]


def test_mapped_text(tmp_path):
    (tmp_path / "text").write_bytes(b"banana" * 100)
    with open(tmp_path / "text", "rb") as file:
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    s = thalweg.SuffixArray(mapped, copy=False)
    check(s, b"banana" * 100)
    with pytest.raises(BufferError):  # it is held
        mapped.close()
    del s
    gc.collect()
    mapped.close()
    check(thalweg.SuffixArray(np.memmap(tmp_path / "text", np.uint8, "r")), b"banana" * 100)


@pytest.mark.parametrize(
    "text, message",
    [
        ("banana", r"\.encode\(\)"),
        (np.array(["b", "a"]), r"\.encode\(\)"),
        (np.array([1, 2]), r"astype\(np.uint32\)"),
        (np.array([1, 2], np.int8), r"view\(np.uint8\)"),
        (np.array([1.0]), "np.unique"),
        (np.array([b"ab"]), "np.unique"),
        (np.array([1, "a"], object), "np.unique"),
        (17, "."),
        (None, "."),
    ],
)
def test_what_is_no_text(text, message):
    with pytest.raises(TypeError, match=message) as caught:
        thalweg.SuffixArray(text)
    assert isinstance(caught.value, thalweg.Error)


def test_dimensions():
    with pytest.raises(ValueError, match="2 dimensions"):
        thalweg.SuffixArray(np.zeros((2, 2), np.uint8))


def test_patterns_of_other_types():
    s = thalweg.SuffixArray(b"banana")
    with pytest.raises(TypeError, match=r"pattern: a str; .*\.encode"):
        s.find("ana")
    with pytest.raises(TypeError, match="pattern 1: a str"):
        s.count([b"a", "b"])
    with pytest.raises(TypeError, match="several bytes"):
        s.find(np.array([1], np.uint32))
    assert s.find(bytearray(b"na")).tolist() == [2, 4]
    assert s.find(np.frombuffer(b"na", np.uint8)).tolist() == [2, 4]


def test_copies():
    text = np.frombuffer(b"banana", np.uint8).copy()
    assert np.shares_memory(thalweg.SuffixArray(text, copy=False).text, text)
    assert np.shares_memory(thalweg.SuffixArray(text).text, text)
    assert not np.shares_memory(thalweg.SuffixArray(text, copy=True).text, text)
    given = b"banana"
    assert thalweg.SuffixArray(given, copy=False).text is given
    for wrong in [text[::2], text.astype(np.uint16), text.astype(">u4")]:
        with pytest.raises(ValueError, match="copy=False"):
            thalweg.SuffixArray(wrong, copy=False)


def test_arrays_are_views_that_outlive_their_owner_and_cannot_be_written():
    s = thalweg.SuffixArray(b"banana" * 1000)
    arrays = [s.positions, s.lcp, s.inverse]
    assert s.positions.ctypes.data == arrays[0].ctypes.data and s.lcp.ctypes.data == arrays[1].ctypes.data
    for view in arrays:
        with pytest.raises(ValueError):
            view[0] = 1
        with pytest.raises(ValueError):
            view.flags.writeable = True
    copies = [view.copy() for view in arrays]
    s.lce(0, 6)
    del s
    gc.collect()
    assert all(map(np.array_equal, arrays, copies))


def test_nbytes_counts_what_has_been_made():
    s = thalweg.SuffixArray(b"banana" * 1000)
    assert s.nbytes == 24_000
    s.lcp
    assert s.nbytes == 48_000
    s.lce(0, 1)
    assert 72_000 < s.nbytes < 90_000


def test_words_about_it():
    s = thalweg.SuffixArray(b"banana")
    assert repr(s) == "<thalweg.SuffixArray of 6 bytes>"
    assert s.device == "cpu" and "CPU" in s.chosen
    with pytest.raises(thalweg.DeviceError):
        thalweg.SuffixArray(b"banana", device="no such device")


@pytest.mark.parametrize("text", [b"banana", bytearray(b"banana"), np.array([3, 1, 2, 1, 2, 1], np.uint32)])
def test_pickles(text):
    s = thalweg.SuffixArray(text, device="cpu")
    for same in [pickle.loads(pickle.dumps(s)), copy.copy(s), copy.deepcopy(s)]:
        assert type(same) is thalweg.SuffixArray and np.array_equal(same.positions, s.positions)
        assert same.find(same.text[1:4]).tolist() == [1, 3]
    assert pickle.loads(pickle.dumps(s.bwt())).primary == s.bwt().primary
    assert pickle.loads(pickle.dumps(s.longest_repeat())).length == 3


@given(st.lists(st.sampled_from(b"ab"), max_size=12).map(bytes), st.integers(-1, 14))
def test_inverse_bwt_of_anything(symbols, primary):
    try:
        text = thalweg.inverse_bwt(symbols, primary)
    except thalweg.InputError:
        return
    again = thalweg.bwt(text)
    assert again.symbols.tobytes() == symbols and again.primary == primary


def test_threads():
    """Everything that is made later is made once, whoever asks first."""
    text = np.random.default_rng(2).integers(0, 4, 200_000, np.uint8)
    s = thalweg.SuffixArray(text)
    barrier, found = threading.Barrier(8), []

    def ask(i):
        barrier.wait()
        if i % 2:
            s.lce(0, 1)
        found.append((s.lcp.ctypes.data, s.inverse.ctypes.data, s.lce(5, 77), s.count(b"\1\2\3")))

    threads = [threading.Thread(target=ask, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8 and len(set(found)) == 1


def test_the_environment_is_left_alone():
    """OpenMP is told something while it is loaded."""
    show = "import os; before = dict(os.environ); import thalweg; assert dict(os.environ) == before"
    subprocess.run([sys.executable, "-c", show], check=True, timeout=60)


FORKED = """
import os, signal, sys
import numpy as np, thalweg
thalweg.set_threads(3)
text = np.random.default_rng(3).integers(0, 4, 600_000, np.uint8)
text[300_000:] = text[:300_000]
s = thalweg.SuffixArray(text)        # by OpenMP's threads
lazy = thalweg.SuffixArray(text)
s.lce(0, 300_000)
for _ in range(2):
    child = os.fork()
    if child == 0:
        signal.alarm(60)             # a child that hangs ends
        again = thalweg.SuffixArray(text)
        same = np.array_equal(again.positions, s.positions) and np.array_equal(lazy.lcp, s.lcp)
        same = same and again.lce(0, 300_000) == s.lce([0], [300_000])[0] == lazy.lce(0, 300_000) == 300_000
        same = same and thalweg.longest_repeat(text).length == s.longest_repeat().length == 300_000
        same = same and thalweg.lz77(text).decode() == text.tobytes()
        same = same and thalweg.count(text, text[:1000]) == s.count(text[:1000]) == 2
        same = same and np.array_equal(thalweg.inverse_bwt(*thalweg.bwt(text)), text)
        os._exit(0 if same else 1)
    status = os.waitpid(child, 0)[1]
    assert os.waitstatus_to_exitcode(status) == 0, status
    assert np.array_equal(thalweg.SuffixArray(text).positions, s.positions)   # and the parent goes on
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no os.fork()")
def test_after_a_fork():
    subprocess.run([sys.executable, "-W", "ignore", "-c", FORKED], check=True, timeout=150)
