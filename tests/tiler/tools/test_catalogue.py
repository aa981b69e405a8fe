"""Tools of other packages, through their entry points."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.toy_tools import install
from tilescope.tiler.errors import UsageError
from tilescope.tiler.tools import catalogue, edition, left_out, tool, tools
from tilescope.tiler.tools.tool import GROUPS

OURS = list(tools())
MOST_LETTERS = 66  # so many have room in the menu of tools: tests/browser/test_tools_menu.py measures it


def forget() -> None:
    """What is installed is looked up once in a process."""
    catalogue.installed_tools.cache_clear()
    catalogue.edition.cache_clear()


@pytest.fixture
def faulty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.syspath_prepend(str(install(tmp_path, faulty=True)))
    forget()
    yield
    forget()
    sys.modules.pop("toy_tools", None)


def test_each_tool_of_ours_is_in_one_group_and_groups_stand_together() -> None:
    groups = [tool(name).group for name in OURS]
    assert list(dict.fromkeys(groups)) == list(GROUPS)
    assert groups == sorted(groups, key=GROUPS.index)


def test_what_each_tool_of_ours_answers_is_said_in_one_line_of_the_menu() -> None:
    assert {name: help_ for name in OURS if len(help_ := tool(name).help) > MOST_LETTERS} == {}


def test_the_menu_has_a_heading_for_each_group() -> None:
    text = (Path(__file__).resolve().parents[3] / "viewer/src/tools/groups.ts").read_text()
    headings = text.partition("const HEADINGS")[2].partition("];")[0]
    assert re.findall(r'\["(\w+)", "', headings) == list(GROUPS)


def test_tools_of_another_package_are_found_and_what_is_none_is_told(faulty: None) -> None:
    found = ["late", "leaving", "wrong", "plain", "torn", "endless", "gated", "hog", "toy", "versus", "absent"]
    assert list(tools()) == [*OURS, *found]
    assert tool("toy").help == "what tracks there are, in every shape of an answer"
    assert tool("stats").title == "Statistics"
    assert left_out() == [
        "the tool 'stats' of toy_tools:FAULTY is left out: there is one of that name",
        "toy_tools:FAULTY is left out: a int is no tool",
        "the tools of toy_tools_gone:TOOLS are left out, they cannot be loaded: "
        "ModuleNotFoundError: No module named 'toy_tools_gone'",
        "the tools of toy_tools_leaving:TOOLS are left out, they cannot be loaded: SystemExit: 3",
    ]
    with pytest.raises(UsageError, match=r"there is no tool 'spam': there are .*, late.*; the tools of toy_"):
        tool("spam")


def test_another_package_makes_another_edition(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    forget()
    before = edition()
    monkeypatch.syspath_prepend(str(install(tmp_path)))
    forget()
    with_toys = edition()
    monkeypatch.undo()
    forget()
    assert with_toys != before == edition()


def test_an_unknown_tool_names_those_there_are() -> None:
    with pytest.raises(UsageError, match=rf"^there is no tool 'nonsense': there are {', '.join(OURS)}$"):
        tool("nonsense")
