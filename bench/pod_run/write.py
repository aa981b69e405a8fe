"""Writes a synthetic run: a folder as profilers make it, and the truth beside it."""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.pod_run.device_plane import DevicePlanes, planes_of
from bench.pod_run.hlo_module import HloModule, init_module, train_module
from bench.pod_run.host_plane import make_host
from bench.pod_run.program import INIT_PROGRAM, TRAIN_PROGRAM, training_program
from bench.pod_run.schedule import Schedule, schedule
from bench.pod_run.shape import START_NS, PodShape
from bench.pod_run.truth import truth
from bench.pod_run.wire import message, number, stat, text

RUN = Path("plugins/profile/synthetic")


@dataclass(frozen=True, slots=True)
class Pod:
    """The files and events that were written; `folder` is a log folder."""

    folder: Path
    files: list[Path]  # of the hosts
    events: int  # on the lines of operations
    truth: dict[str, Any]


def write_pod(folder: Path, shape: PodShape) -> Pod:
    """Writes an XSpace for each host, and `truth.json.gz`."""
    program = training_program(shape.layers, shape.batch, shape.cores, shape.chips)
    times = schedule(shape, program)
    modules = [train_module(program, shape.cores), init_module()]
    hosts = [make_host(shape, times, host) for host in range(shape.hosts)]
    writer = DevicePlanes(shape, program, times)
    (folder / RUN).mkdir(parents=True, exist_ok=True)
    files = []
    for host, recorded in enumerate(hosts):
        path = folder / RUN / f"{shape.host_name(host)}.xplane.pb"
        with path.open("wb") as file:
            for plane in planes_of(shape, writer, host):
                file.write(plane)
            file.write(recorded.message(shape, host) + _metadata(modules) + _environment(times, host))
            file.write(text(4, shape.host_name(host)))
        files.append(path)
    expected = truth(shape, program, times, hosts, modules)
    (folder / "truth.json.gz").write_bytes(gzip.compress(json.dumps(expected).encode(), mtime=0))
    events = len(program.order) * sum(len(shape.steps_of(shape.host_of(core))) for core in range(shape.cores))
    return Pod(folder, files, events, expected)


def _metadata(modules: list[HloModule]) -> bytes:
    """The plane of HLO protos."""
    named = zip((TRAIN_PROGRAM, INIT_PROGRAM), modules, strict=True)
    entries = [
        message(
            4, number(1, key), message(2, number(1, key), text(2, f"{module.name}({key})"), stat(5, 1, module.proto))
        )
        for key, module in named
    ]
    return message(1, text(2, "/host:metadata"), *entries, _stat_name(1, "Hlo Proto"))


def _environment(times: Schedule, host: int) -> bytes:
    start = START_NS + times.began[host] // 1000
    stop = START_NS + times.end // 1000 + 100_000_000
    names = _stat_name(1, "profile_start_time") + _stat_name(2, "profile_stop_time")
    return message(1, text(2, "Task Environment"), names, stat(6, 1, start), stat(6, 2, stop))


def _stat_name(key: int, name: str) -> bytes:
    return message(5, number(1, key), message(2, number(1, key), text(2, name)))
