"""Addresses that a browser has the server open."""

from __future__ import annotations

from aiohttp import web

from tilescope.server.errors import Forbidden
from tilescope.server.guard.own_pages import check_json, check_own_page
from tilescope.server.http.bodies import decoded_body
from tilescope.server.http.caching import JSON, unkept
from tilescope.server.json_text import json_body
from tilescope.server.keys import ADDRESSES, REGISTRY
from tilescope.server.paths import API
from tilescope.tiler.schema import AddressOrder, OpenedAddress

routes = web.RouteTableDef()


@routes.post(API + "/addresses")
async def open_address(request: web.Request) -> web.Response:
    """Opens an address below the prefixes of the server, and has its runs indexed."""
    check_own_page(request, "addresses")
    check_json(request)
    opened = request.app.get(ADDRESSES)
    if opened is None:
        raise Forbidden("this server opens no addresses: start it with --allow-open-url PREFIX")
    order = await decoded_body(request, AddressOrder, "the order of an address makes no sense")
    runs = await opened.open(order.address.strip(), request.app[REGISTRY])
    return unkept(json_body(OpenedAddress(runs=runs)), JSON)
