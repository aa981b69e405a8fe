"""Ranks of captures of Ascend devices: small files in the folder of a capture say them, beside its traces.

`profiler_info_3.json` is of rank 3; `profiler_info.json`, of a job of one process, may say a `rank_id`; the group of
all ranks in `profiler_metadata.json` says how many there are.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Final

from msgspec import Struct

MAX_RANK_FILE_BYTES: Final = 4 << 20  # groups of a hundred thousand ranks

_INFO: Final = re.compile(r"profiler_info(?:_(\d{1,8}))?\.json")
_METADATA: Final = "profiler_metadata.json"
_GROUPS: Final = "parallel_group_info"
_ALL_RANKS: Final = frozenset({"default_group", "hccl_world_group"})  # of PyTorch, of MindSpore


class CaptureRank(Struct, frozen=True):
    """The place of a capture in its job, as far as its files say it."""

    number: int | None = None
    world_size: int | None = None


NO_RANK: Final = CaptureRank()


def is_rank_file(name: str) -> bool:
    """True for a file that may say a rank, or how many there are."""
    return name == _METADATA or _INFO.fullmatch(name) is not None


def read_rank(texts: Mapping[str, bytes]) -> CaptureRank:
    """The rank by the texts of these files of a folder, by name. Files of two ranks say none."""
    numbers = {number for name, text in texts.items() if (number := _number(name, text)) is not None}
    world_size = _world_size(texts.get(_METADATA, b""))
    (number,) = numbers if len(numbers) == 1 else (None,)
    if number is not None and world_size is not None and number >= world_size:
        number = None  # the job has no such rank
    return CaptureRank(number, world_size)


def _number(name: str, text: bytes) -> int | None:
    match = _INFO.fullmatch(name)
    if match is None:
        return None
    if match[1]:
        return int(match[1])
    number = _members(text).get("rank_id")
    return number if isinstance(number, int) and not isinstance(number, bool) and number >= 0 else None


def _world_size(text: bytes) -> int | None:
    groups = _members(text).get(_GROUPS)
    for group in groups.values() if isinstance(groups, dict) else ():
        if isinstance(group, dict) and group.get("group_name") in _ALL_RANKS:
            ranks = group.get("global_ranks")
            if isinstance(ranks, list) and ranks:
                return len(ranks)
    return None


def _members(text: bytes) -> Mapping[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
