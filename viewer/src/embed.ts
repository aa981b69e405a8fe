/**
 * `window.tilescope`: a read-only look at what is on the screen, for pages that embed the viewer and for tests.
 * Documented in docs/embedding.md; 64-bit numbers are decimal strings there. Loaded late.
 */

import { visibleRange } from "@tilescope/client";
import type { App } from "./app/app";
import type { PaneApp } from "./app/pane-app";
import { page as shownPage } from "./state/page";
import type { Pane } from "./state/pane";
import { rootOf } from "./state/pane-root";
import { query } from "./state/query";
import { runIdOf } from "./state/run";
import { searchState } from "./state/search";
import { countProvisional } from "./timeline/facts";
import { outlineOf } from "./timeline/outline";

/** Content of a timeline. */
export interface PaneLook {
  /** `list`, `opening`, `unknown`, `indexing`, `failed`, `empty` or `open`. */
  readonly state: string;
  readonly run: string | null;
  /** The visible range in ticks since the run's origin. */
  readonly view: { readonly start: string; readonly end: string; readonly ticksPerPx: number };
  readonly selection:
    | { readonly kind: "none" }
    | { readonly kind: "event"; readonly track: number; readonly ordinal: number; readonly loaded: boolean }
    | {
        readonly kind: "bin";
        readonly track: number;
        readonly row: number;
        readonly start: string;
        readonly width: string;
        readonly count: number;
        /** Null until they have been fetched. */
        readonly busy: string | null;
        readonly longest: string | null;
      }
    | { readonly kind: "several"; readonly events: readonly { readonly track: number; readonly ordinal: number }[] }
    | { readonly kind: "area"; readonly start: string; readonly end: string };
  /** True if everything that the view needs has arrived and has been drawn. */
  readonly sharp: boolean;
}

export interface EmbeddingApi extends PaneLook {
  readonly version: 1;
  /** `timeline`, or the id of another page. */
  readonly page: string;
  /** Null unless there is a second timeline beside the first. */
  readonly second: PaneLook | null;
  /** True while the run is being indexed; beside it, the number of visible tracks that are not built yet. */
  readonly indexing: boolean;
  readonly provisional: number;
  /** Events that start in the view, and slices that reach into it; null while loading or moving. */
  readonly events: number | null;
  readonly reachIn: number | null;
  /** Frames painted since the page was loaded. */
  readonly frames: number;
  /** Time that the last picture took to paint, in milliseconds. */
  readonly frameMs: number;
  /** Bytes that the tiles of the run take, and how many they may. */
  readonly memory: { readonly tiles: number; readonly limit: number };
  /** The labels on the timeline with the place of their slices (CSS pixels in the window). */
  readonly labels: readonly {
    readonly track: number;
    readonly ordinal: number;
    readonly text: string;
    readonly x: number;
    readonly y: number;
    readonly width: number;
    readonly height: number;
  }[];
}

declare global {
  interface Window {
    tilescope: EmbeddingApi;
  }
}

function labelsOf(app: PaneApp): EmbeddingApi["labels"] {
  const { picture, labels } = app.stage;
  const box = rootOf(app.pane).querySelector(".timeline")?.getBoundingClientRect();
  if (picture === null || box === undefined) {
    return [];
  }
  return labels.flatMap(({ track, ordinal, text }) => {
    const outline = outlineOf(picture, { kind: "event", track, ordinal });
    if (outline === null) {
      return [];
    }
    const from = Math.max(0, outline.fromPx);
    const to = Math.min(picture.view.widthPx, outline.toPx);
    return [
      {
        track,
        ordinal,
        text,
        x: box.left + from,
        y: box.top + outline.topPx,
        width: to - from,
        height: outline.heightPx,
      },
    ];
  });
}

function selectionOf(pane: Pane): EmbeddingApi["selection"] {
  const chosen = pane.selection.peek();
  switch (chosen.kind) {
    case "none":
    case "several":
      return chosen;
    case "event":
      return { ...chosen, loaded: pane.detailsView.peek().kind === "ready" };
    case "bin": {
      const { track, row, startTicks, widthTicks, count, exact } = chosen.bin;
      const sums = { busy: exact?.busyTicks.toString() ?? null, longest: exact?.longestTicks.toString() ?? null };
      return { kind: "bin", track, row, start: startTicks.toString(), width: widthTicks.toString(), count, ...sums };
    }
    case "area":
      return { kind: "area", start: chosen.range.startTicks.toString(), end: chosen.range.endTicks.toString() };
  }
}

function lookAt(app: PaneApp): PaneLook {
  const { pane, stage } = app;
  const { picture } = stage;
  const { startTicks, endTicks } = visibleRange(pane.view.peek());
  const view = { start: startTicks.toString(), end: endTicks.toString(), ticksPerPx: pane.view.peek().ticksPerPx };
  return {
    state: pane.runView.peek().kind,
    run: runIdOf(pane.runView.peek()),
    view,
    selection: selectionOf(pane),
    sharp:
      picture !== null &&
      !pane.isLooking.peek() &&
      pane.waitingLanes.peek().size === 0 &&
      pane.areMarksKnown.peek() &&
      pane.pending.peek().size === 0 &&
      searchState(pane).markedQuery.peek() === query.peek() &&
      !stage.isDirty &&
      !stage.loop.isDirty &&
      [...picture.coverages.values()].every((coverage) => coverage.complete),
  };
}

export function installEmbeddingApi(page: App): void {
  const app = page.first;
  const api: EmbeddingApi = {
    version: 1,
    get state() {
      return lookAt(app).state;
    },
    get run() {
      return lookAt(app).run;
    },
    get page() {
      return shownPage.peek().tool ?? "timeline";
    },
    get view() {
      return lookAt(app).view;
    },
    get selection() {
      return lookAt(app).selection;
    },
    get sharp() {
      return lookAt(app).sharp;
    },
    get second() {
      return page.second.peek() === null ? null : lookAt(page.second.peek()!);
    },
    get indexing() {
      const shown = app.pane.runView.peek();
      return shown.kind === "indexing" || (shown.kind === "open" && shown.trace.manifest.state === "indexing");
    },
    get provisional() {
      const { picture } = app.stage;
      return picture === null ? 0 : countProvisional(picture);
    },
    get events() {
      return app.pane.drawStatus.peek().events?.starts ?? null;
    },
    get reachIn() {
      return app.pane.drawStatus.peek().events?.reachIn ?? null;
    },
    get frames() {
      return app.stage.loop.paintedFrames;
    },
    get frameMs() {
      return app.pane.drawStatus.peek().frameMs;
    },
    get memory() {
      const { usedBytes, limitBytes } = app.pane.session.peek()?.client.memory ?? { usedBytes: 0, limitBytes: 0 };
      return { tiles: usedBytes, limit: limitBytes };
    },
    get labels() {
      return labelsOf(app);
    },
  };
  Object.defineProperty(window, "tilescope", { value: Object.freeze(api) });
}
