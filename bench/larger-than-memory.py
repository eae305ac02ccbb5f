#!/usr/bin/env python3
"""Files that are larger than memory: `thalweg ... --memory` against the copy speed of the same disk, and against itself without a limit.

    cargo build --release
    python3 bench/larger-than-memory.py [--thalweg target/release/thalweg] [--folder .] [--n 2^27] [--memory 512Mi] [--only ansv] [--big]

Every time includes `fsync` of the file that was written, so that it is the disk's speed and not that of the page cache. The copy is `cp` of a file
as large as what ANSV reads and writes, half of it each; its speed is bytes read and written over time, as ANSV's is. They take turns, and of
either the best of three counts. Results with and without a limit are compared byte by byte. The page cache is dropped before each run if that is allowed (root). `--big` runs u8, 2^33
elements, one side: 8 GiB in, 64 GiB out are too much for many disks, so its result goes to /dev/null.
"""

import argparse
import filecmp
import json
import os
import shutil
import subprocess
import time


def number(text):
    return 2 ** int(text[2:]) if text.startswith("2^") else int(text)


def cold():
    """Drops clean pages, if that is allowed."""
    os.sync()
    try:
        with open("/proc/sys/vm/drop_caches", "w") as file:
            file.write("1\n")
    except OSError:
        pass


def synced(path):
    with open(path, "rb+") as file:
        os.fsync(file.fileno())


