"""Column ids of pages, shape records and histograms. The names and numbers are those of docs/page-format.md."""

from __future__ import annotations

from enum import IntEnum, IntFlag


class Col(IntEnum):
    """Columns of a container."""

    INDEX = 0
    SLOT = 1
    TILE_FLAGS = 2
    N_SLICES = 3
    N_BINS = 4
    N_COUNTER_BINS = 5
    N_SAMPLES = 6
    CARRY = 7

    START = 16
    DURATION = 17
    ROW = 18
    NAME = 19
    ORDINAL = 20
    SLICE_FLAGS = 21

    BIN = 32
    BIN_ROW = 33
    COUNT = 34
    BUSY = 35
    BIN_NAME = 36
    SHARE = 37
    LONGEST_MINUS_BUSY = 38  # of residuals
    BUSY_RESIDUAL = 39  # of residuals

    COUNTER_BIN = 48
    N = 49
    FIRST = 50
    LAST = 51
    MIN = 52
    MAX = 53
    MEAN = 54

    TIME = 64
    VALUE = 65
    SAMPLE_ORDINAL = 66

    FLOW_ORDINAL = 96
    FLOW_INCOMING = 97
    FLOW_TICK = 98
    FLOW_PARTNER_TRACK = 99
    FLOW_PARTNER_ORDINAL = 100
    FLOW_PARTNER_TICK = 101
    FLOW_PARTNER_OFFSET = 102
    FLOW_PARTNER_NAME = 103

    N_FLOW_BINS = 128
    N_FLOW_EDGES = 129
    FLOW_BIN = 130
    FLOW_OUT = 131
    FLOW_IN = 132
    FLOW_OTHER_OUT = 133
    FLOW_OTHER_IN = 134
    FLOW_EDGE_BIN = 135
    FLOW_EDGE_INCOMING = 136
    FLOW_EDGE_PARTNER = 137
    FLOW_EDGE_COUNT = 138

    SHAPE_LEVEL = 80
    SHAPE_INDEX = 81
    SHAPE_SLOT = 82
    SHAPE_FLAGS = 83
    SHAPE_EVENTS = 84
    SHAPE_PAGE_CRC = 85
    SHAPE_RESIDUAL_CRC = 86

    OVERVIEW_BIN = 144
    OVERVIEW_TRACK = 145
    UTILISATION = 146
    OVERVIEW_NAME = 147

    HISTOGRAM_NAME = 112
    HISTOGRAM_COUNT = 113
    HISTOGRAM_BUSY = 114
    BUSY_MINUS_SELF = 115
    LONGEST = 116

    STEP_NUMBER = 160
    STEP_SOURCE = 161
    STEP_OPEN = 162


class TileFlag(IntFlag):
    """Bits of the tile flags; PAGE_START and HAS_RESIDUAL are in shape records alone."""

    LEAF = 1
    TERMINAL = 2
    PAGE_START = 4
    HAS_RESIDUAL = 8  # the page that begins with this tile


class SliceFlag(IntFlag):
    """Bits of the flags of a slice."""

    REACHES_IN = 1
    OPEN = 2
    RENAMED = 4
    AGGREGATED = 8
    CLAMPED = 16
    NO_DURATION = 32

    @property
    def words(self) -> list[str]:
        """The names of those that the event itself has, wherever it is repeated."""
        return [str(flag.name).lower() for flag in self & ~SliceFlag.REACHES_IN]
