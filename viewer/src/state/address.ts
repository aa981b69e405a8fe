/** Keeps the page's address in step with the view: replaced while one moves, a new entry only for another run. */

import { effect } from "@preact/signals";
import { formatLocation, type PageLocation, parseLocation } from "./location";
import { runIdOf, runView } from "./run";
import { selection } from "./selection";
import { chosenHost } from "./tracks";
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

  /** What the address asked for is no longer asked for. */
  forget(): void {
    this.#pending = null;
  }

  /** Writes the address whenever the view changes; `onRun` is called when the user goes back or forward. */
  connect(onRun: (run: string | null) => void): void {
    effect(() => {
      const text = formatLocation(currentLocation());
      if (this.#timer !== null) {
        clearTimeout(this.#timer);
      }
      this.#timer = setTimeout(() => {
        // While a run is being opened the address still says what is to be shown of it.
        if (this.#pending === null) {
          history.replaceState(null, "", text);
        }
      }, REPLACE_DELAY_MS);
    });
    addEventListener("popstate", () => {
      this.#pending = parseLocation(location.search, location.hash);
      onRun(this.#pending.run);
    });
  }

  push(run: string | null): void {
    const empty = { range: null, event: null, area: null, host: null };
    history.pushState(null, "", run === null ? location.pathname : formatLocation({ run, ...empty }));
  }
}

function currentLocation(): PageLocation {
  const shown = runView.value;
  const run = runIdOf(shown);
  if (shown.kind !== "open") {
    return { run, range: null, event: null, area: null, host: null };
  }
  const chosen = selection.value;
  return {
    run,
    range: visible.value,
    event: chosen.kind === "event" ? { track: chosen.track, ordinal: chosen.ordinal } : null,
    area:
      chosen.kind === "area" ? { ...chosen.range, firstTrack: chosen.firstTrack, lastTrack: chosen.lastTrack } : null,
    host: chosenHost.value,
  };
}
