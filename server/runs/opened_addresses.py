"""Addresses that people have the server open, below the prefixes of its command line: runs until it ends."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Final

from msgspec import structs

from tilescope.remote import Address, is_address
from tilescope.remote.allowed_prefixes import AllowedPrefixes
from tilescope.remote.mirrors import Mirrored, MirrorPlan, mirror_address, unregister_plan
from tilescope.server.errors import BadRequest, Forbidden, TooManyRequests
from tilescope.server.runs.arrivals import Arrivals
from tilescope.server.runs.registry import Registry
from tilescope.server.runs.run import FoundRun
from tilescope.server.runs.store_reads import in_thread
from tilescope.tiler.errors import BlobError, BlobForbidden, StoreError
from tilescope.tiler.mount import is_run, open_run
from tilescope.tiler.readers.recognise import check_file

MOST_OPENED: Final = 256  # of one server
_AT_ONCE: Final = 4


class OpenedAddresses:
    """Arrivals at addresses, beside others. The registry knows it; `open` needs the registry."""

    def __init__(self, plan: MirrorPlan, others: Arrivals) -> None:
        """`plan`: of mirrors, without an address; its prefixes are those of the server. Raises UsageError."""
        self._plan = plan
        self._others = others
        self._allowed = AllowedPrefixes(plan.prefixes)
        self._opened: dict[str, Mirrored] = {}  # by address
        self._opening = 0
        self._coming: dict[str, asyncio.Task[Mirrored]] = {}  # by address: those that are being looked at

    @property
    def prefixes(self) -> list[str]:
        """Prefixes of the addresses that can be opened, as people read them."""
        return [prefix.shown for prefix in self._allowed.prefixes]

    def roots(self) -> Sequence[Path]:
        """The paths that stand for the addresses, and the other arrivals."""
        return [*self._others.roots(), *(mirrored.path for mirrored in self._opened.values())]

    def removed_ns(self, run: FoundRun) -> int | None:
        """Time at which one of the other arrivals is removed; None for a run at an address."""
        return self._others.removed_ns(run)

    async def open(self, text: str, registry: Registry) -> list[str]:
        """Ids of the runs at an address, which are listed and indexed from here on.

        Raises UsageError, `Forbidden`, `BadRequest` where nothing can be read there, `TraceError`, `TooManyRequests`.
        """
        if not is_address(text):
            raise BadRequest("this is no address: it begins with https://, s3:// or the like")
        if self._opening >= _AT_ONCE:
            raise TooManyRequests(f"{_AT_ONCE} addresses are being opened: wait for one", 5)
        self._opening += 1
        try:
            address = Address.parse(text)
            self._allowed.check(address)
            mirrored = await self._mirrored(address.url)
        except BlobForbidden as error:
            raise Forbidden(str(error)) from None
        except (BlobError, StoreError) as error:
            raise BadRequest(str(error)) from None
        finally:
            self._opening -= 1
        runs = await registry.find_arrived(mirrored.path)
        if not runs:
            self._give_up(address.url)
            raise BadRequest(f"{address.shown}: there is no trace or archive here that Tilescope can read")
        for run in reversed(runs):
            if run.files:
                registry.request_index(run)
        return [run.id for run in runs]

    async def _mirrored(self, url: str) -> Mirrored:
        """The mirror of an address, made once for all who ask meanwhile. A slow host holds up nobody else's."""
        task = self._coming.get(url)
        if task is None:
            if url not in self._opened and len(self._opened) + len(self._coming) >= MOST_OPENED:
                raise TooManyRequests(f"{MOST_OPENED} addresses are open: the server must be started again", 3600)
            task = self._coming[url] = asyncio.create_task(self._mirror(url))
            task.add_done_callback(lambda _: self._coming.pop(url))
        return await asyncio.shield(task)

    async def _mirror(self, url: str) -> Mirrored:
        mirrored = self._opened.get(url)
        if mirrored is not None:
            await in_thread(mirrored.mirror.refresh)
            return mirrored
        mirrored = self._opened[url] = await in_thread(partial(_mirror, self._plan_of(url)))
        return mirrored

    def _give_up(self, url: str) -> None:
        """Ends the mirror of an address where there is no run."""
        mirrored = self._opened.pop(url, None)
        if mirrored is not None:
            _remove(mirrored, self._plan_of(url))

    def _plan_of(self, url: str) -> MirrorPlan:
        return structs.replace(self._plan, address=url)


def _mirror(plan: MirrorPlan) -> Mirrored:
    """The mirror of what can be read. Raises `BlobError`s, StoreError, TraceError."""
    mirrored = mirror_address(plan)
    try:
        if is_run(mirrored.path):
            open_run(mirrored.path).close()
        elif mirrored.path.is_file():
            check_file(mirrored.path, None)
    except BaseException:
        _remove(mirrored, plan)
        raise
    return mirrored


def _remove(mirrored: Mirrored, plan: MirrorPlan) -> None:
    """Ends a mirror, and removes its files: people name any number of addresses."""
    unregister_plan(mirrored, plan)
    shutil.rmtree(mirrored.mirror.folder.parent, ignore_errors=True)
