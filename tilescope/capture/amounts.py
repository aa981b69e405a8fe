"""Amounts of bytes in messages."""

from __future__ import annotations


def megabytes(size_bytes: int) -> str:
    """1234567 → "1.2 MB"; below 0.1 MB the bytes: 12345 → "12,345 bytes"."""
    return f"{size_bytes / 1e6:,.1f} MB" if size_bytes >= 100_000 else f"{size_bytes:,} bytes"
