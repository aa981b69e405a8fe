"""Kept answers of tools: as many as the manifest names, each of them JSON."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.records.answers import ANSWERS
from tilescope.tiler.records.record import Record
from tilescope.tiler.schema import ToolAnswer
from tilescope.tiler.store.store import Store, unexpected
from tilescope.tiler.verify.page_reader import inflate
from tilescope.tiler.verify.prover import Take


class AnswerCheck:
    """Takes all answers in the order of their keys."""

    def __init__(self, store: Store) -> None:
        """Raises DamagedStore."""
        self._location = store.location
        self._tools = store.internals().get("answers", [])
        if not isinstance(self._tools, list) or not all(isinstance(tool, str) for tool in self._tools):
            raise DamagedStore(f"{self._location}: the manifest's list of answers is damaged")
        self._count = 0

    @property
    def takes(self) -> Mapping[Record, Take]:
        """Its kind of records."""
        return {ANSWERS: self.take}

    def take(self, key: bytes, value: bytes) -> None:
        """Checks a record. Raises DamagedStore."""
        if key != ANSWERS.key(self._count) or self._count >= len(self._tools):
            raise unexpected(self._location, key)
        try:
            msgspec.json.decode(inflate(value), type=ToolAnswer)
        except (msgspec.MsgspecError, DamagedStore) as error:
            what = f"the answer of {self._tools[self._count]} is damaged: {error}"
            raise DamagedStore(f"{self._location}: {what}") from error
        self._count += 1

    def finish(self) -> None:
        """Raises DamagedStore where an answer is missing."""
        if self._count < len(self._tools):
            raise DamagedStore(f"{self._location}: the answer of {self._tools[self._count]} is missing")
