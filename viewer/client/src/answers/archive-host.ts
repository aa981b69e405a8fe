/**
 * Answers the routes of docs/api.md from archives, in the place of a server: whoever asks with `Api` and this as its `fetch` gets what a
 * server would say. What takes a server is refused as `not_available`, with the command that gives it.
 */

import { Archive } from "../archive/archive";
import { overviewKey, recordKey } from "../archive/keys";
import { ArchiveChanged, type ReadRange } from "../archive/range-reader";
import { LIMITS, type Limits, type RunJson, type ToolEntry } from "../base/schema";
import type { Fetch } from "../net/api";
import { ApiError } from "../net/error";
import { mayPass, pauseFor, retryPauseMs } from "../net/retry";
import { type OpenApiJson, toolFields } from "../net/tool-fields";
import { FormatError } from "../pages/error";
import type { PageKey } from "../pages/key";
import { ArchivedRun } from "./archived-run";
import { eventDetails } from "./event-details";
import { shellWord } from "./shell-word";
import { toolAnswer, toolOf } from "./tool-answers";

/** Ways to read archives, and what a page without a server knows of tools. */
export interface ArchiveHostOptions {
  /** Function that reads ranges of the archive at an address. */
  readonly readRanges: (address: string) => ReadRange;
  /** The address of an archive for people and commands. */
  readonly fullAddress: (address: string) => string;
  /** All tools, as a list of them is kept beside the page. */
  readonly loadTools: () => Promise<readonly ToolEntry[]>;
  /** Fields of the questions of all tools: the part of the API's description that says so, kept in the same way. */
  readonly loadQuestions: () => Promise<OpenApiJson>;
}

/** Tries to open an archive beyond the first, and the pauses before them. */
const MOST_FAILURES = 3;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 4000;

/** Errors of records that are not as they should be: what lacks a member is a TypeError. Hosts that do not answer are none. */
const DAMAGE = [FormatError, RangeError, SyntaxError, TypeError];

const RUN_PATH = /^\/runs\/([^/]+)(\/.*)?$/;
const BUILD_PATH = /^\/builds\/([^/]+)(\/.*)$/;

/** Answers the routes of the API from archives. */
export class ArchiveHost {
  readonly #first: string;
  readonly #options: ArchiveHostOptions;
  /** Open archives by their addresses, which are the ids of their runs. */
  readonly #runs = new Map<string, Promise<ArchivedRun>>();

  /** `first`: the address of the archive that is in the list of runs from the beginning on. */
  constructor(first: string, options: ArchiveHostOptions) {
    this.#first = first;
    this.#options = options;
  }

  /** In the place of `fetch`: the fetcher of an `Api`. Rejects where the host of an archive does not answer. */
  readonly fetch: Fetch = async (input, init) => {
    const { pathname, searchParams } = new URL(input, "http://archive.invalid");
    const path = pathname.slice(pathname.indexOf("/api/v1") + "/api/v1".length);
    init?.signal?.throwIfAborted();
    try {
      return pathname.endsWith("/healthz") ? json({ version: null }) : await this.#answer(path, searchParams, init);
    } catch (error) {
      return responseOf(error);
    }
  };

