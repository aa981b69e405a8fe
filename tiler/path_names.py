"""Names of paths in messages: a folder that stands for a place elsewhere is called by the address of that place."""

from __future__ import annotations

from pathlib import Path

_ADDRESSES: dict[str, str] = {}  # by folder


def name_folder(folder: Path, address: str) -> None:
    """Has paths in this folder shown as names below the address, in this process and for good."""
    _ADDRESSES[str(folder)] = address.rstrip("/")


def path_name(path: Path | str) -> str:
    """The path as people know it."""
    text = str(path)
    for folder, address in _ADDRESSES.items():
        if text == folder or text.startswith(folder + "/"):
            return address + text[len(folder) :]
    return text


def with_addresses(text: str) -> str:
    """A message in which such folders are called by their addresses."""
    for folder, address in _ADDRESSES.items():
        text = text.replace(folder, address)
    return text
