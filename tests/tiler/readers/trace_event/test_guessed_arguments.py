"""Arguments that are like those of an event before: what is guessed of them is what a look at each of them tells."""

from __future__ import annotations

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.tiler.readers.trace_event.trace_event_file import source_of
from tilescope.tiler import _native
from tilescope.tiler.columns import EventChunk
from tilescope.tiler.errors import UnknownFormat
from tilescope.tiler.readers.trace_event import TraceEventReader

# Few templates and many numbers, so that most events are like others: `#` stands for a number.
ARGUMENTS = st.sampled_from(
    [
        '{"a": #}',
        '{"a": #, "b": "x#y"}',
        '{"a": #,"b": [[#, #], {"c": "\\\\#"}]}',
        '{"a": "\\u00#e", "b": -#.#e+#}',
        '{"a": ##}',
        '{"a": #, "b": "x#y"',
        '{"a": #]}',
        '{"nul": "\x00", "a": #}',
        '{"long": "' + "x" * 2030 + '#", "a": #}',
        "{}",
        '"no object #"',
    ]
)
NUMBERS = st.sampled_from(["0", "7", "00", "007", "12345", "9" * 18, "9" * 19, "1" + "0" * 19, "1" * 40, "", "x", '"'])
MEMBERS = st.lists(
    st.sampled_from(['"cat": "one"', '"cat": "two"', '"id": #', '"bp": "e"', '"other": [#]']), max_size=2, unique=True
)


@st.composite
def events(draw: st.DrawFn) -> str:
    """An event, with its arguments before or behind its other members, or twice."""
    before, behind = draw(MEMBERS), draw(st.just([]) | MEMBERS)
    members = ['"ph": "X", "ts": 1, "dur": 1', *before, f'"args": {draw(ARGUMENTS)}', *behind]
    if draw(st.integers(0, 9)) == 0:
        members.append(f'"args": {draw(ARGUMENTS)}')
    text = draw(st.sampled_from([",", ", ", ",\n  "])).join(members)
    usual = st.integers(0, 10**6).map(str)
    while "#" in text:
        text = text.replace("#", draw(usual if draw(st.integers(0, 4)) else NUMBERS), 1)
    return "{" + text + "}"


def read(data: bytes, *, packed: bool) -> tuple[list[bytes], list[EventChunk], object, int]:
    """Arguments, chunks, what was counted, and how many shapes there are."""
    reader = TraceEventReader(source_of(data), 1)
    texts = reader.pack_arguments() if packed else _native.PackedTexts()
    chunks = list(reader.chunks())
    args: list[bytes] = []
    for chunk in chunks:
        if packed:
            lengths, body = texts.unpack(chunk.args_end, chunk.args, 0, 1 << 40, len(chunk))
            args += split(np.cumsum(lengths), body)
        else:
            args += split(chunk.args_end, chunk.args.tobytes())
            texts.pack(chunk.args_end, chunk.args)
    summary = reader.summary()
    return args, chunks, (summary.counts, summary.ignored, summary.warnings), texts.shapes


def split(ends: NDArray[np.int64], body: bytes) -> list[bytes]:
    stops = ends.tolist()
    return [body[first:stop] for first, stop in zip([0, *stops], stops, strict=False)]


def refusal(data: bytes, *, packed: bool) -> str | None:
    """Why it is no trace; None: it is one."""
    try:
        read(data, packed=packed)
    except UnknownFormat as error:
        return str(error)
    return None


@given(st.lists(events(), min_size=1, max_size=25))
@example([f'{{"ph": "X", "ts": 1, "dur": 1, "cat": "one", "args": {{"a": {n}}}}}' for n in (1, 22, 0, 333)])
def test_guesses_change_nothing(found: list[str]) -> None:
    data = ("[" + ",\n".join(found) + "]").encode()
    refused = refusal(data, packed=False)
    assert refusal(data, packed=True) == refused
    if refused is not None:
        return
    plain, guessed = read(data, packed=False), read(data, packed=True)
    assert guessed[0] == plain[0]
    assert guessed[2:] == plain[2:]
    for ours, theirs in zip(guessed[1], plain[1], strict=True):
        for column in ("track", "phase", "time_ns", "duration_ns", "name", "flags"):
            assert getattr(ours, column).tolist() == getattr(theirs, column).tolist()
