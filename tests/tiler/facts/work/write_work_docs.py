"""Writes the tables of docs/kinds-of-work.md from the rules; run it as a module. A test compares the two."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from tilescope.tiler.facts.work import KERNELS
from tilescope.tiler.facts.work.kernel_function import kernel_function
from tilescope.tiler.facts.work.other_rules import ASCEND, ASCEND_TYPES, GPU_COPIES, XLA
from tilescope.tiler.facts.work.rule import Rule

PAGE: Final = Path(__file__).resolve().parents[4] / "docs" / "kinds-of-work.md"
TABLES: Final = {"kernels": KERNELS, "copies": GPU_COPIES, "xla": XLA, "ascend": ASCEND, "ascend-types": ASCEND_TYPES}


def render(page: str) -> str:
    """The page with its tables as the rules have them."""
    for name, rules in TABLES.items():
        mark = f"<!-- {name} -->"
        before, _, after = page.partition(f"{mark}\n")
        rest = re.sub(r"^(\|.*\n)*", "", after)
        page = f"{before}{mark}\n{table(rules)}{rest}"
    return page


def table(rules: Sequence[Rule]) -> str:
    """A row for each rule."""
    lines = ["| library | kind | pattern | for example | source |", "|---|---|---|---|---|"]
    for rule in rules:
        shown = ", ".join(f"`{kernel_function(text)}`" for text in rule.examples[:3])
        pattern = rule.pattern.replace("|", "\\|")
        lines.append(f"| {rule.library} | {rule.kind.name.lower()} | `{pattern}` | {shown} | {rule.source} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(render(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
