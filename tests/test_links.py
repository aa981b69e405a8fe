"""Relative links in the documentation lead somewhere, and their anchors to headings."""

from __future__ import annotations

import re
import subprocess
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
LINK = re.compile(r"\]\((?!https?://|#)([^)#\s]+)")
ANCHOR = re.compile(r"\]\((?!https?://)([^)#\s]*)#([^)\s]+)\)")


def pages() -> list[Path]:
    """All Markdown files of the project, as git knows them or, outside of a repository, as they lie there."""
    listed = subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, capture_output=True, text=True, check=False).stdout
    return [ROOT / name for name in listed.splitlines()] or [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")]


@cache
def anchors(page: Path) -> frozenset[str]:
    """The anchors of a page: of its headings, as GitHub and `make docs` make them, and those written as HTML."""
    text = page.read_text(encoding="utf-8")
    headings = (re.sub(r"[^\w\- ]", "", heading.lower()) for heading in re.findall(r"(?m)^#+ (.+)$", text))
    return frozenset((*(heading.replace(" ", "-") for heading in headings), *re.findall(r'<a id="([^"]+)">', text)))


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert [link for link in LINK.findall(text) if not (page.parent / link).exists()] == []
    linked = [(page.parent / name if name else page, anchor) for name, anchor in ANCHOR.findall(text)]
    assert [(str(other), anchor) for other, anchor in linked if anchor not in anchors(other.resolve())] == []


def test_anchors_are_those_of_github(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text('# One, two\n<a id="bounds"></a>text\n## `GET …/tracks` – all\n#none\n')
    assert anchors(page) == {"one-two", "get-tracks--all", "bounds"}
