/**
 * Writes the page's address: replaced while one moves, a new entry of the history for each step one takes. Loaded behind the first
 * picture, which needs no address.
 */

import { effect } from "@preact/signals";
import { MEANINGS } from "../raster/meaning";
import { colorBy, shownMeanings } from "./coloring";
import { eventsOf, LONGEST_PART, NOWHERE, PART_NAMES, type PageLocation } from "./location";
import { formatLocation, fullAddress, textsOf } from "./location-text";
import { page } from "./page";
import type { Pane } from "./pane";
import { pageParts } from "./parts";
import { placeParts } from "./place-parts";
import { query } from "./query";
import { runIdOf } from "./run";
import { embedded, showNotice, unreadParts } from "./shell";
import { timeFormat } from "./time-format";
import { toolMode } from "./tool-mode";

import { formatTracks } from "./track-keys";

/** Browsers allow about 100 replacements in 30 s; the address follows when the view has come to rest. */
const REPLACE_DELAY_MS = 300;

/** Changes of these are steps; all else changes while one moves. */
function stepsOf({ events, area, host, choice, marks, parts }: PageLocation): string {
  const { bin = "", mark = "", second = "" } = parts;
  // The second pane moves as the first does.
  const steady = second.replace(/(^|&)(t|top)=[^&]*/g, "");
  const shown = { events, area, host, choice: { ...choice, filter: "" }, marks, parts: { bin, mark, second: steady } };
  return formatLocation({ ...NOWHERE, ...shown });
}

export class AddressWriter {
  readonly #pane: Pane;
  readonly #isHeld: () => boolean;
  #timer: ReturnType<typeof setTimeout> | null = null;
  /** The steps of the address, as it was written last; null after a way that was no step: opening a run, going back. */
  #steps: string | null = null;
  /** The marks of the address. */
  #marks: string;
  /** A jump that Back undoes is under way. */
  #isJump = false;

  /** Writes the address whenever the view changes, unless it `isHeld`: it says what is to be shown of a run that is being opened. */
  constructor(pane: Pane, isHeld: () => boolean) {
    this.#pane = pane;
    this.#marks = pane.addressMarks.peek();
    this.#isHeld = isHeld;
    effect(() => {
      // What is left out because it could not be read is no step that somebody takes.
      if (unreadParts.value.length > 0) {
        this.#steps = null;
      }
    });
    effect(() => {
      const place = currentLocation(this.#pane);
      this.#cancel();
      // Marks that the server does not keep are nowhere else.
      const isUrgent = place.marks !== this.#marks;
      this.#timer = setTimeout(() => this.#follow(place), isUrgent ? 0 : REPLACE_DELAY_MS);
    });
  }

  /** Forgets what was to be written of an entry that one has left. */
  leave(): void {
    this.#cancel();
    this.#steps = null;
    this.#isJump = false;
  }

  /** Makes a change that Back undoes. */
  step(change: () => void): void {
    this.#cancel();
    this.#follow(currentLocation(this.#pane));
    // Moves of the view that are part of it are no steps of their own.
    this.#isJump = true;
    change();
    this.push();
  }

  /** Writes what is shown as a new entry. */
  push(): void {
    this.#isJump = false;
    const place = currentLocation(this.#pane);
    this.#steps = this.#stepsOf(place);
    unreadParts.value = [];
    write(addressOf(place), true);
  }

  /** The view is about to go far: Back leads to where it is now. */
  jump(): void {
    if (this.#timer !== null && !this.#isJump) {
      this.#cancel();
      this.#follow(currentLocation(this.#pane));
    }
    this.#isJump = true;
  }

  /** Null while a run is on its way: what is not shown yet is no step when it comes. */
  #stepsOf(place: PageLocation): string | null {
    return this.#pane.runView.peek().kind === "open" ? stepsOf(place) : null;
  }

  #cancel(): void {
    if (this.#timer !== null) {
      clearTimeout(this.#timer);
    }
    this.#timer = null;
  }

  #follow(place: PageLocation): void {
    this.#timer = null;
    if (this.#isHeld()) {
      return;
    }
    const text = addressOf(place);
    const steps = this.#stepsOf(place);
    const isStep = this.#isJump || (this.#steps !== null && steps !== null && steps !== this.#steps);
    this.#steps = steps;
    this.#marks = place.marks;
    this.#isJump = false;
    // Where one is already, there is no way back from.
    if (isStep && new URL(text, location.href).href !== location.href) {
      unreadParts.value = [];
      write(text, true);
    } else {
      write(text, false);
    }
  }
}

