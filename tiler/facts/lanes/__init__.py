"""Curves and states that are derived from the events of a run, in the bins of a view: exact sums, never samples."""

from tilescope.tiler.facts.lanes.bin_sums import MAX_SLICES, CurveBins, SliceBins, borders
from tilescope.tiler.facts.lanes.lane_slices import LaneSlices
from tilescope.tiler.facts.lanes.state_views import ASCEND_ROWS, FREE_CAUSES, StateView
from tilescope.tiler.facts.lanes.states import DeviceStates, device_borders, device_states
from tilescope.tiler.facts.lanes.step_curve import StepCurve, curve_bins
from tilescope.tiler.facts.lanes.stream_queue import QueueCurve, queue_curve

__all__ = [
    "ASCEND_ROWS",
    "FREE_CAUSES",
    "MAX_SLICES",
    "CurveBins",
    "DeviceStates",
    "LaneSlices",
    "QueueCurve",
    "SliceBins",
    "StateView",
    "StepCurve",
    "borders",
    "curve_bins",
    "device_borders",
    "device_states",
    "queue_curve",
]
