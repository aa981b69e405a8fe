"""Channels through which operations send and receive: their metadata has them, as HLO text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Final

from tilescope.tiler.facts.hlo.layouts import shape_of_text
from tilescope.tiler.facts.operations.operation import OperationMetadata

Pair = tuple[int, int]

# Of an instruction, as text: a program of 10,000 devices has pairs of some 100 kB.
_LONGEST_TEXT: Final = 1 << 20
_MOST_PAIRS: Final = 1 << 16


class TransferRole(IntEnum):
    """Role of an operation in a transfer: it begins or ends one, on the side that sends or receives."""

    SEND = 0
    SEND_DONE = 1
    RECV = 2
    RECV_DONE = 3


# A permutation sends and receives at once.
_ROLES: Final[Mapping[str, tuple[TransferRole, ...]]] = {
    "send": (TransferRole.SEND,),
    "send-done": (TransferRole.SEND_DONE,),
    "recv": (TransferRole.RECV,),
    "recv-done": (TransferRole.RECV_DONE,),
    "collective-permute-start": (TransferRole.SEND, TransferRole.RECV),
    "collective-permute-done": (TransferRole.SEND_DONE, TransferRole.RECV_DONE),
    "collective-permute": tuple(TransferRole),
}

_CHANNEL: Final = re.compile(r"\bchannel_id=(\d{1,19})\b")
_PAIRS: Final = re.compile(r"source_target_pairs=\"?\{((?:\{\d{1,9},\d{1,9}\},?)*)\}")
_PAIR: Final = re.compile(r"\{(\d+),(\d+)\}")
_OPERAND: Final = re.compile(r"\(.*?%([\w.-]+)\)")


@dataclass(slots=True)
class Channel:
    """One of a program. `pairs` are of cores by their numbers in the program; none: the trace does not say them."""

    program: str  # its id
    number: int
    pairs: tuple[Pair, ...] = ()
    bytes: int | None = None  # of what is sent at once
    names: dict[TransferRole, str] = field(default_factory=dict)  # of instructions


class Channels:
    """Channels of a run, as they are met."""

    def __init__(self) -> None:
        self.all: list[Channel] = []
        self._places: dict[tuple[str, int], int] = {}
        self._starts: dict[tuple[str, str], int] = {}  # by program and name: what is done is started by its operand

    def roles(self, kind: OperationMetadata) -> Iterator[tuple[TransferRole, int]]:
        """Roles of operations of a kind, and the places of their channels; nothing: they send and receive nothing."""
        roles = _ROLES.get(kind.category)
        if roles is None:
            return
        text = kind.expression[:_LONGEST_TEXT]
        channel_match = _CHANNEL.search(text)
        if channel_match is not None:
            key = kind.program, int(channel_match[1])
            place = self._places.setdefault(key, len(self.all))
            if place == len(self.all):
                self.all.append(Channel(*key))
        else:
            operand = _OPERAND.search(text)
            started = None if operand is None else self._starts.get((kind.program, operand[1]))
            if started is None:
                return
            place = started
        self._starts[kind.program, kind.name] = place
        channel = self.all[place]
        pairs = _PAIRS.search(text)
        if pairs is not None and not channel.pairs and len(pairs[1]) < _LONGEST_TEXT:
            channel.pairs = tuple((int(a), int(b)) for a, b in _PAIR.findall(pairs[1])[:_MOST_PAIRS])
        if TransferRole.SEND in roles and channel.bytes is None:
            channel.bytes = _value_bytes(kind)
        for role in roles:
            channel.names.setdefault(role, kind.name)
            yield role, place


def _value_bytes(kind: OperationMetadata) -> int | None:
    """Bytes that are sent: the first part of the operation's value."""
    shape = shape_of_text(kind.shape)
    if shape is None:
        return kind.bytes
    return shape.parts[0].bytes if shape.parts else shape.bytes
