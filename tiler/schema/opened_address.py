"""Addresses that a browser has the server open."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from msgspec import Meta, Struct


class AddressOrder(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An address to open."""

    address: Annotated[str, Meta(min_length=1, max_length=8192, description="Of a trace, an archive or a bucket.")]


class OpenedAddress(Struct, frozen=True, kw_only=True):
    """Runs at an address that was opened."""

    runs: Annotated[Sequence[str], Meta(description="Ids of its runs, the newest first.")]
