/** Typed client of the HTTP part of docs/api.md. */

import {
  type Attachment,
  type AttachmentListJson,
  type ErrorAnswer,
  type EventDetails,
  type EventDetailsJson,
  type Events,
  type EventsJson,
  type Health,
  type ManifestJson,
  type OverviewGrid,
  type Run,
  type RunListJson,
  readAttachmentList,
  readEventDetails,
  readEvents,
  readRunList,
  readToolAnswer,
  type ToolAnswer,
  type ToolAnswerJson,
  type ToolEntry,
  type ToolList,
  type TrackTreeJson,
} from "../base/schema";
import { type PageKey, pageName } from "../pages/key";
import { decodeOverview, Overview } from "../pages/overview";
import { ShapeIndex } from "../pages/shape";
import { questionQuery, type ToolQuestion } from "./answer";
import { ApiError, NetworkError } from "./error";
import { type EventName, type Manifest, parseManifest, parseTrackTree, type TrackTree } from "./model";
import { type Pause, pauseFor, waitBeforeMs } from "./retry";
import { type OpenApiJson, type ToolField, toolFields } from "./tool-fields";

/** The part of `fetch` that the client uses. */
export type Fetch = (input: string, init?: RequestInit) => Promise<Response>;

/** All methods throw ApiError or NetworkError, or the abort's reason. */
export class Api {
  readonly #root: string;
  readonly #base: string;
  readonly #fetch: Fetch;
  readonly #pause: Pause;
  readonly #onHeld: (questions: number) => void;
  #held = 0;

  /**
   * `root` is the address under which `/api/v1` lies, without a slash at its end; "" for the page's own server. `onHeld` is told how
   * many questions have failed and are asked again.
   */
  constructor(
    root = "",
    fetcher: Fetch = (input, init) => fetch(input, init),
    pause: Pause = pauseFor,
    onHeld: (questions: number) => void = () => undefined,
  ) {
    this.#root = root;
    this.#base = `${root}/api/v1`;
    this.#fetch = fetcher;
    this.#pause = pause;
    this.#onHeld = onHeld;
  }

  /** The version of a server that is alive; null where a proxy before it does not say. Throws NetworkError where none is. */
  async health(signal?: AbortSignal): Promise<string | null> {
    const init = { signal: signal ?? null };
    const response = await this.#ask(`${this.#root}/healthz`, init);
    if (response.status >= 500) {
      throw new NetworkError("the server does not answer");
    }
    return response.ok ? (await whole(() => response.json() as Promise<Health>, init)).version : null;
  }

  /** The runs of the server, newest first. */
  async runs(signal?: AbortSignal): Promise<Run[]> {
    return [...readRunList(await this.json<RunListJson>("/runs", { signal: signal ?? null })).runs];
  }

  /** Asks for the run to be indexed; fine when it already is. */
  async index(run: string): Promise<void> {
    await this.answer(`/runs/${encodeURIComponent(run)}/index`, { method: "POST" });
  }

  /** Content of a run, and the name of its build. ApiError with code `not_indexed`: ask `index` first. */
  async manifest(run: string, signal?: AbortSignal): Promise<Manifest> {
    const json = await this.json<ManifestJson>(`/runs/${encodeURIComponent(run)}/manifest`, { signal: signal ?? null });
    return parseManifest(json);
  }

  /** The address of the WebSocket on which a run's indexing can be followed. */
  watchUrl(run: string, location: string): string {
    return this.socketUrl(`/runs/${encodeURIComponent(run)}/watch`, location);
  }

  /** The API of one build of a run; asks nothing. */
  build(run: string, build: string): BuildApi {
    return new BuildApi(this, `/runs/${encodeURIComponent(run)}/builds/${encodeURIComponent(build)}`);
  }

  /** The JSON of the answer at a path below `/api/v1`. */
  async json<T>(path: string, init?: RequestInit): Promise<T> {
    return (await this.jsonAndHeaders<T>(path, init)).json;
  }

  /** The JSON of an answer, with its headers. What is complete and no JSON is not asked for again: it would be the same. */
  async jsonAndHeaders<T>(path: string, init?: RequestInit): Promise<{ readonly json: T; readonly headers: Headers }> {
    const read = async (response: Response) => ({ json: await jsonOf<T>(response), headers: response.headers });
    return await this.read(path, read, init);
  }

