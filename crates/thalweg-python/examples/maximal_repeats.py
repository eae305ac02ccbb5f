"""All maximal repeats of a genome: what occurs more than once, and less often if a letter is added at either end.

    python maximal_repeats.py [genome.fa] [--shortest 20]

Without a file, a genome is made up. What begins with the same letters lies side by side in the order of the suffixes, so
every repeat is an interval of the suffix array: as far as neighbours have at least so much in common, which is what nearest
smaller values tell. Such a repeat cannot be longer to the right; it cannot be to the left either if different letters
stand before it, in the Burrows-Wheeler transform. Abouelhoda, Kurtz and Ohlebusch (2004), *Replacing suffix trees with
enhanced suffix arrays*.
"""

from __future__ import annotations

import argparse
import collections
import time

import numpy as np

import thalweg


def maximal_repeats(text, shortest=1):
    """Lengths of the maximal repeats, and the ranges of the suffix array where their places are."""
    s = thalweg.SuffixArray(text)
    lcp = s.lcp
    left, right = thalweg.ansv(lcp)
    # An interval is found from every one of its smallest neighbours: the first of them speaks.
    is_first = lcp[thalweg.ansv(lcp, "left", "not_larger")] < lcp
    ranks = np.flatnonzero(is_first & (lcp >= max(shortest, 1)))
    start, stop = left[ranks], np.where(right[ranks] < 0, len(s), right[ranks])
    # How often the letter before changes from one suffix to the next. Before the whole text there is none.
    symbols, primary = s.bwt()
    before = np.insert(symbols.astype(np.int64), primary, -1)[1:]
    changes = np.concatenate(([0], np.cumsum(before[1:] != before[:-1])))
    is_maximal = changes[stop - 1] > changes[start]
    return s, lcp[ranks][is_maximal], start[is_maximal], stop[is_maximal]


def the_usual_way(text, shortest=1):
    """The same from all places of all substrings: (place, length, how often) of each."""
    places = collections.defaultdict(list)
    for i in range(len(text)):
        for j in range(i + shortest, len(text) + 1):
            places[text[i:j]].append(i)
    found = set()
    for part, where in places.items():
        before = {text[i - 1] if i else None for i in where}
        after = {text[i + len(part)] if i + len(part) < len(text) else None for i in where}
        if len(where) > 1 and len(before) > 1 and len(after) > 1:
            found.add((where[0], len(part), len(where)))
    return found


def read_fasta(path):
    """The sequences of a file, in capitals."""
    with open(path, "rb") as file:
        records = [record.partition(b"\n")[2] for record in file.read().split(b">")[1:]]
    return [b"".join(record.split()).upper() for record in records]


def joined(records):
    """One text of several: different numbers end them, so that no repeat reaches from one into the next."""
    if len(records) == 1:
        return records[0]
    letters = [np.append(np.frombuffer(r, np.uint8).astype(np.uint32) + len(records), i) for i, r in enumerate(records)]
    return np.concatenate(letters).astype(np.uint32)


def make_genome(length, seed=17):
    """Random letters, a twentieth of which are copies, some of them with errors, of what came before."""
    random = np.random.default_rng(seed)
    genome = np.frombuffer(b"ACGT", np.uint8)[random.integers(0, 4, length)]
    for _ in range(length // 20_000):
        size = min(1000, length // 4)
        source, target = random.integers(0, length - size, 2)
        genome[target : target + size] = genome[source : source + size]
        genome[target + random.integers(0, size, 2)] = ord("A")
    return genome.tobytes()


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("fasta", nargs="?", help="a FASTA file")
    parser.add_argument("--shortest", type=int, default=20, help="letters that a repeat has at least")
    parser.add_argument("--length", type=int, default=1_000_000, help="of a genome that is made up")
    options = parser.parse_args(arguments)
    records = read_fasta(options.fasta) if options.fasta else [make_genome(options.length)]

    began = time.perf_counter()
    text = joined(records)
    s, lengths, start, stop = maximal_repeats(text, options.shortest)
    took = time.perf_counter() - began
    print(f"{len(text)} letters: {len(lengths)} maximal repeats of {options.shortest} letters or more, {took:.3f} s")
    for i in np.argsort(-lengths, kind="stable")[:5]:
        places = np.sort(s.positions[start[i] : stop[i]])
        print(f"{lengths[i]:8} letters, {len(places)} times: {', '.join(map(str, places[:6]))}")
    if len(lengths):
        assert lengths.max() == s.longest_repeat().length

    # The usual way, on as much as it can take.
    small = make_genome(400)
    began = time.perf_counter()
    expected = the_usual_way(small, 2)
    usual = time.perf_counter() - began
    began = time.perf_counter()
    s, lengths, start, stop = maximal_repeats(small, 2)
    took = time.perf_counter() - began
    found = {(int(min(s.positions[a:b])), int(n), int(b - a)) for n, a, b in zip(lengths, start, stop)}
    assert found == expected
    print(
        f"{len(small)} letters: {len(found)} repeats by a dictionary of all parts in {usual:.3f} s, here in {took:.4f} s"
    )


if __name__ == "__main__":
    main()
