"""The notebook's cells run, and have been executed."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from unittest.mock import MagicMock

NOTEBOOK = Path(__file__).parent.parent / "tour.ipynb"


def test_the_tour(monkeypatch):
    # Pictures are drawn by nobody here.
    for name in ["matplotlib", "matplotlib.pyplot"]:
        monkeypatch.setitem(sys.modules, name, MagicMock())
    cells = [cell for cell in json.loads(NOTEBOOK.read_text())["cells"] if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))
    world: dict[str, object] = {}
    for cell in cells:
        source = "".join(cell["source"]).replace("%time ", "")
        exec(compile(source, str(NOTEBOOK), "exec"), world)
        assert not any(output["output_type"] == "error" for output in cell["outputs"])
