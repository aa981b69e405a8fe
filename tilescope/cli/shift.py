"""Shifts the clocks of hosts in the run at STORE, or lists the shifts that there are.

Clocks of hosts differ, and what happened at once stands apart in the timeline. A shift is added to all times of a host
when the run is drawn: nothing that is stored changes, tools go on with the times that were recorded, and HOST=0 takes
it back. It is kept in STORE, for all who look at the run.

A shift is a number with a unit, ps, ns, us, ms or s; one above 0 moves a host to the right.

Examples:

    tilescope shift pod.run
    tilescope shift pod.run host3=+1.5ms host4=-200us
    tilescope shift pod.run host3=0
"""

from __future__ import annotations

import argparse
from pathlib import Path

from tilescope.cli.say import printable, say

NAME = "shift"
HELP = "shift clocks of hosts when the run is drawn"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments."""
    parser.add_argument("store", type=Path, metavar="STORE", help="a store, as `tilescope index` writes it")
    parser.add_argument("changes", nargs="*", metavar="HOST=TIME", help="a host, and its shift; 0: none")


def run(args: argparse.Namespace) -> int:
    """Saves the changes, and prints the shifts that there are now."""
    from tilescope.cli.stores import refuse_file
    from tilescope.tiler.duration_text import duration_text
    from tilescope.tiler.mount import open_run
    from tilescope.tiler.store.shifts import read_shifts, write_shifts

    refuse_file(args.store)
    store = open_run(args.store)
    try:
        hosts = store.manifest()["hosts"]
    finally:
        store.close()
    changes = dict(_change(text, hosts) for text in args.changes)
    shifts = read_shifts(args.store)
    if changes:
        shifts = {host: ps for host, ps in {**shifts, **changes}.items() if ps}
        write_shifts(args.store, shifts)
    for host, ps in shifts.items():
        say(f"{printable(host)}: {'-' if ps < 0 else '+'}{duration_text(abs(ps), 1)}")
    if not shifts:
        say("no host is shifted")
    return 0


def _change(text: str, hosts: list[str]) -> tuple[str, int]:
    """The host of a change and its shift, in picoseconds. Raises UsageError."""
    from tilescope.cli.spans import ticks_text
    from tilescope.tiler.errors import UsageError

    host, equals, time = text.rpartition("=")
    if not equals:
        raise UsageError(f"{text!r:.200}: name a host and its shift, as in host3=+1.5ms")
    if host not in hosts:
        raise UsageError(f"there is no host {host!r:.200}: there are {', '.join(hosts[:20])}")
    if time.lstrip("+-").isdecimal() and time.strip("+-0"):
        raise UsageError(f"{text!r:.200}: the shift has no unit, as in {host}=+1.5ms")
    return host, int(ticks_text(host, time.removeprefix("+"), 1))
