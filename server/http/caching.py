"""Answers that may be kept, and the question whether the client's copy is still good.

Immutable answers have the build in their path, so their strong ETag is made of the build and the path and nothing is
hashed. What is computed of a build may change with the software, which is why its ETag names that, too. A gzip member
is sent as it is where `Accept-Encoding` takes it, else inflated, under an ETag of its own.
"""

from __future__ import annotations

import hashlib
from http import HTTPStatus
from typing import Final

from aiohttp import hdrs, web
from aiohttp.helpers import ETAG_ANY, ETag

from tilescope.server.errors import PreconditionFailed
from tilescope.server.http.content_coding import GZIP, inflated, takes_gzip
from tilescope.server.http.ranges import ByteRange, parse_range

IMMUTABLE: Final = "public, max-age=31536000, immutable"
REVALIDATE: Final = "no-cache"
UNKEPT: Final = "no-store"
BINARY: Final = "application/octet-stream"
JSON: Final = "application/json"


async def immutable(request: web.Request, body: bytes, etag: str, content_type: str, *, gzip: bool) -> web.Response:
    """A resource of a build: it may be kept for ever."""
    return await _response(request, body, etag, content_type, IMMUTABLE, gzip=gzip)


def immutable_if_kept(request: web.Request, etag: str) -> web.Response | None:
    """The same where the client has it already, before it is made; None where it has to be made."""
    return _still_good(request, etag, IMMUTABLE, gzip=False)


async def computed(request: web.Request, body: bytes, etag: str, content_type: str, *, gzip: bool) -> web.Response:
    """A response that this version of the software computes from a build: kept, but validated before each use."""
    return await _response(request, body, etag, content_type, REVALIDATE, gzip=gzip)


def computed_if_kept(request: web.Request, etag: str, *, gzip: bool) -> web.Response | None:
    """The same where the client has it already, before it is computed; None where it has to be computed."""
    return _still_good(request, _tag(request, etag, gzip=gzip), REVALIDATE, gzip=gzip)


def immutable_part(
    request: web.Request, etag: str, content_type: str, size_bytes: int
) -> tuple[web.StreamResponse, ByteRange]:
    """The head of an answer that is streamed, and which of its bytes are wanted, as a `Range` header may say."""
    headers = _headers(etag, IMMUTABLE) | {hdrs.CONTENT_TYPE: content_type}
    part = _wanted(request, etag, size_bytes)
    if part is None:
        answer = web.StreamResponse(headers=headers)
        answer.content_length = size_bytes
        return answer, ByteRange(0, size_bytes)
    headers[hdrs.CONTENT_RANGE] = part.content_range(size_bytes)
    if part.start >= part.end:
        del headers[hdrs.CONTENT_TYPE]
        return web.Response(status=HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE, headers=headers), part
    answer = web.StreamResponse(status=HTTPStatus.PARTIAL_CONTENT, headers=headers)
    answer.content_length = part.end - part.start
    return answer, part


async def revalidated(request: web.Request, body: bytes, content_type: str, *, gzip: bool = False) -> web.Response:
    """A resource that may change: to be kept, and asked for again each time."""
    return await _response(request, body, content_hash(body), content_type, REVALIDATE, gzip=gzip)


def unkept(body: bytes, content_type: str) -> web.Response:
    """A resource that is about to change: not to be kept, and without a tag by which it could be known again."""
    return web.Response(body=body, headers={hdrs.CONTENT_TYPE: content_type, hdrs.CACHE_CONTROL: UNKEPT})


async def unkept_member(request: web.Request, member: bytes, content_type: str) -> web.Response:
    """The same of a gzip member."""
    body = member if takes_gzip(request) else await inflated(member, request.path)
    answer = unkept(body, content_type)
    answer.headers.update(_coding(request, gzip=True))
    return answer


def content_hash(body: bytes) -> str:
    """An ETag from the bytes themselves."""
    return hashlib.sha256(body).hexdigest()[:32]


async def _response(
    request: web.Request, body: bytes, etag: str, content_type: str, caching: str, *, gzip: bool
) -> web.Response:
    tag = _tag(request, etag, gzip=gzip)
    kept = _still_good(request, tag, caching, gzip=gzip)
    if kept is not None:
        return kept
    if gzip and not takes_gzip(request):
        body = await inflated(body, request.path)
    headers = _headers(tag, caching) | _coding(request, gzip=gzip) | {hdrs.CONTENT_TYPE: content_type}
    return _part(request, body, tag, headers) or web.Response(body=body, headers=headers)


def _tag(request: web.Request, etag: str, *, gzip: bool) -> str:
    """The tag of what this client gets: other bytes have another one."""
    return f"{etag}-plain" if gzip and not takes_gzip(request) else etag


def _coding(request: web.Request, *, gzip: bool) -> dict[str, str]:
    headers: dict[str, str] = {}
    if gzip:
        headers[hdrs.VARY] = hdrs.ACCEPT_ENCODING
    if gzip and takes_gzip(request):
        headers[hdrs.CONTENT_ENCODING] = GZIP
    return headers


def _still_good(request: web.Request, etag: str, caching: str, *, gzip: bool) -> web.Response | None:
    """The answer to a client whose copy has this tag; None when it has none. Raises `PreconditionFailed`."""
    if not _is_as_expected(request, etag):
        raise PreconditionFailed(f"{request.path} is not what If-Match names")
    if not _is_current(request, etag):
        return None
    headers = _headers(etag, caching)
    if gzip:
        headers[hdrs.VARY] = hdrs.ACCEPT_ENCODING
    return web.Response(status=HTTPStatus.NOT_MODIFIED, headers=headers)


def _headers(etag: str, caching: str) -> dict[str, str]:
    return {hdrs.CACHE_CONTROL: caching, hdrs.ETAG: f'"{etag}"', hdrs.ACCEPT_RANGES: "bytes"}


def _part(request: web.Request, body: bytes, etag: str, headers: dict[str, str]) -> web.Response | None:
    """The answer to a `Range` header; None when the whole body is to be sent."""
    part = _wanted(request, etag, len(body))
    if part is None:
        return None
    headers = headers | {hdrs.CONTENT_RANGE: part.content_range(len(body))}
    if part.start >= part.end:
        del headers[hdrs.CONTENT_TYPE]
        headers.pop(hdrs.CONTENT_ENCODING, None)
        return web.Response(status=HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE, headers=headers)
    return web.Response(status=HTTPStatus.PARTIAL_CONTENT, body=body[part.start : part.end], headers=headers)


def _wanted(request: web.Request, etag: str, size_bytes: int) -> ByteRange | None:
    if request.method != hdrs.METH_GET or request.headers.get(hdrs.IF_RANGE, f'"{etag}"') != f'"{etag}"':
        return None
    return parse_range(request.headers.get(hdrs.RANGE), size_bytes)


def _is_as_expected(request: web.Request, etag: str) -> bool:
    expected: tuple[ETag, ...] | None = request.if_match
    # Strong comparison, as RFC 9110 wants it for If-Match.
    return expected is None or any(not tag.is_weak and tag.value in (etag, ETAG_ANY) for tag in expected)


def _is_current(request: web.Request, etag: str) -> bool:
    # Weak comparison, as RFC 9110 wants it for If-None-Match: a proxy that re-compresses makes our strong tags weak.
    held: tuple[ETag, ...] = request.if_none_match or ()
    return any(tag.value in (etag, ETAG_ANY) for tag in held)
