"""Answers that are read while they come are what protobuf reads of them, however they are cut."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilescope.capture.failures import CaptureCause, Fault
from tilescope.capture.profile_answer import MOST_KEPT_BYTES, MOST_TOOLS, AnswerReader, ProfileAnswer
from tilescope.profiler import profiler_pb2 as pb


def read(data: bytes, cuts: list[int]) -> tuple[ProfileAnswer, bytes]:
    trace = bytearray()
    reader = AnswerReader(trace.extend)
    places = sorted({0, len(data), *(cut % (len(data) + 1) for cut in cuts)})
    for begin, end in pairwise(places):
        reader.feed(data[begin:end])
    return reader.finish(), bytes(trace)


tools = st.lists(st.builds(pb.ProfileToolData, name=st.text(max_size=5), data=st.binary(max_size=200)), max_size=3)
messages = st.builds(pb.ProfileResponse, tool_data=tools, empty_trace=st.booleans(), xspace=st.binary(max_size=300))
others = st.sampled_from([b"\x08\x96\x01", b"\x11" + bytes(8), b"\x1d" + bytes(4), b"\xfa\x3f\x03abc", b"\x0a\x00"])


@given(st.lists(st.one_of(messages.map(lambda message: message.SerializeToString()), others)), st.lists(st.integers(0)))
def test_as_protobuf_reads_it(parts: list[bytes], cuts: list[int]) -> None:
    data = b"".join(parts)
    whole = pb.ProfileResponse.FromString(data)
    answer, trace = read(data, cuts)
    # Fields that come again are one message, which protobuf merges: traces that follow each other are one trace.
    assert trace == b"".join(pb.ProfileResponse.FromString(part).xspace for part in parts)
    assert answer.xspace_bytes == len(trace)
    assert answer.empty_trace == whole.empty_trace
    assert answer.tool_data == {tool.name: tool.data for tool in whole.tool_data}


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"\x42", "it ends within a field"),
        (b"\x42\x05abcd", "it ends within a field"),
        (b"\x42" + b"\xff" * 11, "a number is too long"),
        (b"\x02\x00", "there is no field 0"),
        (b"\x0b", "field 1 is of wire type 3"),
        (b"\x0f", "field 1 is of wire type 7"),
        (b"\x32\x02\x0a\x05", "data of a tool is damaged"),
    ],
)
def test_bad_answers(data: bytes, why: str) -> None:
    with pytest.raises(Fault) as fault:
        read(data, [])
    assert (fault.value.failure.cause, fault.value.failure.detail) == (CaptureCause.BAD_ANSWER, why)


def test_what_is_kept_in_memory_is_bounded() -> None:
    tool = pb.ProfileToolData(data=bytes(MOST_KEPT_BYTES // 2 + 1))
    with pytest.raises(Fault) as fault:
        read(pb.ProfileResponse(tool_data=[tool, tool]).SerializeToString(), [])
    assert fault.value.failure.cause is CaptureCause.TOO_LARGE
    many = [pb.ProfileToolData(name=str(k)) for k in range(MOST_TOOLS + 1)]
    with pytest.raises(Fault, match="more than 100 tools"):
        read(pb.ProfileResponse(tool_data=many).SerializeToString(), [])
