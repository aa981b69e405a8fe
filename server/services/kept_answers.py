"""Answers that were given, for those who ask the same again: those of finished builds stay as they are."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from typing import Final

# What an entry takes beside its bytes: keys and the places in the table.
_ENTRY_BYTES: Final = 1000


class KeptAnswers:
    """The answers that were asked for last, up to so many bytes."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._answers: OrderedDict[Hashable, bytes] = OrderedDict()
        self.size_bytes = 0

    def get(self, question: Hashable) -> bytes | None:
        """The answer, if it is still there."""
        answer = self._answers.get(question)
        if answer is not None:
            self._answers.move_to_end(question)
        return answer

    def keep(self, question: Hashable, answer: bytes) -> None:
        """Keeps an answer; those asked for longest ago are removed when there is no more room.

        One larger than the whole limit is not kept.
        """
        self._remove(question)
        if len(answer) + _ENTRY_BYTES > self._max_bytes:
            return
        self._answers[question] = answer
        self.size_bytes += len(answer) + _ENTRY_BYTES
        while self.size_bytes > self._max_bytes:
            self._remove(next(iter(self._answers)))

    def _remove(self, question: Hashable) -> None:
        answer = self._answers.pop(question, None)
        if answer is not None:
            self.size_bytes -= len(answer) + _ENTRY_BYTES
