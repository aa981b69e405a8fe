"""A synthetic trace of one thread whose slices lie in each other along every chain of a few names, once each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class NestedShape:
    """The same shape gives the same bytes. Nodes: 1 + names + names² + … of so many levels."""

    names: int = 4
    levels: int = 11

    @property
    def nodes(self) -> int:
        """Number of different chains, each of one slice."""
        return sum(int(self.names**level) for level in range(self.levels))

    def write(self, folder: Path) -> Path:
        """Writes the trace into the folder, which is made."""
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / "nested.json"
        with path.open("w") as out:
            out.write('{"traceEvents":[\n')
            out.write(",\n".join(self._events(0, self.nodes, 0, 0)))
            out.write("\n]}\n")
        return path

    def _events(self, start: int, length: int, name: int, level: int) -> Iterator[str]:
        """A slice of so many microseconds, and what lies in it: one microsecond is its own."""
        yield f'{{"ph":"X","name":"call {name}","pid":1,"tid":1,"ts":{start},"dur":{length}}}'
        if level + 1 < self.levels:
            part = (length - 1) // self.names
            for child in range(self.names):
                yield from self._events(start + child * part, part, child, level + 1)
