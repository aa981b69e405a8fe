/** What runs while a trace is open: the tile client, the names, the colours. One at a time. */

import { signal } from "@preact/signals";
import { type DrawTile, type EventName, NameTable, StillClient, TileClient, type TileData } from "@tilescope/client";
import { ColorTable, type Theme } from "../raster/palette";
import { findHueOrder } from "./hue-order";
import type { Trace } from "./trace";

/** So long the events stay grey at most. */
const HUES_PATIENCE_MS = 1500;

export class Session {
  readonly trace: Trace;
  readonly client: TileClient;
  readonly #names: NameTable;
  readonly #arrived: { readonly firstId: number; readonly names: readonly EventName[] }[] = [];
  readonly #seen = new WeakSet<TileData>();
  /** Families of events by busy time; null until known: everything is grey rather than of a colour that changes. */
  #hueOrder: readonly string[] | null = null;
  #colors: ColorTable;

  /** `onChange`: something to draw has arrived. */
  constructor(trace: Trace, theme: Theme, onChange: () => void) {
    const { api, manifest } = trace;
    this.trace = trace;
    trouble.value = { count: 0, last: "" };
    this.#colors = new ColorTable(theme);
    this.#names = new NameTable(
      (page) => api.names(page),
      manifest.names.pageSize,
      (firstId, names) => {
        this.#arrived.push({ firstId, names });
        if (this.#hueOrder !== null) this.#colors.set(firstId, names);
        namesVersion.value += 1;
        onChange();
      },
    );
    void this.#orderHues().then(onChange);
    this.client = new TileClient({
      rootLevel: manifest.rootLevel,
      loadShape: (block) => api.shape(block),
      connect: () => new WebSocket(api.streamUrl(location.href)),
      fetchPage: (key, abortSignal) => api.page(key, abortSignal),
      onChange,
      onError: (error) => {
        trouble.value = { count: trouble.peek().count + 1, last: error.message };
      },
    });
  }

  /** Colours of the theme; asked for by each frame, made anew when the theme has changed. */
  colors(theme: Theme): ColorTable {
    if (this.#colors.theme !== theme) this.#makeColors(theme);
    return this.#colors;
  }

  async #orderHues(): Promise<void> {
    const { api, manifest } = this.trace;
    const client = new StillClient(api, manifest.rootLevel);
    // Where something cannot be loaded the timeline says so: it needs the same and more.
    const search = findHueOrder(this.trace, client, this.#names).catch(() => []);
    const late = new Promise<readonly string[]>((resolve) => setTimeout(() => resolve([]), HUES_PATIENCE_MS));
    this.#hueOrder = await Promise.race([search, late]);
    this.#makeColors(this.#colors.theme);
    namesVersion.value += 1;
  }

  #makeColors(theme: Theme): void {
    this.#colors = new ColorTable(theme, this.#hueOrder ?? []);
    if (this.#hueOrder === null) return;
    for (const { firstId, names } of this.#arrived) this.#colors.set(firstId, names);
  }

  /** Asks for the names of what is drawn, so that it gets its colours; each tile is looked through once. */
  wantNames(draws: readonly DrawTile[]): void {
    for (const { tile } of draws) {
      if (this.#seen.has(tile)) continue;
      this.#seen.add(tile);
      for (const id of tile.slices.name) this.#names.get(id);
      for (const id of tile.bins.name) this.#names.get(id);
    }
  }

  name(id: number): EventName | undefined {
    return this.#names.get(id);
  }

  close(): void {
    this.client.close();
  }
}

/** The session of the open trace, or null. */
export const session = signal<Session | null>(null);

/** Grows with each page of names that arrives, so that texts made of names are made again. */
export const namesVersion = signal(0);

/** What of the open trace could not be loaded or read: something may be missing on the screen. */
export const trouble = signal<{ readonly count: number; readonly last: string }>({ count: 0, last: "" });

/** The name of an id, or undefined while it is on its way. */
export function nameOf(id: number): string | undefined {
  void namesVersion.value;
  const event = session.value?.name(id);
  return event === undefined || event.name !== "" ? event?.name : "[no name]";
}
