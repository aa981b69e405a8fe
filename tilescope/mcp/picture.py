"""A picture of the timeline without a browser: a PNG of what a viewer draws of tracks in a span, from their bins."""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from tilescope.client import RunView, Track
from tilescope.mcp.runs import AgentRun
from tilescope.mcp.short_text import one_line
from tilescope.tiler.errors import UsageError
from tilescope.tiler.percent_text import percent_text
from tilescope.tiler.tools import Tracks

if TYPE_CHECKING:
    from PIL import Image, ImageDraw

MOST_BYTES: Final = 200_000
WIDTH_PX: Final = 1200
NAMES_PX: Final = 260
ROW_PX: Final = 11
GAP_PX: Final = 5
AXIS_PX: Final = 22
MOST_TRACKS: Final = 40
MOST_ROWS: Final = 6  # of a track: what nests deeper is left out, and counted

# Hues that colour-blind people can tell apart; a name has the same in every picture.
_COLOURS: Final = ("#3b6fb6", "#e07b39", "#3f9b76", "#b25d9c", "#8a8f2f", "#5aa7c7", "#c2504d", "#7a6cc0")
_INK: Final = "#30343a"
_FAINT: Final = "#d9dce1"


# Bins or slices of a view: columns by their names.
BoxColumns = Mapping[str, NDArray[Any]]


@dataclass(frozen=True, slots=True)
class Picture:
    """A PNG of the ticks [start, end), what each of its tracks is in words, and what was left out."""

    png: bytes
    start: int
    end: int
    rows: list[str]
    cut: list[str] = field(default_factory=list)


async def picture(chosen: AgentRun, start: int | None, end: int | None, tracks: str = "") -> Picture:
    """The timeline of a span; without tracks of those with events. Raises UsageError, without Pillow too."""
    try:
        import PIL  # noqa: F401
    except ImportError:
        raise UsageError("Pillow is not installed: pip install 'tilescope[mcp]'") from None
    run = chosen.run
    start = run.start if start is None else start
    end = run.end + 1 if end is None else end
    if end <= start:
        raise UsageError(f"a picture needs a span with ticks in it, not {start}-{end}")
    by_id = {track.id: track for track in await run.tracks() if track.kind != "counter"}
    chosen_ids = (
        list(Tracks.parse(tracks)) if tracks else [t.id for t in by_id.values() if t.events and t.kind == "slice"]
    )
    missing = [number for number in chosen_ids if number not in by_id]
    if missing:
        raise UsageError(f"there is no track of slices {missing[0]}")
    shown = [by_id[number] for number in chosen_ids[:MOST_TRACKS]]
    view = await run.view(start, end, WIDTH_PX - NAMES_PX, shown)
    cut = [f"{len(chosen_ids) - len(shown)} more tracks: name some with tracks"] if len(chosen_ids) > len(shown) else []
    rows = await asyncio.to_thread(_strips, view, shown, start, end)
    deep = sum(strip.hidden for strip in rows)
    if deep:
        cut.append(f"{deep:,} slices and bins nest deeper than {MOST_ROWS} rows")
    png = await asyncio.to_thread(_png, chosen, rows, start, end)
    return Picture(png, start, end, [strip.words for strip in rows], cut)


@dataclass(frozen=True, slots=True)
class Strip:
    """One track: boxes as (row, start, width, share of it that is busy, name), in ticks."""

    label: str
    boxes: list[tuple[int, int, int, float, str]]
    row_count: int
    hidden: int
    words: str

    @classmethod
    def make(cls, columns: Sequence[BoxColumns], track: Track, start: int, end: int) -> Strip:
        """The boxes of a track in a view. Busy time: of its first row, within the span, of bins in proportion."""
        boxes: list[tuple[int, int, int, float, str]] = []
        for table in columns:
            mine = np.flatnonzero(table["track"] == track.id)
            cells = (table[name][mine].tolist() for name in ("start", "duration", "row", "busy", "name"))
            for begin, length, row, spent, name in zip(*cells, strict=True):
                if begin < end and (begin + length > start or begin == start):
                    boxes.append((row, begin, length, min(1.0, spent / length) if length else 1.0, name or ""))
        kept = [box for box in boxes if box[0] < MOST_ROWS]
        spent_ticks = sum(
            share * (min(end, begin + length) - max(start, begin)) for row, begin, length, share, _ in kept if row == 0
        )
        label = one_line(f"{''.join(track.path[-1:])} › {track.name}", 60)
        words = f"{track.id} {label}: about {percent_text(min(1.0, spent_ticks / (end - start)))} busy"
        rows = 1 + max((row for row, *_ in kept), default=0)
        return cls(label, kept, rows, len(boxes) - len(kept), words)


def _strips(view: RunView, tracks: Sequence[Track], start: int, end: int) -> list[Strip]:
    names = ("track", "start", "duration", "row", "name")
    bins = {name: view.bins[name] for name in (*names, "busy")}
    slices = {name: view.slices[name] for name in names}
    columns = [bins, slices | {"busy": slices["duration"]}]
    return [Strip.make(columns, track, start, end) for track in tracks]


def _png(chosen: AgentRun, strips: Sequence[Strip], start: int, end: int) -> bytes:
    from PIL import Image, ImageDraw

    height = AXIS_PX + sum(strip.row_count * ROW_PX + GAP_PX for strip in strips) + GAP_PX
    image = Image.new("RGB", (WIDTH_PX, height), "white")
    draw = ImageDraw.Draw(image)
    _draw_axis(draw, chosen, start, end, height)
    top = AXIS_PX
    for strip in strips:
        draw.text((4, top - 1), one_line(strip.label, 42), fill=_INK)
        for row, begin, length, share, name in strip.boxes:
            left, right = _x(max(begin, start), start, end), _x(min(begin + length, end), start, end)
            bottom = top + (row + 1) * ROW_PX - 2
            high = max(1, round((ROW_PX - 2) * share))
            draw.rectangle((left, bottom - high + 1, max(left, right - 1), bottom), fill=_colour(name))
        top += strip.row_count * ROW_PX + GAP_PX
        draw.line((0, top - 3, WIDTH_PX, top - 3), fill=_FAINT)
    return small_file(image)


def small_file(image: Image.Image) -> bytes:
    """A PNG of at most `MOST_BYTES`, in fewer colours where it must be, and then with fewer pixels."""
    while True:
        for colours in (256, 32, 8):
            file = BytesIO()
            image.quantize(colours).save(file, "PNG", optimize=True)
            if file.tell() <= MOST_BYTES:
                return file.getvalue()
        image = image.reduce(2)


def _draw_axis(draw: ImageDraw.ImageDraw, chosen: AgentRun, start: int, end: int, height: int) -> None:
    for k in range(5):
        tick = start + (end - start) * k // 5
        x = _x(tick, start, end)
        draw.line((x, AXIS_PX - 6, x, height), fill=_FAINT)
        draw.text((x + 3, 3), chosen.shown.text("time", tick), fill=_INK)
    draw.text((4, 3), one_line(chosen.run.name, 40), fill=_INK)


def _x(tick: int, start: int, end: int) -> int:
    return NAMES_PX + (tick - start) * (WIDTH_PX - NAMES_PX) // (end - start)


def _colour(name: str) -> str:
    return _COLOURS[zlib.crc32(name.encode("utf-8", "replace")) % len(_COLOURS)]
