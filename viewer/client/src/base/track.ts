/** The kinds of track, as the track tree of docs/api.md names them. */
export type TrackKind = "slice" | "async" | "instant" | "counter" | "rollup";
