/**
 * The tile client: told what is on the screen, it sees to it that the tiles come, and says what can be drawn now.
 *
 * It ties the parts together: shape records → resolver → stream → cache → coverage.
 */

import type { Limits } from "../base/schema";
import type { Ticks } from "../base/time";
import { type View, visibleRange } from "../base/view";
import { PageCache } from "../pages/cache";
import { type Coverage, coverage, nothingKnown } from "../pages/coverage";
import { blockOf, type PageKey, type PageName, pageName, slotOf, tileIndexAt } from "../pages/key";
import type { Overview } from "../pages/overview";
import { type DecodedPage, decodePage } from "../pages/page";
import { COMPOSED_BYTES, Composer, missingBlocks } from "../pages/parts";
import { coarseTerminals, type PageWant, resolve, sharpLevel, type TrackRequest } from "../pages/resolver";
import { NO_TILE, type ShapeIndex } from "../pages/shape";
import type { TileData, TileName } from "../pages/tile";
import type { FetchPage } from "./fetcher";
import { Residuals } from "./residuals";
import { mayPass } from "./retry";
import type { Shifts } from "./shifts";
import { type Socket, type StreamEvents, type StreamStatus, TileStream } from "./stream";

/** View and tracks on the screen now. */
export interface Screen {
  readonly view: View;
  /** Visible tracks, from top to bottom. */
  readonly tracks: readonly TrackRequest[];
  /** Tracks just above and below. */
  readonly nearby?: readonly TrackRequest[];
}

/** Sources of a build's tiles, and a callback for arrivals. */
export interface ClientOptions {
  readonly rootLevel: number;
  /** Limits of the manifest; those of this version unless given. */
  readonly limits?: Limits;
  readonly loadShape: (block: number) => Promise<ShapeIndex>;
  /** Null where nothing but `fetchPage` leads to pages, of which it takes any number at a time. */
  readonly connect: (() => Socket) | null;
  readonly fetchPage: FetchPage;
  /** For `exact`. */
  readonly fetchResidual?: FetchPage;
  /** Something to draw has arrived, or the status has changed. */
  readonly onChange: () => void;
  readonly onError?: (error: Error) => void;
  readonly budgetBytes?: number;
  /** The build is still being made: only blocks that are said to be built are asked for. */
  readonly isGrowing?: boolean;
  /** Blocks on the screen that are not built, most urgent first; called when they change. */
  readonly onMissingBlocks?: (blocks: readonly number[]) => void;
  /** A page has arrived. */
  readonly onPage?: (page: DecodedPage) => void;
  /** The server has said something on the stream. */
  readonly onHeard?: () => void;
  /** The stream was opened, lost, or closed. */
  readonly onStream?: (status: StreamStatus) => void;
  readonly createStream?: (events: StreamEvents) => Stream;
}

type Stream = Pick<TileStream, "want" | "forgetFailures" | "ping" | "reconnect" | "close">;

/** State of the client's connection to the server. */
export interface ClientStatus {
  readonly stream: StreamStatus;
  /** Pages that the view needs and that are not there yet. */
  readonly missingPages: number;
  /** Reason why something that the view needs is missing; null: all of it is there, or on its way. */
  readonly problem: Error | null;
}

/**
 * Decoded columns take some 50 bytes an event: room for millions of events and many screens. With what is composed and what
 * the browser needs for itself the whole process stays below 350 MB: it was 365 MB with 192 MiB (`bench/wander.py`).
 */
const DEFAULT_BUDGET_BYTES = 160 * 1024 * 1024;

/** Pages around the view are only fetched while the needed ones leave this part of the cache free. */
const MAX_NEEDED_PART = 0.7;

/**
 * Pages around the view that are asked for at a time on a stream: what is on its way cannot be taken back, and the pages of the next view
 * wait behind it.
 */
const AHEAD_PAGES = 2;

/** Shape records of the tracks in a rollup that are loaded at the same time: those of visible tracks go before. */
const MAX_CHILD_SHAPES = 4;

/**
 * Tiles that failed in a way that may pass are asked for again with another view or other tracks, but not sooner than this: moving must not
 * become a storm.
 */
const LOOK_AGAIN_MS = 3000;

/** Milliseconds of a frame, of 17 at 60 Hz, in which tiles of rollups are made; while the view moves, drawing takes most of them. */
const COMPOSE_MS = 8;
const COMPOSE_MOVING_MS = 2;

