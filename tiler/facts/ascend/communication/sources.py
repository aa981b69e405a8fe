"""Sources of communication of Ascend devices: files of the profiler first, for they have waits and packets."""

from __future__ import annotations

from typing import Final

from tilescope.tiler.facts.ascend.communication.exposed_steps import ExposedSteps
from tilescope.tiler.facts.ascend.communication.first_generation import FirstGeneration
from tilescope.tiler.facts.ascend.communication.planes import Planes
from tilescope.tiler.facts.ascend.communication.second_generation import SecondGeneration
from tilescope.tiler.facts.ascend.communication.transfers import CommunicationSource
from tilescope.tiler.query import QueryReader

SOURCES: Final[tuple[CommunicationSource, ...]] = (FirstGeneration(), SecondGeneration(), Planes(), ExposedSteps())


def communication_source(reader: QueryReader, *, any_span: bool = False) -> CommunicationSource | None:
    """The source that answers for a run; `any_span`: the first that is not bound to steps, where there is one.

    None: nothing of the kind was recorded. Raises DamagedStore, NotBuilt.
    """
    sources = [source for source in SOURCES if source.is_in(reader)]
    spans = [source for source in sources if not source.by_step]
    return next(iter((spans if any_span else []) + sources), None)
