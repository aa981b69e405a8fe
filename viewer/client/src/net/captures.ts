/** Captures of running jobs: what is possible, one that is begun, followed, and ended. */

import {
  type Capture,
  type CaptureJson,
  type CaptureOrder,
  type CaptureRoom,
  type CaptureRoomJson,
  readCapture,
  readCaptureRoom,
} from "../base/jobs";
import type { Api } from "./api";
import { ApiError } from "./error";
import { retryPauseMs } from "./retry";
import { laterByTimer } from "./stream";
import type { TextSocket } from "./watch";

const JSON_HEADERS = { "Content-Type": "application/json" };
const FIRST_PAUSE_MS = 300;
const LONGEST_PAUSE_MS = 4000;

/** Captures that are possible, and those that were made. Throws ApiError or NetworkError, as all of these do. */
export async function fetchCaptures(api: Api, signal?: AbortSignal): Promise<CaptureRoom> {
  return readCaptureRoom(await api.json<CaptureRoomJson>("/captures", { signal: signal ?? null }));
}

/** Begins a capture. */
export async function beginCapture(api: Api, order: CaptureOrder, signal?: AbortSignal): Promise<Capture> {
  const init = {
    method: "POST",
    body: JSON.stringify(orderJson(order)),
    headers: JSON_HEADERS,
    signal: signal ?? null,
  };
  return readCapture(await api.json<CaptureJson>("/captures", init));
}

/** Ends a capture early; what it has is kept. */
export async function stopCapture(api: Api, id: string): Promise<Capture> {
  return readCapture(await api.json<CaptureJson>(pathOf(id), { method: "DELETE" }));
}

/** Options for following a capture. */
export interface CaptureFollowing {
  readonly onCapture: (capture: Capture) => void;
  /** The server does not know it any more: it was started again. */
  readonly onLost: () => void;
  readonly connect: () => TextSocket;
  readonly later?: (run: () => void, ms: number) => () => void;
}

/** Hears of a capture until it is over; what it returns ends that earlier. A lost connection is opened again. */
export function followCapture(api: Api, id: string, following: CaptureFollowing): () => void {
  const { onCapture, onLost, connect, later = laterByTimer } = following;
  let socket: TextSocket | null = null;
  let cancelRetry: () => void = () => undefined;
  let failures = 0;
  let isOver = false;
  const take = (capture: Capture) => {
    isOver = capture.state !== "running";
    onCapture(capture);
  };
  const lookAgain = async () => {
    try {
      const capture = readCapture(await api.json<CaptureJson>(pathOf(id)));
      if (!isOver) {
        take(capture);
      }
    } catch (error) {
      if (error instanceof ApiError && error.code === "not_found" && !isOver) {
        isOver = true;
        onLost();
      }
    }
    if (!isOver) {
      open();
    }
  };
  const open = () => {
    const now = connect();
    socket = now;
    now.onmessage = (event) => {
      const json = JSON.parse(String(event.data)) as CaptureJson | { readonly type: "error" };
      if (socket === now && !("type" in json)) {
        failures = 0;
        take(readCapture(json));
      }
    };
    now.onclose = () => {
      if (socket === now && !isOver) {
        cancelRetry = later(() => void lookAgain(), retryPauseMs(failures, FIRST_PAUSE_MS, LONGEST_PAUSE_MS));
        failures += 1;
      }
    };
  };
  open();
  return () => {
    isOver = true;
    cancelRetry();
    const now = socket;
    socket = null;
    now?.close();
  };
}

/** The address of the WebSocket on which a capture is followed. */
export function captureWatchUrl(api: Api, id: string, location: string): string {
  return api.socketUrl(`${pathOf(id)}/watch`, location);
}

function pathOf(id: string): string {
  return `/captures/${encodeURIComponent(id)}`;
}

function orderJson(order: CaptureOrder): Record<string, unknown> {
  return {
    hosts: order.hosts,
    duration_ms: order.durationMs,
    delay_ms: order.delayMs,
    host_tracer_level: order.hostTracerLevel,
    device_tracer_level: order.deviceTracerLevel,
    python_tracer_level: order.pythonTracerLevel,
    include_dataset_ops: order.includeDatasetOps,
    attempts: order.attempts,
    run_name: order.runName,
  };
}
