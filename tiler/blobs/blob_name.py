"""Names of objects below a place: those that lead out of it, or that no message can show, are refused."""

from __future__ import annotations

from typing import Final

from tilescope.tiler.errors import UsageError

MAX_NAME_BYTES: Final = 1024  # of an object of S3, GCS and Azure
_MAX_SEGMENT_BYTES: Final = 255  # of a name in a folder: what is read remotely may have to be copied to disk


def name_problem(name: str) -> str | None:
    """A clause on why no object may be called so; None for a good name."""
    try:
        encoded = name.encode()
    except UnicodeEncodeError:
        return "is no text in UTF-8"
    if not name:
        return "is empty"
    if len(encoded) > MAX_NAME_BYTES:
        return f"has more than {MAX_NAME_BYTES} bytes"
    if not name.isprintable():
        return "has line breaks or characters that cannot be shown"
    segments = name.split("/")
    if any(segment in ("", ".", "..") for segment in segments):
        return "leads out of its place, or has a folder without a name"
    if any(len(segment.encode()) > _MAX_SEGMENT_BYTES for segment in segments):
        return f"has a folder or file name of more than {_MAX_SEGMENT_BYTES} bytes"
    return None


def checked_name(name: str) -> str:
    """The name. Raises UsageError for one that no object may have."""
    problem = name_problem(name)
    if problem is not None:
        raise UsageError(f"{name[:100]!r}: the name {problem}")
    return name
