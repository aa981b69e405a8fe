"""The code blocks of the pages of documentation, fenced or indented."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
PAGES: Final = (*sorted((ROOT / "docs").glob("*.md")), ROOT / "viewer" / "client" / "README.md")

INDENTED: Final = ""  # the language of a block without a fence

_FENCE: Final = re.compile(r"( *)```(\w*)")
_MARKED: Final = re.compile(r"    +\S")


@dataclass(frozen=True, slots=True)
class CodeBlock:
    """One block. `line` is that of its first line of text, from 1 on."""

    page: Path
    line: int
    language: str
    text: str

    @property
    def first(self) -> str:
        """The first line, by which tables know a block."""
        return self.text.split("\n", 1)[0]

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"


def blocks_of(page: Path) -> list[CodeBlock]:
    """All blocks of a page, in their order."""
    return list(_blocks(page, page.read_text(encoding="utf-8").split("\n")))


def _blocks(page: Path, lines: list[str]) -> Iterator[CodeBlock]:
    at = 0
    while at < len(lines):
        fence = _FENCE.match(lines[at])
        if fence is not None:
            end = next(k for k in range(at + 1, len(lines)) if lines[k].strip() == "```")
            yield CodeBlock(page, at + 2, fence[2], _text(lines[at + 1 : end]))
            at = end
        elif _MARKED.match(lines[at]) and not lines[at - 1].strip():
            end = at
            while end < len(lines) and (_MARKED.match(lines[end]) or not lines[end].strip()):
                end += 1
            yield CodeBlock(page, at + 1, INDENTED, _text(lines[at:end]))
            at = end - 1
        at += 1


def _text(lines: list[str]) -> str:
    return textwrap.dedent("\n".join(lines)).strip("\n")
