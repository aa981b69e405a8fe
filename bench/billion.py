"""A billion events on one machine, in twelve shards, one trace at a time: written, indexed, deleted.

python -m bench.billion /big/billion                   needs about 27 GB, and keeps 8 GB free
python -m bench.billion /big/billion --events 1e7      small
python -m bench.billion /big/billion --screen          and how soon the viewer shows the run

What was measured is kept beside the run after each stage, so that the same command goes on where it was stopped. Memory
and processor time are those of the process of a stage. Runs of 10 and of 100 million events are indexed from one file.
Where there is no room for the archive, all of its bytes are made, and none kept.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct, json

from bench.browser_page import measuring
from bench.machine import machine_lines
from bench.measure import Measurement, measure
from bench.server_process import serving
from bench.table import Row, Target, compared_row, measured_row, table_lines
from bench.viewer import opening
from bench.viewports import percentile
from tilescope.cli.text import seconds_text
from tilescope.tiler.shards.folder import shard_path
from tilescope.tiler.shards.sharded_run import is_run_of_shards, read_sharded_run
from tilescope.tiler.size_text import size_text

SHARDS: Final = 12
TRACKS: Final = 400  # of a shard, and of a file

_ROUNDS: Final = 5  # openings of the viewer
_TRACE_BYTES: Final = 36  # of an event in an XSpace
_STORE_BYTES: Final = 22  # of an event in a store, and in an archive
_SCRATCH_BYTES: Final = 1 << 30  # of a trace that is being indexed

COST = Target(1.3, 1.1, lambda value: f"{value:.2f}×", at_most=True)
FIRST_SCREEN = Target(1000, None, lambda value: f"{value:.0f} ms", at_most=True)


class Stage(Struct, frozen=True):
    """A stage that was measured."""

    name: str
    events: int
    seconds: float
    cpu_seconds: float
    peak_rss_bytes: int  # with mapped files
    peak_private_bytes: int
    output: str

    @property
    def cpu_seconds_per_event(self) -> float:
        return self.cpu_seconds / max(1, self.events)

    def row(self) -> Row:
        """The stage as a row of a table."""
        cpu = f"{seconds_text(self.cpu_seconds)} CPU, {self.cpu_seconds_per_event * 1e6:.3f} µs an event"
        memory = f"{size_text(self.peak_private_bytes)}, {size_text(self.peak_rss_bytes)} with mapped files"
        return compared_row(self.name, f"{seconds_text(self.seconds)} wall, {cpu}, {memory}")


class NoRoom(Exception):
    """The disk is too full for the next stage."""


class OtherRun(Exception):
    """The folder has a run of another size."""


class BigRun:
    """The run in a folder, and what was measured of it."""

    def __init__(self, folder: Path, events: int, keep_free: int) -> None:
        self.run = folder / "run"
        self._folder = folder
        self._events = events
        self._keep_free = keep_free
        self._kept = folder / "stages.json"
        self._stages = json.decode(self._kept.read_bytes(), type=list[Stage]) if self._kept.is_file() else []

    def build(self, shards: int) -> None:
        """Does all stages that are left of so many shards.

        Raises NoRoom; OtherRun; CalledProcessError, with the output of what failed.
        """
        self._folder.mkdir(parents=True, exist_ok=True)
        for events in (self._events // 100, self._events // 10):
            self._single(events)
        for shard in range(shards):
            self._shard(shard)
        events = self._events * shards // SHARDS
        of_some = f", {shards} shards" if shards < SHARDS else ""
        self._stage(f"merged{of_some}", events, self._step("merge"))
        self._stage(f"opened{of_some}", events, self._step("open"))
        self._archive(events, of_some)

    def rows(self) -> Iterator[Row]:
        """Rows of all stages so far; shards against the file of a hundredth of all events."""
        stages = {stage.name: stage for stage in self._stages}
        yield from (stage.row() for stage in self._stages)
        base = next((stage for stage in self._stages if stage.name.startswith("one file")), None)
        shards = [stages[name] for name in map(_shard_stage, range(SHARDS)) if name in stages]
        if base is not None and shards:
            spent = sum(stage.cpu_seconds for stage in shards) / max(1, sum(stage.events for stage in shards))
            work = f"{len(shards)} shards, CPU per event against {base.name}"
            yield measured_row(work, COST, spent / base.cpu_seconds_per_event)

    def _single(self, events: int) -> None:
        """A run of one file, which is removed when it was measured."""
        name, trace, store = f"one file of {events / 1e6:g} M", self._folder / "one.xplane.pb", self._folder / "one"
        if not self._is_done(name, events):
            self._write(trace, events, SHARDS)
            self._stage(name, events, [sys.executable, "-m", "tilescope", "index", str(trace), "-o", str(store)])
            _remove(trace)
            shutil.rmtree(store)

    def _shard(self, shard: int) -> None:
        name, trace = _shard_stage(shard), self._folder / f"host{shard:02}.xplane.pb"
        events = self._events * (shard + 1) // SHARDS - self._events * shard // SHARDS
        if not self._is_done(name, events):
            self._write(trace, events, shard)
            self._stage(name, events, [*self._step("shard"), str(trace)])
            _remove(trace)

    def _write(self, trace: Path, events: int, seed: int) -> None:
        self._make_sure_of(events * (_TRACE_BYTES + _STORE_BYTES) + min(_SCRATCH_BYTES, events * _STORE_BYTES))
        size = ["--events", str(events), "--tracks", str(TRACKS), "--seed", str(seed)]
        measure([sys.executable, "-m", "tilescope", "synth", *size, "-o", str(trace)])

    def _archive(self, events: int, of_some: str) -> None:
        """The archive, kept or, where there is no room, written to nobody."""
        run = read_sharded_run(self.run)
        stores = sum(_size(shard_path(self.run, shard.name)) for shard in run.shards)
        is_kept = shutil.disk_usage(self._folder).free - stores > self._keep_free
        name, place = ("archived", self._folder / "run.tsarc") if is_kept else ("archived to nobody", Path("/dev/null"))
        self._stage(name + of_some, events, [*self._step("archive"), str(place)])

    def _step(self, work: str) -> list[str]:
        return [sys.executable, "-m", "bench.billion_step", work, str(self.run)]

    def _stage(self, name: str, events: int, command: Sequence[str]) -> None:
        if self._is_done(name, events):
            return
        measured: Measurement = measure(command)
        stage = Stage(
            name,
            events,
            measured.seconds,
            measured.cpu_seconds,
            measured.peak_rss_bytes,
            measured.peak_private_bytes,
            measured.output,
        )
        self._stages.append(stage)
        part = self._kept.with_suffix(".part")
        part.write_bytes(json.format(json.encode(self._stages)))
        part.replace(self._kept)
        print(" ".join(cell for cell in stage.row().cells() if cell), flush=True)
        print(measured.output, end="", flush=True)

    def _is_done(self, name: str, events: int) -> bool:
        stage = next((stage for stage in self._stages if stage.name == name), None)
        if stage is not None and stage.events != events:
            raise OtherRun(f"{self._folder}: {name} had {stage.events:,} events, and would have {events:,}")
        return stage is not None

    def _make_sure_of(self, size_bytes: int) -> None:
        free = shutil.disk_usage(self._folder).free
        if free - size_bytes < self._keep_free:
            kept = f"{size_text(self._keep_free)} are to stay free"
            raise NoRoom(f"{self._folder}: has {size_text(free)}, {size_text(size_bytes)} are needed, and {kept}")


def first_screen(run: Path, argv: Sequence[str] | None) -> list[Row]:
    """Rows about the viewer of the served run; none where there is no browser."""
    with measuring("bench.billion", argv, run, 0) as measurement:
        if measurement is None:
            return []
        browser, store = measurement
        with serving(store) as server:
            first, sharp = opening(browser, server.url, _ROUNDS)
            memory = f"{size_text(server.private_bytes())} of the server"
    return [
        measured_row("navigation to first pixels, median", FIRST_SCREEN, percentile(first, 0.5), memory),
        measured_row("navigation to a sharp view, median", FIRST_SCREEN, percentile(sharp, 0.5)),
    ]


def main(argv: Sequence[str] | None = None) -> int:
    """Makes what is missing of the run, and prints what was measured."""
    parser = argparse.ArgumentParser(prog="python -m bench.billion", description="Measures a billion events.")
    parser.add_argument("folder", type=Path, help="where the run is made, and what was measured of it is kept")
    parser.add_argument("--events", type=float, default=1e9, help="of the run; default: a billion")
    parser.add_argument("--shards", type=int, default=SHARDS, help="of twelve, to stop behind; default: all")
    parser.add_argument("--keep-free", type=float, default=8e9, metavar="BYTES", help="of the disk; default: 8e9")
    parser.add_argument("--screen", action="store_true", help="measure the viewer of the run that is there, too")
    args = parser.parse_args(argv)
    for line in machine_lines("bench.billion", argv):
        print(line, flush=True)
    big, status = BigRun(args.folder, round(args.events), round(args.keep_free)), 0
    try:
        big.build(min(args.shards, SHARDS))
    except (NoRoom, OtherRun) as error:
        print(f"error: {error}", file=sys.stderr)
        status = 1
    except subprocess.CalledProcessError as error:
        print(f"{error}\n{error.output}", file=sys.stderr)
        return 1
    screen = first_screen(big.run, argv) if args.screen and is_run_of_shards(big.run) else []
    print("\n" + "\n".join(table_lines([*big.rows(), *screen])))
    return status


def _shard_stage(shard: int) -> str:
    return f"shard {shard + 1}"


def _remove(trace: Path) -> None:
    for path in trace.parent.glob(f"{trace.name}*"):
        path.unlink()


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


if __name__ == "__main__":
    sys.exit(main())
