"""XSpace: the protobuf that XLA, JAX and TensorFlow profilers write (`*.xplane.pb`).

Two passes: an outline of planes, lines and metadata, then the events line by line. A plane becomes a process, a line a
track, both kept whatever their names are, with or without events.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tilescope.tiler import _native
from tilescope.tiler.columns import EventChunk, EventCounts, Process, TraceSummary, Track, TrackKind
from tilescope.tiler.details import xstat
from tilescope.tiler.details.wire import WireDamage
from tilescope.tiler.errors import DamagedTrace
from tilescope.tiler.readers.mapped import MappedBytes
from tilescope.tiler.readers.source import ByteSource
from tilescope.tiler.readers.text_damage import find_text_damage

FORMAT = "xspace"
ENVIRONMENT_PLANE = "Task Environment"
HOST_PLANE = "/host:CPU"
DEVICE_PREFIX = "/device:"

_CHUNK_ROWS = 1 << 18  # 10 M events: 0.45 s of processor time; 0.51 s with 1 << 20, whose memory is never reused
_CHUNK_ARGS_BYTES = 64 << 20
_OUTLINE_STEP_BYTES = 64 << 20
_HEAD_BYTES = 1 << 20  # what is looked at to tell how a file was damaged
_MAX_DETAIL_CHARS = 300


class XSpaceReader:
    """Reads one XSpace. `scratch_dir` is where compressed files are inflated, the system's temporary folder by default.

    Raises `DamagedTrace` with path, byte offset (of the uncompressed data) and advice.
    """

    def __init__(self, source: ByteSource, *, scratch_dir: Path | None = None) -> None:
        self.path = source.path
        self.size_bytes = source.size_bytes
        self._source = source
        self._scratch_dir = scratch_dir
        self._mapped: MappedBytes | None = None
        self._native: _native.XSpaceFile | None = None
        self._finished = False
        self._summary = TraceSummary(format=FORMAT, args_encoding="xstat")

    @classmethod
    def open(cls, path: Path | str, *, scratch_dir: Path | None = None) -> XSpaceReader:
        """Opens a plain or gzip-compressed XSpace."""
        return cls(ByteSource.open(path), scratch_dir=scratch_dir)

    def chunks(self) -> Iterator[EventChunk]:
        """Chunks of up to 262,144 rows, lines in file order. A flow end follows the event that it belongs to."""
        mapped = self._mapped = MappedBytes.of_source(self._source, self._scratch_dir)
        native = self._native = _native.XSpaceFile(mapped.array)
        with self._damage(mapped):
            while native.read_outline(native.outline_position + _OUTLINE_STEP_BYTES):
                mapped.release(native.outline_position)
            planes, lines = native.planes(), native.lines()
            self._describe(native, planes, lines)
            native.start_events(line_starts(lines, profile_start_ns(planes)))
        mapped.rewind()
        while True:
            with self._damage(mapped):
                columns = native.next_events(_CHUNK_ROWS, _CHUNK_ARGS_BYTES)
            if columns is None:
                break
            mapped.release(native.events_position)
            yield EventChunk(**columns)
        with self._damage(mapped):
            self._complete(native, planes)
        self._finished = True

    def bytes_read(self) -> int:
        """Progress in `size_bytes`: inflating is half of the way, of the rest the outline is a quarter."""
        if self._finished:
            return self.size_bytes
        mapped, native = self._mapped, self._native
        inflating = self._source.is_compressed
        if mapped is None or native is None:
            return self._source.bytes_read // 2 if inflating else 0
        parsed = native.outline_position + 3 * native.events_position
        fraction_read = self.size_bytes * parsed // max(1, 4 * len(mapped))
        return (self.size_bytes + fraction_read) // 2 if inflating else fraction_read

    def summary(self) -> TraceSummary:
        """Complete once `chunks` is exhausted."""
        return self._summary

    def close(self) -> None:
        """Closes and unmaps the file."""
        self._native = None
        if self._mapped is not None:
            self._mapped.close()
        self._source.close()

    def _describe(
        self, native: _native.XSpaceFile, planes: Sequence[_native.XSpacePlane], lines: Sequence[_native.XSpaceLine]
    ) -> None:
        summary = self._summary
        ranks = process_ranks([plane.name for plane in planes])
        for plane, rank in zip(planes, ranks, strict=True):
            summary.processes.append(Process(name=plane.name, detail=plane_detail(plane), sort_index=rank))
        for line in lines:
            name = line.display_name or line.name or f"line {line.id}"
            summary.tracks.append(Track(process=line.plane, kind=TrackKind.SLICE, name=name, detail=f"line {line.id}"))
        summary.hostname = next(filter(None, native.hostnames()), "") or hostname_of(self.path)
        summary.warnings += [f"the profiler reported an error: {one_line(text)}" for text in native.errors()]
        summary.warnings += [f"the profiler warned: {one_line(text)}" for text in native.warnings()]

    def _complete(self, native: _native.XSpaceFile, planes: Sequence[_native.XSpacePlane]) -> None:
        summary = self._summary
        counts = native.counts()
        summary.names = native.names()
        summary.categories = [""] * len(summary.names)
        summary.counts = EventCounts(
            total=counts.events, slices=counts.events - counts.out_of_range, other=counts.out_of_range
        )
        if counts.out_of_range:
            summary.ignored["time_out_of_range"] = counts.out_of_range
        if not counts.events:
            summary.warnings.append("the trace holds no events")
        summary.args_tables = args_tables(native, planes).pack()

    @contextmanager
    def _damage(self, mapped: MappedBytes) -> Iterator[None]:
        """Turns what the native reader met into a `DamagedTrace`."""
        try:
            yield
        except _native.WireError as error:
            what, offset = error.args
            advice = "copy the file again or capture again"
            mangled_at = find_text_damage(mapped.array[:_HEAD_BYTES].tobytes())
            if mangled_at is not None:
                offset = mangled_at
                what = "a text conversion has destroyed this file: bytes were replaced by U+FFFD (EF BF BD)"
                advice = "copy the original again as binary data"
            elif self._source.is_compressed:
                what += ", counted in the inflated data"
            raise DamagedTrace(self.path, what, offset=offset, advice=advice) from error


def process_ranks(names: Sequence[str]) -> list[int]:
    """Of each plane its place on screen: devices in natural order, the host's threads, the others as in the file."""

    def rank(index: int) -> tuple[int, list[tuple[int, str]], int]:
        name = names[index]
        if name.startswith(DEVICE_PREFIX):
            return 0, natural_key(name), index
        return (1 if name == HOST_PLANE else 2), [], index

    ranks = [0] * len(names)
    for place, index in enumerate(sorted(range(len(names)), key=rank)):
        ranks[index] = place
    return ranks


