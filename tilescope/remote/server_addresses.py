"""Addresses of Tilescope's own servers, told from those of objects."""

from __future__ import annotations

from typing import Final

import msgspec
from msgspec import structs

from tilescope.remote.address import Address
from tilescope.remote.opening import web_requests
from tilescope.remote.progress import DrippingHost
from tilescope.remote.web_requests import PassingError
from tilescope.tiler.errors import BlobError
from tilescope.tiler.schema import Health

_MOST_BYTES: Final = 10_000


def is_server(address: Address) -> bool:
    """True where `/healthz` below a web address is Tilescope's, or the host does not answer: then nothing else is.

    Waits for the host, unless the address ends in a slash or is a host alone: no object is called so.
    """
    if not address.is_web:
        return False
    if not address.path or address.path.endswith("/"):
        return True
    health = structs.replace(address, path=f"{address.path}/healthz", query="")
    from urllib3.exceptions import HTTPError

    try:
        response = web_requests().get(health, {})
    except PassingError:
        return True
    except BlobError:
        return False
    try:
        msgspec.json.decode(response.read(_MOST_BYTES), type=Health)
    except (msgspec.DecodeError, HTTPError, OSError, DrippingHost):  # or it breaks off
        return False
    finally:
        response.close()
    return True
