/** Keeps the page's address in step with what is shown: replaced while one moves, a new entry for each step one takes. */

import { effect } from "@preact/signals";
import { MEANINGS } from "../raster/meaning";
import { colorBy, shownMeanings } from "./coloring";
import { type EventPlace, formatLocation, NOWHERE, type PageLocation, parseLocation, unreadable } from "./location";
import { addressMarks } from "./marks";
import { page } from "./page";
import { query } from "./query";
import { runIdOf, runView } from "./run";
import { type Selection, selection } from "./selection";
import { embedded, unreadParts } from "./shell";
import { timeFormat } from "./time-format";
import { toolMode } from "./tool-mode";
import { textsOf } from "./track-choice";
import { formatTracks } from "./track-keys";
import { chosenHost, trackChoice } from "./tracks";
import { visible } from "./view";

/** Browsers allow about 100 replacements in 30 s; the address follows when the view has come to rest. */
const REPLACE_DELAY_MS = 300;

/** Changes of these are steps; all else changes while one moves. */
function stepsOf({ events, area, host, choice, marks }: PageLocation): string {
  return formatLocation({ ...NOWHERE, events, area, host, choice: { ...choice, filter: "" }, marks });
}

export class AddressKeeper {
  readonly initial: PageLocation = parseLocation(location.search, location.hash);
  #pending: PageLocation | null = this.initial;
  #timer: ReturnType<typeof setTimeout> | null = null;
  /** The steps of the address, as it was written last; null after a way that was no step: opening a run, going back. */
  #steps: string | null = null;
  /** The marks of the address. */
  #marks = this.initial.marks;
  /** A jump that Back undoes is under way. */
  #isJump = false;

  constructor() {
    unreadParts.value = unreadable(location.hash);
  }

  /** Location that the address asked for when this run was opened through it; once. */
  take(run: string): PageLocation | null {
    const wanted = this.#pending;
    this.#pending = null;
    return wanted?.run === run ? wanted : null;
  }

  /** Keeps the location for when a run will be shown. */
  expect(wanted: PageLocation): void {
    this.#pending = wanted;
  }

  /** Drops the location that the address asked for. */
  forget(): void {
    this.#pending = null;
  }

  /** Writes the address whenever the view changes; `onTravel` is called when the user goes back or forward. */
  connect(onTravel: (to: PageLocation) => void): void {
    effect(() => {
      const place = currentLocation();
      this.#cancel();
      // Marks that the server does not keep are nowhere else.
      const isUrgent = place.marks !== this.#marks;
      this.#timer = setTimeout(() => this.#follow(place), isUrgent ? 0 : REPLACE_DELAY_MS);
    });
    addEventListener("popstate", () => {
      // What was to be written was of the entry that one has left.
      this.#cancel();
      this.#steps = null;
      this.#isJump = false;
      unreadParts.value = unreadable(location.hash);
      onTravel(parseLocation(location.search, location.hash));
    });
  }

  /** Makes a change that Back undoes. */
  step(change: () => void): void {
    this.#cancel();
    this.#follow(currentLocation());
    // Moves of the view that are part of it are no steps of their own.
    this.#isJump = true;
    change();
    this.#isJump = false;
    const place = currentLocation();
    this.#steps = place.run === null ? null : stepsOf(place);
    unreadParts.value = [];
    history.pushState(null, "", addressOf(place));
  }

  /** The view is about to go far: Back leads to where it is now. */
  jump(): void {
    if (this.#timer !== null && !this.#isJump) {
      this.#cancel();
      this.#follow(currentLocation());
    }
    this.#isJump = true;
  }

  /** The address of what is shown now, whether it has followed or not. */
  get now(): string {
    return new URL(addressOf(currentLocation()), location.href).href;
  }

  #cancel(): void {
    if (this.#timer !== null) {
      clearTimeout(this.#timer);
    }
    this.#timer = null;
  }

  #follow(place: PageLocation): void {
    this.#timer = null;
    // While a run is being opened the address still says what is to be shown of it.
    if (this.#pending !== null) {
      return;
    }
    const text = addressOf(place);
    const steps = place.run === null ? null : stepsOf(place);
    const isStep = this.#isJump || (this.#steps !== null && steps !== null && steps !== this.#steps);
    this.#steps = steps;
    this.#marks = place.marks;
    this.#isJump = false;
    // Where one is already, there is no way back from.
    if (isStep && new URL(text, location.href).href !== location.href) {
      unreadParts.value = [];
      history.pushState(null, "", text);
    } else {
      history.replaceState(null, "", text);
    }
  }
}

/** Relative to the page; the list of runs has none of its own. A page that is part of another stays so. */
function addressOf(place: PageLocation): string {
  if (!embedded) {
    return place.run === null ? location.pathname : formatLocation(place);
  }
  return place.run === null ? `${location.pathname}?embed=1` : formatLocation(place).replace("#", "&embed=1#");
}

function currentLocation(): PageLocation {
  const shown = runView.value;
  const run = runIdOf(shown);
  if (shown.kind !== "open") {
    return { ...NOWHERE, run };
  }
  const chosen = selection.value;
  return {
    run,
    range: visible.value,
    events: eventsOf(chosen),
    area: chosen.kind === "area" ? { ...chosen.range, tracks: formatTracks(chosen.tracks) } : null,
    host: chosenHost.value,
    choice: textsOf(trackChoice.value),
    marks: addressMarks.value,
    mode: toolMode.value,
    time: timeFormat.value,
    color: colorBy.value,
    kinds: MEANINGS.filter((meaning) => shownMeanings.value?.has(meaning)),
    query: query.value,
    page: page.value,
  };
}

/** The events that are selected, each by its name. */
export function eventsOf(chosen: Selection): readonly EventPlace[] {
  const events = chosen.kind === "event" ? [chosen] : chosen.kind === "several" ? chosen.events : [];
  return events.map(({ track, ordinal }) => ({ track, ordinal }));
}
