"""Causes of failed captures: a closed list, each with a plain sentence and what to do.

A `Failure` is of one host: the cause, and the words of whoever said so. `CaptureFailed` is the exception for it; within
this room, below the modules that know the address, `Fault` is.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from tilescope.capture.address import TPU_ADDRESS
from tilescope.tiler.errors import TilescopeError


class CaptureCause(StrEnum):
    """Cause for which a host has no trace. The values are part of the server's messages."""

    UNKNOWN_HOST = "unknown_host"  # the name has no address
    REFUSED = "refused"  # nobody listens there
    UNREACHABLE = "unreachable"  # no way there, or no answer to the attempt to connect
    NOT_A_PROFILER = "not_a_profiler"  # something listens there that does not speak gRPC, such as an HTTP server
    UNIMPLEMENTED = "unimplemented"  # the server does not have this method
    BUSY = "busy"  # another profiling run is active in that process
    EMPTY = "empty"  # the trace has no events
    DEADLINE = "deadline"  # no answer in time
    LOST = "lost"  # the connection broke while the server captured or answered
    NOT_INLINE = "not_inline"  # the server wrote the trace to its own disk, and it is not to be found from here
    REFUSED_BY_SERVER = "refused_by_server"  # the server says no, in its own words
    BAD_ANSWER = "bad_answer"  # what it sends is no answer to what was asked
    TOO_LARGE = "too_large"  # the answer is larger than allowed
    DISK_FULL = "disk_full"  # no room for the trace here
    CANNOT_WRITE = "cannot_write"  # the trace cannot be written here for another reason
    STOPPED = "stopped"  # the capture was stopped before this host had anything


@dataclass(frozen=True, slots=True)
class _Meaning:
    sentence: str
    hints: tuple[str, ...]
    may_pass: bool = False  # the same question may be answered a moment later


_MEANINGS: Final = {
    CaptureCause.UNKNOWN_HOST: _Meaning(
        "the name of the host has no address", ("check the spelling", TPU_ADDRESS), may_pass=True
    ),
    CaptureCause.REFUSED: _Meaning(
        "nothing listens at this port",
        (
            "the job must call jax.profiler.start_server(PORT) or tf.profiler.experimental.server.start(PORT) first",
            "a server that listens on the loopback interface of another machine is reached through a tunnel "
            "(ssh -L PORT:localhost:PORT HOST)",
        ),
        may_pass=True,
    ),
    CaptureCause.UNREACHABLE: _Meaning(
        "the host does not answer", ("check the address, and firewalls in between",), may_pass=True
    ),
    CaptureCause.NOT_A_PROFILER: _Meaning(
        "what listens at this port is no profiler server",
        ("check the port: it is the one that the job gave to start_server, not that of TensorBoard or of a web page",),
    ),
    CaptureCause.UNIMPLEMENTED: _Meaning("the server does not offer this", ()),
    CaptureCause.BUSY: _Meaning(
        "another profiling run is active in that process",
        (
            "wait until it ends, or end it: only one can run in a process, those that the job starts itself included",
            "a continuous recording that a killed capture left running is ended by another one: "
            "tilescope capture HOST:PORT --logdir DIR --continuous --take-over",
        ),
        may_pass=True,
    ),
    CaptureCause.EMPTY: _Meaning(
        "the trace is empty",
        (
            "let the job run some steps first: compilation and loading leave no events of devices",
            "capture longer, at least two steps",
            "use the same versions of the framework, its plugins and drivers on all hosts",
        ),
        may_pass=True,
    ),
    CaptureCause.DEADLINE: _Meaning(
        "the server did not answer in time",
        (
            "the process may be stuck, or busy with a large trace: capture shorter, or with lower tracer levels",
            "wait longer for the answer",
            "jobs of jaxlib 0.7.1 and older hang after a capture where TensorFlow is not installed: update it",
        ),
        may_pass=True,
    ),
    CaptureCause.LOST: _Meaning(
        "the connection broke: the process ended, or the network failed",
        ("look at the output of the job: was it killed, or out of memory?",),
        may_pass=True,
    ),
    CaptureCause.NOT_INLINE: _Meaning(
        "the server is of a version that writes traces to its own disk, and sends nothing",
        (
            "name a folder that both machines see as the repository root",
            "or update the job: jaxlib 0.7.2 and TensorFlow 2.21, and what is newer, send the trace",
        ),
    ),
    CaptureCause.REFUSED_BY_SERVER: _Meaning("the server refused", (), may_pass=True),
    CaptureCause.BAD_ANSWER: _Meaning("the server's answer makes no sense", ()),
    CaptureCause.TOO_LARGE: _Meaning(
        "the trace is larger than allowed",
        ("capture shorter, or with lower tracer levels",),
    ),
    CaptureCause.DISK_FULL: _Meaning("there is no room on the disk for the trace", ("free space, or capture shorter",)),
    CaptureCause.CANNOT_WRITE: _Meaning("the trace cannot be written", ()),
    CaptureCause.STOPPED: _Meaning("stopped before there was anything to keep", ()),
}


@dataclass(frozen=True, slots=True)
class Failure:
    """Reason for which a host has no trace. `str()` is one line."""

    cause: CaptureCause
    detail: str = ""  # what the server or the system said, in its words

    @property
    def sentence(self) -> str:
        """The cause in plain words, without a dot at its end."""
        return _MEANINGS[self.cause].sentence

    @property
    def hints(self) -> tuple[str, ...]:
        """Remedies, the best first; lower case, without a dot at the end."""
        return _MEANINGS[self.cause].hints

    @property
    def may_pass(self) -> bool:
        """True if another attempt makes sense."""
        return _MEANINGS[self.cause].may_pass

    def __str__(self) -> str:
        return f"{self.sentence}: {self.detail}" if self.detail else self.sentence


class CaptureFailed(TilescopeError):
    """A server could not be asked, or its answer not be kept. `failure` says why; `str()` names the address."""

    def __init__(self, where: str, failure: Failure) -> None:
        self.where = where
        self.failure = failure
        hints = f" ({'; '.join(failure.hints)})" if failure.hints else ""
        super().__init__(f"{where}: {failure}{hints}")


class Fault(Exception):
    """A failure, raised where the server it is about has no name."""

    def __init__(self, cause: CaptureCause, detail: str = "") -> None:
        self.failure = Failure(cause, detail)
        super().__init__(str(self.failure))
