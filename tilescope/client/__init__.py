"""The Python client: runs of a server, or of a store on this machine, for notebooks and programs."""

from tilescope.client.aio import AsyncRun
from tilescope.client.answers import AnswerTable, FindAnswer, SearchAnswer, StatsAnswer, Sums, ToolAnswer
from tilescope.client.async_client import AsyncClient
from tilescope.client.connection import connect, connect_async
from tilescope.client.errors import ClientError, NotBuiltYet, Refused, Unreachable
from tilescope.client.event import Argument, CallStack, Event, FlowPartner
from tilescope.client.indexing import index
from tilescope.client.kinds import EventKind, Match, Phase, RunState, TrackKind
from tilescope.client.progress import Progress
from tilescope.client.runs import RunInfo
from tilescope.client.sync import Client, Run
from tilescope.client.tables import Table
from tilescope.client.times import Time
from tilescope.client.tracks import Track, TrackList, Tracks
from tilescope.client.view import RunView
from tilescope.tiler.schema import ToolEntry
from tilescope.tiler.store.attachments import AttachmentEntry

__all__ = [
    "AnswerTable",
    "Argument",
    "AsyncClient",
    "AsyncRun",
    "AttachmentEntry",
    "CallStack",
    "Client",
    "ClientError",
    "Event",
    "EventKind",
    "FindAnswer",
    "FlowPartner",
    "Match",
    "NotBuiltYet",
    "Phase",
    "Progress",
    "Refused",
    "Run",
    "RunInfo",
    "RunState",
    "RunView",
    "SearchAnswer",
    "StatsAnswer",
    "Sums",
    "Table",
    "Time",
    "ToolAnswer",
    "ToolEntry",
    "Track",
    "TrackKind",
    "TrackList",
    "Tracks",
    "Unreachable",
    "connect",
    "connect_async",
    "index",
]
