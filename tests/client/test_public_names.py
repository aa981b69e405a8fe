"""What `tilescope` offers: loaded when it is asked for, and known to type checkers."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path
from typing import get_args, get_type_hints

import tilescope
from tilescope.tiler import schema
from tilescope.tiler.schema import EventDetails
from tilescope.tiler.tools.find import FindQuestion


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


def test_class_methods_keep_their_names_of_0_2_0() -> None:
    assert tilescope.RunInfo.of == tilescope.RunInfo.from_json
    assert tilescope.Event.of == tilescope.Event.from_json
    assert tilescope.StatsAnswer.of == tilescope.StatsAnswer.from_answer
    assert tilescope.FindAnswer.of == tilescope.FindAnswer.from_answers
    assert tilescope.SearchAnswer.of == tilescope.SearchAnswer.from_answers


def test_closed_sets_are_those_of_the_api() -> None:
    told = get_type_hints(EventDetails)["kind"]
    assert get_args(tilescope.EventKind) == get_args(told)
    assert get_args(tilescope.RunState) == tuple(schema.RunState)
    assert get_args(tilescope.Match) == get_args(get_type_hints(FindQuestion)["match"])


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
