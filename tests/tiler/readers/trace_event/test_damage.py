"""Damaged JSON: events that cannot be read are skipped and counted, all others are kept, and nothing ever crashes."""

from __future__ import annotations

import gzip
import io
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.corpus import corpus_path
from tests.tiler.readers.trace_event.trace_event_file import ReadFile, array, event, read, resolve, source_of
from tilescope.tiler.columns import EventChunk, TraceSummary
from tilescope.tiler.errors import TraceError
from tilescope.tiler.readers.source import ByteSource
from tilescope.tiler.readers.trace_event import TraceEventReader

pytestmark = pytest.mark.slow

A, B = event(name="a"), event(name="b")
REST = '"ph":"X","pid":1,"tid":2,"ts":5,"dur":1'

SAMPLE = (
    '{"displayTimeUnit":"ns","traceEvents":[\n'
    '{"ph":"M","name":"thread_name","pid":1,"tid":"2","args":{"name":"m\\u00e9 \\ud83d\\ude00"}},\n'
    '{"ph":"X","cat":"k","name":"a","pid":1,"tid":2,"ts":1.000001,"dur":2.5,"args":{"x":[1,{"y":"}]"}],"z":NaN}},\n'
    '{"ph":"b","cat":"k","name":"q","pid":1,"tid":2,"ts":1,"id":"0x1"},null,\n'
    '{"ph":"C","name":"mem","pid":1,"ts":"3","args":{"u":1.5,"v":2}},{},\n'
    '{"ph":"s","id":1,"pid":1,"tid":2,"ts":1,"name":"fl"},\n'
    '{"ph":"e","cat":"k","name":"q","pid":1,"tid":2,"ts":4,"id":"0x1"}\n'
    '],"baseTimeNanoseconds":77,"otherData":{"n":"v"}}\n'
)


@pytest.mark.parametrize(
    "damaged",
    [
        pytest.param('{"name":"x","args":{"k":[{"ph":1}"b"},' + REST + "}", id="quote behind an object"),
        pytest.param('{"name":"x" ' + REST + "}", id="no comma between members"),
        pytest.param('{"name" "x",' + REST + "}", id="no colon"),
        pytest.param('{"name":"x","ts":12', id="torn off in a number"),
        pytest.param('{"name":"x","ts":12,', id="torn off behind a comma"),
        pytest.param('{"name":"tor', id="torn off in a string"),
        pytest.param('{"name":"x","args":{"k":"tor', id="torn off in an argument"),
        pytest.param('{"name":"x","args":{"k":{"l":[1,2', id="torn off deep inside"),
        pytest.param('{"name":"x",\'ph\':"X"}', id="single quotes"),
        pytest.param("%%%", id="garbage"),
        pytest.param("{%}", id="garbage in braces"),
        pytest.param('{"traceEvents":[]}', id="a trace inside the trace"),
    ],
)
@pytest.mark.parametrize("between", [",", ",\n", "\n"])
def test_a_damaged_event_is_skipped_and_counted(damaged: str, between: str) -> None:
    result = read("[" + between.join([A, damaged, B, event(name="c")]) + "]")
    assert result.names == ["a", "b", "c"]
    assert sum(result.summary.ignored.values()) == 1
    assert result.summary.counts.total == 3


def test_arguments_that_look_like_events_are_none() -> None:
    damaged = '{"name" "a","args":{"inner":{"ph":"X","ts":1}},' + REST + "}"
    assert read(array(A, damaged, B)).names == ["a", "b"]


def test_an_argument_list_that_never_ends_does_not_swallow_the_rest() -> None:
    torn = '{"name":"x","args":[1,2,'
    result = read(array(A, torn + B, event(name="c")))
    assert result.names == ["a", "b", "c"]
    assert result.summary.ignored == {"damaged_event": 1}


def test_a_damaged_last_event_does_not_hide_the_members_behind() -> None:
    result = read('{"traceEvents":[' + A + ',{"name" "b",' + REST + '}\n],"baseTimeNanoseconds":77}')
    assert result.names == ["a"]
    assert result.summary.base_time_ns == 77
    assert result.summary.ignored == {"damaged_event": 1}
    assert result.summary.warnings == ["damaged JSON in 1 place: what events there were is skipped"]


def test_damage_behind_the_events() -> None:
    result = read('{"traceEvents":[' + A + "],%%}")
    assert result.names == ["a"]
    assert result.summary.ignored == {"damaged_member": 1}


