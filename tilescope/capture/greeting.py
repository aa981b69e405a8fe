"""The first bytes of a server, which tell whether it speaks HTTP/2, and what else it may be if not."""

from __future__ import annotations

from typing import Final

from tilescope.capture.failures import CaptureCause, Fault

_FRAME_HEAD_BYTES: Final = 9
_SETTINGS: Final = 4  # the type of the frame that every server of HTTP/2 sends first
_MOST_TEXT: Final = 80  # characters of a greeting that are shown


class Greeting:
    """Takes the first bytes; `is_complete` when they are those of HTTP/2."""

    def __init__(self) -> None:
        self.first = b""
        self.is_complete = False

    def feed(self, data: bytes) -> None:
        """Takes more. Raises `Fault` as soon as it is clear that this is something else."""
        self.first += data
        if len(self.first) >= _FRAME_HEAD_BYTES:
            length = int.from_bytes(self.first[:3], "big")
            if self.first[3] != _SETTINGS or any(self.first[5:9]) or length % 6 or length > 16384:
                raise Fault(CaptureCause.NOT_A_PROFILER, self._what_else())
            self.is_complete = True

    def cut_short(self) -> Fault:
        """The fault of a connection that ended before the greeting was complete."""
        if not self.first:
            why = (
                "the connection was taken and closed at once, as tunnels and proxies do if nothing listens behind them"
            )
            return Fault(CaptureCause.REFUSED, why)
        return Fault(CaptureCause.NOT_A_PROFILER, self._what_else())

    def _what_else(self) -> str:
        if self.first[:2] in (b"\x15\x03", b"\x16\x03"):
            return "it speaks TLS, and profiler servers do not"
        line = self.first.split(b"\n", 1)[0].rstrip()[:_MOST_TEXT].decode("utf-8", "replace")
        what = "it is a web server" if line.startswith(("HTTP/", "<")) else ""
        says = f'says "{line}"' if line.isprintable() else ""
        if not says:
            return what or "it does not speak HTTP/2"
        return f"{what}, and {says}" if what else f"it {says}"
