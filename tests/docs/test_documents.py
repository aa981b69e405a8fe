"""The pages, flags, keys and labels that pages on documents of other profilers name are there."""

from __future__ import annotations

import argparse
import re
import shlex
from collections.abc import Iterator, Mapping
from functools import cache

import pytest

from release.docs_site import ROOT
from tilescope.cli.ask import tool_parser
from tilescope.cli.parser import build_parser
from tilescope.tiler.errors import TilescopeError
from tilescope.tiler.tools import tool

# Pages, and how many rows each has at least.
PAGES = {"cloud-tpu": 100, "mindspore": 60}

# The folders whose code has the labels that people see.
LABELLED = {"tiler/tools": (".py",), "viewer/src": (".ts", ".tsx")}


def table_rows(text: str) -> list[tuple[str, str]]:
    """The rows of the tables: what the documents name, and where it is here."""
    rows = re.findall(r"(?m)^\| (.+?) \| (.+) \|$", text)
    return [row for row in rows if row not in (("in the documents", "here"), ("in the document", "here"))]


def own_text(text: str) -> str:
    """The page without the column of the documents: their flags and keys are not ours."""
    return re.sub(r"(?m)^\| .+? \| (.+) \|$", r"\1", text)


def parsers() -> Mapping[str, argparse.ArgumentParser]:
    """The commands by name."""
    choices = (action.choices for action in build_parser()._actions if isinstance(action, argparse._SubParsersAction))
    return next(choices)


def wrong_commands(text: str) -> Iterator[str]:
    """Commands, tools and flags that are named and are not there; flags without a command, too."""
    for span in re.findall(r"`([^`]+)`", own_text(text)):
        words = shlex.split(span)
        if words[0] != "tilescope":
            if words[0].startswith("-"):
                yield span
            continue
        parser = parsers().get(words[1]) if len(words) > 1 else build_parser()
        if parser is not None and words[1:3] == ["ask", "STORE"]:
            try:
                parser = tool_parser(tool(words[3]))
            except TilescopeError:
                parser = None
        flags = {word for word in words if word.startswith("-")}
        if parser is None or not flags <= parser._option_string_actions.keys():
            yield span


def wrong_tools(text: str) -> Iterator[str]:
    """Links to tools by a name that is not theirs."""
    for title, name in re.findall(r"\[([^]]+)\]\(tools\.md#([^)]+)\)", text):
        try:
            right = tool(name).title
        except TilescopeError:
            right = None
        if title != right:
            yield title


@cache
def keys_of(group: str) -> frozenset[str]:
    """Keys and gestures of a group of the table of keys, which a test of the viewer compares with the code."""
    text = (ROOT / "docs" / "keys.md").read_text(encoding="utf-8")
    section = re.search(rf"(?ims)^## {group}$(.*?)(?=^## |\Z)", text)
    cells = re.findall(r"(?m)^\| (.+?) \|", section[1]) if section else []
    return frozenset(key for cell in cells for key in (re.findall(r"`[^`]+`", cell) or [cell]))


def wrong_keys(text: str) -> Iterator[str]:
    """Links to keys and gestures that are not in their group."""
    for key, group in re.findall(r"\[([^]]+)\]\(keys\.md#([^)]+)\)", text):
        if key not in keys_of(group):
            yield key


@cache
def code() -> str:
    files = [
        path
        for folder, endings in LABELLED.items()
        for path in sorted((ROOT / folder).rglob("*"))
        if path.name.endswith(endings) and ".test." not in path.name
    ]
    return "\n".join(path.read_text(encoding="utf-8") for path in files)


def wrong_labels(text: str) -> Iterator[str]:
    """Labels in bold that stand nowhere in the code as a text of their own."""
    for label in re.findall(r"\*\*([^*]+)\*\*", own_text(text).partition("\n## ")[2]):
        if not re.search(rf"[\">]{re.escape(label)}[\"<]", code()):
            yield label


CHECKS = {"commands": wrong_commands, "tools": wrong_tools, "keys": wrong_keys, "labels": wrong_labels}


def text_of(page: str) -> str:
    return (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("names", CHECKS)
@pytest.mark.parametrize("page", PAGES)
def test_what_the_page_names_is_there(page: str, names: str) -> None:
    assert list(CHECKS[names](text_of(page))) == []


@pytest.mark.parametrize("page", PAGES)
def test_every_row_says_where_or_what_is_lacking(page: str) -> None:
    text = text_of(page)
    rows = table_rows(text)
    assert len(rows) > PAGES[page]
    lacking = [here for _, here in rows if re.match("(?i)not here|in part|not needed", here)]
    assert lacking
    assert [here for here in lacking if ":" not in here] == []
    assert [line for line in text.splitlines() if line.startswith("|") and line.count("|") != 3] == []


@pytest.mark.parametrize(
    ("names", "right", "wrong"),
    [
        ("commands", "`tilescope capture --duration-ms`", "`tilescope capture --monitoring-level`"),
        ("commands", "`tilescope view PATH`", "`tilescope look PATH`"),
        ("commands", "`tilescope ask STORE pod --colour`", "`tilescope ask STORE pod --color`"),
        ("commands", "`tilescope ask STORE pod`", "`tilescope ask STORE pods`"),
        ("commands", "`tilescope.profile`", "`--duration-ms`"),
        ("tools", "[Pod](tools.md#pod)", "[Pod](tools.md#steps)"),
        ("tools", "[Pod](tools.md#pod)", "[Pods](tools.md#pods)"),
        ("keys", "[`W`](keys.md#move)", "[`W`](keys.md#select)"),
        ("keys", "[Drag, tool 4](keys.md#mouse)", "[Drag, tool 5](keys.md#mouse)"),
        ("labels", "**Device idle**", "**Device idling**"),
    ],
)
def test_a_name_that_is_not_there_is_seen(names: str, right: str, wrong: str) -> None:
    page = "# Page\n\n## Section\n\n| theirs `--flag` | ours {} |"
    assert list(CHECKS[names](page.format(right))) == []
    assert len(list(CHECKS[names](page.format(wrong)))) == 1
