"""Hosts of the processes of a file that has several: an export of ranks, devices or hosts says them, by pid.

Its processes are called by host and name there, `device 1 Ascend Hardware`, as other viewers know no hosts.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final

from tilescope.tiler.readers.trace_event.entries import Entries

PROCESS_HOSTS: Final = "processHosts"  # the member of the outer object
MAX_HOSTS_BYTES: Final = 16 << 20

_LONGEST_HOST: Final = 1000


def parse_hosts(text: str | None) -> Mapping[str, str]:
    """Names of hosts by the text of the pid. Whatever else stands there says nothing."""
    try:
        value = json.loads(text or "{}")
    except (ValueError, RecursionError):
        return {}
    if not isinstance(value, dict):
        return {}
    return {pid: host for pid, host in value.items() if isinstance(host, str) and 0 < len(host) <= _LONGEST_HOST}


def place_on_hosts(entries: Entries, hosts: Mapping[str, str]) -> None:
    """Gives processes their hosts, and their names without these; those without events are on none."""
    with_events = {track.process for track in entries.tracks} if hosts else set()
    for number, process in enumerate(entries.processes if hosts else ()):
        process.host = hosts.get(process.pid, "") if number in with_events else ""
        if process.host:
            process.names = [name.removeprefix(f"{process.host} ") for name in process.names]
