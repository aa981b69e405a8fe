"""Communication of Ascend devices: what each rank transfers over which link, and how long it waits."""

from tilescope.tiler.facts.ascend.communication.sources import communication_source
from tilescope.tiler.facts.ascend.communication.transfers import (
    ChosenPart,
    Communication,
    CommunicationSource,
    LinkTransfer,
    OperatorCost,
    PacketSize,
    RankStep,
)

__all__ = [
    "ChosenPart",
    "Communication",
    "CommunicationSource",
    "LinkTransfer",
    "OperatorCost",
    "PacketSize",
    "RankStep",
    "communication_source",
]
