"""Rules of users that say what kind of work a name is: a file of patterns, which are asked before the built-in table.

    [[rule]]
    kind = "communication"
    pattern = "^my_exchange_kernel"

`pattern` and `category` are regular expressions of RE2 that are searched in the name, and in the category, of an event.
A rule without a category is about work of devices alone; one with a category also makes events that are no work of a
device into such, as far as their category matches. The first rule that matches counts.
"""

from __future__ import annotations

import hashlib
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, get_args

from tilescope.tiler.errors import UsageError

WorkKind = Literal["none", "computation", "communication", "copy"]
KINDS: Final[tuple[WorkKind, ...]] = get_args(WorkKind)

MAX_FILE_BYTES: Final = 1 << 18
MAX_RULES: Final = 256
MAX_PATTERN_CHARS: Final = 1000
PATTERN_MEMORY_BYTES: Final = 1 << 18  # what a compiled pattern may take

_MEMBERS: Final = frozenset({"kind", "pattern", "category"})


@dataclass(frozen=True, slots=True)
class WorkRule:
    """Names that contain `pattern`, of categories that contain `category`, are of this kind. Empty: any."""

    kind: WorkKind
    pattern: str
    category: str = ""


@dataclass(frozen=True, slots=True)
class WorkRules:
    """Rules in the order in which they are asked. `name`: that of their file, for people."""

    rules: tuple[WorkRule, ...] = ()
    name: str = ""

    @property
    def tag(self) -> str:
        """A short text for these rules, and for no others; empty where there are none."""
        if not self.rules:
            return ""
        return hashlib.sha256(repr((self.name, self.rules)).encode()).hexdigest()[:16]


NO_WORK_RULES: Final = WorkRules()


def read_work_rules(path: Path) -> WorkRules:
    """The rules of a file. Raises UsageError, which names the file and the rule, for what is none."""
    try:
        with path.open("rb") as file:
            content = file.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        raise UsageError(f"{path}: cannot be read ({error.strerror})") from None
    if len(content) > MAX_FILE_BYTES:
        raise UsageError(f"{path}: rules have at most {MAX_FILE_BYTES:,} bytes")
    try:
        members = tomllib.loads(content.decode())
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: byte {error.start:,} is no UTF-8") from None
    except (ValueError, RecursionError) as error:  # ValueError: also of a number of thousands of digits
        raise UsageError(f"{path}: is no TOML: {_one_line(str(error))}") from None
    return WorkRules(_rules(path, members), path.name)


def _rules(path: Path, members: dict[str, Any]) -> tuple[WorkRule, ...]:
    listed = members.get("rule")
    others = sorted(members.keys() - {"rule"})
    if others:
        raise UsageError(f"{path}: {_shown(others[0])} is not known: a file of rules has [[rule]] alone")
    if not isinstance(listed, list) or not listed:
        raise UsageError(f"{path}: has no rules: write [[rule]], kind = … and pattern = …")
    if len(listed) > MAX_RULES:
        raise UsageError(f"{path}: has {len(listed):,} rules, of at most {MAX_RULES}")
    return tuple(_rule(f"{path}: rule {number}", members) for number, members in enumerate(listed, 1))


def _rule(where: str, members: object) -> WorkRule:
    if not isinstance(members, dict):
        raise UsageError(f"{where}: is no table: write [[rule]]")
    others = sorted(members.keys() - _MEMBERS)
    if others:
        raise UsageError(f"{where}: {_shown(others[0])} is not known: a rule has kind, pattern and category")
    kind = members.get("kind")
    if kind not in KINDS:
        raise UsageError(f"{where}: kind is one of {', '.join(KINDS)}, not {_shown(kind)}")
    pattern, category = (_pattern(f"{where}: {name}", members.get(name, "")) for name in ("pattern", "category"))
    if not pattern and not category:
        raise UsageError(f"{where}: has no pattern")
    return WorkRule(kind, pattern, category)


def _pattern(where: str, text: object) -> str:
    import re2  # when it is needed: it costs some milliseconds at the start

    if not isinstance(text, str):
        raise UsageError(f"{where} is a text, not {_shown(text)}")
    if len(text) > MAX_PATTERN_CHARS:
        raise UsageError(f"{where} has {len(text):,} characters, of at most {MAX_PATTERN_CHARS:,}")
    options = re2.Options()
    options.max_mem = PATTERN_MEMORY_BYTES
    options.log_errors = False
    try:
        re2.compile(text.encode(), options)
    except re2.error as error:
        what = error.args[0].decode("utf-8", "replace")
        raise UsageError(f"{where} {_shown(text)} is no regular expression: {_one_line(what)}") from None
    return text


def _shown(value: object) -> str:
    return "nothing" if value is None else repr(value)[:80]


def _one_line(text: str) -> str:
    return " ".join(text.split())[:200]
