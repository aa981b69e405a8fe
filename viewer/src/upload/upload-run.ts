/**
 * The upload that this page sends: from the choice to the runs in the list. Goes on when nobody looks at it, and where it was cut off:
 * after a lost connection, after the server was started again, and after the page was loaded anew with the same files.
 */

import { signal } from "@preact/signals";
import {
  type Api,
  ApiError,
  beginUpload,
  fetchUpload,
  fetchUploadRoom,
  listUpload,
  mayPass,
  openAddress,
  pauseFor,
  removeUpload,
  retryPauseMs,
  sendPiece,
  type Upload,
  type UploadRoom,
} from "@tilescope/client";
import { type ChosenFile, titleOf } from "./chosen-files";

/** Bytes of the smallest piece, which proxies let through. */
const LEAST_PIECE = 256 * 1024;
/** A piece takes about so long, so that progress is seen. */
const PIECE_MS = 1000;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 8000;
const KEPT = "tilescope-upload";
/** The server has no trace in it, does not know it, or has no room: it keeps nothing of it. */
const GIVEN_UP: readonly number[] = [400, 404, 422, 507];
const NO_TRACE: readonly number[] = [400, 422];
/** Message for an upload that the server has no more: this computer has slept, for one. */
const GONE = "the server has removed what was sent, as it does an hour after the last byte: send it again";

export type UploadView =
  | { readonly kind: "loading" }
  /** The server does not say whether files may be sent. */
  | { readonly kind: "unknown"; readonly message: string }
  /** `prefixes`: of addresses that may be opened all the same. */
  | { readonly kind: "refused"; readonly reason: string; readonly prefixes: readonly string[] }
  /** `files`: those that were dropped, and wait for a word. */
  | {
      readonly kind: "choice";
      readonly room: UploadRoom;
      readonly files: readonly ChosenFile[] | null;
      readonly wrong: string | null;
    }
  | {
      readonly kind: "sending";
      readonly title: string;
      readonly sent: bigint;
      readonly total: bigint;
      /** Reason why nothing is sent at the moment. */
      readonly pause: string | null;
    }
  /** `isFinal`: the same files would fail again. */
  | { readonly kind: "failed"; readonly title: string; readonly message: string; readonly isFinal: boolean };

export interface UploadRunPort {
  readonly api: Api;
  readonly now: () => number;
  /** The runs are in the list. */
  readonly onListed: (runs: readonly string[], title: string) => void;
  /** The runs at an address are in the list. */
  readonly onOpened: (runs: readonly string[], address: string) => void;
  readonly onFailed: (message: string) => void;
}

export class UploadRun {
  readonly view = signal<UploadView>({ kind: "loading" });
  readonly #port: UploadRunPort;
  #room: UploadRoom | null = null;
  #files: readonly ChosenFile[] = [];
  #abort: AbortController | null = null;
  #pieceBytes = LEAST_PIECE * 4;

  constructor(port: UploadRunPort) {
    this.#port = port;
  }

  get isSending(): boolean {
    return this.view.peek().kind === "sending";
  }

  /** Looks at whether files may be sent. `files`: those that were dropped; `unreadable`: why they cannot be read. */
  async load(files: readonly ChosenFile[] | null = null, unreadable: string | null = null): Promise<void> {
    if (this.isSending) {
      return;
    }
    this.view.value = { kind: "loading" };
    try {
      this.#room = await fetchUploadRoom(this.#port.api);
    } catch (error) {
      this.view.value = { kind: "unknown", message: messageOf(error) };
      return;
    }
    const room = this.#room;
    if (!room.allowed) {
      this.view.value = {
        kind: "refused",
        reason: room.reason ?? "this server opens no files",
        prefixes: room.prefixes,
      };
      return;
    }
    const wrong = unreadable ?? (files === null ? null : wrongWith(files, room));
    this.view.value = { kind: "choice", room, files: wrong === null ? files : null, wrong };
  }

  /** Sends files; they are those of a choice, or those that were dropped. */
  async send(files: readonly ChosenFile[]): Promise<void> {
    const room = this.#room;
    if (room === null || this.isSending) {
      return;
    }
    const wrong = wrongWith(files, room);
    if (wrong !== null) {
      this.view.value = { kind: "choice", room, files: null, wrong };
      return;
    }
    this.#files = files;
    await this.again();
  }

  /** Sends the same files, from where they were cut off. */
  async again(): Promise<void> {
    const abort = new AbortController();
    this.#abort = abort;
    const title = titleOf(this.#files);
    this.#tell(0n, null);
    try {
      const { runs } = await this.#sendAll(abort.signal);
      forget();
      this.#port.onListed(runs, title);
      this.view.value = { kind: "loading" };
    } catch (error) {
      if (!abort.signal.aborted) {
        const status = error instanceof ApiError ? error.status : 0;
        if (GIVEN_UP.includes(status)) {
          forget();
        }
        this.view.value = { kind: "failed", title, message: messageOf(error), isFinal: NO_TRACE.includes(status) };
        this.#port.onFailed(`${title} could not be opened: ${messageOf(error)}`);
      }
    }
  }

  /** Has the server open an address. Rejects with the reason where it cannot. */
  async openAddress(address: string): Promise<void> {
    try {
      this.#port.onOpened(await openAddress(this.#port.api, address), address.trim().replace(/\?.*/, ""));
    } catch (error) {
      throw new Error(messageOf(error), { cause: error });
    }
  }

  /** Gives the upload up, and has the server forget it. */
  async cancel(): Promise<void> {
    this.#abort?.abort();
    this.view.value = { kind: "loading" };
    const kept = remembered(this.#files);
    forget();
    if (kept !== null) {
      await removeUpload(this.#port.api, kept).catch(() => undefined); // it goes by itself, later
    }
    await this.load();
  }

  async #sendAll(abort: AbortSignal): Promise<Upload> {
    const { api } = this.#port;
    let upload = await this.#persist(() => this.#begun(abort), abort);
    for (const [number, { file }] of this.#files.entries()) {
      while (upload.receivedBytes[number]! < BigInt(file.size)) {
        upload = await this.#persist(() => this.#sendNext(upload, number, file, abort), abort);
        this.#tell(sum(upload.receivedBytes), null);
      }
    }
    return await this.#persist(() => listUpload(api, upload.id, abort), abort);
  }

  /** The upload that was begun with these files before, or a new one. */
  async #begun(abort: AbortSignal): Promise<Upload> {
    const { api } = this.#port;
    const kept = remembered(this.#files);
    if (kept !== null) {
      try {
        return await fetchUpload(api, kept, abort);
      } catch (error) {
        if (!(error instanceof ApiError && error.status === 404)) {
          throw error;
        }
        forget();
      }
    }
    const files = this.#files.map(({ name, file }) => ({
      name,
      sizeBytes: BigInt(file.size),
      modifiedMs: BigInt(Math.max(0, file.lastModified)),
    }));
    const upload = await beginUpload(api, files, abort);
    remember(this.#files, upload.id);
    return upload;
  }

