"""Lowest common ancestors of taxa: what two species have in common.

A taxonomy is an array of parents. For many pairs of species: their lowest common ancestor, and how far apart they are. And
for groups of species: the ancestor of all of them, by folding pairs.

    python ancestors_of_taxa.py [nodes.dmp]

With NCBI's file of taxa, that; otherwise a random taxonomy.
"""

from __future__ import annotations

import argparse

import numpy as np
import thalweg
from _timing import optional, timed


def read_nodes(path):
    """Parents of a taxonomy in NCBI's format: `taxon | parent | ...`. Numbers that are no taxa are roots of their own."""
    pairs = np.loadtxt(path, delimiter="|", usecols=(0, 1), dtype=np.int64)
    parents = np.full(pairs[:, 0].max() + 1, -1)
    parents[pairs[:, 0]] = np.where(pairs[:, 0] == pairs[:, 1], -1, pairs[:, 1])
    return parents


def random_taxonomy(n, seed=3):
    """Every node below an earlier one, the later the deeper."""
    rng = np.random.default_rng(seed)
    parents = (np.arange(n) * rng.random(n) ** 0.5).astype(np.int64)
    parents[0] = -1
    return parents


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("nodes", nargs="?", help="NCBI's file nodes.dmp")
    parser.add_argument("--taxa", type=int, default=100_000, help="of a taxonomy that is made up")
    parser.add_argument("--pairs", type=int, default=100_000, help="that are asked for")
    options = parser.parse_args(arguments)
    pairs = options.pairs
    parents = read_nodes(options.nodes) if options.nodes else random_taxonomy(options.taxa)
    rng = np.random.default_rng(4)
    x, y = rng.integers(0, len(parents), (2, pairs))
    print(f"{len(parents)} taxa, {pairs} pairs")

    forest = thalweg.Forest(parents)
    common = timed("thalweg, index and all pairs", lambda: forest.lca(x, y))
    depths = forest.depths.astype(np.int64)
    apart = np.where(common < 0, -1, depths[x] + depths[y] - 2 * depths[common])
    print(f"  the average pair is {apart[apart >= 0].mean():.1f} steps apart, the farthest {apart.max()}")
    everyone = np.arange(len(parents))[forest.roots == forest.roots[0]]
    while len(everyone) > 1:  # The ancestor of a whole group, by halves.
        half = len(everyone) // 2
        everyone = np.append(forest.lca(everyone[:half], everyone[half : 2 * half]), everyone[2 * half :])
    assert everyone[0] == forest.roots[0]

    if not options.nodes and (networkx := optional("networkx")):
        few = min(pairs, 300)
        graph = networkx.DiGraph((p, i) for i, p in enumerate(parents.tolist()) if p >= 0)
        asked = list(zip(x[:few].tolist(), y[:few].tolist()))
        answer = timed(
            f"networkx, {few} of the pairs",
            lambda: dict(networkx.tree_all_pairs_lowest_common_ancestor(graph, pairs=asked)),
        )
        assert all(common[i] == answer.get((a, b), answer.get((b, a))) for i, (a, b) in enumerate(asked))


if __name__ == "__main__":
    main()
