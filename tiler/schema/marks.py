"""Marks that people set in a run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Final, Literal

from msgspec import Meta, Struct

from tilescope.tiler.schema.numbers import Count, Ticks

MAX_MARKS: Final = 10_000
MAX_MARKS_BYTES: Final = 1_000_000  # of the JSON of all marks of a run

MarkKind = Literal["mark", "region", "note"]


class Mark(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A moment or a span that somebody marked."""

    id: Annotated[str, Meta(min_length=1, max_length=64, description="Tells it from all others of the run.")]
    kind: Annotated[
        MarkKind, Meta(description="`mark`: a span or a moment; `region`: one with a name; `note`: a text.")
    ]
    start: Ticks
    end: Annotated[Ticks | None, Meta(description="None: a moment.")] = None
    name: Annotated[str, Meta(max_length=2000)] = ""
    tracks: Annotated[Sequence[Count], Meta(max_length=100, description="None: it is about all of them.")] = ()
    colour: Annotated[Count, Meta(le=15, description="Of the viewer's palette.")] = 0


class MarkList(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The marks of a run, all of them."""

    marks: Annotated[Sequence[Mark], Meta(max_length=MAX_MARKS)]


class KeptMarks(Struct, frozen=True, kw_only=True):
    """The marks that are kept beside a run."""

    marks: Sequence[Mark]
    writable: Annotated[bool, Meta(description="The server takes changes: it was started with `--allow-notes`.")]
