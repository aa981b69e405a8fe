"""Communication on threads of hosts, such as that of gloo, while devices idle: no stream of a device has it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tilescope.tiler.facts.device_parts import DeviceParts
from tilescope.tiler.facts.findings import Wait, idle_reasons
from tilescope.tiler.facts.findings.host_kinds import is_host_collective
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.query.run_caches import RunCache
from tilescope.tiler.tools.answer import Fact
from tilescope.tiler.tools.question_windows import QuestionWindows
from tilescope.tiler.tools.scope import Scope

_IS_ANY: Final = RunCache[bool]("host_communication", "Whether names are of communication on threads of hosts")


def host_communication(
    scope: Scope, question_windows: QuestionWindows, device_parts: Sequence[DeviceParts]
) -> Interruptible[int]:
    """Ticks in which devices are idle and wait for communication of their hosts, as Gaps has them.

    0 where no name is one of such communication, and while the run is indexed. Raises DamagedStore.
    """
    if not scope.reader.is_whole:
        return 0
    if not (yield from _do_hosts_communicate(scope.reader)):
        return 0
    devices = [(part.device, question_windows.device_part(part.device, part.start, part.stop)) for part in device_parts]
    reasons = yield from idle_reasons(scope.reader, devices)
    return sum(reason.ticks for reason in reasons if reason.wait is Wait.COLLECTIVE)


def _do_hosts_communicate(reader: QueryReader) -> Interruptible[bool]:
    """True if any name of the run is one of communication on a thread of a host."""
    is_any = _IS_ANY.get(reader)
    if is_any is None:
        is_any = _IS_ANY.keep(reader, bool((yield from reader.names.numbers(is_host_collective)).any()))
    return is_any


def host_fact(ticks: int) -> list[Fact]:
    """The fact; nothing where there is no such time."""
    note = "idle, while communication runs on threads of the host"
    return [Fact("host_communication", "Host comm.", ticks, "ticks", note)] if ticks else []
