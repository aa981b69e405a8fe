/**
 * Content of the page's address. Everything that a colleague needs to see the same is in it, and nothing else.
 *
 *     ?run=2026_01_31_10_00_00-1c9e5a7b        the run, as `GET /runs` names it; `?archive=URL` of pages without a server
 *     &embed=1                                 as part of another page: without bars and details
 *     #v=1                                     version of what follows
 *     &t=1024-9000                             visible range, ticks since the run's origin
 *     &sel=12.3456,7.8                         selected events: track and ordinal of each
 *     &area=100-200                            selected time range in ticks …
 *     &tracks=3-9.12                           … on these tracks, by their ids
 *     &host=host0                              only this host is shown
 *     &filter=xla ops                          only tracks with these words in their names are shown
 *     &pin=5.g2 &hide=3-9 &order=7             pinned tracks and groups, hidden ones, those moved to the top of theirs
 *     &empty=1                                 tracks without events are shown, too
 *     &lanes=queues.3,overlap.scopes-2:3       derived lanes that are drawn with their tracks, by their ids; the first three rows
 *     &marks=k3f,100-250,3,5,warm-up           marks that the server does not keep, as `marks/text.ts` writes them
 *     &mode=timing                             the tool in the hand, unless it selects
 *     &time=utc                                times as `ticks` or `utc`
 *     &color=name                              colours by `name` or `duration`, instead of kind of work
 *     &kinds=copy,input                        only these kinds of work are in colour
 *     &q=fusion dur>1ms                        a search, as docs/search.md has it
 *     &tool=stats                              a page in the place of the timeline
 *     &in=steps.5-9                            what its figures are of: `selection`, `steps.5-9`, or else the whole run
 *     &f.limit=100                             a field of the page, by its name
 *     &shift=g3:1500,g7:-20                    clocks of hosts that are tried, as `shifts.ts` writes them
 *     &top=g3:12 &closed=g2                    vertical place and groups, as `tracks.ts` writes them
 *     &bin=12.0.5.3.17 &details=1 …            what the first picture does not need, as `parts.ts` keeps it
 */

import { type TickRange, type TimeFormat, ticks } from "@tilescope/client";
import type { ToolMode } from "../keys/gestures";
import { MEANINGS, type Meaning } from "../raster/meaning";
import type { ColorBy } from "../raster/palette";
import { type PagePlace, parsePageRange, TIMELINE } from "./page";
import { LONGEST_QUERY } from "./query-text";
import type { Selection } from "./selection";
import { RUN_PARAMETER } from "./site-archive";
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

/** Parts that `parts.ts` keeps: what each of them says stands in docs/embedding.md. */
export const PART_NAMES = [
  ...["bin", "mark", "measure", "hit", "details", "list", "rows", "tab", "by", "trees", "tabs", "tables", "at"],
  ...["top", "open", "closed", "shift", "second", "split", "align", "pane"],
];

export type Parts = Readonly<Record<string, string>>;

export interface PageLocation {
  readonly run: string | null;
  readonly range: TickRange | null;
  readonly events: readonly EventPlace[];
  readonly area: AreaName | null;
  readonly host: string | null;
  readonly choice: ChoiceTexts;
  readonly marks: string;
  readonly mode: ToolMode;
  /** Null where an address says nothing at all of what is shown: a person's own choice stays. */
  readonly time: TimeFormat | null;
  readonly color: ColorBy;
  readonly kinds: readonly Meaning[];
  readonly query: string;
  readonly page: PagePlace;
  readonly parts: Parts;
}

const NO_CHOICE: ChoiceTexts = { filter: "", pin: null, hide: null, order: null, empty: false, lanes: null };

export const NOWHERE: PageLocation = {
  ...{ run: null, range: null, events: [], area: null, host: null, choice: NO_CHOICE },
  ...{ marks: "", mode: "select", time: null, color: "meaning", kinds: [], query: "", page: TIMELINE },
  parts: {},
};

/**
 * The address under which `/api/v1` lies, without a slash at its end: beside the page, also behind a proxy that has put
 * something before all paths. `/tools/tilescope/index.html` → `/tools/tilescope`, `/` → nothing.
 */
export function serverRoot(pathname: string): string {
  return pathname.slice(0, pathname.lastIndexOf("/"));
}

/** True if an address asks for the page as part of another: without the bars around it. */
export function isEmbedded(search: string): boolean {
  return new URLSearchParams(search).get("embed") === "1";
}

