"""The protocol's session manager, open as long as the application: each request is answered by itself, in JSON."""

from __future__ import annotations

from collections.abc import AsyncIterator

from aiohttp import web
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

from tilescope.mcp.links import LinkTarget, server_link
from tilescope.mcp.protocol import protocol_server
from tilescope.mcp.runs import AgentClient, AgentRuns, RunPlace
from tilescope.server.agents.asgi import asgi_answer
from tilescope.server.agents.served_runs import CALLER, Caller, ServedRuns
from tilescope.server.errors import message_of
from tilescope.server.keys import QUESTIONS, REGISTRY, SETTINGS, STATEMENTS
from tilescope.server.services import Asker

_HERE = "this server"


class Agents:
    """Answers requests of the protocol while the application runs. The server's guard has decided who may ask."""

    def __init__(self, served: ServedRuns, base_path: str, *, allows_sql: bool) -> None:
        self._served = served
        self._base_path = base_path
        self._runs = AgentRuns([RunPlace(_HERE, self._client, _link, is_server=True)], allows_sql)
        server = protocol_server(self._runs, message_of)
        self._manager = StreamableHTTPSessionManager(server, json_response=True, stateless=True)

    async def answer(self, request: web.Request) -> web.Response:
        """One message of the protocol, and its answer."""
        address = f"{request.scheme}://{request.host}{self._base_path}/"  # by which the server was reached
        CALLER.set(Caller(Asker(request.remote or "", request.protocol), address))
        return await asgi_answer(self._manager.handle_request, request)

    async def opened(self, _app: web.Application) -> AsyncIterator[None]:
        """For the application's `cleanup_ctx`."""
        async with self._runs, self._manager.run():
            yield

    async def _client(self) -> AgentClient:
        return self._served


def _link(run: str, place: LinkTarget) -> str:
    return server_link(CALLER.get().address, run, place)


def add_agents(app: web.Application) -> None:
    """Has an application answer agents at `/mcp`."""
    settings = app[SETTINGS]
    base_path = settings.base_path
    served = ServedRuns(app[REGISTRY], app[QUESTIONS], app[STATEMENTS])
    agents = Agents(served, base_path, allows_sql=settings.sql.is_allowed)
    app.router.add_post(f"{base_path}/mcp", agents.answer)
    app.cleanup_ctx.append(agents.opened)