/** Has the tiles that a view needs fetched, keeps them, and says what can be drawn now. */
export class TileClient {
  readonly #cache: PageCache;
  readonly #shapes = new Map<number, ShapeIndex>();
  readonly #loading = new Set<number>();
  /** Errors of pages and shape records that failed; see `LOOK_AGAIN_MS`. */
  readonly #failed = new Map<PageName, Error>();
  readonly #failedShapes = new Map<number, Error>();
  #failedMs = 0;
  readonly #composer: Composer;
  readonly #residuals: Residuals;
  readonly #stream: Stream;
  /** Blocks that are built; null once all are. */
  #built: Set<number> | null;
  /** Stand-in for tracks whose blocks are not built, or not announced yet. */
  #overview: Overview | null = null;
  #shifts: Shifts | null = null;
  #screen: Screen | null = null;
  #needed: readonly PageWant[] = [];
  /** Pages around the view; none while the needed ones take too much of the cache. */
  #ahead: readonly PageWant[] = [];
  #isTurnAsked = false;
  #streamStatus: StreamStatus = "connecting";
  readonly #options: ClientOptions;

  constructor(options: ClientOptions) {
    this.#options = options;
    this.#built = options.isGrowing === true ? new Set() : null;
    this.#cache = new PageCache(options.budgetBytes ?? DEFAULT_BUDGET_BYTES);
    this.#residuals = new Residuals(this.#cache, options.fetchResidual ?? noResidual);
    this.#composer = new Composer(this.#shapes, this.tile, options.rootLevel, () => performance.now());
    const events: StreamEvents = {
      onPage: (page) => {
        const isShown = this.status.missingPages > 0 || this.isRefining;
        this.#cache.add(page);
        options.onPage?.(page);
        this.#askPages();
        // What is around a view that is complete changes nothing of its picture.
        if (isShown) {
          options.onChange();
        }
      },
      onFailed: (key, error) => this.#pageFailed(key, error),
      onStatus: (status) => {
        this.#streamStatus = status;
        options.onStream?.(status);
        options.onChange();
      },
      onHeard: () => options.onHeard?.(),
    };
    this.#stream =
      options.createStream?.(events) ??
      new TileStream({
        connect: options.connect,
        fetchPage: options.fetchPage,
        events,
        ...(options.limits === undefined ? {} : { limits: options.limits }),
      });
  }

