"""One name, one meaning: no two public classes share a name, unless one is what clients are told of the other."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
TOLD: Final = "tiler/schema/"  # what clients are told, and what TypeScript's types are written from
CLIENT: Final = "tilescope/client/"

# Public on both sides, and long known so.
KNOWN: Final = {
    "Table": "columns with names: of a tool's answer, and as the Python client hands it out",
}


def classes(folder: str) -> Iterator[tuple[str, str]]:
    """Name and file of each public class."""
    for path in sorted((ROOT / folder).rglob("*.py")):
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                yield node.name, path.relative_to(ROOT).as_posix()


def test_python() -> None:
    where = defaultdict(list)
    for folder in ("tiler", "server", "tilescope"):
        for name, path in classes(folder):
            where[name].append(path)
    told = {name for name, paths in where.items() if any(path.startswith(TOLD) for path in paths)}
    for name, paths in where.items():
        if name in told:  # of a thing: as it is told, as it is kept, and as the client shows it
            paths = [path for path in paths if not path.startswith((TOLD, CLIENT))]
        assert len(paths) < 2 or name in KNOWN, f"{name} means several things: {', '.join(paths)}"


def test_typescript() -> None:
    schema = "viewer/client/src/base/schema.ts"
    declared = re.compile(r"^export (?:abstract )?(?:class|interface|type|enum) (\w+)", re.MULTILINE)
    where = defaultdict(list)
    for folder in ("viewer/src", "viewer/client/src"):
        for path in sorted((ROOT / folder).rglob("*.ts*")):
            place = path.relative_to(ROOT).as_posix()
            for name in set(declared.findall(path.read_text())):
                if place != schema:
                    where[name].append(place)
    assert where
    for name, paths in where.items():
        assert len(paths) < 2, f"{name} means several things: {', '.join(paths)}"
