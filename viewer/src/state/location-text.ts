/** Addresses as they are written: what `location.ts` reads. Loaded late. */

import { FIELD, LONGEST_PART, PART_NAMES, type PageLocation, VERSION } from "./location";
import type { PagePlace, PageRange } from "./page";
import { RUN_PARAMETER } from "./site-archive";
import type { ChoiceTexts, TrackChoice } from "./track-choice";
import { formatKeys } from "./track-keys";

/** Text encoded for an address; without halves of characters, which have no code of their own and would throw. */
function encoded(text: string): string {
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, "\ufffd"));
}

/** The same with signs that mean nothing in an address, and stand in every list. */
function encodedList(text: string): string {
  return encoded(text).replace(/%(2C|3A|3B|2F)/g, decodeURIComponent);
}

/** As `parsePageRange` reads it; null for the whole run, which needs no words. */
function formatPageRange(range: PageRange): string | null {
  switch (range.kind) {
    case "run":
      return null;
    case "selection":
      return "selection";
    case "steps":
      return range.first === range.last ? `steps.${range.first}` : `steps.${range.first}-${range.last}`;
  }
}

function formatPage({ tool, range, texts }: PagePlace): readonly string[] {
  const named: [string, string | null][] = [
    ["tool", tool],
    ["in", formatPageRange(range)],
  ];
  const fields = tool === null ? [] : Object.entries(texts).map(([name, text]) => [FIELD + name, text] as const);
  return [...named, ...fields].flatMap(([name, text]) => (text === null ? [] : [`${encoded(name)}=${encoded(text)}`]));
}

/** A choice of tracks as an address says it. */
export function textsOf({ filter, hidden, pinned, order, showsEmpty, lanes }: TrackChoice): ChoiceTexts {
  const text = (keys: readonly string[]): string | null => (keys.length === 0 ? null : formatKeys(keys));
  return {
    filter: filter.trim(),
    pin: text(pinned),
    hide: text([...hidden].sort(byKindAndId)),
    order: text(order),
    empty: showsEmpty,
    lanes: lanes.length === 0 ? null : lanes.join(","),
  };
}

function byKindAndId(a: string, b: string): number {
  return a[0] === b[0] ? Number(a.slice(1)) - Number(b.slice(1)) : a < b ? 1 : -1;
}

function formatChoice({ filter, pin, hide, order, empty, lanes }: ChoiceTexts): readonly string[] {
  const named: [string, string | null][] = [
    ["filter", filter === "" ? null : encoded(filter)],
    ["pin", pin],
    ["hide", hide],
    ["order", order],
    ["empty", empty ? "1" : null],
    ["lanes", lanes],
  ];
  return named.flatMap(([name, text]) => (text === null ? [] : [`${name}=${text}`]));
}

/** Writes an address, relative to the page: `?run=…#v=1&…`. */
export function formatLocation(location: PageLocation): string {
  const search = location.run === null ? "" : `?${RUN_PARAMETER}=${encoded(location.run)}`;
  const parts = [`v=${VERSION}`];
  if (location.range !== null) {
    parts.push(`t=${location.range.startTicks}-${location.range.endTicks}`);
  }
  if (location.events.length > 0) {
    parts.push(`sel=${location.events.map(({ track, ordinal }) => `${track}.${ordinal}`).join(",")}`);
  }
  if (location.area !== null) {
    parts.push(`area=${location.area.startTicks}-${location.area.endTicks}`);
    parts.push(`tracks=${location.area.tracks}`);
  }
  if (location.host !== null) {
    parts.push(`host=${encoded(location.host)}`);
  }
  parts.push(...formatChoice(location.choice));
  if (location.marks !== "") {
    parts.push(`marks=${encodedList(location.marks)}`);
  }
  if (location.mode !== "select") {
    parts.push(`mode=${location.mode}`);
  }
  if (location.time !== null && location.time !== "relative") {
    parts.push(`time=${location.time}`);
  }
  if (location.color !== "meaning") {
    parts.push(`color=${location.color}`);
  }
  if (location.kinds.length > 0) {
    parts.push(`kinds=${location.kinds.join(",")}`);
  }
  if (location.query !== "") {
    parts.push(`q=${encoded(location.query)}`);
  }
  parts.push(...formatPage(location.page));
  parts.push(
    ...PART_NAMES.flatMap((name) => {
      const text = location.parts[name] ?? "";
      return text === "" || text.length > LONGEST_PART ? [] : [`${name}=${encodedList(text)}`];
    }),
  );
  return `${search}#${parts.join("&")}`;
}

/** The same place in the full viewer. */
export function fullAddress(href: string): string {
  const url = new URL(href);
  url.searchParams.delete("embed");
  return url.href;
}
