"""Rules of uploads: who may send traces to this server, and how much.

`tilescope view` lets the browser send that was opened with the secret of this start: others who reach the page, such as
other accounts of the machine, do not have it. `tilescope serve` lets those who have the token, if it was told so.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

PER_CLIENT_BYTES: Final = 20 * 10**9
ALL_BYTES: Final = 50 * 10**9


@dataclass(frozen=True, slots=True)
class UploadRules:
    """The default is that nobody may."""

    is_allowed: bool = False
    reason: str = "this server opens no files: start it with --allow-open and a token"  # where nobody may
    per_client_bytes: int = PER_CLIENT_BYTES  # in all uploads of one address
    all_bytes: int = ALL_BYTES


NOBODY: Final = UploadRules()
