"""The uploads of this server: begins them, takes their bytes, lists them when they are whole, and makes room."""

from __future__ import annotations

import asyncio
import logging
import secrets
import shutil
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Final, TypeVar

from tilescope.server.errors import BadRequest, InUse, NotFound, TooManyRequests
from tilescope.server.guard.access import Access, is_loopback
from tilescope.server.guard.upload_rules import UploadRules
from tilescope.server.runs.registry import Registry
from tilescope.server.runs.run import FoundRun
from tilescope.server.settings import Settings
from tilescope.server.uploads.plan import Plan, make_plan
from tilescope.server.uploads.shelf import KEPT_DAYS, KEPT_NS, Shelf
from tilescope.server.uploads.upload import UploadFolder, make_private
from tilescope.tiler.errors import DiskFull, StoreError, TilescopeError
from tilescope.tiler.readers.recognise import check_file
from tilescope.tiler.schema import MOST_UPLOAD_FILES, UPLOAD_PIECE_BYTES, Upload, UploadOrder, UploadRoom
from tilescope.tiler.store.disk_space import is_full

_T = TypeVar("_T")

_log = logging.getLogger(__name__)

MOST_UNFINISHED: Final = 8  # of one client
MOST_KEPT: Final = 256
UNTOUCHED_S: Final = 3600.0  # since it came or was opened, before an upload makes room for another
FREE_BYTES: Final = 1 << 30  # that stay free on the disk
_INDEX_SHARE: Final = 0.65  # of what is sent, that its index takes
_SWEEP_S: Final = 600.0


