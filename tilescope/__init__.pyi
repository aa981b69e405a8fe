"""What `tilescope` offers, for type checkers and editors; `__init__.py` loads it when it is asked for."""

from tilescope.client import (
    AnswerTable as AnswerTable,
)
from tilescope.client import (
    Argument as Argument,
)
from tilescope.client import (
    AsyncClient as AsyncClient,
)
from tilescope.client import (
    AsyncRun as AsyncRun,
)
from tilescope.client import (
    AttachmentEntry as AttachmentEntry,
)
from tilescope.client import (
    CallStack as CallStack,
)
from tilescope.client import (
    Client as Client,
)
from tilescope.client import (
    ClientError as ClientError,
)
from tilescope.client import (
    Event as Event,
)
from tilescope.client import (
    EventKind as EventKind,
)
from tilescope.client import (
    FindAnswer as FindAnswer,
)
from tilescope.client import (
    FlowPartner as FlowPartner,
)
from tilescope.client import (
    Match as Match,
)
from tilescope.client import (
    Phase as Phase,
)
from tilescope.client import (
    Progress as Progress,
)
from tilescope.client import (
    Refused as Refused,
)
from tilescope.client import (
    Run as Run,
)
from tilescope.client import (
    RunInfo as RunInfo,
)
from tilescope.client import (
    RunState as RunState,
)
from tilescope.client import (
    RunView as RunView,
)
from tilescope.client import (
    SearchAnswer as SearchAnswer,
)
from tilescope.client import (
    StatsAnswer as StatsAnswer,
)
from tilescope.client import (
    Sums as Sums,
)
from tilescope.client import (
    Table as Table,
)
from tilescope.client import (
    Time as Time,
)
from tilescope.client import (
    ToolAnswer as ToolAnswer,
)
from tilescope.client import (
    ToolEntry as ToolEntry,
)
from tilescope.client import (
    Track as Track,
)
from tilescope.client import (
    TrackKind as TrackKind,
)
from tilescope.client import (
    TrackList as TrackList,
)
from tilescope.client import (
    Tracks as Tracks,
)
from tilescope.client import (
    Unreachable as Unreachable,
)
from tilescope.client import (
    connect as connect,
)
from tilescope.client import (
    connect_async as connect_async,
)
from tilescope.client import (
    index as index,
)
from tilescope.profiling import (
    Profile as Profile,
)
from tilescope.profiling import (
    RecordingFailed as RecordingFailed,
)
from tilescope.profiling import (
    profile as profile,
)
from tilescope.tiler.errors import (
    Cancelled as Cancelled,
)
from tilescope.tiler.errors import (
    ChangedTrace as ChangedTrace,
)
from tilescope.tiler.errors import (
    DamagedStore as DamagedStore,
)
from tilescope.tiler.errors import (
    DamagedTrace as DamagedTrace,
)
from tilescope.tiler.errors import (
    DiskFull as DiskFull,
)
from tilescope.tiler.errors import (
    FormatFailed as FormatFailed,
)
from tilescope.tiler.errors import (
    NoStore as NoStore,
)
from tilescope.tiler.errors import (
    NotBuilt as NotBuilt,
)
from tilescope.tiler.errors import (
    OutOfMemory as OutOfMemory,
)
from tilescope.tiler.errors import (
    StoreError as StoreError,
)
from tilescope.tiler.errors import (
    StoreVersion as StoreVersion,
)
from tilescope.tiler.errors import (
    TilescopeError as TilescopeError,
)
from tilescope.tiler.errors import (
    TooLarge as TooLarge,
)
from tilescope.tiler.errors import (
    TooMany as TooMany,
)
from tilescope.tiler.errors import (
    TraceError as TraceError,
)
from tilescope.tiler.errors import (
    UnknownFormat as UnknownFormat,
)
from tilescope.tiler.errors import (
    UsageError as UsageError,
)

__version__: str

__all__ = [
    "AnswerTable",
    "Argument",
    "AsyncClient",
    "AsyncRun",
    "AttachmentEntry",
    "CallStack",
    "Cancelled",
    "ChangedTrace",
    "Client",
    "ClientError",
    "DamagedStore",
    "DamagedTrace",
    "DiskFull",
    "Event",
    "EventKind",
    "FindAnswer",
    "FlowPartner",
    "FormatFailed",
    "Match",
    "NoStore",
    "NotBuilt",
    "OutOfMemory",
    "Phase",
    "Profile",
    "Progress",
    "RecordingFailed",
    "Refused",
    "Run",
    "RunInfo",
    "RunState",
    "RunView",
    "SearchAnswer",
    "StatsAnswer",
    "StoreError",
    "StoreVersion",
    "Sums",
    "Table",
    "TilescopeError",
    "Time",
    "TooLarge",
    "TooMany",
    "ToolAnswer",
    "ToolEntry",
    "TraceError",
    "Track",
    "TrackKind",
    "TrackList",
    "Tracks",
    "UnknownFormat",
    "Unreachable",
    "UsageError",
    "__version__",
    "connect",
    "connect_async",
    "index",
    "profile",
]
