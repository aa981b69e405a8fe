/** The columns of docs/page-format.md, by id. Written by `make types` from tiler/pages/columns.py. */

/** Columns of int64. */
export const INTS = {
  /** tile index i. */
  index: 0,
  /** track within the block. */
  slot: 1,
  /** 1 leaf, 2 terminal. */
  tileFlags: 2,
  /** how many values of the slice columns belong to this tile. */
  nSlices: 3,
  /** the same for the bin columns. */
  nBins: 4,
  /** the same for the counter bin columns. */
  nCounterBins: 5,
  /** the same for the sample columns. */
  nSamples: 6,
  /** since the origin (not clipped to the tile): ticks. */
  start: 16,
  /** of the slice: ticks. */
  duration: 17,
  /** nesting depth, 0 is the top. */
  row: 18,
  /** what it is called: name id. */
  name: 19,
  /** rank of the event on its track, in the order (start, longer first, order in the file). */
  ordinal: 20,
  /** the sum of the flags that hold. */
  sliceFlags: 21,
  /** 0 to 255. */
  bin: 32,
  /** nesting depth. */
  binRow: 33,
  /** slices that start in the bin. */
  count: 34,
  /** rounded: see residuals. At most `4**z` (before rounding) in slice tracks. Rollup tracks: summed over all rows of the child tracks, up to `2**62`: ticks. */
  busy: 35,
  /** the dominant name: most busy time; then the most slices; then the lowest id; -1: see rollups: name id. */
  binName: 36,
  /** the dominant name's part of the exact busy time, `floor(255 * part / busy)`; of `count` where that is 0: 1/255. */
  share: 37,
  /** duration of the longest slice that touches the bin, minus the exact busy time: ticks. */
  longestMinusBusy: 38,
  /** the exact busy time minus column 35 of the page: may be negative: ticks. */
  busyResidual: 39,
  /** 0 to 255. */
  counterBin: 48,
  /** samples in the bin. */
  n: 49,
  /** since the origin: ticks. */
  time: 64,
  /** rank of the sample on its track. */
  sampleOrdinal: 66,
  /** level of the tile. */
  shapeLevel: 80,
  /** tile index. */
  shapeIndex: 81,
  /** track within the block. */
  shapeSlot: 82,
  /** 1 leaf, 2 terminal, 4 first tile of a page, 8 that page has a residual, 16 has a histogram, 32 its block has, 64 its tracks have sums. */
  shapeFlags: 83,
  /** events that start in the tile. */
  shapeEvents: 84,
  /** CRC-32 of the gzip member of the page that begins with this tile; 0 for other tiles. */
  shapePageCrc: 85,
  /** the same of its residual; 0 without one. */
  shapeResidualCrc: 86,
  /** 0 to 31, within the page. */
  overviewBin: 144,
  /** track number. */
  overviewTrack: 145,
  /** 1 to 255: 1/255. */
  utilisation: 146,
  /** of the dominant name, -1 none: name id. */
  overviewName: 147,
} as const;

/** Columns of float64. */
export const FLOATS = {
  /** counter tiles: the value in force at the tile's start, NaN when there is none. */
  carry: 7,
  /** value of the first sample. */
  first: 50,
  /** value of the last sample. */
  last: 51,
  /** least value. */
  min: 52,
  /** greatest value. */
  max: 53,
  /** time-weighted over the part of the bin in which a value is in force. */
  mean: 54,
  /** value from then on. */
  value: 65,
} as const;
