"""Runs that are compared: each from its store, or all of one server."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Protocol
from urllib.parse import urlsplit

from tilescope.cli.addresses import is_server_address
from tilescope.cli.option_words import option_words
from tilescope.cli.stores import local_store
from tilescope.tiler.errors import NoStore, NotAvailable, NotBuilt, UsageError

if TYPE_CHECKING:
    from tilescope.cli.server_run import ServerRun
    from tilescope.tiler.query import QueryReader
    from tilescope.tiler.tools import Answer, AnyTool
    from tilescope.tiler.tools.figure_text import Shown
    from tilescope.tiler.work_rules import WorkRules


class ComparedRuns(Protocol):
    """Runs by their numbers, which answer questions about themselves and about each other."""

    @property
    def tick_ps(self) -> Sequence[int]:
        """The length of a tick of each."""
        ...

    def ask(self, run: int, tool: AnyTool, values: Mapping[str, object], against: Sequence[int] = ()) -> Answer:
        """The answer of a tool; fields that are None are left out. Raises UsageError, NotAvailable, StoreErrors."""
        ...

    def shown(self, run: int) -> Shown:
        """Context that makes figures of a run readable."""
        ...


class StoredRuns:
    """Runs from their stores."""

    def __init__(self, readers: Sequence[QueryReader], places: Sequence[Path | str]) -> None:
        self._readers = readers
        self._places = places
        self.tick_ps: Sequence[int] = [reader.tick_ps for reader in readers]

    def ask(self, run: int, tool: AnyTool, values: Mapping[str, object], against: Sequence[int] = ()) -> Answer:
        from tilescope.tiler.query import finish
        from tilescope.tiler.store.validation import must_make_sense
        from tilescope.tiler.tools import BuildRef, Scope, ask, from_values, parameters

        others = {BuildRef(str(other)): self._readers[other] for other in against}
        named = {"against": list(others)} if others else {}
        with option_words(parameters(tool.question)):
            question = from_values(tool.question, {**values, **named})
            with must_make_sense(str(self._places[run])):
                return finish(ask(tool, Scope(self._readers[run], others), question))

    def shown(self, run: int) -> Shown:
        from tilescope.cli.spans import zero_of
        from tilescope.tiler.tools.figure_text import Shown, track_names

        reader = self._readers[run]
        names = track_names(reader.tree)
        return Shown(reader.tick_ps, lambda track: names.get(track, ""), zero_of(reader.manifest))


class RunsOfServer:
    """Runs of a server."""

    def __init__(self, runs: Sequence[ServerRun]) -> None:
        self._runs = runs
        self.tick_ps: Sequence[int] = [run.tick_ps for run in runs]

    def ask(self, run: int, tool: AnyTool, values: Mapping[str, object], against: Sequence[int] = ()) -> Answer:
        from tilescope.tiler.tools import text_of
        from tilescope.tiler.tools.argument_names import text_of_names

        fields = {name: text_of(value) for name, value in values.items() if value is not None}
        if against:
            fields["against"] = text_of_names(self._runs[other].ref for other in against)
        with _as_of_a_store():
            return self._runs[run].ask(tool, fields)

    def shown(self, run: int) -> Shown:
        from tilescope.tiler.tools.figure_text import Shown

        chosen = self._runs[run]
        return Shown(chosen.tick_ps, chosen.track_name, chosen.zero)


@contextmanager
def compared_runs(places: Sequence[Path | str], rules: WorkRules) -> Iterator[ComparedRuns]:
    """The runs at these places, until the block ends: stores and traces, or URLs of one server.

    Raises UsageError for runs that cannot be asked about each other; NotBuilt for one that is still being indexed;
    `TraceError`s, StoreErrors and `ClientError`s.
    """
    served = [place for place in places if isinstance(place, str) and is_server_address(place)]
    with ExitStack() as opened:
        if not served:
            yield StoredRuns([_reader(place, rules, opened) for place in places], places)
            return
        servers = {(parts.scheme, parts.netloc, parts.path.rstrip("/")) for parts in map(urlsplit, served)}
        if len(served) < len(places) or len(servers) > 1:
            raise UsageError("runs of a server are compared with runs of the same server: URL?run=ID for each")
        if rules.rules:
            raise UsageError("--work-rules has no effect: a server has those that it was started with")
        from tilescope.cli.server_run import server_run

        with _as_of_a_store():
            runs = [opened.enter_context(server_run(url)) for url in served]
        yield RunsOfServer(runs)


def _reader(place: Path | str, rules: WorkRules, opened: ExitStack) -> QueryReader:
    from tilescope.tiler.mount import open_run
    from tilescope.tiler.query import QueryReader
    from tilescope.tiler.store.build_lock import is_taken

    path = opened.enter_context(local_store(place))
    try:
        return QueryReader(opened.enter_context(closing(open_run(path))), rules)
    except NoStore:
        if is_taken(path):
            raise NotBuilt(f"{path}: the run is still being indexed") from None
        raise


@contextmanager
def _as_of_a_store() -> Iterator[None]:
    """Lets the refusals of a server be the errors that its store raises."""
    from tilescope.client import Refused

    try:
        yield
    except Refused as error:
        if error.code in ("not_indexed", "not_built_yet"):
            raise NotBuilt(str(error)) from None
        if error.code == "not_available":
            raise NotAvailable(str(error)) from None
        raise
