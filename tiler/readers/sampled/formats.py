"""The formats of profiles, told by the members of their JSON, or by how their lines look."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Final

from tilescope.tiler.details import json_args
from tilescope.tiler.readers.format import Format, Likeness
from tilescope.tiler.readers.memory_budget import Room
from tilescope.tiler.readers.reader import Reader
from tilescope.tiler.readers.sampled.collapsed import read_collapsed, stack_and_count
from tilescope.tiler.readers.sampled.cpu_profile import read_cpu_profile
from tilescope.tiler.readers.sampled.firefox import read_firefox
from tilescope.tiler.readers.sampled.perf_script import head_of, read_perf_script
from tilescope.tiler.readers.sampled.profile import ProfileTranslation, SampledProfile
from tilescope.tiler.readers.sampled.speedscope import read_speedscope
from tilescope.tiler.readers.source import ByteSource
from tilescope.tiler.readers.text import is_text
from tilescope.tiler.readers.trace_event.signature import has_event_mark
from tilescope.tiler.readers.translated import TranslatedReader

_MEMBER: Final = re.compile(rb'"([^"\\]{1,64})"\s*:')
_LINES: Final = 20  # that have to look alike
_COLLAPSED_ENDINGS: Final = (".folded", ".collapsed")


def _json_with(*sets: set[bytes]) -> Callable[[bytes], Likeness]:
    """The test of JSON whose beginning has all members of one of these sets, and no event."""

    def test(head: bytes) -> Likeness:
        if not head.lstrip().startswith(b"{") or has_event_mark(head):
            return Likeness.NONE
        members = set(_MEMBER.findall(head))
        return Likeness.CERTAIN if any(members >= wanted for wanted in sets) else Likeness.NONE

    return test


def _is_perf_script(head: bytes) -> Likeness:
    if not is_text(head):
        return Likeness.NONE
    lines = [line for line in head.decode("utf-8", "replace").splitlines() if line.strip() and line[0] != "#"]
    return Likeness.CERTAIN if lines and head_of(lines[0]) is not None else Likeness.NONE


def _is_collapsed(head: bytes) -> Likeness:
    """Lines of names behind semicolons with a count."""
    lines = [line for line in head.splitlines()[:_LINES] if line.strip()]
    if not is_text(head) or not lines or None in map(stack_and_count, lines):
        return Likeness.NONE
    return Likeness.CERTAIN if all(b";" in line for line in lines) else Likeness.NONE


def _is_named_collapsed(path: Path, head: bytes) -> bool:
    first = next((line for line in head.splitlines() if line.strip()), b"")
    return path.name.endswith(_COLLAPSED_ENDINGS) and stack_and_count(first) is not None


def _format(
    format_id: str,
    title: str,
    looks_like: Callable[[bytes], Likeness],
    read: Callable[[ByteSource], SampledProfile],
    endings: tuple[str, ...],
    is_named: Callable[[Path, bytes], bool] | None = None,
) -> Format:
    def open_reader(source: ByteSource, *, scratch_dir: Path | None, room: Room | None) -> Reader:
        translation = ProfileTranslation(source, read)
        return TranslatedReader(
            translation, format_id, source.path, source.size_bytes, scratch_dir=scratch_dir, room=room
        )

    return Format(
        id=format_id,
        title=title,
        looks_like=looks_like,
        open=open_reader,
        args=json_args.CODEC,
        suffixes=(),
        endings=endings,
        is_named=is_named,
    )


CPU_PROFILE: Final = _format(
    "cpuprofile",
    "CPU profiles of V8",
    _json_with({b"nodes", b"callFrame", b"functionName"}, {b"head", b"functionName", b"callUID", b"timestamps"}),
    read_cpu_profile,
    (".cpuprofile",),
)
SPEEDSCOPE: Final = _format(
    "speedscope",
    "profiles of speedscope",
    _json_with({b"shared", b"frames", b"profiles"}, {b"$schema", b"profiles"}, {b"$schema", b"shared"}),
    read_speedscope,
    (".speedscope",),
)
FIREFOX: Final = _format(
    "firefox",
    "profiles of Firefox",
    _json_with({b"meta", b"threads", b"preprocessedProfileVersion"}, {b"meta", b"threads", b"processType"}),
    read_firefox,
    (),
)
PERF_SCRIPT: Final = _format("perf_script", "text of perf script", _is_perf_script, read_perf_script, (".perf",))
COLLAPSED: Final = _format(
    "collapsed", "collapsed stacks", _is_collapsed, read_collapsed, _COLLAPSED_ENDINGS, _is_named_collapsed
)