  /** State of the client's connection to the server. */
  get status(): ClientStatus {
    const failed = this.#needed.flatMap(({ name }) => this.#failed.get(name) ?? []);
    const problem = failed[0] ?? this.#failedShapes.values().next().value ?? null;
    return { stream: this.#streamStatus, missingPages: this.#missing(this.#needed).length, problem };
  }

  #missing(wants: readonly PageWant[]): PageWant[] {
    return wants.filter(({ name }) => !this.#cache.has(name) && !this.#failed.has(name));
  }

  /** True while finer bins of headers on the screen are on their way, which a complete picture does without. */
  get isRefining(): boolean {
    return this.#composer.isWaiting;
  }

  /** Memory that tiles take, and how much they may: beyond it those go that were looked at longest ago. */
  get memory(): { readonly usedBytes: number; readonly limitBytes: number } {
    return {
      usedBytes: this.#cache.sizeBytes + this.#composer.sizeBytes,
      limitBytes: this.#cache.budgetBytes + COMPOSED_BYTES,
    };
  }

  /** Says what is on the screen; cheap enough to be called for every frame of a movement. */
  show(screen: Screen): void {
    const isOther = this.#screen === null || !isSameScreen(screen, this.#screen);
    this.#screen = screen;
    if (isOther && performance.now() - this.#failedMs >= LOOK_AGAIN_MS) {
      this.#forgetFailures();
    }
    this.#composer.begin(isOther ? COMPOSE_MOVING_MS : COMPOSE_MS);
    this.#loadShapes([...screen.tracks, ...(screen.nearby ?? [])]);
    this.#tellMissingBlocks(screen);
    this.#loadChildShapes(screen);
    const shapes = this.#shapes;
    const composer = this.#composer;
    const options = { shapes, rootLevel: this.#options.rootLevel, partsOf: composer.partsOf };
    const wants = (this.#shifts?.screens(screen) ?? [screen]).flatMap((recorded) =>
      resolve({ ...recorded, ...options }),
    );
    this.#needed = wants.filter((want) => want.tier === "coarse" || want.tier === "sharp");
    const rest = wants.filter((want) => want.tier === "margin" || want.tier === "root");
    this.#cache.use(new Set(this.#needed.map((want) => want.name)), names(rest));
    const roomy = this.#cache.neededBytes < MAX_NEEDED_PART * this.#cache.budgetBytes;
    this.#ahead = roomy ? rest : [];
    this.#askPages();
  }

  /** Asks for what is missing: all pages that the view needs, and a few around it. */
  #askPages(): void {
    const missing = this.#missing(this.#needed);
    // A stream sends what is most urgent first. Without one all pages are fetched at the same time: those around the view come last.
    const mostAhead = this.#options.connect !== null ? AHEAD_PAGES : missing.length > 0 ? 0 : undefined;
    this.#stream.want([...missing, ...this.#missing(this.#ahead).slice(0, mostAhead)].map((want) => want.key));
  }

  /** Tiles to draw for a track; incomplete and perhaps empty while its shape or its tiles are on their way. */
  coverage(request: TrackRequest, view: View): Coverage {
    return this.#shifts?.coverage(request, view, this.#recorded) ?? this.#recorded(request, view);
  }

  readonly #recorded = (request: TrackRequest, view: View): Coverage => {
    const shape = this.#shapes.get(blockOf(request.track));
    if (shape === undefined) {
      return this.#overview?.coverage(request, view) ?? nothingKnown(view);
    }
    const fresh = coverage(this.tile, shape, request, view, this.#options.rootLevel, this.#composer);
    if (this.#composer.isBehind && !this.#isTurnAsked) {
      // What was put off is done in the next frame.
      this.#isTurnAsked = true;
      setTimeout(() => {
        this.#isTurnAsked = false;
        if (this.#screen !== null) {
          this.#options.onChange();
        }
      }, 0);
    }
    return fresh;
  };

  /** Shifts of tracks that are drawn later than they were recorded; null where none is. */
  get shifts(): Shifts | null {
    return this.#shifts;
  }

  /** Has tracks drawn later than they were recorded; null: all as they were. */
  setShifts(shifts: Shifts | null): void {
    this.#shifts = shifts;
    this.#options.onChange();
  }

  /** Sets the stand-in for tiles that are not there yet. */
  setOverview(overview: Overview | null): void {
    this.#overview = overview;
    this.#options.onChange();
  }

  /** These blocks of a growing build can be had now; `all`: it is finished. */
  setBuilt(blocks: readonly number[] | "all"): void {
    if (blocks === "all") {
      this.#built = null;
    } else {
      for (const block of blocks) {
        this.#built?.add(block);
      }
    }
    if (this.#screen !== null) {
      this.show(this.#screen);
    }
    this.#options.onChange();
  }

  /** A tile that is in memory. */
  readonly tile = (track: number, level: number, index: number): TileData | undefined =>
    this.#cache.lookup(track, level, index);

  /**
   * A tile that is drawn, with exact bins: they come with the residual of its page, which is fetched once. Rejects when it
   * cannot be had; the next call tries again.
   */
  async exact({ track, level, index }: TileName): Promise<TileData> {
    const shape = this.#shapes.get(blockOf(track));
    const position = shape?.find(slotOf(track), level, index) ?? NO_TILE;
    if (shape === undefined || position === NO_TILE) {
      throw new Error(`there is no tile ${index} of level ${level} of track ${track}`);
    }
    const page = await this.#residuals.exact(shape.pageAt(position));
    this.#options.onChange();
    return page.tiles.find((tile) => tile.track === track && tile.index === index)!;
  }

  /** A tile, from the cache or else fetched by itself over HTTP; null where there is none. Rejects when it cannot be had. */
  async load({ track, level, index }: TileName, signal: AbortSignal): Promise<TileData | null> {
    const here = this.tile(track, level, index);
    if (here !== undefined) {
      return here;
    }
    const shape = await this.#shapeOf(track);
    const position = shape.find(slotOf(track), level, index);
    if (position === NO_TILE) {
      return null;
    }
    const key = shape.pageAt(position);
    const page = decodePage(await this.#options.fetchPage(key, signal), key);
    signal.throwIfAborted();
    this.#cache.add(page);
    this.#options.onPage?.(page);
    return page.tiles.find((tile) => tile.track === track && tile.index === index) ?? null;
  }

  /** The leaf of a track in which a tick lies, as `load` gives it. */
  async loadLeaf(track: number, tick: Ticks, signal: AbortSignal): Promise<TileData | null> {
    const shape = await this.#shapeOf(track);
    for (let level = this.#options.rootLevel; level >= 0; level--) {
      const index = tileIndexAt(level, tick);
      const position = shape.find(slotOf(track), level, index);
      if (position === NO_TILE) {
        return null;
      }
      if (shape.kindAt(position) === "leaf") {
        return this.load({ track, level, index }, signal);
      }
    }
    return null;
  }

  /** The shape record of a block that has arrived. */
  shape(block: number): ShapeIndex | undefined {
    return this.#shapes.get(block);
  }

  /** Asks the server for a sign of life on the stream, which `onHeard` tells of; false where none is open. */
  ping(): boolean {
    return this.#stream.ping();
  }

  /** Opens the stream anew, at once, and asks again for what is missing. */
  reconnect(): void {
    this.#stream.reconnect();
    this.retry();
  }

  /** Asks once more for what could not be had in a way that may pass; what is refused for good stays so. */
  retry(): void {
    this.#forgetFailures();
    if (this.#screen !== null) {
      this.show(this.#screen);
    }
  }

  #forgetFailures(): void {
    forgetPassing(this.#failed);
    forgetPassing(this.#failedShapes);
    this.#stream.forgetFailures();
  }

  /** Closes the stream; nothing is fetched any more. */
  close(): void {
    this.#screen = null;
    this.#residuals.close();
    this.#stream.close();
  }

  #loadShapes(requests: readonly TrackRequest[]): void {
    for (const { track } of requests) {
      const block = blockOf(track);
      if (!this.#shapes.has(block) && this.#mayLoad(block)) {
        void this.#loadShape(block);
      }
    }
  }

  #mayLoad(block: number): boolean {
    return !this.#loading.has(block) && !this.#failedShapes.has(block) && this.#isBuilt(block);
  }

  #isBuilt(block: number): boolean {
    return this.#built === null || this.#built.has(block);
  }

  #tellMissingBlocks({ tracks, nearby }: Screen): void {
    if (this.#options.onMissingBlocks !== undefined && this.#built !== null) {
      const blocks = [...tracks, ...(nearby ?? [])].map(({ track }) => blockOf(track));
      this.#options.onMissingBlocks([...new Set(blocks)].filter((block) => !this.#isBuilt(block)));
    }
  }

  /** Loads the shape records of what is inside visible rollups, where the view is closer than their own tiles. */
  #loadChildShapes({ view, tracks }: Screen): void {
    const { rootLevel } = this.#options;
    const range = visibleRange(view);
    const level = sharpLevel(view.ticksPerPx, rootLevel);
    for (const request of tracks) {
      if (coarseTerminals(this.#shapes, request, range, level, rootLevel).length === 0) {
        continue;
      }
      for (const block of missingBlocks(this.#shapes, request.children ?? [])) {
        if (this.#loading.size >= MAX_CHILD_SHAPES) {
          return;
        }
        if (this.#mayLoad(block)) {
          void this.#loadShape(block);
        }
      }
    }
  }

  async #shapeOf(track: number): Promise<ShapeIndex> {
    const block = blockOf(track);
    const shape = this.#shapes.get(block) ?? (await this.#options.loadShape(block));
    this.#shapes.set(block, shape);
    return shape;
  }

  async #loadShape(block: number): Promise<void> {
    this.#loading.add(block);
    try {
      this.#shapes.set(block, await this.#options.loadShape(block));
      this.#failedShapes.delete(block);
      if (this.#screen !== null) {
        this.show(this.#screen);
        this.#options.onChange();
      }
    } catch (error) {
      const failure = error instanceof Error ? error : new Error(String(error));
      this.#failedShapes.set(block, failure);
      this.#failedMs = performance.now();
      this.#options.onError?.(failure);
      this.#options.onChange();
    } finally {
      this.#loading.delete(block);
    }
  }

  #pageFailed(key: PageKey, error: Error): void {
    this.#failed.set(pageName(key), error);
    this.#failedMs = performance.now();
    this.#options.onError?.(error);
    this.#options.onChange();
  }
}

function isSameScreen(a: Screen, b: Screen): boolean {
  const isSameView = a.view.startTicks === b.view.startTicks && a.view.ticksPerPx === b.view.ticksPerPx;
  const isSameLength = a.tracks.length === b.tracks.length;
  return isSameView && isSameLength && a.tracks.every(({ track }, k) => track === b.tracks[k]!.track);
}

function forgetPassing<K>(failures: Map<K, Error>): void {
  for (const [name, error] of failures) {
    if (mayPass(error)) {
      failures.delete(name);
    }
  }
}

function noResidual(): Promise<never> {
  return Promise.reject(new Error("no residuals are fetched here"));
}

function names(wants: readonly PageWant[]): PageName[] {
  return wants.map((want) => want.name);
}
