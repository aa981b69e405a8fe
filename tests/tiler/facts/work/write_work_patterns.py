"""Writes the table of kinds of work into the viewer, which colours events by them: `make types`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Final

from tilescope.tiler.facts.findings.host_kinds import RULES as HOST_RULES
from tilescope.tiler.facts.findings.host_kinds import HostKind
from tilescope.tiler.facts.work.classifier import KERNELS
from tilescope.tiler.facts.work.kinds import Work
from tilescope.tiler.facts.work.other_rules import ASCEND, ASCEND_TYPES, GPU_COPIES, XLA
from tilescope.tiler.facts.work.rule import Rule

_RASTER: Final = Path(__file__).parents[4] / "viewer" / "src" / "raster"
TYPESCRIPT: Final = _RASTER / "work-patterns.ts"
EXAMPLES: Final = _RASTER / "work-examples.json"

# What a viewer calls the kinds. Time in which others run is computation where none of these runs.
WORK_MEANINGS: Final[Mapping[Work, str]] = {
    Work.NONE: "other",
    Work.COMPUTATION: "compute",
    Work.CONTROL: "compute",
    Work.COMMUNICATION: "collective",
    Work.COPY: "copy",
}
# Functions of other kinds are what their runtime makes of them: operators, Python.
_HOST_MEANINGS: Final[Mapping[HostKind, str]] = {
    HostKind.INPUT: "input",
    HostKind.ENQUEUE: "input",
    HostKind.OUTPUT: "copy",
    HostKind.SYNC: "launch",
    HostKind.LAUNCH: "launch",
    HostKind.ALLOCATION: "memory",
    HostKind.COLLECTIVE: "collective",
}

_HEAD: Final = """/** Kinds of work by names, in the order of the search. By `make types` from tiler/facts/work. */

import type { Meaning } from "./meaning";

/** Names of a kind: one pattern that minds letters' case, one that does not; null where there is none. */
export type WorkPattern = readonly [meaning: Meaning, exact: RegExp | null, folded: RegExp | null];
"""


def typescript_text() -> str:
    """The module of patterns."""
    tables = {
        "KERNEL_FUNCTIONS": _of_rules(KERNELS),
        "XLA_OPERATIONS": _of_rules(XLA),
        "GPU_COPIES": _of_rules(GPU_COPIES),
        "ASCEND_TASKS": _of_rules(ASCEND),
        "ASCEND_TYPES": _of_rules(ASCEND_TYPES),
        "HOST_FUNCTIONS": [(_HOST_MEANINGS[kind], text) for kind, text in HOST_RULES if kind in _HOST_MEANINGS],
    }
    return _HEAD + "".join(f"\n{_table(name, patterns)}" for name, patterns in tables.items())


def examples_text() -> str:
    """The examples of the registry: name, category and meaning of each, for the test of the viewer's table."""
    tables = (("kernel", KERNELS), ("", XLA), ("", GPU_COPIES), ("", ASCEND))
    examples = [
        (name, category, WORK_MEANINGS[rule.kind])
        for category, rules in tables
        for rule in rules
        for name in rule.examples
    ] + [("aclnnMm", category, WORK_MEANINGS[rule.kind]) for rule in ASCEND_TYPES for category in rule.examples]
    lines = ",\n".join(f"  {json.dumps(example)}" for example in examples)
    return f"[\n{lines}\n]\n"


def _of_rules(rules: Sequence[Rule]) -> list[tuple[str, str]]:
    return [(WORK_MEANINGS[rule.kind], rule.pattern) for rule in rules]


def _table(name: str, patterns: Iterable[tuple[str, str]]) -> str:
    lines = [f"export const {name}: readonly WorkPattern[] = [\n"]
    for meaning, group in groupby(patterns, key=lambda pattern: pattern[0]):
        parts = [part for _, text in group for part in alternatives(text)]
        exact, folded = ([text for is_folded, text in parts if is_folded is wanted] for wanted in (False, True))
        lines.append(f'  ["{meaning}", {_literal(exact, "")}, {_literal(folded, "i")}],\n')
    return "".join([*lines, "];\n"])


def _literal(alternatives: Sequence[str], flags: str) -> str:
    return f"/{'|'.join(alternatives).replace('/', chr(92) + '/')}/{flags}" if alternatives else "null"


def alternatives(pattern: str) -> Iterator[tuple[bool, str]]:
    """The alternatives of a pattern of RE2, and whether each ignores case: JavaScript has no flags within a pattern."""
    is_folded = False
    for text in _split(pattern):
        if text.startswith("(?i)"):
            is_folded, text = True, text.removeprefix("(?i)")
        own, part = is_folded, text
        for opening, flag in (("(?i:", True), ("(?-i:", False)):
            if text.startswith(opening) and _is_group(text):
                own, part = flag, f"(?:{text.removeprefix(opening)}"
        if any(flag in part for flag in ("(?i", "(?-i")):
            raise ValueError(f"{pattern}: a flag that holds for a part of an alternative")
        yield own, part


def _is_group(text: str) -> bool:
    """True if the bracket that opens a pattern closes at its end."""
    return len(_split(text.replace(")", ")|"))) == 2 and text.endswith(")")


def _split(pattern: str) -> list[str]:
    """A pattern at the bars outside of brackets."""
    parts = [""]
    depth, is_set, is_escaped = 0, False, False
    for sign in pattern:
        if not is_escaped:
            is_set = sign == "[" or (is_set and sign != "]")
            depth += 0 if is_set else (sign == "(") - (sign == ")")
        if sign == "|" and not (depth or is_set or is_escaped):
            parts.append("")
        else:
            parts[-1] += sign
        is_escaped = sign == "\\" and not is_escaped
    return parts


if __name__ == "__main__":
    TYPESCRIPT.write_text(typescript_text())
    EXAMPLES.write_text(examples_text())
