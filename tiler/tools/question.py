"""Questions: what is asked of a tool, typed once, and made of the texts of a URL or a command line, or of JSON.

A question is a frozen `msgspec.Struct`. Each field has help (`Meta(description=…)`), limits, a unit
(`Meta(extra={"unit": …})`), words for its pattern (`"form"` in `extra`) and a default; what transports and docs need of
them is in `parameters.py`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Annotated, Any, Final, TypeVar, get_args

import msgspec
from msgspec import Meta

from tilescope.tiler.errors import UsageError
from tilescope.tiler.query import Place
from tilescope.tiler.resolver import TickRange
from tilescope.tiler.schema import LIMITS
from tilescope.tiler.step_names import MAX_STEP_NAME
from tilescope.tiler.ticks import TICK_LIMIT, refuse_float
from tilescope.tiler.tools.references import BuildRefs, Reference, reference
from tilescope.tiler.tools.step_range import StepRange

MAX_TRACKS: Final = LIMITS.question_tracks  # that one question names
MAX_EVENT_NAME: Final = 4096  # characters
MAX_TRACKS_TEXT: Final = 2000  # characters that name them in a URL, which may have 8 KiB

_INT64: Final = 1 << 63
_INTEGER: Final = re.compile("-?[0-9]{1,40}", re.ASCII)

# What msgspec says of a value, in words.
_WORDS: Final = tuple(
    (re.compile(pattern), words)
    for pattern, words in (
        (r" \| null", ""),
        ("Object missing required field", "missing required field"),
        ("`int`", "an integer"),
        ("`float`", "a number"),
        ("`str`", "a text"),
        ("`bool`", "true or false"),
        ("`object`", "an object"),
        ("`array`", "a list"),
        ("`null`", "nothing"),
        (" of length >= 1$", " that is not empty"),
        (" of length <= ([0-9]+)$", r" of at most \1 characters"),
        (" >= ", " of at least "),
        (" <= ", " of at most "),
        ("`", ""),
    )
)

# A time in ticks since the run's origin.
Tick = Annotated[int, Meta(ge=-_INT64, le=_INT64 - 1, extra={"unit": "ticks"})]

# What the slices are called that are to be the steps.
StepName = Annotated[str, Meta(min_length=1, max_length=MAX_STEP_NAME)]

# The whole name of events.
EventName = Annotated[str, Meta(min_length=1, max_length=MAX_EVENT_NAME)]

# Where a list goes on: start, track and ordinal of the last event of the answer before, as its `more` has them.
After = Annotated[
    str, Meta(pattern="^[0-9]{1,19},[0-9]{1,19},[0-9]{1,19}$", extra={"form": "start,track,ordinal, as in 8123,4,17"})
]


class Tracks(tuple[int, ...]):
    """Tracks by number, ascending, each once. A rollup stands for the tracks that it sums."""

    __slots__ = ()

    @classmethod
    def from_numbers(cls, tracks: Iterable[int]) -> Tracks:
        """These tracks. Raises UsageError when they are too many for one question."""
        selected = cls(sorted(set(tracks)))
        if len(selected) > MAX_TRACKS:
            raise UsageError(f"a question names at most {MAX_TRACKS:,} tracks, not {len(selected):,}")
        return selected

    of = from_numbers  # as in version 0.2: tools of other packages call it

    @classmethod
    def parse(cls, text: str) -> Tracks:
        """`1,5,8-12`; an empty text is no track at all. Raises UsageError."""
        if len(text) > MAX_TRACKS_TEXT:
            raise UsageError(f"tracks are named in at most {MAX_TRACKS_TEXT:,} characters: name ranges, or a rollup")
        tracks: set[int] = set()
        for part in text.split(",") if text else ():
            first, dash, last = part.partition("-")
            numbers = (first, last if dash else first)
            if not all(number.isdecimal() and number.isascii() and len(number) <= 10 for number in numbers):
                raise UsageError(f"tracks are numbers and ranges, as in 1,5,8-12, not {part[:40]!r}")
            low, high = map(int, numbers)
            if high < low or high - low >= MAX_TRACKS or len(tracks) > MAX_TRACKS:
                raise UsageError(f"tracks are named in ascending ranges, at most {MAX_TRACKS:,} of them")
            tracks.update(range(low, high + 1))
        return cls.from_numbers(tracks)

    def text(self) -> str:
        """As `parse` reads it: a host of a thousand tracks still fits into a URL."""
        ranges: list[list[int]] = []
        for track in self:
            if ranges and track == ranges[-1][1] + 1:
                ranges[-1][1] = track
            else:
                ranges.append([track, track])
        return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in ranges)


class Question(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base of all questions."""

    @classmethod
    def field_names(cls) -> tuple[str, ...]:
        """The names of the fields, in their order."""
        return cls.__struct_fields__

    known = field_names  # as in version 0.2: tools of other packages call it