class Bench:
    def __init__(self, options):
        self.thalweg = os.path.abspath(options.thalweg)
        self.folder = os.path.join(os.path.abspath(options.folder), "larger-than-memory.tmp")
        self.memory = options.memory
        shutil.rmtree(self.folder, ignore_errors=True)
        os.makedirs(self.folder)

    def path(self, name):
        return os.path.join(self.folder, name)

    def raced(self, *words):
        """`run` and a copy by turns, the best of three of each: the report, the seconds, the copy's bytes a second."""
        runs, copies = zip(*((self.run(*words), self.copy()) for _ in range(3)))
        return *min(runs, key=lambda run: run[1]), self.copied / min(copies)

    def run(self, *words):
        """The report, and the seconds until everything is on the disk."""
        outputs = [self.path(word) for word in words if word.startswith("out-")]
        words = [self.path(word) if word.startswith(("in-", "out-")) else word for word in words]
        # As the copy's: freeing an old result takes the system time.
        for output in filter(os.path.exists, outputs):
            os.remove(output)
        cold()
        start = time.monotonic()
        done = subprocess.run([self.thalweg, *words, "--json"], stdout=subprocess.PIPE, check=True)
        for output in outputs:
            synced(output)
        return json.loads(done.stdout), time.monotonic() - start

    def make(self, what, name, *words):
        subprocess.run([self.thalweg, "gen", what, *words, "--out", self.path(name)], check=True)

    def begin_copy(self, size):
        """Makes what is copied: so many bytes in all, read and written."""
        self.copied = size
        with open(self.path("in-copy"), "wb") as file:
            for _ in range(size // 2 // (1 << 20)):
                file.write(os.urandom(1 << 20))

    def copy(self):
        """The seconds of a copy."""
        cold()
        start = time.monotonic()
        subprocess.run(["cp", "--reflink=never", self.path("in-copy"), self.path("out-copy")], check=True)
        synced(self.path("out-copy"))
        seconds = time.monotonic() - start
        os.remove(self.path("out-copy"))
        return seconds

    def compare(self, *names):
        for name in names:
            assert filecmp.cmp(self.path("out-" + name), self.path("out-limited-" + name), shallow=False), name
            os.remove(self.path("out-" + name))
            os.remove(self.path("out-limited-" + name))


def peak(report):
    return f"{report['memory']['peak_bytes'] / 2**20:.0f} MiB held"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--thalweg", default="target/release/thalweg")
    parser.add_argument("--folder", default=".")
    parser.add_argument("--n", type=number, default=2**27, help="elements of the arrays; bytes of the text are an eighth")
    parser.add_argument("--memory", default="512Mi")
    parser.add_argument("--only", choices=["ansv"], help="nothing else")
    parser.add_argument("--big", action="store_true", help="2^33 elements of u8, one side")
    options = parser.parse_args()
    bench, n, memory = Bench(options), options.n, ["--memory", options.memory]
    try:
        gb = 1e9
        sizes = {"u8": 1, "f32": 4, "i64": 8}
        bench.begin_copy(24 * n)
        kinds = [("f32", kind) for kind in ["random", "sorted", "reverse", "worst", "constant"]]
        for dtype, kind in [*kinds, ("i64", "runs"), ("u8", "random")]:
            bench.make("array", "in-A.npy", "--n", str(n), "--dtype", dtype, "--kind", kind)
            ansv = ["ansv", "--array", "in-A.npy", "--device", "cpu", "--no-verify"]
            limited, seconds, speed = bench.raced(*ansv, "--left", "out-limited-L.npy", "--right", "out-limited-R.npy", *memory)
            _, whole = bench.run(*ansv, "--left", "out-L.npy", "--right", "out-R.npy")
            bench.compare("L.npy", "R.npy")
            # The array is read twice, for two sides.
            moved = n * (2 * sizes[dtype] + 16) / seconds
            # A copy reads as much as it writes; this writes more, so that the disk's writing may bind it.
            writing = 100 * 16 * n / seconds / (speed / 2)
            print(f"ansv, {n} x {dtype}, {kind}: {seconds:.2f} s, {moved / gb:.2f} GB/s, {100 * moved / speed:.0f}% of a copy at {speed / gb:.2f}, {writing:.0f}% of its writing; "
                  f"{peak(limited)}; without a limit {whole:.2f} s, x {whole / seconds:.2f}", flush=True)
        os.remove(bench.path("in-copy"))
        if options.only:
            return
        bench.make("array", "in-A.npy", "--n", str(n), "--dtype", "f32")
        bench.make("queries", "in-Q.npy", "--n", str(n), "--count", str(n // 32))
        rmq = ["rmq", "--array", "in-A.npy", "--queries", "in-Q.npy", "--what", "index", "--device", "cpu", "--no-verify"]
        limited, seconds = bench.run(*rmq, "--out", "out-limited-R.npy", *memory)
        _, whole = bench.run(*rmq, "--out", "out-R.npy")
        bench.compare("R.npy")
        print(f"rmq, {n} x f32, {n // 32} queries: {seconds:.2f} s; {peak(limited)}; without a limit {whole:.2f} s, x {whole / seconds:.2f}")
        build = ["build", "--array", "in-A.npy"]
        limited, seconds = bench.run(*build, "--out", "out-limited-A.thw", *memory)
        _, whole = bench.run(*build, "--out", "out-A.thw")
        refer, referring = bench.run(*build, "--out", "out-refer.thw", "--refer", *memory)
        size = os.path.getsize(bench.path("out-refer.thw"))
        bench.compare("A.thw")
        print(f"build: {seconds:.2f} s; {peak(limited)}; without a limit {whole:.2f} s, x {whole / seconds:.2f}; "
              f"--refer {referring:.2f} s, {size / 2**20:.0f} MiB, {peak(refer)}")
        for kind in ["words", "dna", "fibonacci", "equal"]:
            bench.make("text", "in-T", "--n", str(n // 8), "--kind", kind)
            sa = ["sa", "in-T", "--device", "cpu", "--no-verify"]
            share = ["--memory", "96Mi"]
            for more in [[], ["--lcp", "P.npy"]]:
                names = ["S.npy", *more[1:]]
                limited, seconds = bench.run(*sa, "--out", "out-limited-S.npy", *more[:1], *["out-limited-" + name for name in more[1:]], *share)
                _, whole = bench.run(*sa, "--out", "out-S.npy", *more[:1], *["out-" + name for name in more[1:]])
                bench.compare(*names)
                print(f"sa {' '.join(more[:1])}, {n // 8} bytes, {kind}, {share[1]}: {seconds:.2f} s; {peak(limited)}; "
                      f"without a limit {whole:.2f} s, x {whole / seconds:.2f}", flush=True)
        if options.big:
            os.remove(bench.path("in-A.npy"))
            length = 2**33
            # `gen` makes arrays in memory; random bytes will do.
            with open(bench.path("in-A.bin"), "wb") as file:
                for _ in range(length >> 24):
                    file.write(os.urandom(1 << 24))
            for side in ["--left", "--right"]:
                cold()
                start = time.monotonic()
                done = subprocess.run([bench.thalweg, "ansv", "--array", bench.path("in-A.bin"), "--dtype", "u8", side, "/dev/null", *memory, "--json"],
                                      stdout=subprocess.PIPE, check=True)
                report, seconds = json.loads(done.stdout), time.monotonic() - start
                print(f"ansv, 2^33 x u8, {side[2:]} to /dev/null: {seconds:.1f} s, {length / seconds / gb:.2f} billion elements/s; {peak(report)}; "
                      f"{report['verified']} answers checked", flush=True)
    finally:
        shutil.rmtree(bench.folder, ignore_errors=True)


if __name__ == "__main__":
    main()