  async #sendNext(upload: Upload, number: number, file: File, abort: AbortSignal): Promise<Upload> {
    const { api, now } = this.#port;
    const start = Number(upload.receivedBytes[number]!);
    const began = now();
    try {
      const piece = file.slice(start, start + this.#pieceBytes);
      const after = await sendPiece(api, upload.id, number, BigInt(start), piece, abort);
      const fitting = (piece.size * PIECE_MS) / Math.max(now() - began, 1);
      const most = Math.min(this.#pieceBytes * 2, this.#room?.pieceBytes ?? LEAST_PIECE);
      this.#pieceBytes = Math.round(Math.min(Math.max(fitting, LEAST_PIECE), most));
      return after;
    } catch (error) {
      const status = error instanceof ApiError ? error.status : 0;
      if (status === 0 && !abort.aborted && !(await isReadable(file, start))) {
        throw new Error(`${file.name} has changed since it was chosen, or cannot be read: choose it again`);
      }
      if (status === 413 && this.#pieceBytes > LEAST_PIECE) {
        this.#pieceBytes = LEAST_PIECE; // a proxy takes less than the server
      } else if (status !== 409) {
        if (!mayPass(error) && status !== 408) {
          throw status === 404 ? new Error(GONE) : error;
        }
        await this.#pause(error, abort);
      }
      return await this.#stateOf(upload.id, abort);
    }
  }

  async #stateOf(id: string, abort: AbortSignal): Promise<Upload> {
    try {
      return await fetchUpload(this.#port.api, id, abort);
    } catch (error) {
      throw error instanceof ApiError && error.status === 404 ? new Error(GONE) : error;
    }
  }

  #failures = 0;

  /** Does it until it is done, or cannot be. */
  async #persist<T>(work: () => Promise<T>, abort: AbortSignal): Promise<T> {
    for (;;) {
      try {
        const done = await work();
        this.#failures = 0;
        return done;
      } catch (error) {
        if (abort.aborted || !mayPass(error) || (error instanceof ApiError && error.status === 429)) {
          throw error;
        }
        await this.#pause(error, abort);
      }
    }
  }

  async #pause(error: unknown, abort: AbortSignal): Promise<void> {
    const view = this.view.peek();
    this.#tell(view.kind === "sending" ? view.sent : 0n, messageOf(error));
    const ms = retryPauseMs(this.#failures++, FIRST_PAUSE_MS, LONGEST_PAUSE_MS);
    await pauseFor(ms, abort);
  }

  #tell(sent: bigint, pause: string | null): void {
    const total = sum(this.#files.map(({ file }) => BigInt(file.size)));
    this.view.value = { kind: "sending", title: titleOf(this.#files), sent, total, pause };
  }
}

/** False of a file that was written, moved or removed since it was chosen: no request can send it. */
async function isReadable(file: File, start: number): Promise<boolean> {
  return await file
    .slice(start, start + 1)
    .arrayBuffer()
    .then(
      () => true,
      () => false,
    );
}

/** Reason why these files cannot be sent; null: they can. */
function wrongWith(files: readonly ChosenFile[], { mostFiles, mostBytes }: UploadRoom): string | null {
  if (files.length === 0) {
    return "It has no files.";
  }
  if (files.length > mostFiles) {
    return `These are more than ${mostFiles} files: choose the folder of one run.`;
  }
  return sum(files.map(({ file }) => BigInt(file.size))) > mostBytes
    ? "This is more than the server takes: start it with a larger --open-per-client."
    : null;
}

function sum(counts: readonly bigint[]): bigint {
  return counts.reduce((total, count) => total + count, 0n);
}

/** These files, by which an upload of them is known again. */
function stampOf(files: readonly ChosenFile[]): string {
  const text = files.map(({ name, file }) => `${name} ${file.size} ${file.lastModified}`).join("\n");
  let hash = 0;
  for (let k = 0; k < text.length; k++) {
    hash = (Math.imul(hash, 31) + text.charCodeAt(k)) | 0;
  }
  return `${files.length} ${text.length} ${hash}`;
}

function remembered(files: readonly ChosenFile[]): string | null {
  const [stamp, id] = (sessionStorage.getItem(KEPT) ?? "").split("\n");
  return id !== undefined && stamp === stampOf(files) ? id : null;
}

function remember(files: readonly ChosenFile[], id: string): void {
  sessionStorage.setItem(KEPT, `${stampOf(files)}\n${id}`);
}

function forget(): void {
  sessionStorage.removeItem(KEPT);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
