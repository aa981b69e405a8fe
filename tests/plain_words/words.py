"""Words that name nothing, openings that do not say what a thing is, module names that do not say what is inside.

A reader meets a name far from where it is bound: `of`, `found` and `one` have them look for its meaning, a noun of the
field gives it.
"""

from __future__ import annotations

from typing import Final

# No variable, parameter, attribute, function or class has one of these names, with or without underscores around it.
NAMES: Final = frozenset({"of", "found", "one", "some", "told", "said", "asked", "known", "looked", "at"})

# No docstring begins with one of these: it begins with the thing, "Rows of …", "Returns …", "Index of a track's steps".
OPENINGS: Final = frozenset({"What", "How", "Which", "Whether", "Where", "When", "Who", "Why", "Of", "Those"})

# No module and no folder has one of these names. Those of tests follow the modules that they test.
MODULES: Final = NAMES | frozenset(
    {
        "ahead",
        "apart",
        "asking",
        "book",
        "chosen",
        "deeds",
        "doomed",
        "first_look",
        "foreign",
        "guide",
        "instruments",
        "lasting",
        "late",
        "learnt",
        "leave",
        "members",
        "patience",
        "places",
        "room",
        "sense",
        "set_aside",
        "several",
        "showing",
        "spoken",
        "strangers",
        "ties",
        "told_taker",
        "track_deeds",
        "turn",
        "turns",
        "use",
        "wishes",
    }
)

# Names that others rely on, by file and name: those of public interfaces, of pages and of what is stored.
EXEMPT: Final[dict[tuple[str, str], str]] = {
    ("tiler/query/names.py", "of"): "Names.of: tools of other packages call it",
    ("tiler/readers/room.py", "room"): "format packages written for 0.2.0 import `Room` from it",
    ("tiler/tools/looked.py", "looked"): "module of Looked: tools of other packages import it",
    ("tiler/tools/question.py", "known"): "Question.known: tools of other packages call it",
    ("tiler/tools/question.py", "of"): "Tracks.of: tools of other packages call it",
    ("tiler/tools/question_windows.py", "of"): "QuestionWindows.of: tools of other packages call it",
    ("tiler/tools/scope.py", "of"): "Scope.of: tools of other packages call it",
    ("tiler/tools/step_range.py", "of"): "StepRange.of: tools of other packages call it",
    ("tiler/windows.py", "of"): "Windows.of: tools of other packages call it",
    ("tiler/windows.py", "one"): "Windows.one: tools of other packages call it",
    ("tilescope/client/answers.py", "of"): "a public class method in 0.2.0",
    ("tilescope/client/event.py", "of"): "a public class method in 0.2.0",
    ("tilescope/client/runs.py", "of"): "a public class method in 0.2.0",
}
