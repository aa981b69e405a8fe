/** The monitor of a running job: figures, about one message in a second, for as long as somebody listens. */

import {
  type MonitorError,
  type MonitorHeld,
  type MonitorMessage,
  type MonitorProblem,
  type MonitorSample,
  readMonitorProblem,
  readMonitorSample,
} from "../base/jobs";
import type { Api } from "./api";
import { retryPauseMs } from "./retry";
import { laterByTimer } from "./stream";
import type { TextSocket } from "./watch";

const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 8000;

/** Message of the monitor. */
export type MonitorWord = MonitorSample | MonitorProblem | MonitorHeld | MonitorError;

/** Options for monitoring a job. */
export interface MonitorFollowing {
  readonly onWord: (word: MonitorWord) => void;
  /** The connection to the server is lost, and tried again. */
  readonly onAway: () => void;
  readonly connect: () => TextSocket;
  readonly later?: (run: () => void, ms: number) => () => void;
}

/** Hears of a job until what it returns is called, or the server refuses. */
export function followMonitor({ onWord, onAway, connect, later = laterByTimer }: MonitorFollowing): () => void {
  let socket: TextSocket | null = null;
  let cancelRetry: () => void = () => undefined;
  let failures = 0;
  let isOver = false;
  const open = () => {
    const now = connect();
    socket = now;
    now.onmessage = (event) => {
      if (socket !== now || isOver) {
        return;
      }
      failures = 0;
      const word = wordOf(JSON.parse(String(event.data)) as MonitorMessage);
      isOver = word.type === "error" || (word.type === "problem" && word.retryMs === 0);
      onWord(word);
    };
    now.onclose = () => {
      if (socket === now && !isOver) {
        onAway();
        cancelRetry = later(open, retryPauseMs(failures, FIRST_PAUSE_MS, LONGEST_PAUSE_MS));
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

/** The address of the WebSocket on which a job is monitored. */
export function monitorUrl(api: Api, host: string, location: string): string {
  return api.socketUrl(`/monitor/${encodeURIComponent(host)}`, location);
}

function wordOf(json: MonitorMessage): MonitorWord {
  switch (json.type) {
    case "sample":
      return readMonitorSample(json);
    case "problem":
      return readMonitorProblem(json);
    default:
      return json;
  }
}
