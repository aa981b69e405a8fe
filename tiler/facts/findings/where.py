"""Places of culprits in words: host or rank, device, thread, and the slices that are open there, outer ones first."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

import numpy as np

from tilescope.tiler.facts.findings.blame import Culprit, IdleBlame
from tilescope.tiler.facts.findings.device_time import DeviceTime
from tilescope.tiler.facts.findings.finding import Spot
from tilescope.tiler.facts.findings.host_time import open_slices
from tilescope.tiler.query import QueryReader

SEPARATOR: Final = " · "

_MAX_NAMES: Final = 3  # of slices that are open
_MAX_CHARACTERS: Final = 90  # of a name

# Slices that say which step it is, or that the whole of a loop runs: they tell nothing of a place.
_FRAMES_OF_STEPS: Final = re.compile(r"^(?:ProfilerStep#|Iteration )")


def short(text: str) -> str:
    """A name that fits into a sentence."""
    text = text.strip()
    return text if len(text) <= _MAX_CHARACTERS else text[: _MAX_CHARACTERS - 1] + "…"


def names_at(reader: QueryReader, track: int, tick: int, holder: int) -> list[str]:
    """Names of the slices of a thread from that around the one whose kind is known to the innermost, outer ones first.

    Of many the outermost, and those inside.
    """
    names = open_slices(reader, track, tick).name.tolist()
    first = names.index(holder) if holder in names else 0
    texts = [reader.names[name].text for name in names[max(first - 1, 0) :]]
    texts = [short(text) for text in texts if not _FRAMES_OF_STEPS.match(text)]
    texts = list(dict.fromkeys(texts))
    # Iterators of tf.data are called after all that they are in: the innermost says it all.
    inner = [*texts[1:], ""][: len(texts)]
    texts = [text for text, next_text in zip(texts, inner, strict=True) if not next_text.startswith(f"{text}::")]
    return texts if len(texts) <= _MAX_NAMES else [*texts[: _MAX_NAMES - 1], texts[-1]]


def thread_name(reader: QueryReader, track: int) -> str:
    """Name of a thread."""
    return short(reader.tree.tracks[track].name)


def culprit_parts(reader: QueryReader, blame: IdleBlame) -> list[str]:
    """Thread and slices of the culprit of most of the time; nothing where no slice of a host explains it."""
    culprit = blame.greatest
    if culprit is None:
        return []
    start, stop = blame.longest[culprit]
    return [
        thread_name(reader, culprit.track),
        *names_at(reader, culprit.track, (start + stop) // 2, culprit.holder),
    ]


def culprit_spot(reader: QueryReader, blame: IdleBlame, culprit: Culprit) -> Spot:
    """The longest stretch of a culprit, with its innermost slice there: the last that `culprit_parts` names."""
    start, stop = blame.longest[culprit]
    events = open_slices(reader, culprit.track, (start + stop) // 2)
    # While the device works in between, the host may do something else.
    its = np.flatnonzero(events.name == culprit.leaf)
    ordinals = events.ordinal[its if len(its) else slice(None)]
    return Spot(culprit.track, start, stop, int(ordinals[-1]) if len(ordinals) else None)


def host_name(reader: QueryReader, lane: DeviceTime) -> str:
    """Name of the host or rank of a device; "" where the run has one host."""
    groups = reader.tree.groups
    several = sum(group.kind == "host" for group in groups) > 1
    host = lane.device.host
    return groups[host].name if several and host is not None else ""


def device_names(reader: QueryReader, lanes: Sequence[DeviceTime], chosen: Sequence[int], *, of_host: bool) -> str:
    """The devices among all of a run in words, or their hosts, if a cause is one of hosts."""
    if len(lanes) == 1:
        return lanes[0].device.name if not of_host else ""
    if len(chosen) == len(lanes):
        if of_host and len({host_name(reader, lane) for lane in lanes}) == 1:
            return ""
        if of_host and not _has_ranks(reader):
            return "all hosts"
        return "both devices" if len(lanes) == 2 else f"all {len(lanes)} devices"
    hosts = list(dict.fromkeys(host_name(reader, lanes[place]) for place in chosen))
    is_whole_host = len(chosen) > 1 and len(hosts) == 1 and _are_all_of(reader, lanes, chosen, hosts[0])
    names = hosts if hosts[0] and (of_host or is_whole_host) else [lanes[place].device.name for place in chosen]
    more = len(names) - 2
    return names[0] if len(names) == 1 else " and ".join(names[:2]) + (f" and {more} more" if more > 0 else "")


def _has_ranks(reader: QueryReader) -> bool:
    return any(group.kind == "host" and group.name.startswith("rank ") for group in reader.tree.groups)


def _are_all_of(reader: QueryReader, lanes: Sequence[DeviceTime], chosen: Sequence[int], host: str) -> bool:
    return sum(host_name(reader, lane) == host for lane in lanes) == len(chosen)
