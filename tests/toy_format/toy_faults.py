"""Formats with one fault each. All but the first are recognised by a word."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from toy_format import FORMAT
from toy_format.arguments import CODEC
from toy_format.reader import ToyReader

from tilescope.tiler.columns import EventChunk, TraceSummary
from tilescope.tiler.details import Arguments
from tilescope.tiler.readers import ByteSource
from tilescope.tiler.readers.format import Likeness
from tilescope.tiler.readers.room import Room


def begins_with(word: bytes) -> Callable[[bytes], Likeness]:
    return lambda head: Likeness.CERTAIN if head.startswith(word) else Likeness.NONE


def torn(head: bytes) -> Likeness:
    raise KeyError(head[:3])


def greedy(head: bytes) -> Likeness:
    """Of everything that is ours, too."""
    ours = b"traceEvents" in head or head.startswith(b"\n")
    return Likeness.CERTAIN if ours or head.startswith(b"GREEDY") else Likeness.NONE


def leaving(source: ByteSource, *, scratch_dir: Path | None, room: Room | None) -> ToyReader:
    raise SystemExit(3)


class Late(ToyReader):
    def chunks(self) -> Iterator[EventChunk]:
        yield from super().chunks()
        raise KeyError("missing")


class OutOfRange(ToyReader):
    def chunks(self) -> Iterator[EventChunk]:
        for chunk in super().chunks():
            yield replace(chunk, track=chunk.track + 70)


class Short(ToyReader):
    def chunks(self) -> Iterator[EventChunk]:
        for chunk in super().chunks():
            yield replace(chunk, name=chunk.name[:-1])


class Nameless(ToyReader):
    def summary(self) -> TraceSummary:
        return replace(super().summary(), names=[])


def undecodable(raw: bytes, tables: Any) -> Arguments:
    return [("quotient", len(raw) // 0)]


FAULTY = [
    replace(FORMAT, id="torn", looks_like=torn, suffixes=(".torn",)),
    replace(FORMAT, id="greedy", looks_like=greedy, open=leaving),
    replace(FORMAT, id="late", looks_like=begins_with(b"LATE"), open=Late),
    replace(FORMAT, id="far", looks_like=begins_with(b"FAR"), open=OutOfRange),
    replace(FORMAT, id="short", looks_like=begins_with(b"SHORT"), open=Short),
    replace(FORMAT, id="nameless", looks_like=begins_with(b"NAMELESS"), open=Nameless),
    replace(
        FORMAT,
        id="undecodable",
        looks_like=begins_with(b"UNDECODABLE"),
        args=replace(CODEC, id="undecodable", decode=undecodable),
    ),
    replace(FORMAT, id="xspace"),
    replace(FORMAT, id="other", args=replace(CODEC, id="json")),
    replace(FORMAT, id="No id"),
    5,
]
