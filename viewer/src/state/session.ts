/** Everything that runs while a trace is open: the tile client, the names, the colours. One session of a pane at a time. */

import { type Signal, signal } from "@preact/signals";
import {
  type DecodedPage,
  type DrawTile,
  type EventName,
  NameTable,
  NO_NAME,
  type Shifts,
  TileClient,
  type TileData,
} from "@tilescope/client";
import { type Coloring, ColorTable } from "../raster/palette";
import type { ShortForm, ShortNames } from "../raster/short-name";
import { type Reading, reading } from "./reading";
import { factsOfRootTile, type RootTileFacts } from "./root-tile-facts";
import { siteArchive } from "./site-archive";
import type { Trace } from "./trace";

/** Pause before names are shortened, in which the first picture is painted. */
const SHORT_NAMES_MS = 50;

/** Callbacks of a session. */
export interface SessionEvents {
  /** Blocks on the screen that are not built, most urgent first. */
  readonly onMissingBlocks: (blocks: readonly number[]) => void;
  /** Facts that tiles tell of their tracks, by track. */
  readonly onRootTileFacts: (facts: ReadonlyMap<number, RootTileFacts>) => void;
  /** The server has said something on the stream of pages. */
  readonly onHeard: () => void;
  readonly onStream: (isOpen: boolean) => void;
}

const NO_EVENTS: SessionEvents = {
  onMissingBlocks: () => undefined,
  onRootTileFacts: () => undefined,
  onHeard: () => undefined,
  onStream: () => undefined,
};

export class Session {
  readonly #namesVersion: Signal<number>;
  readonly #onChange: () => void;
  readonly #events: SessionEvents;
  #trace: Trace;
  #client: TileClient;
  #names: NameTable;
  #arrived: { readonly firstId: number; readonly names: readonly EventName[] }[] = [];
  #seen = new WeakSet<TileData>();
  #colors: ColorTable;
  #shortNames: ShortNames | null = null;
  #shifts: Shifts | null = null;

  /** `onChange`: something to draw has arrived. */
  constructor(
    { namesVersion }: Pick<SessionState, "namesVersion">,
    trace: Trace,
    coloring: Coloring,
    onChange: () => void,
    events: SessionEvents = NO_EVENTS,
  ) {
    this.#namesVersion = namesVersion;
    this.#onChange = onChange;
    this.#events = events;
    this.#trace = trace;
    this.#colors = this.#newColors(coloring);
    this.#names = this.#makeNames();
    this.#client = this.#makeClient();
    this.#begin();
    reading.whenHere((code) => this.#read(code));
  }

  get trace(): Trace {
    return this.#trace;
  }

  get client(): TileClient {
    return this.#client;
  }

  /** The same build has grown: another track tree, more facts about its tracks, or all of it. */
  renew(trace: Trace): void {
    const before = this.#trace.manifest;
    const now = trace.manifest;
    this.#trace = trace;
    if (now.revision === before.revision && now.state === before.state) {
      return;
    }
    // Blocks that were built stay as they are; but nothing is built before the track tree is final.
    const isFinal = now.state === "ready" && now.rootLevel === before.rootLevel;
    if (isFinal) {
      this.#client.setBuilt("all");
    } else {
      this.#client.close();
      this.#client = this.#makeClient();
    }
    // With the tree names are final, too: what is drawn keeps its colours.
    if (!isFinal || now.names.count !== before.names.count) {
      this.#arrived = [];
      this.#seen = new WeakSet();
      this.#names = this.#makeNames();
      this.#shortNames = reading.here === null ? null : new reading.here.ShortNames();
    }
    this.#begin();
    this.#namesVersion.value += 1;
    this.#onChange();
  }

  /** Parts of a growing build can be had now. */
  built(build: string, blocks: readonly number[]): void {
    if (build === this.#trace.manifest.build) {
      this.#client.setBuilt(blocks);
    }
  }

  #begin(): void {
    this.#client.setOverview(this.#trace.overview);
    this.setShifts(this.#shifts);
    this.#makeColors(this.#colors.coloring);
    // Most of what is drawn first has a name of the first page: it comes with the tiles, not after them.
    if (this.#trace.manifest.names.count > 0) {
      this.#names.get(0);
    }
  }

  /** Has tracks drawn later than they were recorded; null: all as they were. */
  setShifts(shifts: Shifts | null): void {
    this.#shifts = shifts;
    this.#client.setShifts(shifts);
  }

  #makeNames(): NameTable {
    const { api, manifest } = this.#trace;
    const arrived = this.#arrived;
    return new NameTable(
      (page) => api.names(page),
      manifest.names.pageSize,
      (firstId, names) => {
        arrived.push({ firstId, names });
        if (arrived !== this.#arrived) {
          return;
        }
        if (reading.here !== null) {
          this.#colors.set(firstId, names, reading.here.meaningOf);
          this.#shortNames?.add(names.map(({ name }) => name));
        }
        this.#showNames();
      },
    );
  }

