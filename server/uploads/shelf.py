"""All uploads of one server on the disk: `CACHE/uploads/SERVER/UPLOAD`.

A server is a command and what it serves. Another one with the same cache directory, which others may reach, does not
show what was sent to this one.
"""

from __future__ import annotations

import hashlib
import shutil
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from tilescope.server.errors import NotFound
from tilescope.server.runs.run import FoundRun
from tilescope.server.uploads.upload import UploadFolder
from tilescope.tiler.store.build_lock import last_used_ns

FOLDER: Final = "uploads"
KEPT_DAYS: Final = 7  # since it came, or was last opened
UNFINISHED_S: Final = 3600.0  # without a byte, until an upload that is not whole is removed
KEPT_NS: Final = KEPT_DAYS * 86_400 * 10**9


class Shelf:
    """The uploads; makes nothing by itself."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._loaded: dict[str, UploadFolder] = {}  # plans do not change

    @classmethod
    def of_server(cls, cache: Path, command: str, paths: Sequence[Path]) -> Shelf:
        """That of a server with these paths."""
        words = "\0".join([command, *sorted(str(path.resolve()) for path in paths)])
        return cls(cache / FOLDER / hashlib.sha256(words.encode(errors="surrogateescape")).hexdigest()[:24])

    def uploads(self) -> list[UploadFolder]:
        """All, whole or not."""
        uploads = []
        for folder in _folders(self.folder):
            with suppress(NotFound):
                uploads.append(self._load(folder))
        for gone in set(self._loaded) - {upload.id for upload in uploads}:
            self._loaded.pop(gone, None)
        return uploads

    def find(self, upload_id: str) -> UploadFolder:
        """The upload of that id. Raises `NotFound`."""
        for folder in _folders(self.folder):
            if folder.name == upload_id:
                return self._load(folder)
        raise NotFound(f"there is no upload {upload_id!r}")

    def roots(self) -> list[Path]:
        """Files and folders that are served of them."""
        return [upload.root for upload in self.uploads() if upload.is_listed]

    def upload_id(self, run: FoundRun) -> str | None:
        """Id of the upload that a run is from; None for another run."""
        root = run.store if run.origin is None else run.origin.root
        return root.relative_to(self.folder).parts[0] if root.is_relative_to(self.folder) else None

    def removed_ns(self, run: FoundRun) -> int | None:
        """Time at which a run is removed unless it is opened, ns since the epoch; None for one that was not sent."""
        upload_id = self.upload_id(run)
        if upload_id is None:
            return None
        with suppress(NotFound):
            came_ns = self._load(self.folder / upload_id).changed_ns()
            return max(came_ns, last_used_ns(run.store)) + KEPT_NS
        return None

    def sweep(self) -> None:
        """Removes what nobody goes on with: uploads that were not finished, or not removed to their end.

        Of other servers also what is kept no longer: they may never be started again.
        """
        now_ns = time.time_ns()
        unfinished_ns, kept_ns = now_ns - int(UNFINISHED_S * 1e9), now_ns - KEPT_NS
        for server in _folders(self.folder.parent):
            for folder in _folders(server):
                try:
                    upload = UploadFolder.load(folder)
                except NotFound:
                    with suppress(OSError):
                        if folder.stat().st_mtime_ns < unfinished_ns:
                            shutil.rmtree(folder, ignore_errors=True)
                    continue
                is_listed = upload.is_listed
                if not (is_listed and server == self.folder) and upload.changed_ns() < (
                    kept_ns if is_listed else unfinished_ns
                ):
                    upload.remove()

    def _load(self, folder: Path) -> UploadFolder:
        upload = self._loaded.get(folder.name)
        if upload is None or not upload.is_there:
            self._loaded.pop(folder.name, None)
            upload = self._loaded[folder.name] = UploadFolder.load(folder)
        return upload


def _folders(parent: Path) -> Iterator[Path]:
    with suppress(OSError):
        yield from sorted(entry for entry in parent.iterdir() if entry.is_dir() and not entry.is_symlink())
