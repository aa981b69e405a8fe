/** The public names of the package, folder by folder. What is not here is nobody's business but the package's. */

export { ArchiveHost, type ArchiveHostOptions } from "./answers/archive-host";
export { httpRanges } from "./archive/http-range";
export { ArchiveChanged, type RangeAnswer, type ReadRange } from "./archive/range-reader";
export * from "./base/jobs";
export * from "./base/schema";
export * from "./base/time";
export * from "./base/view";
export * from "./net/answer";
export * from "./net/api";
export * from "./net/captures";
export * from "./net/client";
export * from "./net/error";
export * from "./net/marks";
export {
  type EventName,
  type Manifest,
  parseManifest,
  parseTrackTree,
  type Track,
  type TrackTree,
} from "./net/model";
export * from "./net/monitor";
export * from "./net/names";
export { mayPass, pauseFor, retryPauseMs } from "./net/retry";
export * from "./net/row-question";
export * from "./net/search";
export * from "./net/shifts";
export * from "./net/sql";
export * from "./net/still";
export * from "./net/stream";
export type { FieldSchema, OpenApiJson, ToolField } from "./net/tool-fields";
export * from "./net/uploads";
export * from "./net/watch";
export * from "./pages/boxes";
export * from "./pages/cache";
export * from "./pages/coverage";
export * from "./pages/error";
export * from "./pages/key";
export * from "./pages/overview";
export * from "./pages/page";
export * from "./pages/parts";
export * from "./pages/residual";
export * from "./pages/resolver";
export * from "./pages/shape";
export * from "./pages/tile";
