"""Which of many documents contain a pattern?

    python document_listing.py [--documents 2000]

In the order of the suffixes, those that begin with the pattern are a range. Each belongs to a document, and a document is
to be told once, however often it has the pattern. So every suffix notes where the suffix of the same document before it
is, and the suffixes of the range whose note lies before the range tell each document once. They are found as range
minima, and the work is that of the answer, where the usual ways look at all places or at all documents. Muthukrishnan
(2002), *Efficient algorithms for document retrieval problems*.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

import thalweg

END = b"\0"  # behind every document: in no document, and in no pattern


class Documents:
    """Documents that can be asked for a pattern."""

    def __init__(self, documents):
        ends = np.cumsum([len(document) + 1 for document in documents])
        self.suffixes = thalweg.SuffixArray(b"".join(document + END for document in documents))
        self.document = np.searchsorted(ends, self.suffixes.positions, side="right").astype(np.int32)
        # For every suffix, the one of the same document before it in their order.
        order = np.argsort(self.document, kind="stable").astype(np.int32)
        same = self.document[order[1:]] == self.document[order[:-1]]
        self.before = np.full(len(order), -1, np.int32)
        self.before[order[1:][same]] = order[:-1][same]
        self.first = thalweg.Rmq(self.before)

    def with_patterns(self, patterns):
        """For every pattern, the numbers of the documents that contain it, in their order."""
        ranges = self.suffixes.range(patterns)
        (start, stop), which = ranges.T, np.arange(len(patterns))
        listed = [(which[:0], self.document[:0])]
        while len(which):
            start, stop, which = (column[start < stop] for column in (start, stop, which))
            least = self.first.argmin(start, stop)
            is_new = self.before[least] < ranges[which, 0]
            start, stop, which, least = (column[is_new] for column in (start, stop, which, least))
            listed.append((which, self.document[least]))
            # Where there was one, there may be others, on either side of it.
            start, stop, which = np.append(start, least + 1), np.append(least, stop), np.append(which, which)
        which, documents = map(np.concatenate, zip(*listed))
        order = np.lexsort((documents, which))
        return np.split(documents[order], np.searchsorted(which[order], np.arange(1, len(patterns))))


def make_documents(count, seed=17):
    """Documents of words, few of which are frequent. One in forty has one of the others 20000 times, as logs do."""
    random = np.random.default_rng(seed)
    words = [bytes(97 + random.integers(0, 26, random.integers(5, 12)).astype(np.uint8)) for _ in range(5000)]
    documents, repeated = [], []
    for i in range(count):
        picked = random.zipf(1.3, 150) % len(words)
        if i % 40 == 0:
            repeated.append(words[1000 + i])
            picked = np.append(picked, np.full(20_000, 1000 + i))
        documents.append(b" ".join(words[i] for i in picked))
    kinds = {"frequent": words[1:21], "rare": words[4000:4020], "in logs": repeated[:20], "nowhere": [b"no such"] * 20}
    return documents, kinds


def timed(work, patterns):
    """The answers, and microseconds a pattern."""
    began = time.perf_counter()
    answers = work(patterns)
    return answers, (time.perf_counter() - began) / len(patterns) * 1e6


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--documents", type=int, default=2000, help="how many there are")
    options = parser.parse_args(arguments)
    documents, kinds = make_documents(options.documents)

    began = time.perf_counter()
    index = Documents(documents)
    took = time.perf_counter() - began
    print(f"{len(documents)} documents, {len(index.suffixes)} bytes: index in {took:.2f} s")

    def by_unique(patterns):
        return [np.unique(index.document[start:stop]) for start, stop in index.suffixes.range(patterns)]

    def by_scanning(patterns):
        return [[i for i, document in enumerate(documents) if pattern in document] for pattern in patterns]

    print("microseconds a pattern    places  documents  range minima  np.unique of all  `pattern in document`")
    for kind, patterns in kinds.items():
        found, here = timed(index.with_patterns, patterns)
        same, unique = timed(by_unique, patterns)
        expected, scan = timed(by_scanning, patterns)
        assert all(map(np.array_equal, found, expected)) and all(map(np.array_equal, same, expected))
        places, answers = index.suffixes.count(patterns).mean(), sum(map(len, found)) / len(found)
        print(f"{kind:22} {places:9.0f} {answers:10.0f} {here:13.0f} {unique:17.0f} {scan:22.0f}")


if __name__ == "__main__":
    main()
