/**
 * The minimap: the whole run, one thin lane per group. Its pages are few and are loaded once, over HTTP and apart from
 * the view's pages, so that they never leave the cache.
 */

import { type DrawTile, StillClient, type Track, type TrackRequest, type View } from "@tilescope/client";
import type { Coloring } from "../raster/palette";
import { ROWS_PER_LANE, RowRaster } from "../raster/raster";
import type { Arrangement } from "../state/arrangement";
import { retries } from "../state/link";
import type { Pane } from "../state/pane";
import type { Session } from "../state/session";
import { requestOf, type Trace } from "../state/trace";
import type { TreeNode } from "../state/tree";
import { minimapView } from "./brush";
import type { CanvasTheme } from "./canvas-theme";
import { deviceViewOf } from "./picture";
import { RasterCanvas } from "./raster-canvas";
import { Surface } from "./surface";
import type { OverTracks } from "./tracks-input";

/** More lanes than this are thinner than a pixel. */
const MAX_LANES = 30;
const PADDING_PX = 3;
const HEIGHT_PX = 36;
/** Lanes that are lower have no room for heights: opacity says how busy they are. */
const MIN_BARS_PX = 6;

/** The tracks come first: so long it waits for them at most. */
const PATIENCE_MS = 1500;

function lanePx(lanes: number): number {
  return (HEIGHT_PX - 2 * PADDING_PX) / Math.max(1, lanes);
}

/**
 * The rollups that the minimap shows, of the groups of which something is shown and in their order: those with the most busy
 * time where there are too many.
 */
export function minimapTracks(trace: Trace, { pinned, body }: Pick<Arrangement, "pinned" | "body">): readonly Track[] {
  const tracks = new Set<Track>();
  const add = (rollup: Track | null | undefined): void => {
    if (rollup?.kind === "rollup" && rollup.events > 0n) {
      tracks.add(rollup);
    }
  };
  const visit = (node: TreeNode): void => {
    const group = node.kind === "track" ? trace.groups.get(node.track.group) : node.group;
    add(group?.rollup == null ? null : trace.tracks.get(group.rollup));
    if (node.kind === "group") {
      node.children.forEach(visit);
    }
  };
  [...pinned, ...body].forEach(visit);
  const all = [...tracks];
  // Those of processes say more than those of hosts, which sum them up.
  const inner = all.filter((track) => trace.groups.get(track.group)?.kind === "process");
  const rollups = inner.length === 0 ? all : inner;
  if (rollups.length <= MAX_LANES) {
    return rollups;
  }
  const busiest = new Set(rollups.toSorted((a, b) => (a.busyTicks < b.busyTicks ? 1 : -1)).slice(0, MAX_LANES));
  return rollups.filter((track) => busiest.has(track));
}

export class MinimapPainter {
  readonly #pane: Pane;
  readonly #trace: Trace;
  readonly #surface: Surface;
  readonly #image: RasterCanvas;
  readonly #client: StillClient;
  #arrangement: Arrangement | null = null;
  #tracks: readonly Track[] = [];
  #raster = new RowRaster(1);
  /** View that is shown while the window is dragged: it does not move under the hand. */
  held: View | null = null;
  #painted = "";
  #coloring: Coloring | null = null;
  #arrivals = 0;
  #mayLoad = false;

  constructor(pane: Pane, trace: Trace, canvas: HTMLCanvasElement, image: HTMLCanvasElement, onArrival: () => void) {
    this.#pane = pane;
    this.#trace = trace;
    this.#surface = new Surface(canvas);
    this.#image = new RasterCanvas(image);
    this.#client = new StillClient(trace.api, trace.manifest.rootLevel, () => {
      this.#arrivals += 1;
      onArrival();
    });
    setTimeout(() => {
      if (!this.#mayLoad) {
        this.#mayLoad = true;
        onArrival();
      }
    }, PATIENCE_MS);
  }

  /** Paints when anything but the window on it has changed. `areTracksSharp`: what it needs is in nobody's way. */
  paint(
    session: Session,
    view: View,
    values: CanvasTheme,
    coloring: Coloring,
    ratio: number,
    over: OverTracks | null,
    areTracksSharp: boolean,
  ): void {
    this.#mayLoad ||= areTracksSharp;
    const colors = session.colors(coloring);
    this.#follow(this.#pane.arrangement.peek());
    const shown = deviceViewOf(
      this.held ?? minimapView(this.#trace.manifest.range, this.#pane.busyRange.peek(), view),
      ratio,
    );
    const { startTicks, ticksPerPx } = shown;
    const shifts = this.#pane.shifts.peek();
    const lanes = this.#tracks.map(({ id }) => id).join(",");
    const arrived = [
      this.#mayLoad,
      this.#arrivals,
      this.#pane.namesVersion.peek(),
      retries.peek(),
      over?.version,
      shifts?.version,
    ];
    const key = [startTicks, ticksPerPx, shown.widthPx, ratio, lanes, ...arrived].join(" ");
    if (key === this.#painted && coloring === this.#coloring) {
      return;
    }
    this.#painted = key;
    this.#coloring = coloring;
    const requests = this.#tracks.map(requestOf);
    // The timeline asks for the same and says what is wrong with it; the minimap stays without these lanes.
    if (this.#trace.manifest.state === "ready" && this.#mayLoad) {
      const screen = { view: shown, tracks: requests };
      for (const { view: recorded, tracks } of shifts?.screens(screen) ?? [screen]) {
        this.#client.complete(tracks, recorded).catch(() => undefined);
      }
    }
    const context = this.#surface.begin(view.widthPx, HEIGHT_PX, ratio);
    context.fillStyle = values.panel;
    context.fillRect(0, 0, shown.widthPx, HEIGHT_PX * ratio);
    if (this.#tracks.length === 0) {
      return;
    }
    const image = this.#raster.draw(
      this.#tracks.map((track, lane) => ({
        kind: track.kind,
        draws: this.#draws(requests[lane]!, shown),
        firstLane: lane,
        firstRow: 0,
        rows: 1,
        lanes: this.#trace.overview === null ? track.lanes : 1,
      })),
      shown,
      this.#tracks.length,
      colors,
    );
    this.#image.put(image);
    const stepPx = lanePx(image.lanes) * ratio;
    const gapPx = stepPx >= 4 ? Math.max(1, Math.round(ratio)) : 0;
    for (let lane = 0; lane < image.lanes; lane++) {
      const y0 = Math.round(PADDING_PX * ratio + lane * stepPx);
      const y1 = Math.round(PADDING_PX * ratio + (lane + 1) * stepPx) - gapPx;
      this.#image.drawLane(context, lane, y0, Math.max(y0 + 1, y1));
      over?.paintLane(context, this.#tracks[lane]!, y0, Math.max(y0 + 1, y1), shown);
    }
  }

  /** Follows the arrangement: the minimap has no hidden tracks, and moved ones at their new places. */
  #follow(arranged: Arrangement): void {
    if (arranged !== this.#arrangement) {
      this.#arrangement = arranged;
      this.#tracks = minimapTracks(this.#trace, arranged);
      this.#raster = new RowRaster(lanePx(this.#tracks.length) >= MIN_BARS_PX ? ROWS_PER_LANE : 1);
    }
  }

  /** Tiles of a track; in a build that grows, those of the overview. */
  #draws(request: TrackRequest, whole: View): readonly DrawTile[] {
    const recorded = (this.#trace.overview ?? this.#client).coverage;
    return (this.#pane.shifts.peek()?.coverage(request, whole, recorded) ?? recorded(request, whole)).draws;
  }
}