class TimeQuestion(Question, frozen=True, kw_only=True):
    """A question about a span of time: the whole run unless told otherwise."""

    start: Annotated[Tick | None, Meta(description="First tick of the span; the run's start unless given.")] = None
    end: Annotated[Tick | None, Meta(description="First tick after the span; the run's end unless given.")] = None

    @property
    def ticks(self) -> TickRange:
        """The ticks [start, end) within those in which events can be. Raises UsageError when there is no such span."""
        if self.start is not None and self.end is not None and self.end < self.start:
            raise UsageError(f"ticks {self.start} to {self.end} are not a span: the end is before the start")
        first = 0 if self.start is None else max(self.start, 0)
        last = TICK_LIMIT if self.end is None else min(self.end, TICK_LIMIT)
        return TickRange(first, max(first, last))


class StreamQuestion(TimeQuestion, frozen=True, kw_only=True):
    """A question about a span of time and some streams of devices: all of them unless told otherwise."""

    tracks: Annotated[
        Tracks | None,
        Meta(description="Streams: track numbers and ranges, as in 1,5,8-12. All unless given."),
    ] = None


class TrackQuestion(TimeQuestion, frozen=True, kw_only=True):
    """A question about a span of time and some tracks: the whole run and all tracks unless told otherwise."""

    tracks: Annotated[
        Tracks | None,
        Meta(description="Track numbers and ranges, as in 1,5,8-12; a rollup stands for its tracks. All unless given."),
    ] = None


class SpanQuestion(TrackQuestion, frozen=True, kw_only=True):
    """A question about a span of time and some tracks, or about steps."""

    steps: Annotated[
        StepRange | None,
        Meta(
            description="Steps, as in 5 or 5-9: on each track those of its device or host, on GPUs what "
            "was launched in them; with a span, only their parts within it."
        ),
    ] = None
    step_name: Annotated[
        StepName | None,
        Meta(
            description="Slices of this name are the steps, by the number after the name (train_step 7), or without "
            "numbers by their order, from 0. Unless given, the steps are those that the trace marks.",
        ),
    ] = None

    @property
    def span(self) -> TickRange:
        """The ticks [start, end) within those in which events can be. Raises UsageError when there is no such span.

        So it does when the question is about steps: a tool that knows them looks at `Scope.windows`.
        """
        if self.steps is not None:
            raise UsageError("this tool does not support steps: give a span (start, end)")
        return self.ticks


class FigureQuestion(SpanQuestion, frozen=True, kw_only=True):
    """A question about figures of a span, such as sums and shares, which leave outliers out."""

    outliers: Annotated[
        bool,
        Meta(
            description="Also count outliers: events far from all others, or with times that cannot be true. Unless "
            "asked for they are left out; a span with both ends given has those that are only far from all others."
        ),
    ] = False


Q = TypeVar("Q", bound=Question)


def place(after: str | None) -> Place | None:
    """The place that an `After` names."""
    return None if after is None else Place(*map(int, after.split(",")))


def from_text(kind: type[Q], values: Mapping[str, str]) -> Q:
    """A question from texts, by the names of its fields. Raises UsageError, naming the field."""
    return _convert(kind, dict(values))


def from_json(kind: type[Q], data: bytes) -> Q:
    """A question from a JSON object; 64-bit integers may be text. Raises UsageError, naming the field."""
    try:
        values = json.loads(data) if data else {}
    except (ValueError, RecursionError):
        raise UsageError("a question must be a JSON object") from None
    if not isinstance(values, dict):
        raise UsageError("a question must be a JSON object")
    return _convert(kind, values)


def from_values(kind: type[Q], values: Mapping[str, object]) -> Q:
    """A question from Python values: tracks as numbers, times as integers. Raises UsageError, naming the field."""
    return _convert(kind, {name: value for name, value in values.items() if value is not None})


def to_text(question: Question) -> dict[str, str]:
    """The texts that make this question, of fields that differ from their default."""
    return {name: text_of(value) for name, value in _given(question)}


def to_json(question: Question) -> bytes:
    """JSON that makes this question; 64-bit integers are text, tracks are numbers."""
    given = {name: list(value) if isinstance(value, Tracks) else text_of(value) for name, value in _given(question)}
    return msgspec.json.encode(given)


