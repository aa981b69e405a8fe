"""All recorders of a run, in the order of their kinds in `records/catalogue.py`; then those that write no record.

A new kind of record is declared there, and made by a recorder that is named here; `tiler/verify` has a prover for it.
"""

from __future__ import annotations

from typing import Final

from tilescope.tiler.indexing.device.metadata_rows import MetadataRecorder
from tilescope.tiler.indexing.device.operations import OperationRecorder
from tilescope.tiler.indexing.flows.flow_recorder import FlowRecorder
from tilescope.tiler.indexing.flows.written import WrittenFlowRecorder
from tilescope.tiler.indexing.output.arguments import ArgumentRecorder
from tilescope.tiler.indexing.output.attachments import AttachmentRecorder
from tilescope.tiler.indexing.output.own_texts import OwnTextRecorder
from tilescope.tiler.indexing.output.side_tables import SideTableRecorder
from tilescope.tiler.indexing.output.tables import NameRecorder
from tilescope.tiler.indexing.tracks.busy_names import FamilyRecorder
from tilescope.tiler.indexing.tracks.outliers import OutlierRecorder
from tilescope.tiler.indexing.tracks.overview import OverviewRecorder
from tilescope.tiler.indexing.tracks.recorder import Recording, RecordMaker
from tilescope.tiler.indexing.tracks.steps import StepRecorder

RECORDERS: Final[tuple[type[RecordMaker], ...]] = (
    ArgumentRecorder,
    AttachmentRecorder,
    MetadataRecorder,
    FlowRecorder,
    OperationRecorder,
    NameRecorder,
    OverviewRecorder,
    StepRecorder,
    WrittenFlowRecorder,
    OwnTextRecorder,
    SideTableRecorder,
    FamilyRecorder,
    OutlierRecorder,
)


def make_recorders(recording: Recording) -> list[RecordMaker]:
    """One of each for a run."""
    return [recorder(recording) for recorder in RECORDERS]


def overriding(recorders: list[RecordMaker], method: str) -> list[RecordMaker]:
    """The recorders that have a method of their own: a run may have 100,000 tracks, and most methods do nothing."""
    return [recorder for recorder in recorders if getattr(type(recorder), method) is not getattr(RecordMaker, method)]