def natural_key(name: str) -> list[tuple[int, str]]:
    """Sorts `TPU:2` before `TPU:10`."""
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"([0-9]+)", name)]


def plane_stats(plane: _native.XSpacePlane) -> list[xstat.XStat]:
    """The plane's own stats; those that cannot be decoded are left out, they describe nothing that is counted."""
    decoded = []
    for raw in plane.stats:
        try:
            decoded.append(xstat.stat(raw, plane.stat_names))
        except WireDamage:
            continue
    return decoded


def plane_detail(plane: _native.XSpacePlane) -> str:
    """`name value, …` of the plane's stats, without binary ones."""
    parts = [f"{stat.name} {stat.value}" for stat in plane_stats(plane) if isinstance(stat.value, int | float | str)]
    text = one_line(", ".join(parts))
    return text if len(text) <= _MAX_DETAIL_CHARS else text[: _MAX_DETAIL_CHARS - 1] + "…"


def profile_start_ns(planes: Sequence[_native.XSpacePlane]) -> int:
    """When the capture began, in nanoseconds since the epoch, or 0 where the file does not say it."""
    for plane in planes:
        if plane.name == ENVIRONMENT_PLANE:
            for stat in plane_stats(plane):
                if stat.name == "profile_start_time" and isinstance(stat.value, int):
                    return stat.value
    return 0


def line_starts(lines: Sequence[_native.XSpaceLine], start_ns: int) -> list[int]:
    """Absolute time of each line's offset 0, in nanoseconds.

    Profilers subtract the capture's start from their lines' timestamps before they write, so that hosts can only be
    aligned by adding it again. A line that kept its absolute timestamp is recognised by being nowhere near 0.
    """
    return [line.timestamp_ns + (start_ns if line.timestamp_ns < start_ns // 2 else 0) for line in lines]


def args_tables(native: _native.XSpaceFile, planes: Sequence[_native.XSpacePlane]) -> xstat.XStatTables:
    """What decodes the arguments: names of stats of planes that have events, and the event metadata that events use."""
    used = native.used_metadata()
    with_events = {metadata.plane for metadata in used}
    return xstat.XStatTables(
        stat_names=tuple(plane.stat_names if index in with_events else {} for index, plane in enumerate(planes)),
        metadata=tuple(
            xstat.EventMetadata(
                plane=metadata.plane,
                long_name=metadata.name if metadata.display_name not in ("", metadata.name) else "",
                stats=metadata.stats,
            )
            for metadata in used
        ),
    )


def hostname_of(path: Path) -> str:
    """`<host>` of `<host>.xplane.pb` or `<host>.xplane.pb.gz`."""
    return re.sub(r"(\.xplane)?(\.pb)?(\.gz)?$", "", path.name, flags=re.IGNORECASE)


def one_line(text: str) -> str:
    """The text with all white space runs as single blanks."""
    return " ".join(text.split())
