/**
 * What the address of the page says. Everything that a colleague needs to see the same is in it, and nothing else.
 *
 *     ?run=2026_01_31_10_00_00-1c9e5a7b        the run, as `GET /runs` names it
 *     #v=1                                     version of what follows
 *     &t=1024-9000                             visible range, ticks since the run's origin
 *     &sel=12.3456                             selected event: track and ordinal
 *     &area=100-200                            selected time range in ticks …
 *     &tracks=3-9.12                           … on these tracks, by their ids
 *     &host=host0                              only this host is shown
 *     &filter=xla ops                          only tracks with these words in their names are shown
 *     &pin=5.g2 &hide=3-9 &order=7             pinned tracks and groups, hidden ones, those moved to the top of theirs
 *     &empty=1                                 tracks without events are shown, too
 *     &tool=stats                              a page in the place of the timeline
 *     &in=steps.5-9                            what its figures are of: `selection`, `steps.5-9`, or else the whole run
 *     &f.limit=100                             a field of the page, by its name
 */

import { type TickRange, ticks } from "@tilescope/client";
import { formatPageRange, type PagePlace, parsePageRange, TIMELINE } from "./page";
import type { ChoiceTexts } from "./track-choice";
import { keysText } from "./track-keys";

export interface EventPlace {
  readonly track: number;
  readonly ordinal: number;
}

export interface AreaName extends TickRange {
  /** As `track-keys.ts` writes them. */
  readonly tracks: string;
}

export interface PageLocation {
  readonly run: string | null;
  readonly range: TickRange | null;
  readonly event: EventPlace | null;
  readonly area: AreaName | null;
  readonly host: string | null;
  readonly choice: ChoiceTexts;
  readonly page: PagePlace;
}

const NO_CHOICE: ChoiceTexts = { filter: "", pin: null, hide: null, order: null, empty: false };

export const NOWHERE: PageLocation = {
  ...{ run: null, range: null, event: null, area: null, host: null, choice: NO_CHOICE, page: TIMELINE },
};

/**
 * The address under which `/api/v1` lies, without a slash at its end: beside the page, also behind a proxy that has put
 * something before all paths. `/tools/tilescope/index.html` → `/tools/tilescope`, `/` → nothing.
 */
export function serverRoot(pathname: string): string {
  return pathname.slice(0, pathname.lastIndexOf("/"));
}

const VERSION = "1";
/** Nobody types more. */
const LONGEST_FILTER = 500;
const RANGE = /^(-?\d{1,20})-(-?\d{1,20})$/;
const PAIR = /^(\d{1,15})\.(\d{1,15})$/;

function parseRange(text: string | null): TickRange | null {
  const match = RANGE.exec(text ?? "");
  if (match === null) {
    return null;
  }
  const startTicks = ticks(match[1]!);
  const endTicks = ticks(match[2]!);
  return endTicks > startTicks ? { startTicks, endTicks } : null;
}

function parsePair(text: string | null): readonly [number, number] | null {
  const match = PAIR.exec(text ?? "");
  return match === null ? null : [Number(match[1]), Number(match[2])];
}

/** Reads an address. What is malformed, or of another version, is left out instead of refused. */
export function parseLocation(search: string, hash: string): PageLocation {
  const run = new URLSearchParams(search).get("run");
  const values = new URLSearchParams(hash.replace(/^#/, ""));
  if (values.get("v") !== VERSION) {
    return { ...NOWHERE, run };
  }
  const event = parsePair(values.get("sel"));
  const area = parseRange(values.get("area"));
  const tracks = keysText(values.get("tracks"));
  return {
    run,
    range: parseRange(values.get("t")),
    event: event === null ? null : { track: event[0], ordinal: event[1] },
    area: area === null || tracks === null ? null : { ...area, tracks },
    host: values.get("host"),
    choice: {
      filter: (values.get("filter") ?? "").slice(0, LONGEST_FILTER),
      pin: keysText(values.get("pin")),
      hide: keysText(values.get("hide")),
      order: keysText(values.get("order")),
      empty: values.get("empty") === "1",
    },
    page: parsePage(values),
  };
}

/** Fields of a page have names of their own, so that none is taken for one of ours. */
const FIELD = "f.";
const PAGE_ID = /^[a-z][a-z0-9_]{0,63}$/;

function parsePage(values: URLSearchParams): PagePlace {
  const tool = values.get("tool");
  const fields = [...values].filter(([name]) => name.startsWith(FIELD));
  const texts = Object.fromEntries(fields.map(([name, text]) => [name.slice(FIELD.length), text]));
  return tool !== null && PAGE_ID.test(tool)
    ? { tool, range: parsePageRange(values.get("in")), texts }
    : { ...TIMELINE, range: parsePageRange(values.get("in")) };
}

function formatPage({ tool, range, texts }: PagePlace): readonly string[] {
  const named: [string, string | null][] = [
    ["tool", tool],
    ["in", formatPageRange(range)],
  ];
  const fields = tool === null ? [] : Object.entries(texts).map(([name, text]) => [FIELD + name, text] as const);
  return [...named, ...fields].flatMap(([name, text]) =>
    text === null ? [] : [`${encodeURIComponent(name)}=${encodeURIComponent(text)}`],
  );
}

function formatChoice({ filter, pin, hide, order, empty }: ChoiceTexts): readonly string[] {
  const named: [string, string | null][] = [
    ["filter", filter === "" ? null : encodeURIComponent(filter)],
    ["pin", pin],
    ["hide", hide],
    ["order", order],
    ["empty", empty ? "1" : null],
  ];
  return named.flatMap(([name, text]) => (text === null ? [] : [`${name}=${text}`]));
}

/** Writes an address, relative to the page: `?run=…#v=1&…`. */
export function formatLocation(location: PageLocation): string {
  const search = location.run === null ? "" : `?run=${encodeURIComponent(location.run)}`;
  const parts = [`v=${VERSION}`];
  if (location.range !== null) {
    parts.push(`t=${location.range.startTicks}-${location.range.endTicks}`);
  }
  if (location.event !== null) {
    parts.push(`sel=${location.event.track}.${location.event.ordinal}`);
  }
  if (location.area !== null) {
    parts.push(`area=${location.area.startTicks}-${location.area.endTicks}`);
    parts.push(`tracks=${location.area.tracks}`);
  }
  if (location.host !== null) {
    parts.push(`host=${encodeURIComponent(location.host)}`);
  }
  parts.push(...formatChoice(location.choice), ...formatPage(location.page));
  return `${search}#${parts.join("&")}`;
}
