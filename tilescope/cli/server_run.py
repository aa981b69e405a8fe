"""A run of a server, of which a command asks what it else asks of a store."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

from tilescope.cli.option_words import option_words
from tilescope.cli.spans import zero_of
from tilescope.client import Run, connect
from tilescope.remote import Address
from tilescope.tiler.query import TrackTree
from tilescope.tiler.schema import RunManifest
from tilescope.tiler.store.attachments import AttachmentEntry
from tilescope.tiler.tools import Answer, AnyTool, parameters

if TYPE_CHECKING:
    from tilescope.tiler.sql import SqlAnswer


class ServerRun:
    """A run that a server has indexed. Its methods raise `ClientError`s."""

    def __init__(self, run: Run, server: str) -> None:
        self._run = run
        self.place = f"{run.name} at {server}"
        self.tick_ps = run.tick_ps
        self.zero = zero_of(RunManifest.from_json(run.manifest))
        self._names: dict[int, str] | None = None

    @property
    def manifest(self) -> dict[str, Any]:
        """The manifest of docs/api.md."""
        return self._run.manifest

    @property
    def ref(self) -> str:
        """Its name in questions to other runs of the server."""
        return self._run.ref

    def tree(self) -> TrackTree:
        """Groups and tracks."""
        return self._run.tree()

    def attachments(self) -> Sequence[AttachmentEntry]:
        """Attachments of the trace."""
        return self._run.attachments()

    def ask(self, tool: AnyTool, values: Mapping[str, str]) -> Answer:
        """The answer of a tool. Raises UsageError too, in the words of its options."""
        with option_words(parameters(tool.question)):
            return self._run.ask(tool.id, **values).answer

    def sql(self, statement: str, rows: int) -> SqlAnswer:
        """The first rows of a statement. Raises UsageError, too."""
        return self._run.sql_answer(statement, rows)

    def track_name(self, number: int) -> str:
        """The process and the name of a track; nothing for one that is not there."""
        if self._names is None:
            self._names = {track.id: f"{''.join(track.path[-1:])} › {track.name}" for track in self._run.tracks()}
        return self._names.get(number, "")


@contextmanager
def server_run(url: str) -> Iterator[ServerRun]:
    """The run that a URL of a server names (`?run=`), else its newest, until the block ends.

    Raises UsageError and `ClientError`s.
    """
    name = parse_qs(urlsplit(url).query).get("run", [None])[0]
    server = Address.parse(url).origin
    with connect(url) as client:
        yield ServerRun(client.run(name), server)
