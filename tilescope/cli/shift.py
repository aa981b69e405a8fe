"""Shifts the clocks of hosts or ranks in the run at STORE, or lists the shifts that there are.

Clocks of hosts differ, and what happened at once stands apart in the timeline. A shift is added to all times of a host
or rank when the run is drawn: nothing that is stored changes, tools go on with the times that were recorded, and HOST=0
takes it back. It is kept in STORE, for all who look at the run. The list says which shifts were measured by a tool, and
which were set by hand.

A file that lies outside of the time axis of its run has one of its own, and a shift, which draws it at its time where
it has any in common with the run; the list has these too. A shift that is given goes before it, and HOST=0 leads back
to it.

HOST is a host as `tilescope info` lists it. Of a run of ranks, `rank 3 · node1 · GPU 0`, the rank alone will do,
"rank 3", or the machine alone, node1, for all ranks on it; a shift of a rank goes before that of its machine.

With --measure each rank of a job of PyTorch is moved by what its clock differs from the middle of all: collectives of
all ranks end at once. The spread between quartiles of what these say is printed beside it. Ranks that are named have
the shifts that are given, and HOST=0 or --clear takes a measured one back as any other; --clear with --measure leaves
those alone that are given or measured now.

A shift is a number with a unit, ps, ns, us, ms or s; one above 0 moves a host to the right.

Examples:

    tilescope shift pod.run
    tilescope shift pod.run host3=+1.5ms host4=-200us
    tilescope shift pod.run host3=0
    tilescope shift pod.run --clear
    tilescope shift job.run --measure
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Final

from tilescope.cli.say import say
from tilescope.tiler.printable_text import printable

NAME = "shift"
HELP = "shift clocks of hosts when the run is drawn"

_ORIGINS: Final = {"measured": "measured", "by_hand": "set by hand"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments."""
    parser.add_argument("store", type=Path, metavar="STORE", help="a store, as `tilescope index` writes it")
    parser.add_argument("changes", nargs="*", metavar="HOST=TIME", help="a host or rank, and its shift; 0: none")
    parser.add_argument("--measure", action="store_true", help="move ranks by the ends of their collectives")
    parser.add_argument("--clear", action="store_true", help="take all shifts back that are not given here")


def run(args: argparse.Namespace) -> int:
    """Saves the changes, and prints the shifts that there are now."""
    from tilescope.cli.stores import refuse_file
    from tilescope.tiler.duration_text import duration_text
    from tilescope.tiler.mount import save_shifts
    from tilescope.tiler.store.clocks import clock_names
    from tilescope.tiler.store.shifts import read_shifts

    refuse_file(args.store)
    given = dict(_change(text) for text in args.changes)
    measured, spreads = _measured(args.store) if args.measure else ({}, {})
    before = read_shifts(args.store)
    # The shift of all of a name, `rank 3 · node1 · GPU 0`, would go before that of the rank.
    replaced = [host for host in before if args.clear or measured.keys() & clock_names(host)[1:]]
    shifts = save_shifts(args.store, dict.fromkeys(replaced, 0) | given, tick_ps=1)
    measured = {clock: shift for clock, shift in measured.items() if clock not in given}
    if measured:
        shifts = save_shifts(args.store, measured, "measured", tick_ps=1)
    for clock, shift in shifts.items():
        time = f"{'-' if shift.ps < 0 else '+'}{duration_text(abs(shift.ps), 1)}"
        say(
            f"{printable(clock)}: {time}, {_ORIGINS[shift.origin]}{spreads.get(clock, '') if clock in measured else ''}"
        )
    own = _own_shifts(args.store)
    for host, ticks_ps in own.items():
        time = f"{'-' if ticks_ps < 0 else '+'}{duration_text(abs(ticks_ps), 1)}"
        say(f"{printable(host)}: {time}, of the file's own time axis")
    if not shifts and not own:
        say("no host is shifted")
    return 0


def _own_shifts(path: Path) -> dict[str, int]:
    """Picoseconds by which hosts are drawn later whose files have a time axis of their own, where none is saved."""
    from contextlib import closing

    from tilescope.tiler.mount import open_run
    from tilescope.tiler.store.clocks import clock_shifts

    with closing(open_run(path)) as store:
        manifest = store.manifest()
    shifts = clock_shifts(path, manifest)
    return {shift.host: int(shift.shift) * manifest["tick_ps"] for shift in shifts if shift.origin == "own_axis"}


def _measured(path: Path) -> tuple[dict[str, int], dict[str, str]]:
    """The shift of each rank by its collectives, in picoseconds, and the spread in words. Raises UsageError."""
    from contextlib import closing

    from tilescope.tiler.count_text import plural
    from tilescope.tiler.duration_text import duration_text
    from tilescope.tiler.errors import UsageError
    from tilescope.tiler.facts.collectives import may_have_calls, run_clocks
    from tilescope.tiler.mount import open_run
    from tilescope.tiler.query import QueryReader, finish
    from tilescope.tiler.store.clocks import clock_names, is_rank

    with closing(open_run(path)) as store:
        reader = QueryReader(store)
        clocks = finish(run_clocks(reader)) if finish(may_have_calls(reader)) else {}
        shifts, spreads = {}, {}
        for group, clock in clocks.items():
            if group < 0:  # tracks of no host
                continue
            host = reader.tree.groups[group].name
            name = clock_names(host)[1] if is_rank(host) and len(clock_names(host)) > 1 else host
            shifts[name] = -clock.offset * reader.tick_ps
            collectives = plural(clock.instances, "collective", "collectives")
            spreads[name] = f", spread {duration_text(clock.spread, reader.tick_ps)} over {collectives}"
    if not shifts:
        raise UsageError(f"{path}: no collective of several ranks was recorded, by which clocks could be measured")
    return shifts, spreads


def _change(text: str) -> tuple[str, int]:
    """The host of a change and its shift, in picoseconds. Raises UsageError."""
    from tilescope.cli.spans import ticks_text
    from tilescope.tiler.errors import UsageError

    host, equals, time = text.rpartition("=")
    if not equals:
        raise UsageError(f"{text!r:.200}: name a host and its shift, as in host3=+1.5ms")
    if time[:1] in {"+", "-"} and time[1:2] in {"+", "-"}:
        raise UsageError(
            f"{text!r:.200}: the shift has two signs: {host}=+1.5ms moves to the right, {host}=-1.5ms to the left"
        )
    if time.lstrip("+-").isdecimal() and time.strip("+-0"):
        raise UsageError(f"{text!r:.200}: the shift has no unit, as in {host}=+1.5ms")
    return host, int(ticks_text(host, time.removeprefix("+"), 1))