/** The history of a page that is part of another is the other's: nothing is added to it. */
function write(address: string, isStep: boolean): void {
  history[isStep && !embedded ? "pushState" : "replaceState"](null, "", address);
}

/** The address of what is shown now, whether it has followed or not; while a run is being opened, of what is to be shown of it. */
export function addressNow(pane: Pane): string {
  return pane.runView.peek().kind === "open"
    ? new URL(addressOf(currentLocation(pane)), location.href).href
    : location.href;
}

/** Length of links that chat windows and mail leave whole. */
const LONGEST_LINK = 8000;

/** Parts that can be long, in words. */
const PART_WORDS: Readonly<Record<string, string>> = {
  open: "open groups",
  closed: "closed groups",
  tables: "sorting and filters of tables",
  by: "the argument to sum up by",
  second: "the second timeline",
  at: "the item picked on the page",
};

/** Answer to somebody who has copied a link: also what it lacks, and when others may cut it. */
export function copiedText(link: string, { parts: texts }: Pick<PageLocation, "parts">): string {
  const lacking = PART_NAMES.filter((name) => (texts[name] ?? "").length > LONGEST_PART);
  if (lacking.length > 0) {
    return `Link copied, without what is too long for it: ${lacking.map((name) => PART_WORDS[name] ?? name).join(", ")}.`;
  }
  return link.length > LONGEST_LINK
    ? `Link copied. It has ${link.length.toLocaleString("en")} characters: some programs cut links after ${LONGEST_LINK.toLocaleString("en")}.`
    : "Link copied.";
}

/** Copies a link to what is shown, and says so. Rejects where the browser does not allow it. */
export async function copyLink(pane: Pane, copy: (text: string) => Promise<void>): Promise<void> {
  const link = fullAddress(addressNow(pane));
  await copy(link);
  showNotice(copiedText(link, currentLocation(pane)));
}

/** Relative to the page; the list of runs has none of its own. A page that is part of another stays so. */
function addressOf(place: PageLocation): string {
  if (!embedded) {
    return place.run === null ? location.pathname : formatLocation(place);
  }
  return place.run === null ? `${location.pathname}?embed=1` : formatLocation(place).replace("#", "&embed=1#");
}

function currentLocation(pane: Pane): PageLocation {
  const place = paneLocation(pane);
  return pane.runView.value.kind !== "open"
    ? place
    : {
        ...place,
        mode: toolMode.value,
        time: timeFormat.value,
        color: colorBy.value,
        kinds: MEANINGS.filter((meaning) => shownMeanings.value?.has(meaning)),
        query: query.value,
        page: page.value,
        parts: { ...pageParts.value, ...place.parts },
      };
}

/** Location of what a pane shows, without what is of the page as a whole. */
export function paneLocation(pane: Pane): PageLocation {
  const shown = pane.runView.value;
  const run = runIdOf(shown);
  if (shown.kind !== "open") {
    return { ...NOWHERE, run };
  }
  const chosen = pane.selection.value;
  return {
    ...NOWHERE,
    run,
    range: pane.visible.value,
    events: eventsOf(chosen),
    area: chosen.kind === "area" ? { ...chosen.range, tracks: formatTracks(chosen.tracks) } : null,
    host: pane.chosenHost.value,
    choice: textsOf(pane.trackChoice.value),
    marks: pane.addressMarks.value,
    parts: { ...pane.parts.value, ...placeParts(pane).value },
  };
}
