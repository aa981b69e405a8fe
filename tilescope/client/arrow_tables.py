"""Tables of answers in Arrow where both sides have pyarrow, else in JSON: the same values, several times as fast."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from importlib.util import find_spec

from tilescope.client.errors import Refused, whole
from tilescope.tiler.tools import Table
from tilescope.tiler.tools.answer_json import decode


class ArrowIfPossible:
    """Record of whether a server writes Arrow."""

    def __init__(self) -> None:
        self._is_possible = find_spec("pyarrow") is not None

    async def table(
        self, name: str, in_arrow: Callable[[], Awaitable[bytes]], in_json: Callable[[], Awaitable[bytes]]
    ) -> Table:
        """The table of that id, asked for in Arrow until a server refuses it. Raises `NotBuiltYet`."""
        if self._is_possible:
            from tilescope.tiler.tools.arrow import read_stream

            try:
                return read_stream(await in_arrow(), name)
            except Refused as refused:
                if refused.code != "not_acceptable":
                    raise
                self._is_possible = False
        return whole(decode(await in_json())).table(name)
