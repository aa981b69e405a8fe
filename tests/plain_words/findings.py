"""All words of `words.py` in the sources of a package, by language and place."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, NamedTuple

from tests.plain_words.parsed_code import cpp_words, tsx_words, typescript_words
from tests.plain_words.python_code import python_words
from tests.plain_words.words import EXEMPT, MODULES

ROOT: Final = Path(__file__).resolve().parents[2]

# Tests are counted apart: they are read as examples, but no change of the code waits for their words.
PACKAGES: Final = ("tiler", "server", "tilescope", "viewer", "bench", "release", "tests")

Kind = Literal["identifiers", "openings", "modules"]
Words = Callable[[bytes], Iterator[tuple[Literal["identifiers", "openings"], str, int]]]

LANGUAGES: Final[dict[str, tuple[str, Words]]] = {
    ".py": ("python", python_words),
    ".cpp": ("cpp", cpp_words),
    ".hpp": ("cpp", cpp_words),
    ".ts": ("typescript", typescript_words),
    ".tsx": ("typescript", tsx_words),
    ".mjs": ("typescript", typescript_words),
}

_NOT_OURS: Final = frozenset({"node_modules", "dist", "static", "__pycache__", "build", "artefacts"})

# Written by programs from sources that are counted.
_GENERATED: Final = frozenset(
    {
        "viewer/client/src/base/schema.ts",
        "viewer/client/src/base/jobs.ts",
        "viewer/client/src/pages/columns.ts",
        "viewer/client/src/archive/columns.ts",
    }
)


class Key(NamedTuple):
    """A word that is counted: one number of the record."""

    kind: Kind
    language: str
    package: str
    word: str


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """A word in a place."""

    key: Key
    path: str
    line: int


def source_files(package: str, root: Path = ROOT) -> Iterator[str]:
    """Paths of the package's modules in order, relative to `root`."""
    for folder, subfolders, files in os.walk(root / package):
        subfolders[:] = sorted(name for name in subfolders if name not in _NOT_OURS and not name.startswith("."))
        for name in sorted(files):
            path = Path(folder, name).relative_to(root).as_posix()
            if Path(name).suffix in LANGUAGES and path not in _GENERATED:
                yield path


def package_findings(package: str, root: Path = ROOT) -> list[Finding]:
    """All findings of a package, in order of kind, word and place."""
    findings = []
    folders: set[str] = set()
    for path in source_files(package, root):
        language, words = LANGUAGES[Path(path).suffix]
        for kind, word, line in words((root / path).read_bytes()):
            if (path, word) not in EXEMPT:
                findings.append(Finding(Key(kind, language, package, word), path, line))
        if (name := module_name(Path(path).name)) in MODULES and (path, name) not in EXEMPT:
            findings.append(Finding(Key("modules", language, package, name), path, 1))
        for folder in Path(path).parents:
            if folder.name in MODULES and folder.as_posix() not in folders:
                folders.add(folder.as_posix())
                findings.append(Finding(Key("modules", language, package, folder.name), f"{folder.as_posix()}/", 1))
    return sorted(findings)


def module_name(file_name: str) -> str:
    """Name of a module as `words.py` has it: `track_deeds` for `track-deeds.test.ts`, `told` for `test_told.py`."""
    return file_name.partition(".")[0].removeprefix("test_").replace("-", "_")


def count(findings: list[Finding]) -> Counter[Key]:
    """Number of findings for each word."""
    return Counter(finding.key for finding in findings)