class Uploads:
    """All of them. Open between `start` and `close`, if there is a shelf."""

    def __init__(self, settings: Settings, registry: Registry, shelf: Shelf | None) -> None:
        self._settings = settings
        self.rules: UploadRules = settings.uploads
        self._registry = registry
        self._shelf = shelf
        self._turns: dict[tuple[str, int], object] = {}  # who writes a file now
        self._deciding = asyncio.Lock()
        self._sweeping: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Removes what is left of earlier ones, now and then."""
        if self._shelf is not None:
            self._sweeping = asyncio.create_task(self._sweep())

    async def close(self) -> None:
        """Sweeps no more."""
        if self._sweeping is not None:
            self._sweeping.cancel()
            with suppress(asyncio.CancelledError):
                await self._sweeping

    def room(self, reason: str | None, prefixes: Sequence[str]) -> UploadRoom:
        """Rules for a client; `reason`: why it may not send. `prefixes`: of addresses that it may have opened."""
        return UploadRoom(
            allowed=reason is None,
            reason=reason,
            seen_by=_seen_by(self._settings),
            kept_days=KEPT_DAYS,
            most_files=MOST_UPLOAD_FILES,
            piece_bytes=UPLOAD_PIECE_BYTES,
            most_bytes=str(self.rules.per_client_bytes),
            prefixes=prefixes,
        )

    async def begin(self, order: UploadOrder, client: str) -> Upload:
        """A new upload. Raises `BadRequest`, `TooManyRequests`, `DiskFull`."""
        plan = make_plan(order, client, time.time_ns())
        shelf = self._the_shelf()
        async with self._deciding:
            await self._make_room(shelf, plan)
            make = partial(UploadFolder.make, shelf.folder / secrets.token_hex(16), plan)
            upload = await asyncio.to_thread(_on_disk, make)
        _log.info("an upload of %s was begun: %s, %s bytes", client, plan.top, f"{plan.size_bytes:,}")
        return self._schema(upload)

    def state(self, upload_id: str) -> Upload:
        """State of an upload. Raises `NotFound`."""
        return self._schema(self._the_shelf().find(upload_id))

    async def take(self, upload_id: str, number: int, start: int, steps: AsyncIterator[bytes]) -> Upload:
        """Takes bytes of a file from `start` on: these and no others must have come.

        Raises `NotFound`, `InUse` when others have come, or another request sends this file by now, `DiskFull`, and
        whatever the steps raise.
        """
        upload = self._find_file(upload_id, number)
        if start != (there := upload.received(number)):
            raise InUse(f"{there:,} bytes of this file have come: go on from there")
        turn = self._turns[upload_id, number] = object()
        try:
            async for content in steps:
                if self._turns.get((upload_id, number)) is not turn:
                    raise InUse("another request sends this file now")
                try:
                    await asyncio.to_thread(_on_disk, partial(upload.append, number, start, content))
                except DiskFull:
                    await asyncio.to_thread(upload.remove)
                    raise
                start += len(content)
        finally:
            if self._turns.get((upload_id, number)) is turn:
                del self._turns[upload_id, number]
        return self._schema(upload)

    def lacking_bytes(self, upload_id: str, number: int) -> int:
        """Bytes of a file that have not come. Raises `NotFound`."""
        upload = self._find_file(upload_id, number)
        return upload.plan.files[number].size_bytes - upload.received(number)

    async def list_runs(self, upload_id: str) -> Upload:
        """Lists an upload of which all bytes are there, and has its runs indexed. One without a trace is removed.

        Raises `NotFound`, `InUse` while bytes lack, `BadRequest` or `TraceError` without a trace.
        """
        shelf = self._the_shelf()
        async with self._deciding:
            upload = shelf.find(upload_id)
            await asyncio.to_thread(_on_disk, upload.list)
            try:
                await asyncio.to_thread(check_file, upload.root, self._registry.max_inflated)
                runs = await self._registry.find_arrived(upload.root)
                if not runs:
                    raise BadRequest(f"{upload.plan.top}: there is no trace in it that Tilescope can read")
            except TilescopeError:
                await asyncio.to_thread(upload.remove)
                raise
        for run in reversed(runs):
            if run.files:
                self._registry.request_index(run)
        return self._schema(upload)

    async def remove(self, upload_id: str) -> None:
        """Removes an upload, whole or not. Raises `NotFound`, `InUse` while somebody looks at it."""
        async with self._deciding:
            if not await self._removed(self._the_shelf().find(upload_id)):
                raise InUse("somebody looks at this upload, or it is being indexed")

    async def _sweep(self) -> None:
        shelf = self._the_shelf()
        while True:
            async with self._deciding:
                await asyncio.to_thread(shelf.sweep)
                for upload, removed_ns in self._least_recent(shelf):
                    try:
                        upload.mark_used(removed_ns - KEPT_NS)
                        if removed_ns < time.time_ns():
                            await self._removed(upload)
                    except (OSError, StoreError) as error:  # the others go all the same
                        _log.warning("the upload %s cannot be cleared up: %s", upload.plan.top, error)
            await asyncio.sleep(_SWEEP_S)

    async def _make_room(self, shelf: Shelf, plan: Plan) -> None:
        """Removes uploads that nobody opened for a while, until another fits. Raises `TooManyRequests`, `DiskFull`."""
        uploads = await asyncio.to_thread(shelf.uploads)
        unfinished = [upload for upload in uploads if not upload.is_listed]
        if sum(upload.plan.client == plan.client for upload in unfinished) >= MOST_UNFINISHED:
            raise TooManyRequests(f"{MOST_UNFINISHED} uploads from here are under way: wait for one", 60)
        lacking = sum(upload.plan.size_bytes for upload in unfinished)
        for upload in unfinished:
            lacking -= sum(await asyncio.to_thread(upload.received_bytes))
        make_private(shelf.folder)

        def has_own_room(kept: Sequence[UploadFolder]) -> bool:
            mine = sum(upload.plan.size_bytes for upload in kept if upload.plan.client == plan.client)
            return plan.size_bytes + mine <= self.rules.per_client_bytes

        def why_not(kept: Sequence[UploadFolder], freed_bytes: int = 0) -> Exception | None:
            if not has_own_room(kept):
                return _quota(self.rules.per_client_bytes, "one client has", plan)
            if plan.size_bytes + sum(upload.plan.size_bytes for upload in kept) > self.rules.all_bytes:
                return _quota(self.rules.all_bytes, "all together have", plan)
            if len(kept) >= MOST_KEPT:
                return TooManyRequests(f"this server keeps {MOST_KEPT} uploads", 3600)
            free = shutil.disk_usage(shelf.folder).free + freed_bytes
            if free < (plan.size_bytes + lacking) * (1 + _INDEX_SHARE) + FREE_BYTES:
                return DiskFull(
                    f"the disk of the server has {free:,} bytes free: too few for this upload and its index"
                )
            return None

        idle_ns = time.time_ns() + KEPT_NS - int(UNTOUCHED_S * 1e9)
        idle = [upload for upload, removed_ns in self._least_recent(shelf) if removed_ns < idle_ns]
        # Nothing goes for what does not fit without all of these either.
        idle_ids = {upload.id for upload in idle}
        others = [upload for upload in uploads if upload.id not in idle_ids]
        error = why_not(others, sum(upload.plan.size_bytes for upload in idle))
        for upload in idle if error is None else ():
            if why_not(uploads) is None:
                return
            is_of_use = has_own_room(uploads) or upload.plan.client == plan.client
            if is_of_use and await self._removed(upload):
                uploads = [other for other in uploads if other.id != upload.id]
        error = error or why_not(uploads)
        if error is not None:
            raise error

    def _least_recent(self, shelf: Shelf) -> list[tuple[UploadFolder, int]]:
        """The uploads that are whole, with when they are removed: the one that is removed first comes first."""
        removed_ns: dict[str, int] = {}
        for run in self._registry.found_runs():
            upload_id = shelf.upload_id(run)
            if upload_id is not None:
                removed_ns[upload_id] = max(removed_ns.get(upload_id, 0), shelf.removed_ns(run) or 0)
        listed = [
            (upload, removed_ns.get(upload.id, upload.changed_ns() + KEPT_NS))
            for upload in shelf.uploads()
            if upload.is_listed
        ]
        return sorted(listed, key=lambda entry: entry[1])

    async def _removed(self, upload: UploadFolder) -> bool:
        if not await self._registry.give_up(self._runs_of(upload)):
            return False
        await asyncio.to_thread(upload.remove)
        _log.info("the upload %s was removed", upload.plan.top)
        return True

    def _runs_of(self, upload: UploadFolder) -> list[FoundRun]:
        shelf = self._the_shelf()
        return [run for run in self._registry.found_runs() if shelf.upload_id(run) == upload.id]

    def _find_file(self, upload_id: str, number: int) -> UploadFolder:
        upload = self._the_shelf().find(upload_id)
        if number >= len(upload.plan.files):
            raise NotFound(f"there is no file {number} in this upload")
        return upload

    def _the_shelf(self) -> Shelf:
        if self._shelf is None:
            raise NotFound("this server has no uploads")
        return self._shelf

    def _schema(self, upload: UploadFolder) -> Upload:
        return Upload(
            id=upload.id,
            state="listed" if upload.is_listed else "arriving",
            received_bytes=list(map(str, upload.received_bytes())),
            runs=[run.id for run in self._runs_of(upload)] if upload.is_listed else [],
        )


def _on_disk(work: Callable[[], _T]) -> _T:
    """Does it, with a full disk as what it is. Raises `DiskFull`."""
    try:
        return work()
    except OSError as error:
        if is_full(error):
            raise DiskFull("the disk of the server is full: the upload was given up") from error
        raise


def _quota(most_bytes: int, whose: str, plan: Plan) -> TooManyRequests:
    where = f"{plan.top} has {plan.size_bytes:,} bytes"
    return TooManyRequests(
        f"{where}: {whose} {most_bytes:,} bytes for uploads on this server, and too few are left", 3600
    )


def _seen_by(settings: Settings) -> str:
    access: Access = settings.access
    if not access.is_open:
        return "Everybody who has the token of this server can see it."
    names: Sequence[str] = sorted(settings.allow_hosts)
    if names:
        return f"Everybody who can reach {', '.join(names)} can see it: this server has no token."
    assert is_loopback(settings.host)
    return "Everybody who can log in to the machine of this server can see it."
