"""Tools of other packages, through their entry points."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tilescope.tiler.errors import UsageError
from tilescope.tiler.tools import catalogue, tool, tools

PLUGIN = '''
"""A package of somebody else."""
from tilescope.tiler.tools import Answer, Fact, Question, Tool

class Q(Question, frozen=True, kw_only=True):
    times: int = 2

def answer(scope, question):
    yield
    return Answer([Fact("events", "Events", question.times * int(scope.manifest["events"]["total"]), "count")])

TOOL = Tool("toy", "Toy", "counts events several times", "examples", Q, answer)
CLASH = Tool("stats", "Mine", "is called as one of ours", "examples", Q, answer)
NOTHING = 5
'''


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    (tmp_path / "toy_tools.py").write_text(PLUGIN)
    info = tmp_path / "toy_tools-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: toy-tools\nVersion: 1.0\n")
    entries = "\n".join(
        [
            f"[{catalogue.ENTRY_POINTS}]",
            "a = toy_tools:TOOL",
            "b = toy_tools:CLASH",
            "c = toy_tools:NOTHING",
            "d = gone:X",
        ]
    )
    (info / "entry_points.txt").write_text(entries)
    monkeypatch.syspath_prepend(str(tmp_path))
    tools.cache_clear()
    yield
    tools.cache_clear()
    sys.modules.pop("toy_tools", None)


def test_a_tool_of_another_package_is_found(plugin: None, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        assert list(tools()) == ["stats", "find", "toy"]
    assert tool("toy").help == "counts events several times"
    assert tool("stats").title == "Statistics"
    told = [record.getMessage() for record in caplog.records]
    assert len(told) == 3
    assert any("'stats' of toy_tools:CLASH is left out" in line for line in told)
    assert any("toy_tools:NOTHING offers a int, which is no tool" in line for line in told)
    assert any("the tools of gone:X cannot be loaded: ModuleNotFoundError" in line for line in told)


def test_an_unknown_tool_names_those_there_are() -> None:
    with pytest.raises(UsageError, match="there is no tool 'nonsense': there are stats, find"):
        tool("nonsense")
