"""A tool: one registration from which every transport, the clients, the command line and the docs are made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

from tilescope.tiler.query import Interruptible
from tilescope.tiler.tools.answer import Answer
from tilescope.tiler.tools.contract import NOTHING_PROMISED, Contract
from tilescope.tiler.tools.digest import Digest
from tilescope.tiler.tools.lane import LaneSource
from tilescope.tiler.tools.parameters import parameters
from tilescope.tiler.tools.question import Question
from tilescope.tiler.tools.scope import Scope

Q = TypeVar("Q", bound=Question)

# Fields that a question cannot have: options of the command line and parameters of a URL have these names.
RESERVED: Final = frozenset({"table", "format", "output", "help", "debug", "work_rules"})

# Groups of our tools, by what a person asks; tools of other packages may have groups of their own.
#   overview  how does the run do
#   time      where does the time go
#   waiting   why is it waiting
#   memory, program, counters
#   raw       data as they are, for programs and for a close look
GROUPS: Final = ("overview", "time", "waiting", "memory", "program", "counters", "raw")

# What is shown of a tool's figure where the trace has none, and what to record to get it. Empty: it is available.
Reason = str


def always(_scope: Scope) -> Reason:
    """For tools that need nothing but events."""
    return ""


def nothing_to_say(_answer: Answer, _tick_ps: int) -> str:
    """For tools whose answers are data, and for those that set the headline themselves."""
    return ""


@dataclass(frozen=True, slots=True)
class Tool(Generic[Q]):
    """A tool: it answers one sort of question about a run, from its store alone.

    `id` is a word of small letters, digits and `_`; `help` is one line, short enough for a menu. `answer` may be
    interrupted where it yields, and raises UsageError and DamagedStore. `availability` says why a run has no answer,
    and what to record to get one. `contract`: what must hold between its figures, whatever is asked. `lanes`: what it
    has to draw in the timeline. `digest`: what of it Overview shows. `sentence` says an answer in one sentence, with
    figures that are in it, where the answer has no headline of its own; the second argument is the length of a tick in
    picoseconds.
    """

    id: str
    title: str
    help: str
    group: str
    question: type[Q]
    answer: Callable[[Scope, Q], Interruptible[Answer]]
    availability: Callable[[Scope], Reason] = always
    contract: Contract = NOTHING_PROMISED
    lanes: LaneSource | None = None
    digest: Digest[Q] | None = None
    sentence: Callable[[Answer, int], str] = nothing_to_say

    def __post_init__(self) -> None:
        """Raises ValueError or TypeError for what no transport could offer."""
        texts = (self.id, self.title, self.help, self.group)
        if not all(isinstance(text, str) and text.isprintable() and text for text in texts):
            raise ValueError("id, title, help and group of a tool are one line of text each")
        if not (self.id.isascii() and self.id.isidentifier() and self.id.islower()):
            raise ValueError(f"a tool's id is a word of small letters, digits and _, not {self.id!r}")
        if not (isinstance(self.question, type) and issubclass(self.question, Question)):
            raise TypeError(f"the question of {self.id!r} is no subclass of Question")
        if not (callable(self.answer) and callable(self.availability)):
            raise TypeError(f"answer and availability of {self.id!r} are to be functions")
        reserved = [parameter.name for parameter in parameters(self.question) if parameter.name in RESERVED]
        if reserved:
            raise ValueError(f"the question of {self.id!r} cannot have a field {reserved[0]!r}: options have that name")


AnyTool = Tool[Any]
