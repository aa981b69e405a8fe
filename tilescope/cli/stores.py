"""Stores as people name them on a command line."""

from __future__ import annotations

import argparse
from pathlib import Path

from tilescope.cli.addresses import path_or_address
from tilescope.tiler.errors import UsageError


def refuse_address(text: str) -> Path:
    """A path, for argparse. Raises ArgumentTypeError for an address: there are traces, not stores."""
    if isinstance(path_or_address(text), str):
        raise argparse.ArgumentTypeError(
            "this is an address, not a store (index it first: tilescope index ADDRESS -o STORE)"
        )
    return Path(text)


def refuse_file(store: Path) -> None:
    """Raises UsageError for a file that is no archive where a store should be: most often it is the trace."""
    from tilescope.tiler.store import is_store

    if store.is_file() and not is_store(store):
        raise UsageError(f"{store}: this is a file, not a store (index it first: tilescope index {store} -o STORE)")