  async #answer(path: string, query: URLSearchParams, init: RequestInit | undefined): Promise<Response> {
    if (path === "/runs") {
      return json({ runs: await this.#list() });
    }
    if (path === "/openapi.json") {
      return json(await this.#options.loadQuestions());
    }
    const [, id, rest = ""] = RUN_PATH.exec(path) ?? [];
    const isAgain = rest === "/index" && init?.method === "POST";
    if (id === undefined || !(isAgain || (init?.method ?? "GET") === "GET")) {
      throw this.#refusal("This takes a server", "serve FOLDER");
    }
    const address = decodeURIComponent(id);
    if (isAgain) {
      return json(await this.#entry(address));
    }
    const opened = this.#runs.get(address) ?? this.#open(address);
    try {
      return await this.#answerOfRun(await opened, address, rest, query);
    } catch (error) {
      if (!(error instanceof ArchiveChanged)) {
        throw error;
      }
      if (this.#runs.get(address) === opened) {
        this.#runs.delete(address); // it was replaced: the new one says whether it is of the same build
      }
      return await this.#answerOfRun(await (this.#runs.get(address) ?? this.#open(address)), address, rest, query);
    }
  }

  async #answerOfRun(run: ArchivedRun, address: string, rest: string, query: URLSearchParams): Promise<Response> {
    if (rest === "/manifest") {
      return json(await manifestOf(run, address, nameOf(this.#options.fullAddress(address))));
    }
    const [, build, part = ""] = BUILD_PATH.exec(rest) ?? [];
    if (build !== run.build) {
      throw new ApiError(404, "unknown_build", "the archive is of another build");
    }
    const [kind = "", ...names] = part.slice(1).split("/").map(decodeURIComponent);
    return await this.#answerOfBuild(run, address, kind, names, query);
  }

  async #answerOfBuild(
    run: ArchivedRun,
    address: string,
    kind: string,
    names: readonly string[],
    query: URLSearchParams,
  ): Promise<Response> {
    const numbers = names.map(Number);
    switch (kind) {
      case "tracks":
        return json(await run.trackTree());
      case "names":
        return json(await run.names(numbers[0]!));
      case "shapes":
        return bytes(await run.find(recordKey("S", names.map(BigInt)) ?? ""));
      case "overview":
        return bytes(await run.find(overviewKey(numbers[0]!)));
      case "pages":
        return bytes(await run.pageContent(pageKey(numbers)));
      case "residuals":
        return bytes(await run.residual(pageKey(numbers)));
      case "events":
        if (names.length === 2) {
          return json(existing(await eventDetails(run, numbers[0]!, BigInt(names[1]!))));
        }
        break;
      case "marks":
        return json({ marks: [], writable: false }, { etag: '"none"' });
      case "attachments":
        if (names.length === 0) {
          return json({ attachments: [] });
        }
        break;
      case "tools":
        return json(
          names.length === 0 ? await this.#tools(run, address) : await this.#ask(run, address, names[0]!, query),
        );
      default:
        break;
    }
    throw this.#refusal("This answer takes a server", this.#viewCommand(address));
  }

  /** Command of `tilescope` that has all answers. An address is made by anybody, and a command is pasted into a shell. */
  #viewCommand(address: string): string {
    return `view ${shellWord(this.#options.fullAddress(address))}`;
  }

  async #ask(run: ArchivedRun, address: string, tool: string, query: URLSearchParams): Promise<unknown> {
    const answer = await toolAnswer(run, tool, query, async (name) =>
      toolFields(await this.#options.loadQuestions(), name),
    );
    if (answer === null) {
      throw this.#refusal("This answer takes a server", this.#viewCommand(address));
    }
    return answer;
  }

  /** All tools: those that the archive answers, and what gives the answers of the others. */
  async #tools(run: ArchivedRun, address: string): Promise<{ readonly tools: readonly ToolEntry[] }> {
    const { answers = [] } = await run.manifest();
    const here = new Set([...answers.map(toolOf), "stats", "search"]);
    const reason = `takes a server: tilescope ${this.#viewCommand(address)}`;
    const tools = await this.#options.loadTools();
    return {
      tools: tools.map((tool) =>
        here.has(tool.id) ? { ...tool, available: true, reason: "" } : { ...tool, available: false, reason },
      ),
    };
  }

  #open(address: string): Promise<ArchivedRun> {
    const run = Archive.open(this.#options.readRanges(address)).then((archive) => new ArchivedRun(archive));
    this.#runs.set(address, run);
    run.catch(() => this.#runs.get(address) === run && this.#runs.delete(address)); // tried again by whoever asks next
    return run;
  }

  #list(): Promise<RunJson[]> {
    if (this.#first === "") {
      throw new ApiError(422, "not_available", "This page opens archives: add ?archive=URL to its address");
    }
    const addresses = new Set([this.#first, ...this.#runs.keys()]);
    return Promise.all([...addresses].map((address) => this.#entry(address)));
  }

  async #entry(address: string): Promise<RunJson> {
    let name = address;
    try {
      name = nameOf(this.#options.fullAddress(address));
      return await this.#openedEntry(address, name, 0);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      return {
        ...{ id: address, name, path: name, state: "failed", error: message, hosts: [], files: 0, size_bytes: "0" },
        ...{
          modified_ns: "0",
          build: null,
          progress: null,
          notes: [],
          events: null,
          duration_ps: null,
          growing: false,
        },
        ...{ contents: [], steps: null },
      };
    }
  }

  /** The entry of an archive that can be opened; where its host does not answer, it is tried a few times. */
  async #openedEntry(address: string, name: string, failures: number): Promise<RunJson> {
    let run: ArchivedRun;
    try {
      run = await (this.#runs.get(address) ?? this.#open(address));
    } catch (error) {
      if (!mayPass(error) || failures === MOST_FAILURES) {
        throw error;
      }
      await pauseFor(retryPauseMs(failures, FIRST_PAUSE_MS, LONGEST_PAUSE_MS), null);
      return await this.#openedEntry(address, name, failures + 1);
    }
    const { public: stored } = await run.manifest();
    return {
      ...{
        id: address,
        name,
        path: name,
        state: "ready",
        error: null,
        hosts: stored.hosts,
        files: stored.files.length,
      },
      ...{ size_bytes: String(run.archive.header.sizeBytes), modified_ns: stored.created_ns, build: run.build },
      ...{ progress: null, notes: [], events: stored.events.total, growing: false, contents: [] },
      duration_ps: String((BigInt(stored.end) - BigInt(stored.start)) * BigInt(stored.tick_ps)),
      steps: stored.steps?.count ?? null,
    };
  }

  #refusal(what: string, command: string): ApiError {
    return new ApiError(422, "not_available", `${what}: tilescope ${command}`);
  }
}

/** `https://host/folder/run.tsarc` → `run.tsarc`. */
function nameOf(address: string): string {
  const path = new URL(address).pathname;
  const file = path.slice(path.lastIndexOf("/") + 1);
  // Not all per cent signs of an address stand for bytes of UTF-8.
  return new URLSearchParams(`name=${file.replaceAll("+", "%2B").replaceAll("&", "%26")}`).get("name") || address;
}

async function manifestOf(run: ArchivedRun, id: string, name: string): Promise<object> {
  const { public: stored } = await run.manifest();
  const store_bytes = String(run.archive.header.sizeBytes);
  return { ...stored, store_bytes, run: id, name, state: "ready", limits: limitsJson(LIMITS) };
}

function limitsJson(limits: Limits): object {
  return {
    ...{ page_keys: limits.pageKeys, body_bytes: limits.bodyBytes, watch_blocks: limits.watchBlocks },
    ...{ view_tracks: limits.viewTracks, events: limits.events, question_tracks: limits.questionTracks },
    end: limits.endTicks.toString(),
  };
}

function pageKey([block, level, index, slot]: readonly number[]): PageKey {
  return { block: block!, level: level!, index: index!, slot: slot! };
}

function existing<T>(value: T | null): T {
  if (value === null) {
    throw new ApiError(404, "not_found", "there is nothing of that name in the archive");
  }
  return value;
}

function json(value: unknown, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(value), { headers: { "content-type": "application/json", ...headers } });
}

function bytes(content: Uint8Array<ArrayBuffer> | null): Response {
  return new Response(existing(content));
}

/** An error as a server would send it; where the host of the archive does not answer, there is no answer. */
function responseOf(error: unknown): Response {
  if (error instanceof ApiError) {
    const { status, code, message, retryAfter } = error;
    const headers = {
      "content-type": "application/json",
      ...(retryAfter === null ? {} : { "retry-after": retryAfter }),
    };
    return new Response(JSON.stringify({ error: { code, message } }), { status: Math.max(status, 400), headers });
  }
  const isDamage = DAMAGE.some((kind) => error instanceof kind);
  if (!(error instanceof Error) || !isDamage) {
    throw error;
  }
  const body = { error: { code: "bad_store", message: `The archive is damaged: ${error.message}` } };
  return new Response(JSON.stringify(body), { status: 500, headers: { "content-type": "application/json" } });
}
