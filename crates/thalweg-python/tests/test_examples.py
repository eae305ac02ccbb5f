"""The examples run, and agree with the usual ways."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent.parent / "examples"
EXAMPLES = sorted(path.stem for path in FOLDER.glob("*.py") if path.stem[0] != "_")


@pytest.mark.parametrize("name", EXAMPLES)
def test_example(name, monkeypatch, capsys):
    monkeypatch.syspath_prepend(str(FOLDER))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    importlib.import_module(name).main()
    assert "thalweg" in capsys.readouterr().out or name == "downsample"
