/** The columns of docs/page-format.md, by id. Written by `make types` from tiler/pages/columns.py. */

/** Columns of int64. */
export const INTS = {
  /** of the slice. */
  flowOrdinal: 96,
  /** 0 the flow leaves the slice, 1 it arrives. */
  flowIncoming: 97,
  /** time of this end: ticks. */
  flowTick: 98,
  /** track of the other end. */
  flowPartnerTrack: 99,
  /** ordinal of the slice at the other end. */
  flowPartnerOrdinal: 100,
  /** time of the other end: ticks. */
  flowPartnerTick: 101,
  /** flow_partner_tick minus the start of the partner's slice: ticks. */
  flowPartnerOffset: 102,
  /** of the partner's slice, -1 none: name id. */
  flowPartnerName: 103,
  /** of the slice that was launched. */
  launchOrdinal: 105,
  /** each track that launches, in the order in which they come. */
  launchingTrack: 106,
  /** step to the launch, times 2^b, plus its track's place in `launching_track`: of n tracks, b is the number of bits of n - 1. */
  launchCode: 107,
  /** how it is known: 0 by a flow of the file, 1 by the correlation that both have. */
  launchWay: 108,
  /** of each track that launches: its first launch in the chunk less 1. */
  beforeLaunch: 110,
  /** -1 events without a name; -2 all names that have no row of their own: name id. */
  histogramName: 112,
  /** slices that start in the tile. */
  histogramCount: 113,
  /** the sum of the slices' overlaps with the tile, of all rows, slices that reach in included: ticks. */
  histogramBusy: 114,
  /** `histogram_busy` minus the self time: ticks. */
  busyMinusSelf: 115,
  /** duration (not clipped to the tile) of the longest slice that starts in the tile; 0 when none does: ticks. */
  longest: 116,
  /** the sum of the durations (not clipped) of the slices that start in the tile, minus `histogram_busy`: may be negative: ticks. */
  durationMinusBusy: 117,
  /** `longest` minus the duration of the shortest slice that starts in the tile: ticks. */
  longestMinusShortest: 118,
  /** first byte of the key: the letter of the kind of record. */
  entryLetter: 120,
  /** first number of the key; 0 where keys of this kind have fewer. */
  entryFirst: 121,
  /** second number of the key. */
  entrySecond: 122,
  /** third number of the key. */
  entryThird: 123,
  /** fourth number of the key. */
  entryFourth: 124,
  /** of the record with its checksum; in the root: of the leaf: bytes. */
  entrySize: 125,
  /** place of the record minus the end of the record before it in the directory, which is 0 for the first: bytes. */
  entryGap: 126,
  /** how many buckets the row has, its shortest and its longest slice left out. */
  nBuckets: 176,
  /** of each, row after row: the bucket minus the one before it, that of the shortest slice before the first. */
  bucketStep: 178,
  /** of each: slices whose durations are of that bucket, without these two. */
  bucketCount: 179,
  /** ascending; -1 slices without a name: name id. */
  listedName: 192,
  /** how many values of the column below belong to each name. */
  nListedPages: 193,
  /** a page on which slices of the name start: its number in the block, in the order of the shape; ascending. */
  listedPage: 194,
  /** event by which a chunk of launches of the track is stored. */
  placeEvent: 200,
  /** a track that launches in the chunk. */
  placeTrack: 201,
  /** ordinal of the first of its slices that do. */
  placeLeast: 202,
  /** ordinal of the last. */
  placeGreatest: 203,
  /** a track whose slices the track's own launched, ascending. */
  placeWork: 204,
  /** place in the kinds of the track. */
  operationKind: 208,
  /** kind of the operation that it lies in on the device, -1 none. */
  operationParent: 209,
  /** on the device: ps. */
  deviceDuration: 210,
  /** stat `dma_stall_duration_ps`, -1 none: ps. */
  dmaStall: 211,
  /** stat `all_reduce_unique_id`, -1 none. */
  allReduce: 212,
  /** stat `flops` of the event itself, -1 none. */
  eventFlops: 213,
  /** stat `model_flops` of the event itself, -1 none. */
  eventModelFlops: 214,
  /** stat `bytes_accessed` of the event itself, -1 none: bytes. */
  eventBytes: 215,
  /** places of the operations that have any of the numbers above, ascending. */
  operationTold: 216,
} as const;

/** What the records of archives hold: of tiler/store/version.py. */
export const STORE_VERSION = 35;
