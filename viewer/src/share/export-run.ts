/** An export on its way: how much it is, how far it is, and what came of it. */

import { signal } from "@preact/signals";
import type { BuildApi, ToolQuestion } from "@tilescope/client";
import type { Trace } from "../state/trace";
import { handOver, type PerfettoWindow, whenReady } from "./perfetto";
import { questionOf, type Scope } from "./scopes";

export type ExportState =
  | { readonly kind: "idle" }
  | { readonly kind: "running"; readonly bytes: number; readonly waitsFor: "events" | "perfetto" }
  | { readonly kind: "done"; readonly bytes: number; readonly what: string }
  | { readonly kind: "failed"; readonly message: string };

/** Number of slices of a part. For the whole run it is known: all events. */
export async function countOf(trace: Trace, scope: Scope, signal: AbortSignal): Promise<bigint> {
  if (scope.range === null && scope.tracks === null) {
    let sum = 0n;
    for (const track of trace.tracks.values()) {
      sum += track.kind === "rollup" ? 0n : track.events;
    }
    return sum;
  }
  const answer = await trace.api.ask("stats", { ...questionOf(scope), limit: 0 }, signal);
  return BigInt(String(answer.tables[0]?.totals?.count ?? 0));
}

/** The file, piece by piece: `onBytes` hears how much is there. */
async function fetched(
  api: BuildApi,
  question: ToolQuestion,
  signal: AbortSignal,
  onBytes: (bytes: number) => void,
): Promise<Blob> {
  const answer = await api.exported(question, signal);
  const reader = answer.body!.getReader();
  const parts: Blob[] = [];
  let waiting: Uint8Array<ArrayBuffer>[] = [];
  let waitingBytes = 0;
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) {
      break;
    }
    waiting.push(value as Uint8Array<ArrayBuffer>);
    waitingBytes += value.byteLength;
    bytes += value.byteLength;
    onBytes(bytes);
    // Blobs are the browser's to keep, on its disk where they are many.
    if (waitingBytes > 8_000_000) {
      parts.push(new Blob(waiting));
      waiting = [];
      waitingBytes = 0;
    }
  }
  return new Blob([...parts, ...waiting], { type: "application/json" });
}

export class ExportRun {
  readonly state = signal<ExportState>({ kind: "idle" });
  #abort: AbortController | null = null;

  /** Fetches the file and gives it to `save`. */
  download(api: BuildApi, question: ToolQuestion, save: (file: Blob) => void): Promise<void> {
    return this.#run(async (abort) => {
      const file = await this.#fetch(api, question, abort);
      save(file);
      return { kind: "done", bytes: file.size, what: "The file is in the downloads of the browser." };
    });
  }

  /** Fetches the file, and hands it to a page that has been opened. */
  hand(api: BuildApi, question: ToolQuestion, page: PerfettoWindow, origin: string, title: string): Promise<void> {
    return this.#run(async (abort) => {
      const ready = whenReady(page, origin);
      ready.catch(() => undefined); // it is awaited below
      const file = await this.#fetch(api, question, abort);
      const buffer = await file.arrayBuffer();
      abort.throwIfAborted();
      this.state.value = { kind: "running", bytes: file.size, waitsFor: "perfetto" };
      await ready;
      abort.throwIfAborted();
      handOver(page, origin, { buffer, title, fileName: `${title}.json` });
      return { kind: "done", bytes: file.size, what: "The events are open in Perfetto." };
    });
  }

  cancel(): void {
    this.#abort?.abort();
    this.#abort = null;
    this.state.value = { kind: "idle" };
  }

  #fetch(api: BuildApi, question: ToolQuestion, abort: AbortSignal): Promise<Blob> {
    return fetched(api, question, abort, (bytes) => {
      this.state.value = { kind: "running", bytes, waitsFor: "events" };
    });
  }

  async #run(work: (abort: AbortSignal) => Promise<ExportState>): Promise<void> {
    this.cancel();
    const abort = new AbortController();
    this.#abort = abort;
    this.state.value = { kind: "running", bytes: 0, waitsFor: "events" };
    try {
      const came = await work(abort.signal);
      if (!abort.signal.aborted) {
        this.state.value = came;
      }
    } catch (error) {
      if (!abort.signal.aborted) {
        this.state.value = { kind: "failed", message: error instanceof Error ? error.message : String(error) };
      }
    }
  }
}
