"""Errors of the client.

    TilescopeError
    └── ClientError
        ├── Unreachable       nobody answers, or what answers is no tile server
        └── Refused           the server says no: `code` as in docs/api.md
            └── NotBuiltYet   what is asked for is not there yet: the run is still being indexed

What is wrong with the arguments is a `UsageError`, a damaged store or page a `StoreError`, as everywhere.
"""

from __future__ import annotations

import warnings

from tilescope.tiler.errors import TilescopeError, UsageError
from tilescope.tiler.tools import Answer


class ClientError(TilescopeError):
    """Base of the errors of the client."""


class Unreachable(ClientError):
    """There is no tile server there, or it went away."""


class Refused(ClientError):
    """The server refused, with a code (`not_found`, `not_indexed`, `unauthorized`, …) and one line that says why."""

    def __init__(self, code: str, message: str) -> None:
        self.code = code
        super().__init__(message)


class NotBuiltYet(Refused):
    """The run is still being indexed, and what is asked for needs more of it: wait, or ask a tool for a part."""

    def __init__(self, message: str) -> None:
        super().__init__("not_built_yet", message)


def refusal(code: str, message: str) -> TilescopeError:
    """The exception for an error of a server: what makes no sense to it is what makes no sense to a store."""
    if code == "not_built_yet":
        return NotBuiltYet(message)
    return UsageError(message) if code == "bad_request" else Refused(code, message)


def whole(answer: Answer) -> Answer:
    """The answer, if the run is indexed; a warning says which hosts it lacks. Raises `NotBuiltYet`."""
    if answer.missing:
        warnings.warn(f"the run lacks {', '.join(answer.missing)}: the answer is without them", stacklevel=3)
    if answer.is_growing:
        raise NotBuiltYet("the run is still being indexed: wait for it, or use ask(), whose answers say is_complete")
    return answer
