"""File of one rank in one cycle of the profiler, written event by event."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self


class TraceFile:
    """Trace-event JSON as Kineto writes it; times are ns of the rank's own clock."""

    def __init__(self, path: Path, members: Mapping[str, object]) -> None:
        self.path = path
        self.events = 0
        self._out = path.open("w")
        head = json.dumps(members, indent=1)
        self._out.write(f'{head[:-2]},\n "traceEvents": [\n')

    def slice(
        self, category: str, name: str, pid: int, tid: int, start: int, duration: int, args: Mapping[str, object]
    ) -> None:
        """A complete event."""
        self._write(
            f'{{"ph":"X","cat":"{category}","name":{json.dumps(name)},"pid":{pid},"tid":{tid},'
            f'"ts":{_us(start)},"dur":{_us(duration)},"args":{json.dumps(args)}}}'
        )

    def instant(self, category: str, name: str, pid: int, tid: int, time: int, args: Mapping[str, object]) -> None:
        """An event without duration, of its thread."""
        self._write(
            f'{{"ph":"i","s":"t","cat":"{category}","name":"{name}","pid":{pid},"tid":{tid},'
            f'"ts":{_us(time)},"args":{json.dumps(args)}}}'
        )

    def flow(self, category: str, number: int, pid: int, tid: int, time: int, *, is_end: bool) -> None:
        """One end of an arrow."""
        end = '"f","bp":"e"' if is_end else '"s"'
        self._write(
            f'{{"ph":{end},"cat":"{category}","name":"{category}","id":{number},"pid":{pid},"tid":{tid},'
            f'"ts":{_us(time)}}}'
        )

    def name_of(self, kind: str, pid: int, tid: int, time: int, args: Mapping[str, object]) -> None:
        """Metadata: a name of a process or a thread."""
        head = f'"ph":"M","name":"{kind}","pid":{pid},"tid":{tid},"ts":{_us(time)}'
        self._write(f'{{{head},"args":{json.dumps(args)}}}')

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._out.write("\n]}\n")
        self._out.close()

    def _write(self, text: str) -> None:
        self._out.write(",\n" + text if self.events else text)
        self.events += 1


def _us(ns: int) -> str:
    return f"{ns // 1000}.{ns % 1000:03}"
