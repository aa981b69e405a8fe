/**
 * The run on the screen, from the wish to see it to the opened trace: asks for its index where there is none, waits for
 * it, and says what went wrong.
 */

import { signal } from "@preact/signals";
import { type Api, ApiError, type BuildApi, type Manifest, type Overview, type Run } from "@tilescope/client";
import { type ConnectWatch, GrowthFollower, type GrowthState, watchSocket } from "./growth";
import { page } from "./page";
import { hasPage, pageOfRun } from "./page-of-run";
import { makeTrace, type Trace } from "./trace";

export type RunView =
  | { readonly kind: "list" }
  | { readonly kind: "opening"; readonly id: string }
  | { readonly kind: "unknown"; readonly id: string }
  | { readonly kind: "indexing"; readonly run: Run }
  | { readonly kind: "failed"; readonly id: string; readonly name: string; readonly message: string }
  | { readonly kind: "empty"; readonly manifest: Manifest }
  | { readonly kind: "open"; readonly trace: Trace };

export function runState() {
  return { runView: signal<RunView>({ kind: "list" }) };
}

export type RunState = ReturnType<typeof runState>;

/** The id of the run on the screen, or null in the list of runs. */
export function runIdOf(view: RunView): string | null {
  switch (view.kind) {
    case "list":
      return null;
    case "opening":
    case "unknown":
    case "failed":
      return view.id;
    case "indexing":
      return view.run.id;
    case "empty":
      return view.manifest.run;
    case "open":
      return view.trace.manifest.run;
  }
}

/** True if a run is shown, or is about to be. */
export function hasRun({ kind }: RunView): boolean {
  return kind === "opening" || kind === "open";
}

/** The overview of a build that grows; null where it has changed under the request: the next revision is on its way. */
async function overviewOf(api: BuildApi, { state, overview }: Manifest): Promise<Overview | null> {
  if (state !== "indexing" || overview === null) {
    return null;
  }
  try {
    return await api.overview(overview);
  } catch {
    return null;
  }
}

/** The page that a run opens with; where its list cannot be had, that of its format. */
async function pageOfEmpty({ api, manifest }: Trace): Promise<string | null> {
  const attachments = await api.attachments().catch(() => []);
  return pageOfRun(manifest.format, attachments);
}

export class RunOpener {
  readonly #pane: RunState & GrowthState;
  readonly #api: Api;
  readonly #refreshRuns: () => Promise<void>;
  readonly #growth: GrowthFollower;
  readonly #onBlocks: (build: string, blocks: readonly number[]) => void;
  /** Runs that were asked to be indexed since they were opened; each is asked once. */
  #requested: string | null = null;
  #loading: string | null = null;
  #loads = 0;
  #isLoadWanted = false;

  /** `onBlocks`: parts of a build that grows can be had now. */
  constructor(
    pane: RunState & GrowthState,
    api: Api,
    refreshRuns: () => Promise<void>,
    onBlocks: (build: string, blocks: readonly number[]) => void = () => undefined,
    connect: ConnectWatch = watchSocket(api),
  ) {
    this.#pane = pane;
    this.#api = api;
    this.#refreshRuns = refreshRuns;
    this.#onBlocks = onBlocks;
    this.#growth = new GrowthFollower(
      this.#pane,
      {
        onRevision: (run) => void this.#load(run, run),
        onBlocks: (_run, build, blocks) => this.#onBlocks(build, blocks),
        onReady: (run) => {
          void this.#load(run, run);
          void this.#refreshRuns();
        },
        onFailed: (run, message) => {
          if (runIdOf(this.#pane.runView.peek()) === run) {
            this.#fail(run, run, new Error(message));
          }
        },
      },
      connect,
    );
  }

  /** Blocks that are on the screen and not built yet. */
  wantBlocks(blocks: readonly number[]): void {
    this.#growth.want(blocks);
  }

  /** Shows a run, or the list of runs. `list`: what has just been heard of all runs. */
  open(id: string | null, list: readonly Run[] | null = null): void {
    this.#requested = null;
    this.#loading = null;
    this.#growth.follow(null);
    this.#pane.runView.value = id === null ? { kind: "list" } : { kind: "opening", id };
    if (list === null) {
      void this.#refreshRuns();
    } else {
      this.follow(list);
    }
  }

  /** Tries a failed run once more, or looks again for what one that is shown lacks. */
  async retry(id: string): Promise<void> {
    this.#loading = null;
    if (this.#pane.runView.peek().kind === "open") {
      await this.#lookAgain(id);
      return;
    }
    this.#pane.runView.value = { kind: "opening", id };
    await this.#ask(id);
  }

