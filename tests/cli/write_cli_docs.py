"""Writes docs/cli.md from the help texts; run it with `make cli-docs`. A test compares the two."""

from __future__ import annotations

import argparse
from pathlib import Path

from tilescope.cli.parser import build_parser

PAGE = Path(__file__).resolve().parents[2] / "docs" / "cli.md"

INTRODUCTION = """\
# The command line

This page is what `--help` prints; `make cli-docs` writes it anew.

Results go to stdout. Progress, warnings and errors go to stderr; an error is one line that begins with `tilescope:`
and names the file, the byte offset where there is one, and what to do. On a terminal progress is a bar, elsewhere a
line every few seconds.

| exit code | meaning |
|---|---|
| 0 | fine |
| 1 | the trace or the store is bad, or is not there; or a file cannot be read or written |
| 2 | wrong usage, such as an option that would have no effect |
| 3 | a rule of `tilescope compare` failed |
| 4 | a rule of `tilescope compare` cannot be told, and none failed |
| 130 | stopped by Ctrl-C |
"""


def render() -> str:
    """The whole page."""
    parser = build_parser()
    parts = [INTRODUCTION, section("tilescope", parser)]
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            parts += [section(f"tilescope {name}", subparser) for name, subparser in action.choices.items()]
    return "\n".join(parts)


def section(title: str, parser: argparse.ArgumentParser) -> str:
    """One command: a heading and its help."""
    return f"## {title}\n\n```text\n{parser.format_help().rstrip()}\n```\n"


if __name__ == "__main__":
    PAGE.write_text(render(), encoding="utf-8")
    print(f"wrote {PAGE}")
