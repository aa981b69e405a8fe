"""Rules of statements of SQL: they take processors and memory of the server for as long as they run.

As with uploads, `tilescope view` lets the browser run them that was opened with the secret of this start, and
`tilescope serve` lets those who have the token, if it was told so.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class SqlRules:
    """The default is that nobody may."""

    is_allowed: bool = False
    reason: str = "this server runs no SQL: start it with --allow-sql and a token"  # where nobody may


NO_SQL: Final = SqlRules()
