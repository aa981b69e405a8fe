/** Uploads: traces that are sent to a server, in pieces; and addresses that it opens. */

import {
  type OpenedAddress,
  readUpload,
  readUploadRoom,
  type Upload,
  type UploadFile,
  type UploadJson,
  type UploadRoom,
  type UploadRoomJson,
} from "../base/jobs";
import type { Api } from "./api";

const JSON_HEADERS = { "Content-Type": "application/json" };
const BYTES_HEADERS = { "Content-Type": "application/octet-stream" };

/** Rules of the server for this client. Throws ApiError or NetworkError, as all of these do. */
export async function fetchUploadRoom(api: Api, signal?: AbortSignal): Promise<UploadRoom> {
  return readUploadRoom(await api.json<UploadRoomJson>("/uploads", { signal: signal ?? null }));
}

/** Begins an upload of these files. */
export async function beginUpload(api: Api, files: readonly UploadFile[], signal?: AbortSignal): Promise<Upload> {
  const order = {
    files: files.map(({ name, sizeBytes, modifiedMs }) => ({
      name,
      size_bytes: String(sizeBytes),
      modified_ms: String(modifiedMs),
    })),
  };
  const init = { method: "POST", body: JSON.stringify(order), headers: JSON_HEADERS, signal: signal ?? null };
  return readUpload(await api.json<UploadJson>("/uploads", init));
}

/** State of an upload: how many bytes of each file have come. */
export async function fetchUpload(api: Api, id: string, signal?: AbortSignal): Promise<Upload> {
  return readUpload(await api.json<UploadJson>(pathOf(id), { signal: signal ?? null }));
}

/** Sends bytes of a file, of which `start` have come. */
export async function sendPiece(
  api: Api,
  id: string,
  file: number,
  start: bigint,
  piece: Blob,
  signal?: AbortSignal,
): Promise<Upload> {
  const init = { method: "PUT", body: piece, headers: BYTES_HEADERS, signal: signal ?? null };
  return readUpload(await api.json<UploadJson>(`${pathOf(id)}/files/${file}/${start}`, init));
}

/** Has the runs of an upload listed that is whole. */
export async function listUpload(api: Api, id: string, signal?: AbortSignal): Promise<Upload> {
  const init = { method: "POST", headers: JSON_HEADERS, signal: signal ?? null };
  return readUpload(await api.json<UploadJson>(`${pathOf(id)}/runs`, init));
}

/** Has the server open an address, below the prefixes that it allows. Returns the ids of its runs, the newest first. */
export async function openAddress(api: Api, address: string): Promise<readonly string[]> {
  const init = { method: "POST", body: JSON.stringify({ address }), headers: JSON_HEADERS };
  return (await api.json<OpenedAddress>("/addresses", init)).runs;
}

/** Removes an upload, whole or not. */
export async function removeUpload(api: Api, id: string): Promise<void> {
  await api.answer(pathOf(id), { method: "DELETE" });
}

function pathOf(id: string): string {
  return `/uploads/${encodeURIComponent(id)}`;
}
