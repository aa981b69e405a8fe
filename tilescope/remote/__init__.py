"""Bytes on other machines: web servers and buckets, as the contracts of `tiler/blobs` have them."""

from __future__ import annotations

from tilescope.remote.address import Address, is_address
from tilescope.remote.opening import open_blob, open_place

__all__ = ["Address", "is_address", "open_blob", "open_place"]
