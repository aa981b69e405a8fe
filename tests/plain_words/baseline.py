"""The record: how often each word may stand in each package. It may only fall."""

from __future__ import annotations

import re
import subprocess
import tomllib
from collections import Counter, defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from tests.plain_words.findings import PACKAGES, ROOT, Finding, Key

FILE: Final = Path(__file__).parent / "baseline.toml"
COMMAND: Final = "python -m tests.plain_words --record"
_MOST_LISTED: Final = 40

_HEAD: Final = f"""\
# How often the words of `words.py` stand in the code; what is not here does not stand there. Written by
# `{COMMAND}`, which raises no number.
"""
_SAYS: Final = {
    "identifiers": "the name `{word}` is bound",
    "openings": "a docstring begins with “{word}”",
    "modules": "a module is called `{word}`",
}
_INSTEAD: Final = {
    "identifiers": "Name what it holds, by a noun of the field.",
    "openings": "Begin with the thing: “Rows of …”, “Returns …”, “Index of a track's steps”.",
    "modules": "Name what is inside, by a noun of the field.",
}
_TIMES: Final = {1: "once", 2: "twice"}


def read(file: Path = FILE) -> Counter[Key]:
    """The recorded counts."""
    tables = tomllib.loads(file.read_text(encoding="utf-8"))
    return Counter(
        {
            Key(kind, language, package, word): number  # type: ignore[arg-type]
            for kind, languages in tables.items()
            for language, packages in languages.items()
            for package, words in packages.items()
            for word, number in words.items()
        }
    )


def text(counts: Mapping[Key, int]) -> str:
    """The counts as TOML, in order."""
    tables: defaultdict[tuple[str, str, str], list[str]] = defaultdict(list)
    for key, number in sorted(counts.items()):
        if number:
            tables[key.kind, key.language, key.package].append(f"{key.word} = {number}\n")
    return _HEAD + "".join(f"\n[{'.'.join(table)}]\n{''.join(rows)}" for table, rows in tables.items())


def raised(counts: Mapping[Key, int], recorded: Mapping[Key, int]) -> list[Key]:
    """Words that stand more often than recorded."""
    return sorted(key for key, number in counts.items() if number > recorded.get(key, 0))


def fallen(counts: Mapping[Key, int], recorded: Mapping[Key, int]) -> list[Key]:
    """Words that stand less often than recorded."""
    return sorted(key for key, number in recorded.items() if number > counts.get(key, 0))


def record(counts: Mapping[Key, int], file: Path = FILE) -> list[Key]:
    """Writes the counts, if none is higher than before; returns those that are. A file that is not there is begun."""
    too_many = raised(counts, read(file)) if file.exists() else []
    if not too_many:
        file.write_text(text(counts), encoding="utf-8")
    return too_many


def explain_rise(key: Key, findings: list[Finding], recorded: int, changed: Mapping[str, set[int]] | None) -> str:
    """A message that names the places of a word that are new; all of them where git cannot tell."""
    places = [finding for finding in findings if finding.key == key]
    new = [place for place in places if is_changed(place, changed)] if key.kind != "modules" else places
    heading = "New or moved" if new and len(new) < len(places) else "These are all, the new ones among them"
    lines = [f"  {place.path}:{place.line}: {key.word}" for place in (new or places)]
    if len(lines) > _MOST_LISTED:
        lines[_MOST_LISTED:] = [f"  … and {len(lines) - _MOST_LISTED} more"]
    statement = _SAYS[key.kind].format(word=key.word)
    return "\n".join(
        [
            f"{key.package}, {key.language}: {statement} {_times(len(places))}, more than the {recorded} on record.",
            f"{heading}:",
            *lines,
            _INSTEAD[key.kind],
        ]
    )


def explain_fall(key: Key, now: int, recorded: int) -> str:
    """A message that says which number can be lowered."""
    return f"{key.package}, {key.language}: {_SAYS[key.kind].format(word=key.word)} {_times(now)}, not {recorded}"


def changed_lines(root: Path = ROOT) -> dict[str, set[int]] | None:
    """Lines that are new since the record was last committed, by file; None where git cannot tell."""
    commit = _git(root, "log", "-1", "--format=%H", "--", FILE.relative_to(ROOT).as_posix())
    if not commit:
        return None
    diff = _git(
        root,
        "diff",
        "--src-prefix=a/",
        "--dst-prefix=b/",
        "--unified=0",
        "--no-color",
        "--no-ext-diff",
        "-M",
        commit.strip(),
        "--",
        *PACKAGES,
    )
    lines: defaultdict[str, set[int]] = defaultdict(set)
    path = ""
    for line in (diff or "").splitlines():
        if line.startswith("+++ "):
            path = line.removeprefix("+++ b/")
        elif match := re.match(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@", line):
            first = int(match[1])
            lines[path].update(range(first, first + int(match[2] or 1)))
    for path in (_git(root, "ls-files", "--others", "--exclude-standard", "--", *PACKAGES) or "").splitlines():
        lines[path].update(range(1, (root / path).read_bytes().count(b"\n") + 2))
    return lines


def is_changed(place: Finding, changed: Mapping[str, set[int]] | None) -> bool:
    """True if a place is in a line that is new."""
    return changed is not None and place.line in changed.get(place.path, set())


def _times(number: int) -> str:
    return _TIMES.get(number, f"{number} times")


def _git(root: Path, *arguments: str) -> str | None:
    """Output of git; None if it fails or is absent."""
    try:
        done = subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True, check=False)
    except OSError:
        return None
    return done.stdout if done.returncode == 0 else None