  /** The bytes of the answer at a path below `/api/v1`, inflated. */
  bytes(path: string, init?: RequestInit): Promise<Uint8Array> {
    return this.read(path, async (response) => new Uint8Array(await response.arrayBuffer()), init);
  }

  /** The answer to a question, with its headers. */
  answer(path: string, init?: RequestInit): Promise<Response> {
    return this.read(path, async (response) => response, init);
  }

  /**
   * The answer to a question, with what `read` takes of its body. Asks again, with pauses, when the server is busy; and what can be
   * asked twice also when the answer is lost, or breaks off, which is when `read` rejects.
   */
  async read<T>(path: string, read: (response: Response) => Promise<T>, init: RequestInit = {}): Promise<T> {
    const isRepeatable = (init.method ?? "GET") === "GET";
    let isHeld = false;
    try {
      for (let tries = 1; ; tries++) {
        try {
          return await this.#try(path, read, init);
        } catch (error) {
          const waitMs = waitBeforeMs(tries, error, isRepeatable);
          if (waitMs === null) {
            throw error;
          }
          if (!isHeld) {
            isHeld = true;
            this.#hold(1);
          }
          await this.#pause(waitMs, init.signal ?? null);
        }
      }
    } finally {
      if (isHeld) {
        this.#hold(-1);
      }
    }
  }

  #hold(more: number): void {
    this.#held += more;
    this.#onHeld(this.#held);
  }

  async #try<T>(path: string, read: (response: Response) => Promise<T>, init: RequestInit): Promise<T> {
    const response = await this.#ask(this.#base + path, init);
    if (!response.ok) {
      throw await apiError(response);
    }
    return await whole(() => read(response), init);
  }

  /** The address of a path, for those who ask by themselves. */
  url(path: string): string {
    return this.#base + path;
  }

  /** The address of a path, as a WebSocket address. */
  socketUrl(path: string, location: string): string {
    const url = new URL(this.#base + path, location);
    url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
    return url.href;
  }

  async #ask(url: string, init: RequestInit): Promise<Response> {
    let response: Response;
    try {
      response = await this.#fetch(url, init);
    } catch (error) {
      throw lossOf(error, init, "the server does not answer");
    }
    return response;
  }
}

/** The immutable part: everything of one build of a run's index. */
export class BuildApi {
  readonly #api: Api;
  readonly #path: string;

  constructor(api: Api, path: string) {
    this.#api = api;
    this.#path = path;
  }

  /** The answer of a path below the build, as `Api.jsonAndHeaders` has it. */
  jsonAndHeaders<T>(path: string, init?: RequestInit): Promise<{ readonly json: T; readonly headers: Headers }> {
    return this.#api.jsonAndHeaders(this.#path + path, init);
  }