  /** To be called with each new list of runs. */
  follow(list: readonly Run[]): void {
    const view = this.#pane.runView.peek();
    if (view.kind === "open" && view.trace.manifest.state === "indexing") {
      this.#followGrowing(view.trace, list);
    }
    if (view.kind !== "opening" && view.kind !== "indexing" && view.kind !== "unknown") {
      return;
    }
    const id = runIdOf(view);
    const run = list.find((candidate) => candidate.id === id);
    if (id === null) {
      return;
    }
    if (run === undefined) {
      this.#pane.runView.value = { kind: "unknown", id };
      return;
    }
    switch (run.state) {
      case "new":
        this.#pane.runView.value = { kind: "indexing", run };
        if (this.#requested !== id) {
          void this.#ask(id);
        }
        return;
      case "queued":
      case "indexing":
        this.#pane.runView.value = { kind: "indexing", run };
        this.#growth.follow(id);
        return;
      case "failed":
        this.#growth.follow(null);
        this.#pane.runView.value = { kind: "failed", id, name: run.name, message: run.error ?? "indexing failed" };
        return;
      case "ready":
        if (this.#loading !== id) {
          void this.#load(id, run.name, run.build);
        }
    }
  }

  /** Follows a growing run by the list, where the watch does not get through. */
  #followGrowing(trace: Trace, list: readonly Run[]): void {
    const run = list.find(({ id }) => id === trace.manifest.run);
    if (run?.state === "ready" && this.#loading !== run.id) {
      void this.#load(run.id, run.name);
    }
    if (run?.state === "failed") {
      this.#fail(run.id, run.name, new Error(run.error ?? "indexing failed"));
    }
    const progress = run?.progress ?? null;
    if (progress !== null && progress.revision > trace.manifest.revision && this.#loading !== run!.id) {
      void this.#load(run!.id, run!.name);
    }
  }

  /** The trace on the screen stays until the answer is there. */
  async #lookAgain(id: string): Promise<void> {
    try {
      await this.#api.index(id);
    } catch (error) {
      this.#fail(id, id, error);
      return;
    }
    if (runIdOf(this.#pane.runView.peek()) === id) {
      const load = this.#load(id, id); // first: the list that is there may name the build of before
      this.#pane.runView.value = { kind: "opening", id };
      await this.#refreshRuns();
      await load;
    }
  }

  async #ask(id: string): Promise<void> {
    this.#requested = id;
    try {
      await this.#api.index(id);
    } catch (error) {
      if (runIdOf(this.#pane.runView.peek()) === id) {
        this.#fail(id, id, error);
      }
      return;
    }
    await this.#refreshRuns();
  }

  /**
   * Loads what there is of a run and shows it. While that is under way, another wish is kept for when it is done: a run
   * that grows faster than it can be loaded is shown as it was a moment ago, and not never.
   */
  async #load(id: string, name: string, build: string | null = null): Promise<void> {
    if (this.#loading === id) {
      this.#isLoadWanted = true;
      return;
    }
    this.#loading = id;
    this.#isLoadWanted = false;
    this.#loads += 1;
    const load = this.#loads;
    const isCurrent = () => this.#loads === load && this.#loading === id;
    try {
      const next = await this.#fetch(id, build);
      if (!isCurrent()) {
        return;
      }
      // While nothing has been found yet, there is nothing to show yet.
      if (next !== null) {
        const tool = next.kind === "open" && next.trace.manifest.empty ? await pageOfEmpty(next.trace) : null;
        if (!isCurrent()) {
          return;
        }
        const isGrowing = next.kind === "open" && next.trace.manifest.state === "indexing";
        this.#growth.follow(isGrowing ? id : null);
        if (tool !== null && page.peek().tool === null) {
          page.value = { ...page.peek(), tool };
        }
        this.#pane.runView.value = next;
      }
    } catch (error) {
      if (!isCurrent()) {
        return;
      }
      // Between the list and this request the run may have been changed: look at the list again. What is shown already
      // is not given up because its next state could not be had at once.
      const hasChanged = error instanceof ApiError && (error.code === "not_indexed" || error.code === "unknown_build");
      if (hasChanged || this.#pane.runView.peek().kind === "open") {
        void this.#refreshRuns();
      } else {
        this.#fail(id, name, error);
      }
    } finally {
      if (isCurrent()) {
        this.#loading = null;
        if (this.#isLoadWanted) {
          void this.#load(id, name);
        }
      }
    }
  }

  /** `build`: which one it is likely to be. Its tracks are asked for at once, beside the manifest. */
  async #fetch(id: string, build: string | null): Promise<RunView | null> {
    const early = build === null ? null : this.#api.build(id, build).tracks();
    early?.catch(() => undefined); // awaited below, if it is the build
    const manifest = await this.#api.manifest(id);
    if (manifest.empty && !hasPage(manifest.format)) {
      return manifest.state === "indexing" ? null : { kind: "empty", manifest };
    }
    const api = this.#api.build(id, manifest.build);
    const [tracks, overview] = await Promise.all([
      (manifest.build === build ? early : null) ?? api.tracks(),
      overviewOf(api, manifest),
    ]);
    return { kind: "open", trace: makeTrace(manifest, api, tracks, overview) };
  }

  #fail(id: string, name: string, error: unknown): void {
    this.#growth.follow(null);
    this.#isLoadWanted = false;
    this.#pane.runView.value = {
      kind: "failed",
      id,
      name,
      message: error instanceof Error ? error.message : String(error),
    };
  }
}
