#!/usr/bin/env python3
"""Measures what `--device auto` assumes: whole runs of the command, on the CPU and on a GPU, side by side.

    bench/auto-rule.py target/release/thalweg > auto.csv
    bench/auto-rule.py target/release/thalweg rank sa > auto.csv

Every row is the faster of two runs, each in a process of its own: seconds of wall time, and of them what the command
reports as its work (building and answering, with all copies). The rest is start, data and output, which both devices
share, and for the GPU also opening it. Data is what the command makes itself when it is given none.
"""
import csv
import json
import subprocess
import sys
import time

command, wanted = sys.argv[1], sys.argv[2:]


def runs():
    """Command, its n, and its arguments."""
    for e in [10, 24, 26, 28, 30]:
        for count in ["2^10", "2^24", "2^27"]:
            yield "rmq", e, ["--count", count]
    for e in [10, 24, 26, 28, 29]:
        yield "ansv", e, []
    for e in [24, 26, 28]:
        yield "cartesian", e, []
    for name in ["rank", "forest", "lca", "subtree"]:
        for e in [20, 22, 24, 26]:
            yield name, e, []
    for name in ["sa", "lz77", "lrs"]:
        for e in [20, 23, 24, 26]:
            yield name, e, []
    for e in [20, 23, 24, 26]:
        for count in ["2^10", "2^24", "2^26"]:
            yield "lce", e, ["--count", count]


def run(name, e, arguments, device):
    """Wall and work seconds of the faster of two runs, or None."""
    line = [command, name, "--n", f"2^{e}", *arguments, "--device", device, "--json"]
    if name != "lrs":
        line.append("--no-verify")
    times = []
    for _ in range(2):
        begin = time.perf_counter()
        done = subprocess.run(line, capture_output=True, text=True)
        wall = time.perf_counter() - begin
        if done.returncode != 0:
            print(*line, done.stderr.strip(), file=sys.stderr)
            return None
        report = json.loads(done.stdout)
        parts = [report[part]["seconds"] for part in ["build", "answer"] if report.get(part)]
        times.append((wall, sum(parts) + report.get("seconds", 0.0)))
    return min(times)


out = csv.writer(sys.stdout)
out.writerow(["command", "n", "arguments", "device", "wall_s", "work_s"])
for name, e, arguments in runs():
    if wanted and name not in wanted:
        continue
    for device in ["cpu", "gpu"]:
        if times := run(name, e, arguments, device):
            out.writerow([name, f"2^{e}", " ".join(arguments), device, f"{times[0]:.3f}", f"{times[1]:.4f}"])
            sys.stdout.flush()
