/** The marks that a server keeps beside a run. */

import { type KeptMarks, type KeptMarksJson, type Mark, type MarkJson, readKeptMarks } from "../base/schema";
import type { BuildApi } from "./api";

/** Marks, and the tag that their next version has to name. */
export interface TaggedMarks extends KeptMarks {
  readonly etag: string;
}

/** The marks of a run. Throws ApiError or NetworkError. */
export async function fetchMarks(build: BuildApi, signal?: AbortSignal): Promise<TaggedMarks> {
  // What the browser has kept of an earlier answer is asked about again, not shown.
  return tagged(await build.jsonAndHeaders("/marks", { signal: signal ?? null, cache: "no-cache" }));
}

/** Small enough that browsers send it also while a page is closed. */
const LATE_BYTES = 60_000;

/**
 * Keeps these marks in place of those that have the tag. Throws ApiError (`precondition_failed` where somebody else was
 * quicker, `forbidden` where the server keeps none or may not write, `disk_full`) or NetworkError.
 */
export async function putMarks(
  build: BuildApi,
  marks: readonly Mark[],
  etag: string,
  signal?: AbortSignal,
): Promise<TaggedMarks> {
  const body = JSON.stringify({ marks: marks.map(markJson) });
  const headers = { "Content-Type": "application/json", "If-Match": `"${etag}"` };
  const init = { method: "PUT", body, headers, keepalive: body.length < LATE_BYTES, signal: signal ?? null };
  return tagged(await build.jsonAndHeaders("/marks", init));
}

function markJson({ id, kind, startTicks, endTicks, name, tracks, colour }: Mark): MarkJson {
  const end = endTicks == null ? null : endTicks.toString();
  return { id, kind, start: startTicks.toString(), end, name: name ?? "", tracks: tracks ?? [], colour: colour ?? 0 };
}

function tagged({ json, headers }: { readonly json: KeptMarksJson; readonly headers: Headers }): TaggedMarks {
  // A proxy that compresses marks the tag as weak; it is that of the same marks.
  const etag = /^(?:W\/)?"(.*)"$/.exec(headers.get("etag") ?? "")?.[1];
  return { ...readKeptMarks(json), etag: etag ?? "" };
}