  /** The track tree. */
  async tracks(): Promise<TrackTree> {
    return parseTrackTree(await this.#api.json<TrackTreeJson>(`${this.#path}/tracks`));
  }

  /** The tools, and which of them have an answer for this run. */
  async tools(signal?: AbortSignal): Promise<readonly ToolEntry[]> {
    const { tools } = await this.#api.json<ToolList>(`${this.#path}/tools`, { signal: signal ?? null });
    return tools;
  }

  /** Parameters of a tool, for forms that people fill in. */
  async toolFields(tool: string, signal?: AbortSignal): Promise<readonly ToolField[]> {
    return toolFields(await this.#api.json<OpenApiJson>("/openapi.json", { signal: signal ?? null }), tool);
  }

  /** Answer of a tool: docs/tools.md lists the parameters of each. */
  async ask(tool: string, question: ToolQuestion = {}, signal?: AbortSignal): Promise<ToolAnswer> {
    const path = `${this.#path}/tools/${encodeURIComponent(tool)}${questionText(question)}`;
    return readToolAnswer(await this.#api.json<ToolAnswerJson>(path, { signal: signal ?? null }));
  }

  /** The events of a span as columns, by track and ordinal: `tracks`, `start`, `end`, `limit`, `after`. */
  async events(question: ToolQuestion = {}, signal?: AbortSignal): Promise<Events> {
    const path = `${this.#path}/events${questionText(question)}`;
    return readEvents(await this.#api.json<EventsJson>(path, { signal: signal ?? null }));
  }

  /** The events of a span as trace-event JSON, which may be larger than memory: `tracks`, `start`, `end`, `steps`. */
  exported(question: ToolQuestion = {}, signal?: AbortSignal): Promise<Response> {
    return this.#api.answer(this.#exportPath(question), { signal: signal ?? null });
  }

  /** URL of the same as a file, for a browser. */
  exportUrl(question: ToolQuestion = {}): string {
    return this.#api.url(this.#exportPath(question));
  }

  #exportPath(question: ToolQuestion): string {
    return `${this.#path}/export${questionText(question)}`;
  }

  /** Data that the trace holds beside its events: HLO protos, stats of planes, members of a JSON trace. */
  async attachments(signal?: AbortSignal): Promise<readonly Attachment[]> {
    const list = await this.#api.json<AttachmentListJson>(`${this.#path}/attachments`, { signal: signal ?? null });
    return readAttachmentList(list).attachments;
  }

  /** The content of an attachment, by its id. */
  async attachment(id: number, signal?: AbortSignal): Promise<Uint8Array> {
    return await this.#api.bytes(`${this.#path}/attachments/${id}`, { signal: signal ?? null });
  }

  /** Names of the ids from `page * page_size` on. */
  async names(page: number): Promise<EventName[]> {
    const pairs = await this.#api.json<[string, string][]>(`${this.#path}/names/${page}`);
    return pairs.map(([name, category]) => ({ name, category }));
  }

  /** Throws FormatError as well. */
  async shape(block: number): Promise<ShapeIndex> {
    return ShapeIndex.decode(await this.#api.bytes(`${this.#path}/shapes/${block}`), block);
  }

  /** The whole overview. Throws FormatError as well. */
  async overview(grid: OverviewGrid): Promise<Overview> {
    const numbers = Array.from({ length: grid.pages }, (_, page) => page);
    const pages = await Promise.all(
      numbers.map(async (page) => decodeOverview(await this.#api.bytes(`${this.#path}/overview/${page}`), page, grid)),
    );
    return new Overview(grid, pages);
  }

  /** An inflated page: the browser undoes the gzip. */
  page(key: PageKey, signal?: AbortSignal): Promise<Uint8Array> {
    return this.#api.bytes(`${this.#path}/pages/${pageName(key)}`, { signal: signal ?? null });
  }

  /** An inflated residual: what `pages/residual.ts` makes a page's bins exact with. */
  residual(key: PageKey, signal?: AbortSignal): Promise<Uint8Array> {
    return this.#api.bytes(`${this.#path}/residuals/${pageName(key)}`, { signal: signal ?? null });
  }

  /** One event with all its arguments. */
  async event(track: number, ordinal: bigint | number, signal?: AbortSignal): Promise<EventDetails> {
    const path = `${this.#path}/events/${track}/${ordinal}`;
    return readEventDetails(await this.#api.json<EventDetailsJson>(path, { signal: signal ?? null }));
  }

  /** The address of the WebSocket on which pages come. */
  streamUrl(location: string): string {
    return this.#api.socketUrl(`${this.#path}/stream`, location);
  }
}

/** The body of an answer; what breaks off is no answer. */
async function whole<T>(body: () => Promise<T>, init: RequestInit): Promise<T> {
  try {
    return await body();
  } catch (error) {
    throw lossOf(error, init, "the server's answer broke off");
  }
}

/** Error to throw where an answer is lost; an aborted signal, or the knowledge that the server is away, gives the reason. */
function lossOf(error: unknown, { signal }: RequestInit, message: string): unknown {
  const isNamed = error instanceof NetworkError || error instanceof ApiError;
  return signal?.aborted || isNamed ? error : new NetworkError(message, { cause: error });
}

/** Only a body that is complete is a wrong text: of one that breaks off the browser says something else. */
async function jsonOf<T>(response: Response): Promise<T> {
  try {
    return (await response.json()) as T;
  } catch (error) {
    throw error instanceof SyntaxError
      ? new ApiError(response.status, "unreadable", "the answer is not JSON: it seems to come from another server")
      : error;
  }
}

function questionText(question: ToolQuestion): string {
  const query = questionQuery(question);
  return query === "" ? "" : `?${query}`;
}

async function apiError(response: Response): Promise<ApiError> {
  const retryAfter = response.headers.get("retry-after");
  try {
    const { error } = (await response.json()) as ErrorAnswer;
    return new ApiError(response.status, error.code, error.message, retryAfter);
  } catch {
    return new ApiError(response.status, "unknown", `the server answered ${response.status}`, retryAfter);
  }
}
