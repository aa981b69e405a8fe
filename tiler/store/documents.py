"""JSON documents beside a run: each is there whole or not at all, and none is read beyond a stated size."""

from __future__ import annotations

import json
import os
import zlib
from pathlib import Path
from typing import Final, TypeVar

from isal import igzip
from msgspec import Struct, convert, to_builtins

from tilescope.tiler.errors import DamagedStore, NoStore, StoreError

Document = TypeVar("Document", bound=Struct)

_LEVEL: Final = 1  # of gzip: they are written and read once


def write_document(path: Path, document: Struct, most_bytes: int | None = None) -> None:
    """Writes a document as JSON, gzip-compressed if the name ends so: first beside `path`, then there in one step.

    `most_bytes`: of JSON; what is longer is not written. Raises StoreError.
    """
    # Names of events may hold halves of surrogate pairs, which JSON has as escapes alone.
    data = json.dumps(to_builtins(document), separators=(",", ":")).encode()
    if most_bytes is not None and len(data) > most_bytes:
        raise StoreError(f"{path}: {len(data):,} bytes are more than the {most_bytes:,} that it may have")
    part = path.with_name(f".{path.name}.{os.urandom(6).hex()}.part")
    try:
        with part.open("wb") as file:
            file.write(igzip.compress(data, _LEVEL) if path.suffix == ".gz" else data)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise StoreError(f"{path}: cannot be written: {error.strerror or error}") from error


def read_document(path: Path, kind: type[Document], most_bytes: int) -> Document:
    """The document at `path`, which takes up to so many bytes of JSON. Raises NoStore, StoreError or DamagedStore."""
    try:
        with path.open("rb") as file:
            data = file.read(most_bytes + 1)
        if path.suffix == ".gz":
            data = _inflated(data, most_bytes + 1)
    except FileNotFoundError as error:
        raise NoStore(f"{path}: there is no such file") from error
    except (EOFError, zlib.error) as error:
        raise DamagedStore(f"{path}: is damaged: {error}") from error
    except OSError as error:
        raise StoreError(f"{path}: cannot be read: {error.strerror or error}") from error
    if len(data) > most_bytes:
        raise DamagedStore(f"{path}: has more than {most_bytes:,} bytes")
    try:
        return convert(json.loads(data), kind)
    except (ValueError, RecursionError) as error:  # msgspec.ValidationError is a ValueError
        raise DamagedStore(f"{path}: makes no sense: {error}") from error


def _inflated(member: bytes, most_bytes: int) -> bytes:
    """A gzip member, or so many bytes of it. Raises zlib.error, or EOFError where its end is missing."""
    inflater = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
    data = inflater.decompress(member, most_bytes)
    if not inflater.eof and len(data) < most_bytes:
        raise EOFError("its end is missing")
    return data
