"""Traces of Perfetto (`.pftrace`, `.perfetto-trace`): packets of protobuf, translated to trace events."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from tilescope.tiler.details import json_args
from tilescope.tiler.readers.format import Format, Likeness
from tilescope.tiler.readers.memory_budget import Room
from tilescope.tiler.readers.perfetto.signature import is_perfetto
from tilescope.tiler.readers.reader import Reader
from tilescope.tiler.readers.source import ByteSource
from tilescope.tiler.readers.translated import TranslatedReader

ID: Final = "perfetto"


def _looks_like(head: bytes) -> Likeness:
    return Likeness.CERTAIN if is_perfetto(head) else Likeness.NONE


def _open(source: ByteSource, *, scratch_dir: Path | None, room: Room | None) -> Reader:
    from tilescope.tiler.readers.perfetto.translation import PerfettoTranslation  # protobuf, which takes a while

    translation = PerfettoTranslation(source, room or Room())
    return TranslatedReader(translation, ID, source.path, source.size_bytes, scratch_dir=scratch_dir, room=room)


PERFETTO: Final = Format(
    id=ID,
    title="traces of Perfetto",
    looks_like=_looks_like,
    open=_open,
    args=json_args.CODEC,
    suffixes=(),
    endings=(".pftrace", ".perfetto-trace"),
)

__all__ = ["PERFETTO"]