export const VERSION = "1";
/** Nobody types more. */
const LONGEST_FILTER = 500;
const RANGE = /^(-?\d{1,20})-(-?\d{1,20})$/;
const EVENT = /^(\d{1,15})\.(\d{1,15})$/;
/** Nobody picks more by hand. */
export const MOST_EVENTS = 100;
/** Characters of a part: what is longer is in no address. */
export const LONGEST_PART = 4000;
/** Length of addresses that chat windows and mail leave whole. */
export const LONGEST_MARKS = 6000;

function parseRange(text: string | null): TickRange | null {
  const match = RANGE.exec(text ?? "");
  if (match === null) {
    return null;
  }
  const startTicks = ticks(match[1]!);
  const endTicks = ticks(match[2]!);
  return endTicks > startTicks ? { startTicks, endTicks } : null;
}

/** The events that are selected, each by its name. */
export function eventsOf(chosen: Selection): readonly EventPlace[] {
  const events = chosen.kind === "event" ? [chosen] : chosen.kind === "several" ? chosen.events : [];
  return events.map(({ track, ordinal }) => ({ track, ordinal }));
}

function parseEvents(text: string | null): readonly EventPlace[] {
  const names = new Set(text?.slice(0, 32 * MOST_EVENTS).split(","));
  return [...names].slice(0, MOST_EVENTS).flatMap((name) => {
    const match = EVENT.exec(name);
    return match === null ? [] : [{ track: Number(match[1]), ordinal: Number(match[2]) }];
  });
}

/** The text if it is one of these. */
function oneOf<T extends string>(choices: readonly T[], text: string | null, otherwise: T): T {
  return choices.find((choice) => choice === text) ?? otherwise;
}

/** Reads an address. What is malformed, or of another version, is left out instead of refused. */
export function parseLocation(search: string, hash: string): PageLocation {
  const run = new URLSearchParams(search).get(RUN_PARAMETER);
  const values = new URLSearchParams(hash.replace(/^#/, ""));
  if (values.get("v") !== VERSION) {
    return { ...NOWHERE, run };
  }
  const area = parseRange(values.get("area"));
  const tracks = keysText(values.get("tracks"));
  return {
    run,
    range: parseRange(values.get("t")),
    events: parseEvents(values.get("sel")),
    area: area === null || tracks === null ? null : { ...area, tracks },
    host: values.get("host"),
    marks: (values.get("marks") ?? "").slice(0, LONGEST_MARKS),
    mode: oneOf(["pan", "zoom", "timing"], values.get("mode"), "select" as ToolMode),
    time: oneOf<TimeFormat>(["ticks", "utc"], values.get("time"), "relative"),
    color: oneOf(["name", "duration"], values.get("color"), "meaning" as ColorBy),
    kinds: MEANINGS.filter((meaning) => (values.get("kinds") ?? "").split(",").includes(meaning)),
    choice: {
      filter: (values.get("filter") ?? "").slice(0, LONGEST_FILTER),
      pin: keysText(values.get("pin")),
      hide: keysText(values.get("hide")),
      order: keysText(values.get("order")),
      empty: values.get("empty") === "1",
      lanes: lanesText(values.get("lanes")),
    },
    query: (values.get("q") ?? "").slice(0, LONGEST_QUERY),
    page: parsePage(values),
    parts: Object.fromEntries(
      PART_NAMES.flatMap((name) => {
        const text = values.get(name) ?? "";
        return text === "" || text.length > LONGEST_PART ? [] : [[name, text]];
      }),
    ),
  };
}

const LANE = /^[a-z]\w{0,99}\.[a-z0-9_-]{1,100}(:[1-9]\d{0,2})?$/;
const MOST_LANES = 1000;

/** The derived lanes that a text names. */
function lanesText(text: string | null): string | null {
  const lanes = (text ?? "").split(",").filter((lane) => LANE.test(lane));
  return lanes.length === 0 ? null : lanes.slice(0, MOST_LANES).join(",");
}

/** Fields of a page have names of their own, so that none is taken for one of ours. */
export const FIELD = "f.";
const PAGE_ID = /^[a-z][a-z0-9_]{0,63}$/;

function parsePage(values: URLSearchParams): PagePlace {
  const tool = values.get("tool");
  const fields = [...values].filter(([name]) => name.startsWith(FIELD));
  const texts = Object.fromEntries(fields.map(([name, text]) => [name.slice(FIELD.length), text]));
  return tool !== null && PAGE_ID.test(tool)
    ? { tool, range: parsePageRange(values.get("in")), texts }
    : { ...TIMELINE, range: parsePageRange(values.get("in")) };
}
