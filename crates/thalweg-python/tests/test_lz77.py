"""LZ77 against its definition."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thalweg

ENGINES = ["starts", "lpf", "naive"]


def phrase_lengths(text):
    """The greedy factorisation by comparing."""
    at, lengths = 0, []
    while at < len(text):
        length = 0
        while at + length < len(text) and text.find(text[at : at + length + 1], 0, at + length) >= 0:
            length += 1
        lengths.append(max(length, 1))
        at += lengths[-1]
    return lengths


small_texts = st.one_of(
    st.binary(max_size=40),
    st.lists(st.sampled_from(b"ab"), max_size=60).map(bytes),
    st.tuples(st.binary(max_size=4), st.integers(0, 12), st.binary(max_size=2)).map(lambda t: t[0] * t[1] + t[2]),
)


@pytest.mark.parametrize("engine", [None, *ENGINES])
@given(text=small_texts)
def test_phrases_are_the_longest(engine, text):
    z = thalweg.lz77(text, engine=engine, device="cpu")
    assert z.lengths.tolist() == phrase_lengths(text)
    assert len(z) == len(z.lengths) == len(z.sources) == len(z.starts)
    assert z.text_length == len(text) == z.lengths.sum()
    assert np.array_equal(z.starts, np.cumsum(z.lengths) - z.lengths)
    literals = []
    for start, length, source in z:
        if source < 0:
            assert length == 1 and text.find(text[start : start + 1]) == start
            literals.append(text[start])
        else:
            assert source < start and text[source:][:length] == text[start:][:length]
    assert z.literals.tolist() == literals
    assert z.decode() == text
    assert {column.dtype for column in (z.starts, z.lengths, z.sources)} == {np.dtype(np.int32)}


@given(small_texts)
def test_sources(text):
    leftmost = thalweg.lz77(text, source="leftmost")
    nearest = thalweg.lz77(text, source="nearest", engine="lpf")
    for (start, length, first), (same, _, last) in zip(leftmost, nearest):
        assert start == same and (first < 0) == (last < 0)
        if first >= 0:
            part = text[start : start + length]
            assert first == text.find(part) and last == text.rfind(part, 0, start + length - 1)


def test_of_all_phrases_one_by_one():
    z = thalweg.lz77(b"abababbb")
    assert list(z) == [z[i] for i in range(4)] == [(0, 1, -1), (1, 1, -1), (2, 4, 0), (6, 2, 5)]
    assert z[-1] == (6, 2, 5) and z[-4] == z[0]
    for i in [4, -5]:
        with pytest.raises(IndexError):
            z[i]
    assert all(type(number) is int for phrase in z for number in phrase)
    assert list(thalweg.lz77(b"")) == [] and thalweg.lz77(b"").decode() == b""
    assert repr(z) == "<thalweg.Lz77: 4 phrases of 8 bytes>" and "starts" in z.chosen
    with pytest.raises(ValueError):
        z.starts[0] = 1


def test_equal_ones():
    z = thalweg.lz77(b"abab")
    assert z == thalweg.lz77(bytearray(b"abab")) and hash(z) == hash(thalweg.lz77(b"abab", engine="lpf"))
    assert z != thalweg.lz77(b"abac") and z != 4


@given(small_texts)
def test_files(tmp_path_factory, text):
    z = thalweg.lz77(text)
    path = tmp_path_factory.mktemp("lz77") / "text.tlz"
    z.save(path)
    assert path.read_bytes() == z.to_bytes()
    for same in [
        thalweg.Lz77.open(path),
        thalweg.Lz77.open(str(path), verify=False),
        thalweg.Lz77.from_bytes(z.to_bytes()),
        thalweg.Lz77.from_bytes(bytearray(z.to_bytes())),
        pickle.loads(pickle.dumps(z)),
    ]:
        assert same == z and same.decode() == text and same.chosen is None
    assert [file.name for file in path.parent.iterdir()] == ["text.tlz"]


def test_files_that_are_none(tmp_path):
    z = thalweg.lz77(b"abracadabra" * 100)
    data = bytearray(z.to_bytes())
    with pytest.raises(ValueError, match="1100 bytes, more than the 1099 allowed"):
        thalweg.Lz77.from_bytes(data, max_length=1099)
    assert thalweg.Lz77.from_bytes(data, max_length=1100) == z
    with pytest.raises(ValueError, match="not a .tlz file"):
        thalweg.Lz77.from_bytes(b"abc")
    with pytest.raises(ValueError):
        thalweg.Lz77.from_bytes(data[:-1])
    data[24] ^= 1  # of the checksum
    with pytest.raises(ValueError, match="checksum"):
        thalweg.Lz77.from_bytes(data)
    assert thalweg.Lz77.from_bytes(data, verify=False) == z
    (tmp_path / "bad.tlz").write_bytes(data)
    with pytest.raises(thalweg.FormatError, match="bad.tlz.*checksum"):
        thalweg.Lz77.open(tmp_path / "bad.tlz")
    with pytest.raises(FileNotFoundError, match="missing.tlz"):
        thalweg.Lz77.open(tmp_path / "missing.tlz")
    with pytest.raises(OSError):
        z.save(tmp_path / "no such folder" / "a.tlz")
    with pytest.raises(OSError):
        z.save(tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ["bad.tlz"]


def test_larger_texts():
    random = np.random.default_rng(5)
    text = random.integers(0, 3, 50_000, np.uint8)
    text[30_000:45_000] = text[:15_000]
    z = thalweg.lz77(text)
    assert z.decode() == text.tobytes() and z == thalweg.lz77(text.tobytes(), engine="lpf")
    assert z.lengths.max() >= 14_000
    assert len(thalweg.lz77(b"a" * 1_000_000)) == 2


def test_what_does_not_work():
    with pytest.raises(TypeError, match=r"\.encode"):
        thalweg.lz77("abc")
    with pytest.raises(TypeError, match="bytes or uint8"):
        thalweg.lz77(np.zeros(3, np.uint32))
    with pytest.raises(ValueError, match="'starts'|starts"):
        thalweg.lz77(b"abc", engine="no such engine")
    with pytest.raises(ValueError, match="'leftmost'"):
        thalweg.lz77(b"abc", source="furthest")
    with pytest.raises(TypeError):
        thalweg.Lz77()
