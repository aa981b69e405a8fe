"""The members of a PyTorch trace that stand before its events: which rank of which job it is of.

Kineto writes them first, whatever the order of the events. What is cut, or broken, is read as far as it goes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, Final

from msgspec import Struct

DISTRIBUTED: Final = "distributedInfo"  # the member that says the rank
PYTORCH_MEMBERS: Final = frozenset(
    {"schemaVersion", "deviceProperties", DISTRIBUTED}
)  # one of which others do not write

_EVENTS: Final = b'"traceEvents"'
_MARKS: Final = tuple(f'"{name}"'.encode() for name in PYTORCH_MEMBERS)
_DISTRIBUTED: Final = re.compile(rb'"distributedInfo"\s*:\s*')
_HOST: Final = re.compile(rb'"host_name"\s*:\s*"([^"\\]{1,255})"')
_BASE: Final = re.compile(rb'"baseTimeNanoseconds"\s*:\s*"?(\d{1,19})\b')
_TIME: Final = re.compile(rb'"ts"\s*:\s*"?(\d{1,16})(?:\.(\d{1,3}))?')
_NUMBER: Final = r'\\?"%s\\?"\s*:\s*\\?"?(\d{1,9})\b'
_RANK: Final = re.compile(_NUMBER % "rank")
_WORLD_SIZE: Final = re.compile(_NUMBER % "world_size")
_INTEGER: Final = re.compile(r"\s*\d{1,9}\s*")  # `int` refuses texts of thousands of digits
_EPOCH_US: Final = 10**14  # times below count from a base: of 1973, if they were since the epoch
_DECODER: Final = json.JSONDecoder()
_MAX_RANKS: Final = 1 << 24
_DEFAULT_GROUPS: Final = ("0", "default_pg")


class ProcessGroup(Struct, frozen=True):
    """Ranks that communicate with each other."""

    name: str
    ranks: tuple[int, ...]  # empty: the file does not say them, or cuts the list


class Distributed(Struct, frozen=True):
    """The place of a file in its job."""

    rank: int | None = None
    world_size: int | None = None
    default_group: ProcessGroup | None = None  # that all ranks are in
    groups: tuple[ProcessGroup, ...] = ()  # those that this rank is in


class PyTorchHead(Struct, frozen=True):
    """Head of a PyTorch trace, and the time of its first event."""

    distributed: Distributed
    host: str = ""
    time_ns: int | None = None  # of the first event, since the epoch; None: the base of times stands behind the events


def read_head(head: bytes) -> PyTorchHead | None:
    """The head of a PyTorch trace; None for what is none."""
    before, mark, events = head.partition(_EVENTS)
    if not any(name in before for name in _MARKS):
        return None
    member = _DISTRIBUTED.search(before)
    text = "" if member is None else before[member.end() :].decode(errors="replace")
    host = _HOST.search(before)
    return PyTorchHead(
        parse_distributed(text),
        "" if host is None else host[1].decode(errors="replace"),
        _first_time(before, events) if mark else None,
    )


def parse_distributed(text: str) -> Distributed:
    """Reads a text that begins with the value of `distributedInfo`: an object, or the text of one."""
    try:
        value, _ = _DECODER.raw_decode(text)
        if isinstance(value, str):
            value = json.loads(value)
    except (ValueError, RecursionError):
        return Distributed(_number(_RANK, text), _number(_WORLD_SIZE, text))
    if not isinstance(value, Mapping):
        return Distributed()
    groups = tuple(_groups(value.get("pg_config")))
    default = next((group for group in groups if group.name in _DEFAULT_GROUPS), None)
    return Distributed(_rank(value.get("rank")), _rank(value.get("world_size")), default, groups)


def _first_time(before: bytes, events: bytes) -> int | None:
    time = _TIME.search(events)
    if time is None:
        return None
    nanoseconds = int(time[1]) * 1000 + int((time[2] or b"0").ljust(3, b"0"))
    if int(time[1]) >= _EPOCH_US:
        return nanoseconds
    base = _BASE.search(before)
    return None if base is None else int(base[1]) + nanoseconds


def _groups(value: object) -> Iterable[ProcessGroup]:
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return
    for group in value if isinstance(value, list) else ():
        if not isinstance(group, Mapping):
            continue
        is_default = group.get("pg_desc") == "default_pg"
        yield _shared(
            ProcessGroup("default_pg" if is_default else str(group.get("pg_name")), _ranks(group.get("ranks")))
        )


@lru_cache(4096)
def _shared(group: ProcessGroup) -> ProcessGroup:
    """The same group, once in memory: thousands of files say all of its ranks."""
    return group


def _ranks(value: Any) -> tuple[int, ...]:
    if isinstance(value, str):  # "[0, 1]"; "[0, 1, ...]" in a long one
        value = value.strip("[] ").split(",")
    if not isinstance(value, list):
        return ()
    ranks = tuple(rank for rank in map(_rank, value) if rank is not None)
    return tuple(sorted(ranks)) if len(ranks) == len(value) else ()


def _rank(value: object) -> int | None:
    if isinstance(value, str) and _INTEGER.fullmatch(value):
        value = int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < _MAX_RANKS else None


def _number(pattern: re.Pattern[str], text: str) -> int | None:
    match = pattern.search(text.partition('"traceEvents"')[0])
    return None if match is None else _rank(int(match[1]))
