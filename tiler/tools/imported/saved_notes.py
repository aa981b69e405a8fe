"""Notes on an answer that is made of a saved page."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from tilescope.tiler.tools.answer import Note
from tilescope.tiler.tools.imported.page_tables import PageTables
from tilescope.tiler.tools.question import FigureQuestion

SAVED: Final = Note("info", "figures are as the saved file has them: there is no trace to compare them with")
_MOST_WARNINGS: Final = 20


def saved_notes(question: FigureQuestion, left_out: Iterable[str] = ()) -> list[Note]:
    """Notes that figures are those of the file, and all of it; `left_out` says what is not shown."""
    notes = [SAVED]
    if any(bound is not None for bound in (question.start, question.end, question.steps, question.tracks)):
        notes.append(Note("warning", "the file has no timeline: figures are of all that was captured"))
    return [*notes, *(Note("warning", words) for words in left_out)]


def stated_notes(page: PageTables, sentences: Iterable[str]) -> list[Note]:
    """Sentences of the file by the names of its properties, then its warnings."""
    stated = dict.fromkeys(words for words in (page.words(name) for name in sentences) if words)
    warnings = page.with_column("message").texts("message")[:_MOST_WARNINGS]
    return [Note("info", f"the file says: {words}") for words in (*stated, *warnings) if words]
