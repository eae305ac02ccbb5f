#!/usr/bin/env python3
"""Several ranks against several threads of one process: `thalweg-mpi` on one machine.

    cargo build --release --manifest-path crates/thalweg-mpi/Cargo.toml
    python3 bench/ranks.py [--binary .../thalweg-mpi] [--mpiexec mpiexec] [--cores 16] [--log 24] [--csv ranks.csv]
    python3 bench/ranks.py --plot ranks.csv ranks.svg

Nearest smaller values on both sides of 2^log u32, then u64, in memory, the best of several: on 1, 2, 4, ... ranks of a thread each, on one rank of
as many threads (where the answers are compared with those of one process, whose time is told, too). `worst` rises on one half and falls on the
other, so that all of it is open. `--bound`: without it the system moves ranks about, and the slowest decides. Then sorts, scans, lists, forests
and range minima on ranks of a thread each. A line a run: what, kind, ranks, threads, seconds.
"""

import argparse
import csv
import json
import shlex
import subprocess
import sys

OTHERS = {
    "sort": ["--n", "2^{log}", "--dtype", "u32"],
    "scan": ["--n", "2^{log}", "--dtype", "u32"],
    "rmq": ["--n", "2^{log}", "--dtype", "f32", "--count", "2^20"],
    "rank": ["--n", "2^{short}"],
    "forest": ["--n", "2^{short}"],
}


def run(options, ranks, threads, words, bound=True):
    placed = ["-bind-to", f"core:{threads}"] if options.bound and bound and ranks > 1 else []
    words = [*words, "--threads", str(threads)]
    command = [*shlex.split(options.mpiexec), *placed, "-n", str(ranks), options.binary, *words, "--json"]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, timeout=100)
    if done.returncode != 0:
        print(f"{shlex.join(command)}: exit code {done.returncode}", file=sys.stderr)
        return None
    return json.loads(done.stdout.splitlines()[-1])


def measure(options):
    out = open(options.csv, "w") if options.csv else sys.stdout
    table = csv.writer(out)
    table.writerow(["what", "kind", "ranks", "threads", "seconds"])

    def tell(what, kind, ranks, threads, seconds):
        table.writerow([what, kind, ranks, threads, f"{seconds:.6f}"])
        out.flush()

    counts = [1 << k for k in range(options.cores.bit_length()) if 1 << k <= options.cores]
    for dtype, kind in [("u32", "random"), ("u32", "worst"), ("u64", "random"), ("u64", "worst")]:
        name = "ansv" if dtype == "u32" else f"ansv of {dtype}"
        for p in counts:
            # The best of more where each takes less.
            times = options.repeat * (3 if p >= 8 else 1)
            words = ["ansv", "--n", f"2^{options.log}", "--dtype", dtype, "--kind", kind, "--repeat", str(times), "--no-verify"]
            if p > 1 and (report := run(options, p, 1, words)):
                tell(name, kind, p, 1, report["seconds"])
            if report := run(options, 1, p, [*words, "--compare"]):
                tell(name, kind, 1, p, report["seconds"])
                tell(f"{name} in one process", kind, 1, p, report["seconds_of_one_process"])
        for p in counts[1:-1] if options.mixed else []:
            if report := run(options, p, options.cores // p, words):
                tell(name, kind, p, options.cores // p, report["seconds"])
        if options.bound and (report := run(options, options.cores, 1, words, bound=False)):
            tell(f"{name}, not bound to cores", kind, options.cores, 1, report["seconds"])
    for what, words in OTHERS.items():
        words = [word.format(log=options.log - 1, short=min(22, options.log - 2)) for word in words] + ["--no-verify"]
        for p in counts:
            if report := run(options, p, 1, [what, *words]):
                tell(what, "random", p, 1, report["seconds"])


# The picture.

WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 640, 420, 60, 30, 170, 50
COLOURS = {"random": "#2c6fbb", "worst": "#c0504d"}


def plot(source, target):
    """How many times as fast as one thread of one process, over the cores: both on logarithmic axes."""
    rows = list(csv.DictReader(open(source)))

    def times(what, kind, by):
        other = "threads" if by == "ranks" else "ranks"
        found = [row for row in rows if (row["what"], row["kind"], row[other]) == (what, kind, "1")]
        return {int(row[by]): float(row["seconds"]) for row in found}

    lines = []
    for kind in COLOURS:
        one = times("ansv in one process", kind, "threads")
        for name, found, dash in [("threads", one, ""), ("ranks", times("ansv", kind, "ranks"), "6 4")]:
            lines.append((f"{kind}, {name}", COLOURS[kind], dash, {p: one[1] / t for p, t in sorted(found.items())}))
    most = max(p for *_, line in lines for p in line)
    log = most.bit_length() - 1

    def x(p):
        return LEFT + (WIDTH - LEFT - RIGHT) * (p.bit_length() - 1) / max(log, 1)

    def y(times):
        from math import log2

        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (log2(max(times, 0.25)) + 2) / (log + 2)

    svg = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">',
           f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>']
    for k in range(log + 1):
        at = x(1 << k)
        svg.append(f'<line x1="{at:.1f}" y1="{TOP}" x2="{at:.1f}" y2="{HEIGHT - BOTTOM}" stroke="#ddd"/>')
        svg.append(f'<text x="{at:.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{1 << k}</text>')
    for k in range(-2, log + 1):
        at, name = y(2.0**k), str(1 << k) if k >= 0 else f"1/{1 << -k}"
        svg.append(f'<line x1="{LEFT}" y1="{at:.1f}" x2="{WIDTH - RIGHT}" y2="{at:.1f}" stroke="#ddd"/>')
        svg.append(f'<text x="{LEFT - 8}" y="{at + 4:.1f}" text-anchor="end">{name}</text>')
    svg.append(f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 12}" text-anchor="middle">cores: threads of one process, or ranks of a thread each</text>')
    svg.append(f'<text x="{LEFT}" y="{TOP - 12}">times as fast as one thread</text>')
    ends = sorted(((y(line[max(line)]), name, colour) for name, colour, _, line in lines))
    for name, colour, dash, line in lines:
        points = " ".join(f"{x(p):.1f},{y(t):.1f}" for p, t in line.items())
        svg.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2" stroke-dasharray="{dash}"/>')
        svg.extend(f'<circle cx="{x(p):.1f}" cy="{y(t):.1f}" r="3" fill="{colour}"/>' for p, t in line.items())
    last = 0.0
    for at, name, colour in ends:
        # Names do not cover each other.
        last = max(at, last + 15)
        svg.append(f'<text x="{WIDTH - RIGHT + 10}" y="{last + 4:.1f}" fill="{colour}">{name}</text>')
    svg.append("</svg>")
    with open(target, "w") as file:
        file.write("\n".join(svg) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default="crates/thalweg-mpi/target/release/thalweg-mpi")
    parser.add_argument("--mpiexec", default="mpiexec", help="how it is started, with its options")
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--log", type=int, default=24, help="the logarithm of the number of elements")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--bound", action="store_true", help="ranks are bound to cores (MPICH)")
    parser.add_argument("--mixed", action="store_true", help="also ranks of several threads")
    parser.add_argument("--csv", help="where the lines go")
    parser.add_argument("--plot", nargs=2, metavar=("CSV", "SVG"), help="draw what was measured before")
    options = parser.parse_args()
    if options.plot:
        plot(*options.plot)
    else:
        measure(options)


if __name__ == "__main__":
    main()
