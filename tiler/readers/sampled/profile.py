"""The translation of a profile that is read as a whole: its threads, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from typing import Final, TypeGuard

from msgspec import Struct

from tilescope.tiler.readers.source import ByteSource
from tilescope.tiler.readers.translated.event_text import Event, event_texts, trace_text
from tilescope.tiler.readers.translated.whole_text import FRACTIONS

MICROSECOND_NS: Final = 1_000
MILLISECOND_NS: Final = 1_000_000
SECOND_NS: Final = 1_000_000_000
LONGEST_TEXT: Final = 16_384  # characters; nobody reads more of a name
_DIGITS: Final = 19  # of nanoseconds


class SampledProfile(Struct):
    """Events of a profile, and what is said of it; the lists are complete when the events are exhausted."""

    events: Iterator[Event]
    base_ns: int = 0  # since the epoch
    ignored: dict[str, int] = {}
    warnings: list[str] = []


class ProfileTranslation:
    """A `Translation` of a source, which belongs to it."""

    def __init__(self, source: ByteSource, read: Callable[[ByteSource], SampledProfile]) -> None:
        """Raises TraceError."""
        self._source = source
        self._profile = read(source)
        self.ignored = self._profile.ignored
        self.warnings = self._profile.warnings

    def pieces(self) -> Iterator[bytes]:
        """The text. Raises TraceError."""
        return trace_text(event_texts(self._profile.events), self._members)

    def bytes_read(self) -> int:
        """All of it is read before its first event."""
        return self._source.bytes_read

    def close(self) -> None:
        """Closes the source."""
        self._source.close()

    def _members(self) -> Mapping[str, object]:
        return {"baseTimeNanoseconds": self._profile.base_ns} if self._profile.base_ns else {}


def nanoseconds(value: object, unit_ns: int) -> int | None:
    """A time in whole nanoseconds, rounded; None for what is no time."""
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        return None
    time = FRACTIONS.multiply(FRACTIONS.create_decimal(value), FRACTIONS.create_decimal(unit_ns))
    if not time.is_finite() or time.adjusted() > _DIGITS:
        return None
    whole = int(time.to_integral_value())
    return whole if abs(whole) < 1 << 62 else None


def is_object(value: object) -> TypeGuard[dict[str, object]]:
    """True for a JSON object."""
    return isinstance(value, dict)


def items(value: object) -> list[object]:
    """The items of a JSON array; none of anything else."""
    return value if isinstance(value, list) else []


def objects(value: object) -> list[dict[str, object]]:
    """The objects in a JSON array; others are left out."""
    return [item for item in items(value) if is_object(item)]


def text(value: object, default: str = "") -> str:
    """A text; the default for anything else."""
    return value[:LONGEST_TEXT] if isinstance(value, str) else default
