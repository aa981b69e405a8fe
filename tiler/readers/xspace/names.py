"""Names of the planes and lines of an XSpace, and their order."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence

from msgspec import Struct

from tilescope.tiler import _native
from tilescope.tiler.details import wire
from tilescope.tiler.device_lines import DEVICE_PREFIX, HOST_PLANE, HOST_THREADS, line_rank
from tilescope.tiler.natural_order import natural_key

COUNTER_LINE = "_counters_"

# A message among the stats of a plane, `CoreDetails` of XProf's topology.proto. What is 0 is not written.
_CORE_DETAILS = "core_details"
_CORE_NUMBER = 3
_LOCAL_CHIP = 4

# Threads of Linux have numbers below this. Others are handles or hashes, which say nothing to anybody.
_THREAD_IDS = 1 << 22


class Line(Struct, frozen=True):
    """Parts of the name of a line."""

    plane: int
    id: int
    name: str  # its display name, else its name


def process_ranks(names: Sequence[str]) -> list[int]:
    """Rank of each plane on screen: devices in natural order, the host's threads, the others as in the file."""

    def rank(index: int) -> tuple[int, list[tuple[int, str]], int]:
        name = names[index]
        if name.startswith(DEVICE_PREFIX):
            return 0, natural_key(name), index
        return (1 if name == HOST_PLANE else 2), [], index

    return _places(sorted(range(len(names)), key=rank))


def process_names(planes: Sequence[_native.XSpacePlane]) -> list[str]:
    """Names of planes: `Chip 2: TPU Core 1` where a plane says which core it is, `Host threads`; each of one plane."""
    plain = [HOST_THREADS if plane.name == HOST_PLANE else _core_name(plane) for plane in planes]
    counted = Counter(plain)
    return [name if name and counted[name] == 1 else plane.name for name, plane in zip(plain, planes, strict=True)]


def line_names(planes: Sequence[str], lines: Sequence[Line]) -> list[str]:
    """Names of lines, of planes of these names. A thread's id is left out unless it tells namesakes apart."""
    bases = [_base_name(planes[line.plane], line) for line in lines]
    names = [base or line.name for base, line in zip(bases, lines, strict=True)]
    namesakes: defaultdict[tuple[int, str], list[int]] = defaultdict(list)
    for number, line in enumerate(lines):
        namesakes[line.plane, names[number]].append(number)
    result = list(names)
    for members in namesakes.values():
        is_unnamed = not lines[members[0]].name
        if len(members) == 1 and not is_unnamed:
            continue
        ids = {lines[number].id for number in members}
        if len(ids) == len(members) and all(0 <= id_ < _THREAD_IDS for id_ in ids):
            for number in members:
                result[number] = _with_id(names[number], lines[number])
        elif len(members) > 1:
            ordered = sorted(members, key=lambda number: (lines[number].id, number))
            for place, number in enumerate(ordered, 1):
                result[number] = f"{names[number]} #{place}"
    return result


def line_ranks(planes: Sequence[str], lines: Sequence[Line], names: Sequence[str]) -> list[int]:
    """The place of each line among all: what a device's lines are, then the natural order of names; counters last."""

    def key(number: int) -> tuple[bool, int, list[tuple[int, str]], int]:
        line = lines[number]
        rank = line_rank(line.name) if planes[line.plane].startswith(DEVICE_PREFIX) else 0
        return line.name == COUNTER_LINE, rank, natural_key(names[number]), number

    return _places(sorted(range(len(lines)), key=key))


def _places(order: Sequence[int]) -> list[int]:
    places = [0] * len(order)
    for place, number in enumerate(order):
        places[number] = place
    return places


def _base_name(plane: str, line: Line) -> str:
    """The name without the id of its thread."""
    if not line.name:
        return "Line" if plane.startswith(DEVICE_PREFIX) else "Thread"
    match = re.fullmatch(r"(.+)/(-?[0-9]{1,20})", line.name, re.DOTALL)
    if match is None or (int(match[2]) - line.id) % (1 << 32):  # older files cut ids to 32 bits in one of the two
        return line.name
    return match[1]


def _with_id(base: str, line: Line) -> str:
    return f"{base} {line.id}" if line.name in ("", base) else line.name


def _core_name(plane: _native.XSpacePlane) -> str:
    """The chip and the core on it that a plane says it is of; empty where it does not say that."""
    if not re.fullmatch(DEVICE_PREFIX + "TPU:[0-9]+", plane.name):
        return ""
    for raw in plane.stats:
        try:
            stat = list(wire.fields(raw))
            if any(
                plane.stat_names.get(field.value) == _CORE_DETAILS for field in stat if isinstance(field.value, int)
            ):
                message = next((field.value for field in stat if isinstance(field.value, bytes)), b"")
                numbers = {field.number: field.value for field in wire.fields(message) if isinstance(field.value, int)}
                return f"Chip {numbers.get(_LOCAL_CHIP, 0)}: TPU Core {numbers.get(_CORE_NUMBER, 0)}"
        except wire.WireDamage:
            continue  # it keeps the name of its plane
    return ""
