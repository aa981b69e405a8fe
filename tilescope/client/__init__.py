"""The Python client: runs of a server, or of a store on this machine, for notebooks and programs."""

from tilescope.client.aio import AsyncClient, AsyncRun
from tilescope.client.answers import FindAnswer, StatsAnswer, Sums
from tilescope.client.connection import connect, connect_async
from tilescope.client.errors import ClientError, Refused, Unreachable
from tilescope.client.progress import Progress
from tilescope.client.sync import Client, Run
from tilescope.client.tables import Table
from tilescope.client.tracks import Track
from tilescope.client.view import RunView

__all__ = [
    "AsyncClient",
    "AsyncRun",
    "Client",
    "ClientError",
    "FindAnswer",
    "Progress",
    "Refused",
    "Run",
    "RunView",
    "StatsAnswer",
    "Sums",
    "Table",
    "Track",
    "Unreachable",
    "connect",
    "connect_async",
]
