"""The steps of trace files, read from the files themselves in plain Python: what every answer is held against."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import NamedTuple

from tests.tiler.readers.xspace.xspace_reference import read_space

NAMED = re.compile(r"(?:ProfilerStep#|Iteration )(\d+)")

# Of the corpus, with the numbers that each has.
CORPUS: dict[str, Sequence[int]] = {
    "xplane/jax_cpu_10steps.xplane.pb": range(10),
    "xplane/gpu_v100x8_bert.xplane.pb": [0],
    "kineto/resnet50_workers4.pt.trace.json.gz": range(5, 11),
    "kineto/mi250_minitoy.json.gz": [1, 2],
    "ascend/msprof_0_2_10.json": [10],
    "pod": range(100, 106),
}


class FileStep(NamedTuple):
    """A slice that is a step; its duration in picoseconds."""

    host: str
    process: str
    number: int
    duration_ps: int


def steps_of(path: Path) -> list[FileStep]:
    """All of a file, or of the XSpaces of a folder."""
    if path.is_dir():
        return [step for file in sorted(path.rglob("*.xplane.pb")) for step in steps_of(file)]
    return _of_xspace(path) if path.suffix == ".pb" else _of_json(path)


def files_of(path: Path) -> list[Path]:
    return sorted(path.rglob("*.xplane.pb")) if path.is_dir() else [path]


def _of_xspace(path: Path) -> list[FileStep]:
    space = read_space(path.read_bytes())
    host = (space.hostnames or [path.name])[0]
    found = []
    for event in space.events:
        track = space.tracks[event.track]
        process = space.planes[track.plane]
        if track.name == "Steps" and process.startswith("/device:"):
            found.append(FileStep(host, process, int(event.name), event.duration_ps))
        else:
            found += [
                FileStep(host, process, value, event.duration_ps)
                for name, value in event.args
                if name == "step_num" and isinstance(value, int)
            ]
    return found


def _of_json(path: Path) -> list[FileStep]:
    raw = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    trace = json.loads(raw, parse_float=Decimal)
    found = []
    for event in trace["traceEvents"] if isinstance(trace, dict) else trace:
        named = NAMED.fullmatch(str(event.get("name"))) if event.get("ph") == "X" else None
        if named is not None:
            found.append(FileStep("", str(event["pid"]), int(named[1]), int(Decimal(event["dur"]) * 1_000_000)))
    return found
