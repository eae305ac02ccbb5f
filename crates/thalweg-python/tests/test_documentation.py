"""Docstrings' examples run, and stubs tell the truth."""

from __future__ import annotations

import doctest
import importlib
import inspect
import os
import pkgutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import thalweg

MODULES = ["thalweg"] + [f"thalweg.{m.name}" for m in pkgutil.iter_modules(thalweg.__path__) if m.name[0] != "_"]


def documented():
    """Everything public, with its members, by its name."""
    for name in MODULES:
        module = importlib.import_module(name)
        yield name, module
        for attribute in getattr(module, "__all__", dir(module)):
            value = getattr(module, attribute)
            if attribute.startswith("_") or inspect.ismodule(value):
                continue
            yield f"{name}.{attribute}", value
            if inspect.isclass(value) and not issubclass(value, Exception):
                for member, method in vars(value).items():
                    if not member.startswith("_"):
                        yield f"{name}.{attribute}.{member}", method


THINGS = dict(documented())


@pytest.mark.parametrize("name", THINGS)
def test_what_is_public_is_documented_and_its_examples_run(name):
    thing = THINGS[name]
    if name.count(".") == 1 and not callable(thing) and not inspect.ismodule(thing):
        return  # A constant.
    text = inspect.getdoc(thing)
    assert text, f"{name} has no docstring"
    test = doctest.DocTestParser().get_doctest(text, {}, name, None, None)
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    with np.printoptions(legacy="1.25" if np.lib.NumpyVersion(np.__version__) >= "2.0.0" else False):
        runner.run(test)
    assert runner.failures == 0


def test_functions_and_classes_have_examples():
    without = [
        name
        for name, thing in THINGS.items()
        if name.startswith("thalweg.")
        and (inspect.isclass(thing) or inspect.isbuiltin(thing))
        and ">>>" not in (inspect.getdoc(thing) or "")
        and not (inspect.isclass(thing) and issubclass(thing, (Exception, tuple)))
    ]
    assert not without


def test_stubs_are_those_of_the_module():
    folder = Path(thalweg.__file__).parent.parent
    is_installed = folder.name == "site-packages"  # where mypy looks anyway
    environment = os.environ if is_installed else dict(os.environ, MYPYPATH=str(folder))
    command = [sys.executable, "-m", "mypy.stubtest", "thalweg", "--ignore-disjoint-bases"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
