/** Keeps the page's address in step with what is shown: replaced while one moves, a new entry for each step one takes. */

import { effect } from "@preact/signals";
import { formatLocation, NOWHERE, type PageLocation, parseLocation } from "./location";
import { page } from "./page";
import { runIdOf, runView } from "./run";
import { selection } from "./selection";
import { textsOf } from "./track-choice";
import { formatTracks } from "./track-keys";
import { chosenHost, trackChoice } from "./tracks";
import { visible } from "./view";

/** Browsers allow about 100 replacements in 30 s; the address follows when the view has come to rest. */
const REPLACE_DELAY_MS = 300;

export class AddressKeeper {
  readonly initial: PageLocation = parseLocation(location.search, location.hash);
  #pending: PageLocation | null = this.initial;
  #timer: ReturnType<typeof setTimeout> | null = null;

  /** What the address asked for when this run was opened through it; once. */
  take(run: string): PageLocation | null {
    const wanted = this.#pending;
    this.#pending = null;
    return wanted?.run === run ? wanted : null;
  }

  /** What is asked for when a run will be shown. */
  expect(wanted: PageLocation): void {
    this.#pending = wanted;
  }

  /** What the address asked for is no longer asked for. */
  forget(): void {
    this.#pending = null;
  }

  /** Writes the address whenever the view changes; `onTravel` is called when the user goes back or forward. */
  connect(onTravel: (to: PageLocation) => void): void {
    effect(() => {
      const text = addressOf(currentLocation());
      this.#cancel();
      this.#timer = setTimeout(() => this.#replace(text), REPLACE_DELAY_MS);
    });
    addEventListener("popstate", () => {
      // What was to be written was of the entry that one has left.
      this.#cancel();
      onTravel(parseLocation(location.search, location.hash));
    });
  }

  /** Makes a change that Back undoes. */
  step(change: () => void): void {
    this.#cancel();
    this.#replace(addressOf(currentLocation()));
    change();
    history.pushState(null, "", addressOf(currentLocation()));
  }

  #cancel(): void {
    if (this.#timer !== null) {
      clearTimeout(this.#timer);
    }
    this.#timer = null;
  }

  #replace(text: string): void {
    // While a run is being opened the address still says what is to be shown of it.
    if (this.#pending === null) {
      history.replaceState(null, "", text);
    }
  }
}

/** Relative to the page; the list of runs has none of its own. */
function addressOf(place: PageLocation): string {
  return place.run === null ? location.pathname : formatLocation(place);
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
    event: chosen.kind === "event" ? { track: chosen.track, ordinal: chosen.ordinal } : null,
    area: chosen.kind === "area" ? { ...chosen.range, tracks: formatTracks(chosen.tracks) } : null,
    host: chosenHost.value,
    choice: textsOf(trackChoice.value),
    page: page.value,
  };
}
