"""Errors of the client.

    TilescopeError
    └── ClientError
        ├── Unreachable       nobody answers, or what answers is no tile server
        └── Refused           the server says no: `code` as in docs/api.md

What is wrong with the arguments is a `UsageError`, a damaged store or page a `StoreError`, as everywhere.
"""

from __future__ import annotations

from tilescope.tiler.errors import TilescopeError, UsageError


class ClientError(TilescopeError):
    """Base of the errors of the client."""


class Unreachable(ClientError):
    """There is no tile server there, or it went away."""


class Refused(ClientError):
    """The server refused, with a code (`not_found`, `not_indexed`, `unauthorized`, …) and one line that says why."""

    def __init__(self, code: str, message: str) -> None:
        self.code = code
        super().__init__(message)


def refusal(code: str, message: str) -> TilescopeError:
    """The exception for an error of a server: what makes no sense to it is what makes no sense to a store."""
    return UsageError(message) if code == "bad_request" else Refused(code, message)