  #makeClient(): TileClient {
    const { api, manifest } = this.#trace;
    return new TileClient({
      rootLevel: manifest.rootLevel,
      limits: manifest.limits,
      isGrowing: manifest.state === "indexing",
      onMissingBlocks: this.#events.onMissingBlocks,
      onPage: (page) => this.#learn(page),
      loadShape: (block) => api.shape(block),
      connect: siteArchive === null ? () => new WebSocket(api.streamUrl(location.href)) : null,
      fetchPage: (key, abortSignal) => api.page(key, abortSignal),
      fetchResidual: (key, abortSignal) => api.residual(key, abortSignal),
      onChange: this.#onChange,
      onHeard: this.#events.onHeard,
      onStream: (status) => this.#events.onStream(status === "open"),
    });
  }

  #learn({ key, tiles }: DecodedPage): void {
    const { manifest, tracks } = this.#trace;
    if (manifest.state !== "indexing" || key.level !== manifest.rootLevel) {
      return;
    }
    const factsByTrack = new Map<number, RootTileFacts>();
    for (const tile of tiles) {
      const track = tracks.get(tile.track);
      const facts = track === undefined ? null : factsOfRootTile(tile, track);
      if (facts !== null) {
        factsByTrack.set(tile.track, facts);
      }
    }
    if (factsByTrack.size > 0) {
      this.#events.onRootTileFacts(factsByTrack);
    }
  }

  /** Colours of a choice; asked for by each frame, made anew when the choice has changed. */
  colors(coloring: Coloring): ColorTable {
    if (this.#colors.coloring !== coloring) {
      this.#makeColors(coloring);
    }
    return this.#colors;
  }

  #makeColors(coloring: Coloring): void {
    this.#colors = this.#newColors(coloring);
    if (reading.here !== null) {
      for (const { firstId, names } of this.#arrived) {
        this.#colors.set(firstId, names, reading.here.meaningOf);
      }
    }
  }

  /** The names that came before the code that says what they mean. */
  #read({ ShortNames }: Reading): void {
    this.#makeColors(this.#colors.coloring);
    this.#showNames();
    // Colours come first: shortening a page of names takes some 20 ms when its code is new.
    setTimeout(() => {
      const shortNames = new ShortNames();
      for (const { names } of this.#arrived) {
        shortNames.add(names.map(({ name }) => name));
      }
      this.#shortNames = shortNames;
      this.#showNames();
    }, SHORT_NAMES_MS);
  }

  #showNames(): void {
    this.#namesVersion.value += 1;
    this.#onChange();
  }

  #newColors(coloring: Coloring): ColorTable {
    return new ColorTable(coloring, this.#trace.manifest.time.tickPs);
  }

  /** Asks for the names of what is drawn, so that it gets its colours; each tile is looked through once. */
  wantNames(draws: readonly DrawTile[]): void {
    if (reading.here === null) {
      reading.ask();
    }
    const { count } = this.#trace.manifest.names;
    const want = (id: number): void => {
      // Bins of an overview may have no name.
      if (id < count) {
        this.#names.get(id);
      }
    };
    for (const { tile } of draws) {
      if (this.#seen.has(tile)) {
        continue;
      }
      this.#seen.add(tile);
      for (const id of tile.slices.name) {
        want(id);
      }
      for (const id of tile.bins.name) {
        want(id);
      }
    }
  }

  /** Asks again for what was not to be had. */
  lookAgain(): void {
    this.#seen = new WeakSet();
    this.#client.retry();
    this.#onChange();
  }

  name(id: number): EventName | undefined {
    return this.#names.get(id);
  }

  /** The short form of the name of an id, once both are there. */
  form(id: number): ShortForm | undefined {
    const event = this.#names.get(id);
    return event === undefined ? undefined : this.#shortNames?.form(event.name);
  }

  close(): void {
    this.client.close();
  }
}

export function sessionState() {
  /** The session of the open trace, or null. */
  const session = signal<Session | null>(null);
  /** Grows with each page of names that arrives, so that texts made of names are made again. */
  const namesVersion = signal(0);
  return { session, namesVersion };
}

export type SessionState = ReturnType<typeof sessionState>;

/** The name of an id, or undefined while it is on its way. */
export function nameOf({ session, namesVersion }: SessionState, id: number): string | undefined {
  if (id === NO_NAME) {
    return "[no name]";
  }
  void namesVersion.value;
  const event = session.value?.name(id);
  return event === undefined || event.name !== "" ? event?.name : "[no name]";
}
