"""Report of a capture, host by host: traces on stdout, failures on stderr."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilescope.cli.say import complain, say
from tilescope.tiler.count_text import plural
from tilescope.tiler.size_text import size_text

if TYPE_CHECKING:
    from tilescope.capture import CaptureResult, HostCapture


def report(result: CaptureResult) -> None:
    """Prints the run with its traces, and why hosts have none."""
    if result.folder is not None:
        say(f"{result.folder}: {hosts_text(result)}" + (", ended early" if result.was_stopped else ""))
        width = max(len(str(host.address)) for host in result.captured) if result.captured else 0
        for host in result.captured:
            say(f"  {host.address!s:<{width}}  {size_text(host.size_bytes):>8}  {_file(host)}{_attempts(host)}")
        for host in result.hosts:
            for path in host.tool_files:
                say(f"  {host.address!s:<{width}}  {size_text(path.stat().st_size):>8}  {path.name}")
    for host in result.failed:
        complain(failure_text(host))
    failures = (host.failure for host in result.failed if host.failure is not None)
    for hint in dict.fromkeys(hint for failure in failures for hint in failure.hints):  # once, however many hosts
        complain(f"hint: {hint}")


def hosts_text(result: CaptureResult) -> str:
    """Number of hosts that have traces: "2 hosts", or "1 of 2 hosts"."""
    count, total = len(result.captured), len(result.hosts)
    return plural(count, "host", "hosts") if count == total else f"{count} of {total} hosts"


def failure_text(host: HostCapture) -> str:
    """Reason why a host has no trace, on one line. Earlier attempts are told where they failed for another reason."""
    failure = host.failure
    if failure is None:
        return ""
    others = [str(other) for other in dict.fromkeys(host.tried) if other.cause != failure.cause]
    before = f"; before that: {', '.join(others)}" if others else ""
    return f"{host.address}: {failure}{_attempts(host)}{before}"


def _file(host: HostCapture) -> str:
    return host.path.name if host.path is not None else ""


def _attempts(host: HostCapture) -> str:
    return f", after {host.attempts} attempts" if host.attempts > 1 else ""
