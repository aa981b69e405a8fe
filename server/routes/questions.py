"""Questions about a build: statistics, search and the events of a span, as JSON."""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable

from aiohttp import web

from tilescope.server.caching import JSON
from tilescope.server.errors import BadRequest
from tilescope.server.keys import QUESTIONS
from tilescope.server.paths import BUILD
from tilescope.server.routes.resource import kept_member, store_of, stored_member
from tilescope.server.services import Asker
from tilescope.server.services.members import events_member, json_member
from tilescope.server.services.requests import (
    DEFAULT_ROWS,
    MAX_EVENTS,
    MAX_TRACKS,
    MAX_TRACKS_TEXT,
    EventsRequest,
    StatsRequest,
    check_limit,
    find_query,
    parse_place,
)
from tilescope.server.services.workers import Asking
from tilescope.tiler.query import Place

routes = web.RouteTableDef()


@routes.get(BUILD + "/stats")
async def get_stats(request: web.Request) -> web.StreamResponse:
    """What a span is made of, name by name."""
    query = _Query(request, "tracks", "start", "end", "limit")
    asked = StatsRequest(query.tracks(), query.tick("start"), query.tick("end"), query.limit(DEFAULT_ROWS))
    questions = request.app[QUESTIONS]
    return await _answer(
        request, "stats", lambda asking, run, build: questions.stats(asking, run, build, asked, json_member)
    )


@routes.get(BUILD + "/find")
async def get_found(request: web.Request) -> web.StreamResponse:
    """Where a name occurs."""
    query = _Query(request, "text", "match", "tracks", "start", "end", "limit", "after")
    asked = find_query(
        query.text("text", ""),
        query.text("match", "contains"),
        query.tracks(),
        query.tick("start"),
        query.tick("end"),
        query.limit(DEFAULT_ROWS),
        query.place(),
    )
    questions = request.app[QUESTIONS]
    return await _answer(
        request, "find", lambda asking, run, build: questions.find(asking, run, build, asked, json_member)
    )


@routes.get(BUILD + "/events")
async def get_events(request: web.Request) -> web.StreamResponse:
    """The events of a span, as columns."""
    query = _Query(request, "tracks", "start", "end", "limit", "after")
    limit = query.limit(DEFAULT_ROWS)
    check_limit(limit, MAX_EVENTS)
    asked = EventsRequest(query.tracks(), query.tick("start"), query.tick("end"), query.place())
    questions = request.app[QUESTIONS]
    return await _answer(
        request, "events", lambda asking, run, build: questions.events(asking, run, build, asked, limit, events_member)
    )


async def _answer(
    request: web.Request, kind: str, ask: Callable[[Asking, str, str], Awaitable[bytes]]
) -> web.StreamResponse:
    """Nothing is asked when the client has the answer already. The question has its place until the answer is taken."""
    name = f"{kind}-{hashlib.sha256(request.query_string.encode()).hexdigest()[:16]}"
    kept = kept_member(request, await store_of(request), name)
    if kept is not None:
        return kept
    with request.app[QUESTIONS].asking(Asker(request.remote or "", request.protocol)) as asking:
        body = await ask(asking, request.match_info["run"], request.match_info["build"])
        answer = stored_member(request, await store_of(request), body, name, JSON)
        await answer.prepare(request)
        await answer.write_eof()
    return answer


class _Query:
    """The query string, parsed strictly: what is misspelt is not ignored."""

    def __init__(self, request: web.Request, *known: str) -> None:
        self._values = request.query
        for name in self._values:
            if name not in known:
                raise BadRequest(f"there is no parameter {name!r}: there are {', '.join(known)}")
            if len(self._values.getall(name)) > 1:
                raise BadRequest(f"{name} stands in the query twice")

    def text(self, name: str, default: str) -> str:
        return self._values.get(name, default)

    def tick(self, name: str) -> int | None:
        text = self._values.get(name)
        if text is None:
            return None
        if not (text.removeprefix("-").isdecimal() and text.isascii() and len(text) <= 20):
            raise BadRequest(f"{name} is a number of ticks, not {text!r}")
        return int(text)

    def limit(self, default: int) -> int:
        text = self._values.get("limit")
        if text is None:
            return default
        if not (text.isdecimal() and text.isascii() and len(text) <= 9):
            raise BadRequest(f"limit is a number of rows, not {text!r}")
        return int(text)

    def place(self) -> Place | None:
        text = self._values.get("after")
        return None if text is None else parse_place(text)

    def tracks(self) -> list[int] | None:
        """`1,5,8-12`; an empty text is no track at all."""
        text = self._values.get("tracks")
        if not text:
            return None if text is None else []
        if len(text) > MAX_TRACKS_TEXT:
            raise BadRequest(f"tracks are named in at most {MAX_TRACKS_TEXT:,} characters: name ranges, or a rollup")
        tracks: list[int] = []
        for part in text.split(","):
            first, _, last = part.partition("-")
            numbers = (first, last or first)
            if not all(number.isdecimal() and number.isascii() and len(number) <= 10 for number in numbers):
                raise BadRequest(f"tracks are numbers and ranges, as in 1,5,8-12, not {part[:40]!r}")
            low, high = map(int, numbers)
            if high < low or high - low >= MAX_TRACKS or len(tracks) > MAX_TRACKS:
                raise BadRequest(f"tracks are at most {MAX_TRACKS:,} in ascending ranges")
            tracks.extend(range(low, high + 1))
        return tracks
