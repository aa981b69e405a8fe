"""Recognises the format of a trace by its first bytes; by its name only where a format says that these are no help."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from msgspec import Struct

from tilescope.tiler.errors import UnknownFormat
from tilescope.tiler.readers import formats
from tilescope.tiler.readers.compression import ENDINGS
from tilescope.tiler.readers.format import Format, Likeness
from tilescope.tiler.readers.refused_files import refusal

HEAD_BYTES: Final = 64 * 1024  # what `recognise` wants to see, where the file has as much


class Signature(Struct, frozen=True):
    """Format of a file by its first bytes, and how certain that is."""

    format: Format
    likeness: Likeness  # above NONE


def recognise(head: bytes, path: Path) -> Signature:
    """The format of a trace that begins with `head`. Raises `UnknownFormat`.

    `path` is for its message, and for formats whose files are told by their names.

    Ours come first. Those of other packages are asked where none of ours is certain, and have the file if they are.
    A file of no bytes is refused, whatever its name; nothing but white space is an empty JSON trace.
    """
    if not head:
        raise UnknownFormat(path, "is empty", advice="nothing was written to it: record it again")
    signature = _first(formats.ours(), head, Likeness.BEGINS)
    if signature is None or signature.likeness < Likeness.CERTAIN:
        named = next((ours for ours in formats.ours() if ours.is_named is not None and ours.is_named(path, head)), None)
        if named is not None:
            return Signature(named, Likeness.CERTAIN)
    if signature is None or (signature.likeness < Likeness.CERTAIN and head.strip()):
        least = Likeness.BEGINS if signature is None else Likeness.CERTAIN
        others = formats.of_others()
        signature = _first(others, head, Likeness.CERTAIN) or _first(others, head, least) or signature
    if signature is None:
        raise refusal(head, path, _advice())
    return signature


def _first(candidates: tuple[Format, ...], head: bytes, least: Likeness) -> Signature | None:
    for candidate in candidates:
        likeness = candidate.looks_like(head)
        if likeness >= least:
            return Signature(candidate, likeness)
    return None


def _advice() -> str:
    *others, last = (trace_format.title for trace_format in (*reversed(formats.ours()), *formats.of_others()))
    endings = " and ".join((", ".join(ENDINGS[:-1]), ENDINGS[-1]))
    both = "both" if len(others) == 1 else "all"
    return "; ".join([f"Tilescope reads {', '.join(others)} and {last}, {both} also as {endings}", *formats.left_out()])
