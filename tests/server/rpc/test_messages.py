"""Messages that clients can read, whatever is in a trace."""

from __future__ import annotations

import pytest
from google.protobuf.json_format import MessageToDict

from tilescope.server.rpc.messages import NESTED_AT_MOST, event_message
from tilescope.v1 import tiles_pb2 as pb

CUT = f"[nested deeper than {NESTED_AT_MOST}]"


def nested(levels: int, innermost: object, *, lists: bool) -> object:
    value = innermost
    for _ in range(levels):
        value = [value] if lists else {"a": value}
    return value


def as_read(value: object) -> object:
    """The value of an argument, by way of a client."""
    sent = event_message({"track": 1, "args": [{"name": "n", "value": value}]}).SerializeToString()
    (argument,) = pb.Event.FromString(sent).args
    return MessageToDict(argument.value)


@pytest.mark.parametrize("lists", [False, True])
def test_values_are_cut_where_clients_could_not_follow(lists: bool) -> None:
    assert as_read(nested(NESTED_AT_MOST, "x", lists=lists)) == nested(NESTED_AT_MOST, "x", lists=lists)
    for levels in (NESTED_AT_MOST + 1, 49, 256):
        assert as_read(nested(levels, "x", lists=lists)) == nested(NESTED_AT_MOST, CUT, lists=lists)
    beside = {"deep": nested(60, 1, lists=lists), "flat": "kept"}
    assert as_read(beside) == {"deep": nested(NESTED_AT_MOST - 1, CUT, lists=lists), "flat": "kept"}
