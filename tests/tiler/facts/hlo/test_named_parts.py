"""Native look-up of the parts of a message by their names, against a plain reference."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilescope.hlo import hlo_pb2 as pb
from tilescope.tiler import _native

MOST = 100
FIELDS = (
    pb.HloModule.COMPUTATIONS_FIELD_NUMBER,
    pb.HloComputation.ID_FIELD_NUMBER,
    pb.HloComputation.INSTRUCTIONS_FIELD_NUMBER,
    pb.HloInstruction.NAME_FIELD_NUMBER,
    pb.HloModule.STACK_FRAME_INDEX_FIELD_NUMBER,
)
names = st.sampled_from([b"a", b"b", b"fusion.1", b"\xff", b""])
computations = st.lists(st.tuples(st.integers(-2, 3), st.lists(names, max_size=4)), max_size=5)


def parts_of(raw: bytes, most: int = MOST) -> _native.NamedParts:
    return _native.NamedParts(raw, 0, len(raw), *FIELDS, most)


@given(computations)
def test_parts_are_found_by_name_and_number(of: list[tuple[int, list[bytes]]]) -> None:
    raw, outer, inner = b"", [], dict[bytes, tuple[int, bytes]]()
    for place, (number, named) in enumerate(of):
        instructions = [pb.HloInstruction(name=name, id=at).SerializeToString() for at, name in enumerate(named)]
        computation = pb.HloComputation(id=number, instructions=instructions).SerializeToString()
        raw += pb.HloModule(computations=[computation]).SerializeToString()
        outer.append(computation)
        inner.update({name: (place, one) for name, one in zip(named, instructions, strict=True) if name})
    found = parts_of(raw)
    assert (found.outer, found.inner) == (len(of), sum(len(named) for _, named in of))
    assert found.names == sum(bool(name) for _, named in of for name in named)
    assert [found.outer_at(at) for at in range(len(of))] == outer
    for name in (b"a", b"b", b"fusion.1", b"\xff", b"else"):
        assert found.find(name) == inner.get(name)
    for number in range(-3, 5):
        assert found.place_of(number) == max((at for at, (one, _) in enumerate(of) if one == number), default=-1)
    with pytest.raises(IndexError):
        found.outer_at(len(of))
    assert found.other == b""


def test_a_message_in_others_has_another_field() -> None:
    module = pb.HloModule(computations=[b""], stack_frame_index=b"first").SerializeToString()
    module += pb.HloModule(stack_frame_index=b"last").SerializeToString()
    found = _native.NamedParts(b"before" + module + b"\xff", 6, 6 + len(module), *FIELDS, MOST)
    assert (found.outer, found.other) == (1, b"last")
    for start, stop in ((0, 100), (3, 2)):
        with pytest.raises(ValueError, match="beyond"):
            _native.NamedParts(b"bytes", start, stop, *FIELDS, MOST)


@given(st.binary(max_size=60))
def test_whatever_the_bytes_are_they_are_read_or_refused(raw: bytes) -> None:
    try:
        found = parts_of(raw)
    except ValueError:
        return
    assert all(found.outer_at(at) in raw for at in range(found.outer))


def test_too_many_parts_are_refused() -> None:
    raw = pb.HloModule(computations=[b""] * 5).SerializeToString()
    assert parts_of(raw, 5).outer == 5
    with pytest.raises(ValueError, match="too many parts"):
        parts_of(raw, 4)
