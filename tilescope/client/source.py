"""Sources of answers: a server, or a store on this machine. All give the same ones."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol

from tilescope.tiler import tools
from tilescope.tiler.pages import PageKey
from tilescope.tiler.tools import Answer, Table, Tracks

if TYPE_CHECKING:
    from tilescope.tiler.sql import SqlAnswer

NO_SQL_THERE: Final = "SQL is for HTTP: connect to https://…, or to the store itself"


class Build(NamedTuple):
    """An index of a run: what every question is about."""

    run: str
    id: str


# What a field of a question may be; tracks are numbers.
Value = int | str | Sequence[int]


class RunSource(Protocol):
    """Answers about runs that are named, as docs/api.md has them, decoded from JSON; shapes and pages as stored.

    Raises `ClientError`s, `StoreError`s and `UsageError`s.
    """

    async def manifest(self, run: str) -> dict[str, Any]: ...

    async def tracks(self, build: Build) -> dict[str, Any]: ...

    async def names(self, build: Build, page: int) -> list[list[str]]: ...

    async def shape(self, build: Build, block: int) -> bytes: ...

    def pages(self, build: Build, keys: Sequence[PageKey]) -> AsyncIterator[tuple[PageKey, bytes]]:
        """The pages in the order of the keys; one that is named twice comes twice."""

    async def attachments(self, build: Build) -> list[dict[str, Any]]: ...

    def attachment(self, build: Build, number: int) -> AsyncGenerator[bytes, None]:
        """The content of the attachment of that id, piece by piece."""

    async def event(self, build: Build, track: int, ordinal: int) -> dict[str, Any]: ...

    async def tools(self, build: Build) -> list[dict[str, Any]]:
        """All tools: which have an answer for the run, and the names of the fields of their questions."""
        ...

    async def ask(self, build: Build, tool: str, values: Mapping[str, Value]) -> Answer:
        """Returns the answer of a tool. Raises `Refused` for a tool that is not there."""
        ...

    async def table(self, build: Build, tool: str, values: Mapping[str, Value], name: str) -> Table:
        """One table of an answer, in whatever form it travels fastest. Raises as `ask`."""
        ...

    async def sql(self, build: Build, statement: str, rows: int) -> SqlAnswer:
        """Returns the first `rows` of a statement. Raises UsageError where there is no SQL."""
        ...

    def ref(self, build: Build) -> str:
        """Text that names a build in a question to another one, for a comparison."""
        ...


class Source(RunSource, Protocol):
    """The same with the list of runs."""

    @property
    def place(self) -> str:
        """Name of the server or the path of the store, for people."""
        ...

    async def runs(self) -> list[dict[str, Any]]: ...

    async def index(self, run: str) -> dict[str, Any]:
        """Has a run indexed; the run as it is now."""
        ...

    def watch(self, run: str) -> AsyncGenerator[dict[str, Any], None]:
        """The messages of the watch, up to the first `ready` or `failed`."""

    async def close(self) -> None: ...


def text_of(value: Value) -> str:
    """A field of a question as it stands in a URL."""
    return tools.text_of(value if isinstance(value, int | str) else Tracks.from_numbers(value))


def ref_of(build: Build) -> str:
    """Text that names a build to a server."""
    return f"{build.run}/{build.id}"


def key_lists(keys: Sequence[PageKey], at_most: int) -> Iterator[list[PageKey]]:
    """The keys in lists of at most so many, none of them twice in one: a server sends each page of a list once."""
    part: dict[PageKey, None] = {}
    for key in keys:
        if key in part or len(part) == at_most:
            yield list(part)
            part = {}
        part[key] = None
    if part:
        yield list(part)
