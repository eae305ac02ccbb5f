"""The examples run, small, and agree with the usual ways."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent.parent / "examples"
SMALL = {
    "ancestors_of_taxa": ["--taxa", "5000", "--pairs", "5000"],
    "document_listing": ["--documents", "150"],
    "downsample": ["--samples", "300000"],
    "largest_rectangle": ["--bars", "50000"],
    "maximal_repeats": ["--length", "50000"],
    "nearest_over_ray": ["--parts", "3", "--length", "5000"],
}


def run(name, arguments, monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    return runpy.run_path(str(FOLDER / f"{name}.py"))["main"](arguments)


def test_all_examples_are_here():
    assert sorted(SMALL) == sorted(path.stem for path in FOLDER.glob("*.py") if path.stem[0] != "_")


@pytest.mark.parametrize("name", SMALL)
def test_example(name, monkeypatch):
    if reason := run(name, SMALL[name], monkeypatch):
        pytest.skip(reason)


def test_repeats_of_a_file(tmp_path, monkeypatch, capsys):
    path = tmp_path / "two.fa"
    path.write_text(">one\nACGTACG\nTTACGT\n>two\nggacgtaca\n")
    run("maximal_repeats", [str(path), "--shortest", "3"], monkeypatch)
    assert "6 letters, 2 times: 0, 16" in capsys.readouterr().out  # ACGTAC in one, acgtac in two


def test_taxa_of_a_file(tmp_path, monkeypatch, capsys):
    path = tmp_path / "nodes.dmp"
    path.write_text("1\t|\t1\t|\n2\t|\t1\t|\n3\t|\t2\t|\n4\t|\t2\t|\n")
    run("ancestors_of_taxa", [str(path), "--pairs", "50"], monkeypatch)
    assert "5 taxa, 50 pairs" in capsys.readouterr().out
