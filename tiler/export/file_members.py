"""Members of the written file beside its events, as in trace-event files: `distributedInfo`, `schemaVersion` …"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tilescope.tiler.export.event_text import quoted
from tilescope.tiler.export.hosts import Hosts
from tilescope.tiler.readers.trace_event.fields import MEMBER_PREFIX
from tilescope.tiler.readers.trace_event.process_hosts import PROCESS_HOSTS
from tilescope.tiler.records.origins import Origins
from tilescope.tiler.tools import Scope

# The times that are written are of this base, and end with these events, of these processes.
_WRITTEN: Final = frozenset({"traceEvents", "baseTimeNanoseconds", PROCESS_HOSTS})

MAX_MEMBERS_BYTES: Final = 16 << 20  # that are written: they stand in one piece before the events


def members(scope: Scope, origins: Origins, hosts: Hosts) -> Iterator[bytes]:
    """Each member as it was written, with the comma behind it; of several files the first one's. Raises DamagedStore.

    What would make them larger than `MAX_MEMBERS_BYTES` is left out. Where no file is a trace-event file, which says
    it itself, times are to be shown in nanoseconds.
    """
    written = set(_WRITTEN)
    size = 0
    for entry in scope.attachments():
        name = entry.name.removeprefix(MEMBER_PREFIX)
        if name == entry.name or name in written or size + entry.size_bytes > MAX_MEMBERS_BYTES:
            continue
        written.add(name)
        size += entry.size_bytes
        yield f"{quoted(name)}:".encode("utf-8", "replace") + b"".join(scope.attachment(entry)) + b",\n"
    if hosts.are_several:
        yield f"{quoted(PROCESS_HOSTS)}:".encode() + hosts.member() + b",\n"
    if not any(origins.files):
        yield b'"displayTimeUnit":"ns",\n'