def _given(question: Question) -> Iterable[tuple[str, Any]]:
    for field in msgspec.structs.fields(type(question)):
        value = getattr(question, field.name)
        if field.required or value != field.default:
            yield field.name, value


def text_of(value: object) -> str:
    """A value as it stands in a URL."""
    if isinstance(value, Tracks | StepRange | BuildRefs):
        return value.text()
    return str(value).lower() if isinstance(value, bool) else str(value)


def _convert(kind: type[Q], values: dict[str, Any]) -> Q:
    unknown = [name for name in values if name not in kind.field_names()]
    if unknown:
        raise UsageError(f"there is no parameter {unknown[0]!r}: there are {', '.join(kind.field_names())}")
    for name, value in values.items():
        refuse_float(name, value)
        if isinstance(value, str) and name in _integers(kind) and not _INTEGER.fullmatch(value):
            raise UsageError(f"{name}: expected an integer, not {value[:40]!r}")
        # msgspec reads this word as no value, which the description of the API does not have.
        if isinstance(value, str) and value.lower() == "null" and name not in _texts(kind):
            raise UsageError(f"{name}: {value!r} is no value: leave the parameter out")
    try:
        return msgspec.convert(values, kind, strict=False, dec_hook=_special)
    except msgspec.ValidationError as error:
        raise UsageError(_message(str(error), error.__cause__, kind, values)) from None


@cache
def _integers(kind: type[Question]) -> frozenset[str]:
    """The fields that are integers. To ask msgspec for them at each question takes a millisecond."""
    return frozenset(field.name for field in msgspec.structs.fields(kind) if int in leaves(field.type))


@cache
def _texts(kind: type[Question]) -> frozenset[str]:
    """The fields that any text may be a value of."""
    return frozenset(field.name for field in msgspec.structs.fields(kind) if str in leaves(field.type))


def _special(kind: type[Any], value: Any) -> Any:
    """Values of the types that msgspec does not know. Raises ValueError, to which it adds the field."""
    try:
        if issubclass(kind, Reference):
            return reference(kind, value)
        if kind is Tracks:
            return _tracks(value)
        if kind is StepRange:
            return StepRange.convert(value)
        if kind is BuildRefs:
            return BuildRefs.convert(value)
    except UsageError as error:
        raise ValueError(str(error)) from None
    raise TypeError(f"a question cannot have a field of type {kind.__name__}")


def _tracks(value: Any) -> Tracks:
    if isinstance(value, str):
        return Tracks.parse(value)
    if isinstance(value, int):
        value = [value]
    if isinstance(value, Sequence) and all(isinstance(track, int) and track >= 0 for track in value):
        return Tracks.from_numbers(value)
    raise UsageError("track numbers are integers from 0")


def _message(text: str, cause: BaseException | None, kind: type[Question], values: Mapping[str, Any]) -> str:
    """msgspec's message, or that of `_special`, with the field first and in words."""
    what, _, where = text.partition(" - at `$.")
    where = where.rstrip("`")
    if cause is not None:
        what = str(cause)
    elif what.startswith("Invalid enum value"):
        what = f"there is no {what.removeprefix('Invalid enum value ')}: choose from {', '.join(_choices(kind, where))}"
    else:
        form = _form(kind, where) if " matching regex " in what else None
        for pattern, words in _WORDS:
            what = pattern.sub(words, what)
        what = what[0].lower() + what[1:] if form is None else f"expected {form}"
        if isinstance(values.get(where), int | str):
            what += f", not {str(values[where])[:40]!r}"
    return f"{where}: {what}" if where and not what.startswith(where) else what


def leaves(annotation: Any) -> set[Any]:
    """The types and values that a type is made of."""
    inner = get_args(annotation)
    return {annotation} if not inner else set().union(*(leaves(part) for part in inner))


def _form(kind: type[Question], name: str) -> str | None:
    """Form of text that the pattern of a field stands for."""
    return next((str(part.extra["form"]) for part in _parts(kind, name) if part.extra and "form" in part.extra), None)


def _parts(kind: type[Question], name: str) -> list[Meta]:
    fields = (field for field in msgspec.structs.fields(kind) if field.name == name)
    return [part for field in fields for part in leaves(field.type) if isinstance(part, Meta)]


def _choices(kind: type[Question], name: str) -> list[str]:
    """The texts among which a field has to be chosen."""
    field_type = next(field.type for field in msgspec.structs.fields(kind) if field.name == name)
    return sorted(choice for choice in leaves(field_type) if isinstance(choice, str))