def test_truncated_gzip_keeps_what_inflates() -> None:
    noise = random.Random(1)
    events = [event(name=f"n{noise.random()}") for _ in range(20_000)]
    data = gzip.compress(array(*events).encode())
    result = read(data[: len(data) // 2])
    assert 5_000 < len(result.rows) < 15_000
    assert "cut short" in result.summary.warnings[0]


def test_several_gzip_members_are_one_file() -> None:
    text = array(A, B).encode()
    assert read(gzip.compress(text[:30]) + gzip.compress(text[30:])).names == ["a", "b"]


def read_or_refuse(data: bytes) -> ReadFile | None:
    try:
        return read(data)
    except TraceError:
        return None


def test_cut_at_every_byte() -> None:
    data = SAMPLE.encode()
    whole = read(data)
    assert len(whole.rows) == 6
    counts = []
    for size in range(len(data) + 1):
        cut = read_or_refuse(data[:size])
        if cut is None:
            assert size <= SAMPLE.index("[")
            continue
        rows = len(cut.rows)
        assert [row.args for row in cut.rows] == [row.args for row in whole.rows[:rows]]
        assert [row.time_ps for row in cut.rows] == [row.time_ps for row in whole.rows[:rows]]
        assert (cut.summary.warnings == []) == (size >= len(data) - 1)
        counts.append(rows)
    assert counts == sorted(counts)


def test_every_byte_flipped() -> None:
    data = SAMPLE.encode()
    for at in range(len(data)):
        for mask in (0x01, 0x02, 0x04, 0x20, 0x80, 0xFF):
            mutated = bytearray(data)
            mutated[at] ^= mask
            read_or_refuse(bytes(mutated))


def test_every_byte_removed_or_doubled_loses_little() -> None:
    data = SAMPLE.encode()
    first, last = SAMPLE.index("{", 1), SAMPLE.index("],")
    for at in range(first, last):
        for mutated in (data[:at] + data[at + 1 :], data[:at] + data[at : at + 1] + data[at:]):
            result = read_or_refuse(mutated)
            assert result is None or len(result.rows) >= 4


@given(st.binary(max_size=200))
def test_random_bytes(data: bytes) -> None:
    read_or_refuse(data)
    read_or_refuse(b"[" + data)
    read_or_refuse(b'{"traceEvents":[' + A.encode() + b"," + data)


@given(
    st.lists(st.sampled_from(['{"', '"ph":"X"', '"ts":1', ":", ",", "{", "}", "[", "]", '"', "\\", "1", " ", "\n", A]))
)
def test_random_tokens(tokens: list[str]) -> None:
    read_or_refuse("".join(tokens).encode())
    read_or_refuse(("[" + A + "".join(tokens)).encode())


class Trickle(io.BytesIO):
    """Hands out pieces of the given sizes, over and over, whatever is asked for."""

    def __init__(self, data: bytes, sizes: list[int]) -> None:
        super().__init__(data)
        self._sizes = sizes
        self._calls = 0

    def read(self, size: int | None = -1, /) -> bytes:
        self._calls += 1
        return super().read(self._sizes[self._calls % len(self._sizes)])


class TrickleSource(ByteSource):
    """A byte source whose pieces are small, too."""

    def __init__(self, data: bytes, sizes: list[int]) -> None:
        super().__init__(Path("trace.json"), io.BytesIO(data), len(data))
        self._trickle = Trickle(data, sizes)

    def read(self, n: int) -> bytes:
        return self._trickle.read(n)


def outcome(source: ByteSource) -> tuple[ReadFile | None, str]:
    reader = TraceEventReader(source)
    try:
        chunks: list[EventChunk] = list(reader.chunks())
        summary: TraceSummary = reader.summary()
    except TraceError as error:
        return None, str(error)
    return resolve(chunks, summary), ""


DAMAGED = SAMPLE.replace('"cat":"k","name":"q"', '"cat":"k","name":"q"q"', 1)
LINES = A + "\n" + '{"name":"x","args":{"y":[1,2]},"ph":"i","ts":1}\n' + "{'\n" + B


@given(
    st.sampled_from([SAMPLE, DAMAGED, SAMPLE[:-60], LINES, "[" + A + ",\n'", "\ufeff" + A, SAMPLE + "\0 x\n" + SAMPLE]),
    st.lists(st.integers(1, 40), min_size=1, max_size=6),
)
def test_how_the_bytes_are_split_makes_no_difference(text: str, sizes: list[int]) -> None:
    data = text.encode()
    assert outcome(TrickleSource(data, sizes)) == outcome(source_of(data))


def test_splits_of_a_real_file() -> None:
    data = gzip.decompress(corpus_path("kineto/mi250_minitoy.json.gz").read_bytes())
    assert outcome(TrickleSource(data, [7001, 3, 450, 1])) == outcome(source_of(data))
