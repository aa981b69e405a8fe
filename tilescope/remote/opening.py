"""Objects and places by their addresses, with the credentials of the environment."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, lru_cache, partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

from msgspec import structs

from tilescope.remote.address import Address, is_address
from tilescope.remote.allowed_prefixes import AllowedPrefixes
from tilescope.remote.single_place import SinglePlace
from tilescope.remote.tokens import tokens_by_origin
from tilescope.remote.web_blob import WebBlob
from tilescope.remote.web_requests import WebRequests
from tilescope.tiler.blobs import Blob, BlobPlace, BlobState, FileBlob, LocalPlace
from tilescope.tiler.blobs.blob_name import name_problem
from tilescope.tiler.errors import BlobMissing, UsageError

if TYPE_CHECKING:
    from urllib3 import PoolManager

_HOSTS: Final = 32  # whose connections are kept
_CONNECTIONS: Final = 8  # to one host: as many as are read ahead
_MOST_BUCKETS: Final = 64  # that are kept open
_USUAL_NAME: Final = "trace"  # of an object whose address ends in none


def open_blob(text: str) -> Blob:
    """The object at an address, or a local file. Asks nobody yet. Raises UsageError."""
    if not is_address(text):
        return FileBlob(Path(text))
    return _opener(Address.parse(text))(None)


def open_place(text: str) -> BlobPlace:
    """The place at an address, or a local folder. Asks nobody yet. Raises UsageError: web servers list nothing."""
    if not is_address(text):
        return LocalPlace(Path(text))
    address = Address.parse(text)
    if address.is_web:
        raise UsageError(f"{address.shown}: web servers do not list what they have: name a file")
    return _bucket(address)


def open_traces(text: str, prefixes: Sequence[str] = ()) -> tuple[BlobPlace, str]:
    """The place in which the traces at an address lie, and the name of the object, where it is the address of one.

    Asks the host of a bucket which it is. `prefixes`: below which an address must lie that others have given, redirects
    included; no token is used for it then. Raises UsageError and `BlobError`s.
    """
    address = Address.parse(text)
    if prefixes:
        AllowedPrefixes(prefixes).check(address)
    if not address.is_web:
        if not address.path or address.path.endswith("/"):
            return _bucket(address), ""
        try:
            _opener(address)(None).state()
        except BlobMissing:
            return _bucket(address), ""
    name = _USUAL_NAME if name_problem(address.name) is not None else address.name
    return SinglePlace(address.shown.rpartition("/")[0], name, _opener(address, prefixes)), name


def _opener(address: Address, prefixes: Sequence[str] = ()) -> Callable[[BlobState | None], Blob]:
    """Opens the object at an address, in a state that it must have."""
    if address.is_web:
        return partial(WebBlob, address, guarded_requests(tuple(prefixes)) if prefixes else web_requests(), None)
    folder, _, name = address.path.rpartition("/")
    if not name:
        raise UsageError(f"{address.shown}: this is a place: name an object in it")
    return partial(_bucket(structs.replace(address, path=folder)).open, name)


def web_requests() -> WebRequests:
    """Requests with the tokens of the environment. Raises UsageError."""
    return WebRequests(lambda _: _pool(), tokens_by_origin())


@cache
def guarded_requests(prefixes: tuple[str, ...]) -> WebRequests:
    """Requests for addresses that others have given, without tokens. Raises UsageError."""
    from tilescope.remote.guarded_pool import guarded_pool

    allowed, guarded = AllowedPrefixes(prefixes), guarded_pool()

    def pool(address: Address) -> PoolManager:
        allowed.check(address)
        return _pool() if allowed.may_be_private(address) else guarded

    return WebRequests(pool, None)


@lru_cache(_MOST_BUCKETS)  # people name any number of prefixes to a server
def _bucket(address: Address) -> BlobPlace:
    if find_spec("obstore") is None and find_spec("fsspec") is not None:
        from tilescope.remote.fsspec_bucket import FsspecBucket

        return FsspecBucket(address)
    from tilescope.remote.bucket import Bucket

    return Bucket(address)


@cache
def _pool() -> PoolManager:
    from tilescope.remote.steady_pool import steady_pool

    return steady_pool(_HOSTS, _CONNECTIONS)
