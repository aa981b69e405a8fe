"""Names of paths in messages: a folder that stands for a place elsewhere is called by the address of that place."""

from __future__ import annotations

from pathlib import Path
from typing import Final

# Of folders that are named; people may open any number of addresses. An older one is shown as a path again.
MOST_FOLDERS: Final = 1024

_ADDRESSES: dict[str, str] = {}  # by folder, the one that was named last behind the others


def name_folder(folder: Path, address: str) -> None:
    """Has paths in this folder shown as names below the address, in this process."""
    _ADDRESSES.pop(str(folder), None)
    _ADDRESSES[str(folder)] = address.rstrip("/")
    for oldest in list(_ADDRESSES)[:-MOST_FOLDERS]:
        _ADDRESSES.pop(oldest, None)


def path_name(path: Path | str) -> str:
    """The path as people know it."""
    text = str(path)
    for folder, address in list(_ADDRESSES.items()):  # others may name one meanwhile
        if text == folder or text.startswith(folder + "/"):
            return address + text[len(folder) :]
    return text


def with_addresses(text: str) -> str:
    """A message in which such folders are called by their addresses."""
    for folder, address in list(_ADDRESSES.items()):  # others may name one meanwhile
        text = text.replace(folder, address)
    return text
