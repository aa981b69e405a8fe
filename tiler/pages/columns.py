"""The one table of columns: pages, shape records and all else that is a column container.

The native encoder, the decoder in TypeScript and docs/page-format.md have the same: a test compares the first, and
`make types` writes the others.
"""

from __future__ import annotations

from enum import Enum, IntEnum, IntFlag
from typing import Literal


class Where(Enum):
    """Columns that belong together, and where they are found."""

    TILES = "every page, one value for each tile"
    SLICES = "leaf and interior tiles of slice, async and instant tracks"
    BINS = "interior tiles of slice, async and instant tracks, all tiles of rollups"
    RESIDUAL = "residuals, one value for each bin of the page"
    COUNTER_BINS = "interior tiles of counters"
    SAMPLES = "leaf tiles of counters"
    SHAPE = "shape records, one value for each tile of the block"
    FLOW_ENDS = "chunks of flow ends"
    LAUNCHES = "chunks of launches"
    LAUNCH_PLACES = "records of places of launches"
    HISTOGRAM = "histograms"
    FLOW_TILES = "chunks of flow tiles"
    OVERVIEW = "pages of the overview"
    STEPS = "records of steps, beside columns of slices"
    SPREAD = "records of spreads, one row for each of the histogram"
    PAGE_NAMES = "records of page names"
    OPERATIONS = "records of operations"
    OPERATION_SUMS = "sums of the operations of a track, one value for each of its kinds"
    STEP_SUMS = "sums of the operations of a track in steps"
    WRITTEN_FLOWS = "chunks of flow ends as their file has them"
    ARCHIVE_DIRECTORY = "directories of archives"


