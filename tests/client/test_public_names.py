"""What `tilescope` offers: loaded when it is asked for, and known to type checkers."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import tilescope


def test_type_checkers_are_told_the_same_names() -> None:
    stub = ast.parse((Path(tilescope.__file__).with_suffix(".pyi")).read_text())
    imports = [node for node in stub.body if isinstance(node, ast.ImportFrom)]
    imported = {alias.asname: node.module for node in imports for alias in node.names}
    assert imported == tilescope._PLACE_OF  # type: ignore[attr-defined]
    (listed,) = (node.value for node in stub.body if isinstance(node, ast.Assign))
    assert sorted(ast.literal_eval(listed)) == sorted(tilescope.__all__)


def test_every_name_is_there() -> None:
    for name in tilescope.__all__:
        assert getattr(tilescope, name) is not None
    assert set(tilescope.__all__) <= set(dir(tilescope))
    assert not hasattr(tilescope, "nonsense")


def test_nothing_is_loaded_before_it_is_asked_for() -> None:
    """And what talks to servers not before there is one."""
    program = """
import sys, tilescope
assert not {"numpy", "tilescope.client", "tilescope.tiler"} & set(sys.modules), sorted(sys.modules)
from tilescope import NoStore, Refused, UsageError, connect
try:
    connect("/nowhere")
except NoStore:
    pass
heavy = {"aiohttp", "grpc", "pandas", "pyarrow", "nanoarrow"} & set(sys.modules)
assert not heavy, heavy
"""
    subprocess.run([sys.executable, "-c", program], check=True)
