"""A writer of an object that has to be whole before it is sent: into a local scratch file first."""

from __future__ import annotations

import tempfile
from pathlib import Path

from tilescope.tiler.blobs import BlobState, PartWriter
from tilescope.tiler.blobs.file_blob import blob_error


class ScratchWriter(PartWriter):
    """Writes into a scratch file; `send` brings it to its place."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.scratch = tempfile.NamedTemporaryFile(prefix="tilescope-")  # noqa: SIM115 - closed by commit or abort
        self.size_bytes = 0

    def write(self, data: bytes, /) -> None:
        try:
            self.scratch.write(data)
        except OSError as error:
            raise blob_error(Path(tempfile.gettempdir()), error) from error
        self.size_bytes += len(data)

    def commit(self) -> BlobState:
        try:
            self.scratch.flush()
        except OSError as error:
            raise blob_error(Path(tempfile.gettempdir()), error) from error
        self.scratch.seek(0)
        state = self.send()
        self.scratch.close()
        return state

    def send(self) -> BlobState:
        """Publishes what was written. Raises `BlobError`s."""
        raise NotImplementedError

    def abort(self) -> None:
        self.scratch.close()
