"""The examples about texts, which check what they find."""

import pathlib
import runpy

EXAMPLES = pathlib.Path(__file__).parent.parent / "examples"


def test_maximal_repeats(tmp_path, capsys):
    example = runpy.run_path(str(EXAMPLES / "maximal_repeats.py"))
    example["main"](["--length", "50000"])
    (tmp_path / "two.fa").write_text(">one\nACGTACG\nTTACGT\n>two\nggacgtaca\n")
    example["main"]([str(tmp_path / "two.fa"), "--shortest", "3"])
    said = capsys.readouterr().out
    assert "6 letters, 2 times: 0, 16" in said  # ACGTAC in one, acgtac in two


def test_document_listing(capsys):
    runpy.run_path(str(EXAMPLES / "document_listing.py"))["main"](["--documents", "150"])
    assert "range minima" in capsys.readouterr().out
