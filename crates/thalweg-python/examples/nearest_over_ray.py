"""The nearest smaller values of an array whose parts lie on the machines of a Ray cluster.

Every part is made, and solved, where it lies. What is open there, some dozen numbers a part on random data, meets in one task; then every
part is settled where it lies. No part is ever sent.

    python nearest_over_ray.py [--address ray://...]
"""

from __future__ import annotations

import argparse

import numpy as np
import thalweg
from _timing import optional, timed
from thalweg import parts


def part_of(number, length):
    """A part of the array: here it is made, elsewhere it would be read."""
    return np.random.default_rng(number).integers(0, 1 << 30, length, dtype=np.uint32)


def ansv(ray, count, length):
    """References to the left neighbours of every part, which stay where they are."""
    solve = ray.remote(lambda number: parts.solve(part_of(number, length), number * length))
    opened = ray.remote(lambda solved: solved.open)
    # What is passed in a list is not fetched before the task asks for it.
    meet = ray.remote(lambda opens: parts.meet(ray.get(opens), "left"))
    settle = ray.remote(lambda solved, met, number: parts.settle(solved, "left", met[number]))

    solved = [solve.remote(number) for number in range(count)]
    met = meet.remote([opened.remote(one) for one in solved])
    return [settle.remote(one, met, number) for number, one in enumerate(solved)]


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--address", help="a cluster (without it, one is started on this machine)")
    parser.add_argument("--parts", type=int, default=8, help="how many there are")
    parser.add_argument("--length", type=int, default=1 << 22, help="elements of each")
    options = parser.parse_args(arguments)
    ray = optional("ray")
    if ray is None:
        return "ray is not installed"
    ray.init(address=options.address, log_to_driver=False, include_dashboard=False)
    try:
        left = timed("over Ray", lambda: ray.get(ansv(ray, options.parts, options.length)))
    finally:
        ray.shutdown()
    array = np.concatenate([part_of(number, options.length) for number in range(options.parts)])
    whole = timed("in one piece", lambda: thalweg.ansv(array, "left", device="cpu"))
    assert np.array_equal(np.concatenate(left), whole.astype(np.int64))
    return None


if __name__ == "__main__":
    if reason := main():
        raise SystemExit(reason)