class Col(IntEnum):
    """Columns of a container by id. All are int64 but those that say otherwise."""

    where: Where
    meaning: str
    unit: str
    type: Literal["int64", "float64"]
    since: int  # version of the container

    def __new__(
        cls,
        number: int,
        where: Where,
        meaning: str,
        unit: str = "",
        type: Literal["int64", "float64"] = "int64",
        since: int = 1,
    ) -> Col:
        """A column with what is known of it beside its number."""
        column = int.__new__(cls, number)
        column._value_ = number
        column.where, column.meaning, column.unit, column.type, column.since = where, meaning, unit, type, since
        return column

    INDEX = 0, Where.TILES, "tile index i"
    SLOT = 1, Where.TILES, "track within the block"
    TILE_FLAGS = 2, Where.TILES, "1 leaf, 2 terminal"
    N_SLICES = 3, Where.TILES, "how many values of the slice columns belong to this tile"
    N_BINS = 4, Where.TILES, "the same for the bin columns"
    N_COUNTER_BINS = 5, Where.TILES, "the same for the counter bin columns"
    N_SAMPLES = 6, Where.TILES, "the same for the sample columns"
    CARRY = (
        7,
        Where.TILES,
        "counter tiles: the value in force at the tile's start, NaN when there is none",
        "",
        "float64",
    )

    START = 16, Where.SLICES, "since the origin (not clipped to the tile)", "ticks"
    DURATION = 17, Where.SLICES, "of the slice", "ticks"
    ROW = 18, Where.SLICES, "nesting depth, 0 is the top"
    NAME = 19, Where.SLICES, "what it is called", "name id"
    ORDINAL = 20, Where.SLICES, "rank of the event on its track, in the order (start, longer first, order in the file)"
    SLICE_FLAGS = 21, Where.SLICES, "the sum of the [flags](#slice-flags) that hold"

    BIN = 32, Where.BINS, "0 to 255"
    BIN_ROW = 33, Where.BINS, "nesting depth"
    COUNT = 34, Where.BINS, "slices that start in the bin"
    BUSY = (
        35,
        Where.BINS,
        "rounded: see [residuals](#residuals). At most `4**z` (before rounding) in slice tracks. Rollup "
        "tracks: summed over all rows of the child tracks, up to [`2**62`](#rollups-cut)",
        "ticks",
    )
    BIN_NAME = (
        36,
        Where.BINS,
        "the dominant name: most busy time; then the most slices; then the lowest id; -1: see [rollups](#rollup-names)",
        "name id",
    )
    SHARE = (
        37,
        Where.BINS,
        "the dominant name's part of the exact busy time, `floor(255 * part / busy)`; of `count` where that is 0",
        "1/255",
    )
    LONGEST_MINUS_BUSY = (
        38,
        Where.RESIDUAL,
        "duration of the longest slice that touches the bin, minus the exact busy time",
        "ticks",
    )
    BUSY_RESIDUAL = 39, Where.RESIDUAL, "the exact busy time minus column 35 of the page: may be negative", "ticks"

    COUNTER_BIN = 48, Where.COUNTER_BINS, "0 to 255"
    N = 49, Where.COUNTER_BINS, "samples in the bin"
    FIRST = 50, Where.COUNTER_BINS, "value of the first sample", "", "float64"
    LAST = 51, Where.COUNTER_BINS, "value of the last sample", "", "float64"
    MIN = 52, Where.COUNTER_BINS, "least value", "", "float64"
    MAX = 53, Where.COUNTER_BINS, "greatest value", "", "float64"
    MEAN = 54, Where.COUNTER_BINS, "time-weighted over the part of the bin in which a value is in force", "", "float64"

    TIME = 64, Where.SAMPLES, "since the origin", "ticks"
    VALUE = 65, Where.SAMPLES, "value from then on", "", "float64"
    SAMPLE_ORDINAL = 66, Where.SAMPLES, "rank of the sample on its track"

    SHAPE_LEVEL = 80, Where.SHAPE, "level of the tile"
    SHAPE_INDEX = 81, Where.SHAPE, "tile index"
    SHAPE_SLOT = 82, Where.SHAPE, "track within the block"
    SHAPE_FLAGS = (
        83,
        Where.SHAPE,
        "1 leaf, 2 terminal, 4 first tile of a page, 8 that page has a residual, 16 has a histogram, "
        "32 its block has, 64 its tracks have sums",
    )
    SHAPE_EVENTS = 84, Where.SHAPE, "events that start in the tile"
    SHAPE_PAGE_CRC = (
        85,
        Where.SHAPE,
        "CRC-32 of the gzip member of the page that begins with this tile; 0 for other tiles",
    )
    SHAPE_RESIDUAL_CRC = 86, Where.SHAPE, "the same of its residual; 0 without one"

    FLOW_ORDINAL = 96, Where.FLOW_ENDS, "of the slice"
    FLOW_INCOMING = 97, Where.FLOW_ENDS, "0 the flow leaves the slice, 1 it arrives"
    FLOW_TICK = 98, Where.FLOW_ENDS, "time of this end", "ticks"
    FLOW_PARTNER_TRACK = 99, Where.FLOW_ENDS, "track of the other end"
    FLOW_PARTNER_ORDINAL = 100, Where.FLOW_ENDS, "ordinal of the slice at the other end"
    FLOW_PARTNER_TICK = 101, Where.FLOW_ENDS, "time of the other end", "ticks"
    FLOW_PARTNER_OFFSET = 102, Where.FLOW_ENDS, "flow_partner_tick minus the start of the partner's slice", "ticks"
    FLOW_PARTNER_NAME = 103, Where.FLOW_ENDS, "of the partner's slice, -1 none", "name id"

    LAUNCH_ORDINAL = 105, Where.LAUNCHES, "of the slice that was launched"
    LAUNCHING_TRACK = 106, Where.LAUNCHES, "each track that launches, in the order in which they come"
    LAUNCH_CODE = (
        107,
        Where.LAUNCHES,
        "step to the launch, times 2^b, plus its track's place in `launching_track`: of n tracks, b is the number of "
        "bits of n - 1",
    )
    LAUNCH_WAY = 108, Where.LAUNCHES, "how it is known: 0 by a flow of the file, 1 by the correlation that both have"
    BEFORE_LAUNCH = 110, Where.LAUNCHES, "of each track that launches: its first launch in the chunk less 1"

    HISTOGRAM_NAME = (
        112,
        Where.HISTOGRAM,
        "-1 events without a name; -2 all names that have no row of their own",
        "name id",
    )
    HISTOGRAM_COUNT = 113, Where.HISTOGRAM, "slices that start in the tile"
    HISTOGRAM_BUSY = (
        114,
        Where.HISTOGRAM,
        "the sum of the slices' overlaps with the tile, of all rows, slices that reach in included",
        "ticks",
    )
    BUSY_MINUS_SELF = 115, Where.HISTOGRAM, "`histogram_busy` minus the self time", "ticks"
    LONGEST = (
        116,
        Where.HISTOGRAM,
        "duration (not clipped to the tile) of the longest slice that starts in the tile; 0 when none does",
        "ticks",
    )
    DURATION_MINUS_BUSY = (
        117,
        Where.HISTOGRAM,
        "the sum of the durations (not clipped) of the slices that start in the tile, minus `histogram_busy`: may be "
        "negative",
        "ticks",
    )
    LONGEST_MINUS_SHORTEST = (
        118,
        Where.HISTOGRAM,
        "`longest` minus the duration of the shortest slice that starts in the tile",
        "ticks",
    )

    ENTRY_LETTER = 120, Where.ARCHIVE_DIRECTORY, "first byte of the key: the letter of the kind of record"
    ENTRY_FIRST = 121, Where.ARCHIVE_DIRECTORY, "first number of the key; 0 where keys of this kind have fewer"
    ENTRY_SECOND = 122, Where.ARCHIVE_DIRECTORY, "second number of the key"
    ENTRY_THIRD = 123, Where.ARCHIVE_DIRECTORY, "third number of the key"
    ENTRY_FOURTH = 124, Where.ARCHIVE_DIRECTORY, "fourth number of the key"
    ENTRY_SIZE = 125, Where.ARCHIVE_DIRECTORY, "of the record with its checksum; in the root: of the leaf", "bytes"
    ENTRY_GAP = (
        126,
        Where.ARCHIVE_DIRECTORY,
        "place of the record minus the end of the record before it in the directory, which is 0 for the first",
        "bytes",
    )

    N_FLOW_BINS = 128, Where.FLOW_TILES, "how many values of the bin columns belong to each tile"
    N_FLOW_EDGES = 129, Where.FLOW_TILES, "the same for the edge columns"
    FLOW_BIN = 130, Where.FLOW_TILES, "0 to 255, ascending; bins without flow ends are left out"
    FLOW_OUT = 131, Where.FLOW_TILES, "flow ends that leave"
    FLOW_IN = 132, Where.FLOW_TILES, "flow ends that arrive"
    FLOW_EDGE_BIN = 135, Where.FLOW_TILES, "0 to 255"
    FLOW_EDGE_INCOMING = 136, Where.FLOW_TILES, "0 they leave, 1 they arrive"
    FLOW_EDGE_PARTNER = 137, Where.FLOW_TILES, "track of the other ends"
    FLOW_EDGE_COUNT = 138, Where.FLOW_TILES, "flow ends of this bin and direction whose partner is on that track"

    OVERVIEW_BIN = 144, Where.OVERVIEW, "0 to 31, within the page"
    OVERVIEW_TRACK = 145, Where.OVERVIEW, "track number"
    UTILISATION = 146, Where.OVERVIEW, "1 to 255", "1/255"
    OVERVIEW_NAME = 147, Where.OVERVIEW, "of the dominant name, -1 none", "name id"

    WRITTEN_FLOW_TICK = (
        152,
        Where.WRITTEN_FLOWS,
        "time of the end, ascending; of one without a slice it may be beside the run",
        "ticks",
    )
    WRITTEN_FLOW_PHASE = 153, Where.WRITTEN_FLOWS, "5 start, 6 step, 7 end"
    WRITTEN_FLOW_NAME = 154, Where.WRITTEN_FLOWS, "of the flow, with its category", "name id"

    STEP_NUMBER = 160, Where.STEPS, "0 and above"
    STEP_SOURCE = (
        161,
        Where.STEPS,
        "1 a device's line `Steps`, 2 the same without numbers in the names, 3 `ProfilerStep#N`, 4 "
        "`Iteration N`, 5 argument `step_num`",
    )
    STEP_OPEN = 162, Where.STEPS, "1: the slice has no end in the trace"

    N_BUCKETS = 176, Where.SPREAD, "how many buckets the row has, its shortest and its longest slice left out"
    BUCKET_STEP = (
        178,
        Where.SPREAD,
        "of each, row after row: the bucket minus the one before it, that of the shortest slice before the first",
    )
    BUCKET_COUNT = 179, Where.SPREAD, "of each: slices whose durations are of that bucket, without these two"

    LISTED_NAME = 192, Where.PAGE_NAMES, "ascending; -1 slices without a name", "name id"
    N_LISTED_PAGES = 193, Where.PAGE_NAMES, "how many values of the column below belong to each name"
    LISTED_PAGE = (
        194,
        Where.PAGE_NAMES,
        "a page on which slices of the name start: its number in the block, in the order of the shape; ascending",
    )

    PLACE_EVENT = 200, Where.LAUNCH_PLACES, "event by which a chunk of launches of the track is stored"
    PLACE_TRACK = 201, Where.LAUNCH_PLACES, "a track that launches in the chunk"
    PLACE_LEAST = 202, Where.LAUNCH_PLACES, "ordinal of the first of its slices that do"
    PLACE_GREATEST = 203, Where.LAUNCH_PLACES, "ordinal of the last"
    PLACE_WORK = 204, Where.LAUNCH_PLACES, "a track whose slices the track's own launched, ascending"

    OPERATION_KIND = 208, Where.OPERATIONS, "place in the kinds of the track"
    OPERATION_PARENT = 209, Where.OPERATIONS, "kind of the operation that it lies in on the device, -1 none"
    DEVICE_DURATION = 210, Where.OPERATIONS, "on the device", "ps"
    DMA_STALL = 211, Where.OPERATIONS, "stat `dma_stall_duration_ps`, -1 none", "ps"
    ALL_REDUCE = 212, Where.OPERATIONS, "stat `all_reduce_unique_id`, -1 none"
    EVENT_FLOPS = 213, Where.OPERATIONS, "stat `flops` of the event itself, -1 none"
    EVENT_MODEL_FLOPS = 214, Where.OPERATIONS, "stat `model_flops` of the event itself, -1 none"
    EVENT_BYTES = 215, Where.OPERATIONS, "stat `bytes_accessed` of the event itself, -1 none", "bytes"
    OPERATION_TOLD = 216, Where.OPERATIONS, "places of the operations that have any of the numbers above, ascending"

    BUSY_AT_START = 217, Where.STEP_SUMS, "how long any event of the track runs before the step", "ticks"
    BUSY_AT_STOP = 218, Where.STEP_SUMS, "the same before its end", "ticks"
    CUT_STEP = 219, Where.STEP_SUMS, "of operations that the border of a step cuts: a step that they are in, ascending"
    CUT_KIND = 220, Where.STEP_SUMS, "their place in the kinds of the track"
    CUT_FIRST = 221, Where.STEP_SUMS, "the first tick that is in the step, from the start of the event on", "ticks"
    CUT_LAST = 222, Where.STEP_SUMS, "the first tick after it, from the start of the event on", "ticks"
    CUT_LENGTH = 223, Where.STEP_SUMS, "of the whole event", "ticks"

    SUM_COUNT = 224, Where.OPERATION_SUMS, "operations"
    SUM_DURATION = 225, Where.OPERATION_SUMS, "the sum of their `device_duration`", "ps"
    SUM_INNER = (
        226,
        Where.OPERATION_SUMS,
        "the sum of that of the operations whose `operation_parent` is the kind",
        "ps",
    )
    SUM_LONGEST = 227, Where.OPERATION_SUMS, "the greatest `device_duration`; -1 without operations", "ps"
    SUM_LONGEST_AT = 228, Where.OPERATION_SUMS, "ordinal of the first event that takes so long; -1"
    SUM_EMPTY = 229, Where.OPERATION_SUMS, "operations that take no time"
    SUM_SHORTEST = 230, Where.OPERATION_SUMS, "the least `device_duration` of the others; -1 without any", "ps"
    SUM_ALONE = 231, Where.OPERATION_SUMS, "1: no event of the kind shares a tick with another event of the track"
    SUM_STALL = 232, Where.OPERATION_SUMS, "the sum of `dma_stall` where it is not -1", "ps"
    SUM_FLOPS = 233, Where.OPERATION_SUMS, "the sum of `event_flops` where it is not -1"
    SUM_MODEL_FLOPS = 234, Where.OPERATION_SUMS, "the sum of `event_model_flops` where it is not -1"
    SUM_BYTES = 235, Where.OPERATION_SUMS, "the sum of `event_bytes` where it is not -1", "bytes"
    BUSY_TICKS = 236, Where.OPERATION_SUMS, "one value: how long any event of the track runs", "ticks"

    WINDOW_START = 240, Where.STEP_SUMS, "of each step, ascending", "ticks"
    WINDOW_STOP = 241, Where.STEP_SUMS, "of each step: no other one has begun before it", "ticks"
    OWN_STEP = 242, Where.STEP_SUMS, "place of a step, ascending"
    OWN_CATEGORY = 243, Where.STEP_SUMS, "place of a category, ascending in each step"
    OWN_TIME = (
        244,
        Where.STEP_SUMS,
        "what operations of the category take in the step, without those that lie directly in them; never 0",
        "ps",
    )
    REDUCE_STEP = 245, Where.STEP_SUMS, "of operations with an `all_reduce`: place of the step, ascending"
    REDUCE_CATEGORY = 246, Where.STEP_SUMS, "place of their category, ascending in each step"
    REDUCE_ID = 247, Where.STEP_SUMS, "their `all_reduce`, ascending in each category"
    REDUCE_TIME = 248, Where.STEP_SUMS, "what they take in the step", "ps"
    CHANGED_STEP = 249, Where.STEP_SUMS, "of kinds that start more or less often than in the step before: the step"
    CHANGED_KIND = 250, Where.STEP_SUMS, "their place in the kinds of the track, ascending in each step"
    CHANGED_COUNT = 251, Where.STEP_SUMS, "operations of the kind that start in the step"
    SAID_STEP = 252, Where.STEP_SUMS, "of custom calls that say themselves what they do: the step, ascending"
    SAID_KIND = 253, Where.STEP_SUMS, "their place in the kinds of the track, ascending in each step"
    SAID_WHAT = 254, Where.STEP_SUMS, "0 `event_flops`, 1 `event_model_flops`, 2 `event_bytes`; ascending"
    SAID_SUM = 255, Where.STEP_SUMS, "the sum of that where it is not -1: of an operation that is cut, its part"


class TileFlag(IntFlag):
    """Bits of the tile flags; all but the first two are in shape records alone."""

    LEAF = 1
    TERMINAL = 2
    PAGE_START = 4
    HAS_RESIDUAL = 8  # the page that begins with this tile
    HAS_HISTOGRAM = 16
    HAS_BLOCK_HISTOGRAM = 32  # all tracks of slices together; of these tiles, the first has the flag
    HAS_TRACK_SUMS = 64  # the same, by track


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
