/** The search: asks the server, marks the hits in the timeline, leads from hit to hit. Loaded when something is searched for. */

import { effect, signal, untracked } from "@preact/signals";
import { mayPass, type Shifts, type ToolQuestion } from "@tilescope/client";
import type { AddressKeeper } from "../state/address";
import { clockGroups } from "../state/clock-groups";
import { HitClocks } from "../state/hit-clocks";
import {
  compareHits,
  type FoundHit,
  type HitPlace,
  placeBefore,
  placeRightBefore,
  type WalkDirection,
} from "../state/hit-walk";
import { retries } from "../state/link";
import type { Pane } from "../state/pane";
import { rootOf } from "../state/pane-root";
import { bindPart } from "../state/part-text";
import { isSearchOpen, query, searchFor, typedQuery } from "../state/query";
import { isPlaceAlone, SearchLoader, searchKey, searchState } from "../state/search";
import type { EventSelection } from "../state/selection";
import { announcement } from "../state/shell";
import { drawnTicks } from "../state/shifts";
import type { Trace } from "../state/trace";
import { QueryHits } from "../timeline/query-hits";
import type { Stage } from "../timeline/stage";
import type { ViewNavigator } from "../timeline/view-navigator";

/** So long a pause ends typing. */
const TYPING_MS = 150;
/** Pause between two searches of a run that grows. */
const GROWING_MS = 1000;
/** Key presses that are kept while the server is asked. */
const MOST_STEPS = 8;
const NO_NUMBER = "The position of this hit is unknown";

export class SearchController {
  readonly #pane: Pane;
  readonly #stage: Stage;
  readonly #viewNavigator: ViewNavigator;
  readonly #address: AddressKeeper;
  readonly #totals: SearchLoader;
  readonly #hits: QueryHits;
  /** Hits that are known, as the shifts of the pane have them drawn. */
  #clocks = new HitClocks(clockGroups(null, []));
  #shifts: Shifts | null = null;
  /** The hit that was gone to last. */
  #current: FoundHit | null = null;
  /** The hit whose number is not known, though another time the server may say it. */
  #uncounted: FoundHit | null = null;
  /** True while it is looked up whether the selected event is a hit, as the address says. */
  readonly #isResuming = signal(false);
  #key = "";
  #steps: WalkDirection[] = [];
  #abort = new AbortController();

  constructor(stage: Stage, viewNavigator: ViewNavigator, address: AddressKeeper) {
    this.#stage = stage;
    this.#pane = stage.pane;
    this.#totals = new SearchLoader(stage.pane);
    this.#hits = new QueryHits(stage);
    this.#viewNavigator = viewNavigator;
    this.#address = address;
    effect(() => followTyping(typedQuery.value, (text) => this.#take(text)));
    effect(() => {
      const shown = this.#pane.runView.value;
      const text = query.value;
      void retries.value;
      untracked(() => this.#follow(shown.kind === "open" ? shown.trace : null, text));
    });
    effect(() => {
      const [shown, shifts] = [this.#pane.runView.value, this.#pane.shifts.value];
      this.#clocks = new HitClocks(clockGroups(shifts, shown.kind === "open" ? shown.trace.tracks.values() : []));
      if (shifts !== this.#shifts) {
        this.#shifts = shifts;
        untracked(() => this.#moveHits(shown.kind === "open" ? shown.trace : null));
      }
    });
    effect(() => {
      void searchState(this.#pane).searchResult.value;
      untracked(() => {
        this.#emphasize();
        this.#hits.repaint();
      });
    });
    effect(() => {
      const state = searchState(this.#pane).searchResult.value;
      const timer =
        state.kind === "answered" && !state.answer.isComplete
          ? setTimeout(() => this.#askAgain(), GROWING_MS)
          : undefined;
      return () => clearTimeout(timer);
    });
    bindPart(
      this.#pane.parts,
      "hit",
      () => (this.#isResuming.value || searchState(this.#pane).currentHit.value !== null ? "1" : null),
      (text) => {
        this.#isResuming.value = text === "1";
        return text === null || text === "1";
      },
    );
    effect(() => {
      const shown = this.#pane.runView.value;
      const chosen = this.#pane.selection.value;
      if (this.#isResuming.value && shown.kind === "open" && query.value !== "" && chosen.kind === "event") {
        untracked(() => void this.#resume(shown.trace, chosen));
      }
    });
    effect(() => {
      const chosen = this.#pane.selection.value;
      const hit = searchState(this.#pane).currentHit.peek();
      const isHit = chosen.kind === "event" && chosen.track === hit?.track && chosen.ordinal === hit.ordinal;
      if (hit !== null && !isHit) {
        searchState(this.#pane).currentHit.value = null;
      }
    });
  }

  /** Looks up the number of the selected event among the hits: the address says that it is one. */
  async #resume(trace: Trace, { track, ordinal }: EventSelection): Promise<void> {
    const { signal } = this.#abort;
    try {
      const place = await this.#drawnPlace(trace, track, ordinal, signal);
      const hit = await this.#look(trace, placeRightBefore(place), "next", signal);
      const chosen = this.#pane.selection.peek();
      const isStill = chosen.kind === "event" && chosen.track === track && chosen.ordinal === ordinal;
      if (isStill && hit?.track === track && hit.ordinal === ordinal && !signal.aborted) {
        this.#current = hit;
        searchState(this.#pane).currentHit.value = { track, ordinal, index: null };
        void this.#count(trace, hit, signal);
      }
    } catch {
      // The search itself says that the server does not answer; the event is shown without its number.
    }
    this.#isResuming.value = false;
  }

  /** Begins a search, or ends it: a step that Back undoes. */
  begin(text: string): void {
    if (text !== query.peek()) {
      this.#address.step(() => searchFor(text));
    }
  }

  /** To the next hit, to the one before; null: the search is over. */
  walk(direction: WalkDirection | null): void {
    if (direction === null) {
      this.begin("");
      typedQuery.value = "";
      rootOf(this.#pane).querySelector<HTMLElement>(".timeline")?.focus({ preventScroll: true });
      return;
    }
    this.#take(typedQuery.peek().trim());
    if (query.peek() === "" || this.#steps.length >= MOST_STEPS) {
      return;
    }
    this.#steps.push(direction);
    if (this.#steps.length === 1) {
      void this.#takeSteps();
    }
  }

  #take(text: string): void {
    // From nothing to something, and back: one step, however much is typed in between.
    if ((query.peek() === "") !== (text === "")) {
      this.#address.step(() => {
        query.value = text;
      });
    } else {
      query.value = text;
    }
  }

  #follow(trace: Trace | null, text: string): void {
    const key = trace === null || text === "" ? "" : searchKey(trace, text);
    if (key !== this.#key) {
      this.#key = key;
      this.#forgetHits();
    }
    if (trace === null || key === "") {
      this.#totals.clear();
      this.#hits.clear();
      this.#stage.over = null;
      searchState(this.#pane).markedQuery.value = "";
      return;
    }
    this.#totals.ask(trace, text);
    this.#emphasize();
    this.#hits.follow(trace, key, text);
    searchState(this.#pane).markedQuery.value = text;
    if (this.#uncounted !== null && this.#uncounted === this.#current) {
      void this.#count(trace, this.#uncounted, this.#abort.signal);
    }
  }

  /** Has hits stand out. Nothing is dimmed by a search that cannot be read, nor by a typed place that no event is named like. */
  #emphasize(): void {
    const { kind } = searchState(this.#pane).searchResult.peek();
    const shown = this.#pane.runView.peek();
    const isSearch = this.#key !== "" && shown.kind === "open" && !isPlaceAlone(this.#pane, shown.trace, query.peek());
    this.#stage.over = isSearch && kind !== "failed" ? this.#hits.painter : null;
  }

  #askAgain(): void {
    const shown = this.#pane.runView.peek();
    if (shown.kind === "open" && this.#key !== "") {
      this.#totals.ask(shown.trace, query.peek(), true);
      this.#hits.forget();
      this.#clocks.forget();
    }
  }

  #forgetHits(): void {
    this.#beginAnew();
    this.#clocks.forget();
    searchState(this.#pane).currentHit.value = null;
    searchState(this.#pane).walkNote.value = "";
  }

  /** Hits are drawn elsewhere: the one that was gone to has another place, and another number. */
  #moveHits(trace: Trace | null): void {
    this.#beginAnew();
    const { currentHit } = searchState(this.#pane);
    const [hit, chosen] = [currentHit.peek(), this.#pane.selection.peek()];
    const isHit = hit !== null || this.#isResuming.peek();
    if (hit !== null) {
      currentHit.value = { ...hit, index: null };
    }
    if (trace !== null && query.peek() !== "" && chosen.kind === "event" && isHit) {
      void this.#resume(trace, chosen);
    }
  }

  #beginAnew(): void {
    this.#abort.abort();
    this.#abort = new AbortController();
    this.#steps = [];
    this.#current = null;
    this.#uncounted = null;
  }

  async #takeSteps(): Promise<void> {
    const { signal } = this.#abort;
    while (this.#steps.length > 0 && !signal.aborted) {
      try {
        await this.#step(this.#steps[0]!, signal);
      } catch (error) {
        if (!signal.aborted) {
          searchState(this.#pane).walkNote.value =
            `The hit could not be looked up: ${error instanceof Error ? error.message : String(error)}`;
          this.#steps = [];
        }
      }
      if (!signal.aborted) {
        this.#steps.shift();
      }
    }
  }

  async #step(direction: WalkDirection, signal: AbortSignal): Promise<void> {
    const shown = this.#pane.runView.peek();
    if (shown.kind !== "open") {
      return;
    }
    const { trace } = shown;
    const from = await this.#from(trace, direction, signal);
    const isOn = this.#current !== null && from !== null && compareHits(this.#current, from) === 0;
    const next = await this.#look(trace, from, direction, signal);
    const hit = next ?? (await this.#look(trace, null, direction, signal));
    if (signal.aborted) {
      return;
    }
    if (hit === undefined) {
      searchState(this.#pane).walkNote.value = "There is no hit to go to.";
      return;
    }
    const ends = { next: "Continued from the first hit.", previous: "Continued from the last hit." };
    searchState(this.#pane).walkNote.value = next === undefined ? ends[direction] : "";
    const before = isOn ? (searchState(this.#pane).currentHit.peek()?.index ?? null) : null;
    const index = next === undefined || before === null ? null : before + (direction === "next" ? 1 : -1);
    this.#current = hit;
    // The list lies over what one goes to.
    isSearchOpen.value = false;
    searchState(this.#pane).currentHit.value = { track: hit.track, ordinal: hit.ordinal, index };
    this.#viewNavigator.goTo(hit.track, hit.ordinal);
    if (index === null) {
      void this.#count(trace, hit, signal);
    }
  }

  /** Asks which number a hit has among all of them. */
  async #count(trace: Trace, hit: FoundHit, signal: AbortSignal): Promise<void> {
    this.#uncounted = null;
    const isStill = () => {
      const now = searchState(this.#pane).currentHit.peek();
      return !signal.aborted && now?.track === hit.track && now.ordinal === hit.ordinal;
    };
    try {
      const ask = (question: ToolQuestion) => trace.api.ask("search", question, signal);
      const index = await this.#clocks.rank(ask, query.peek(), hit);
      if (isStill()) {
        searchState(this.#pane).currentHit.value = { track: hit.track, ordinal: hit.ordinal, index };
        searchState(this.#pane).walkNote.value = searchState(this.#pane).walkNote.peek().startsWith(NO_NUMBER)
          ? ""
          : searchState(this.#pane).walkNote.peek();
        announcement.value = `Hit ${index ?? ""}: ${hit.name}`;
      }
    } catch (error) {
      if (isStill()) {
        this.#uncounted = mayPass(error) ? hit : null;
        searchState(this.#pane).walkNote.value =
          `${NO_NUMBER}: ${error instanceof Error ? error.message : String(error)}`;
      }
    }
  }

  /** The first hit beyond a place, as hits are drawn. */
  #look(
    trace: Trace,
    from: HitPlace | null,
    direction: WalkDirection,
    signal: AbortSignal,
  ): Promise<FoundHit | undefined> {
    const ask = (question: ToolQuestion) => trace.api.ask("search", question, signal);
    return this.#clocks.look(ask, query.peek(), from, direction);
  }

  /** The place of an event as it is drawn. */
  async #drawnPlace(trace: Trace, track: number, ordinal: number, signal: AbortSignal): Promise<HitPlace> {
    const details = this.#pane.detailsView.peek();
    const isKnown = details.kind === "ready" && details.event.track === track && details.event.ordinal === ordinal;
    const { startTicks } = isKnown ? details.details : await trace.api.event(track, ordinal, signal);
    return { startTicks: drawnTicks(this.#pane, track, startTicks), track, ordinal };
  }

  /** Start of a walk: the selection, or else what is on the screen. */
  async #from(trace: Trace, direction: WalkDirection, signal: AbortSignal): Promise<HitPlace | null> {
    const chosen = this.#pane.selection.peek();
    switch (chosen.kind) {
      case "event": {
        const { track, ordinal } = chosen;
        if (this.#current?.track === track && this.#current.ordinal === ordinal) {
          return this.#current;
        }
        return this.#drawnPlace(trace, track, ordinal, signal);
      }
      case "bin":
        return placeBefore(chosen.bin.startTicks);
      case "area":
        return placeBefore(direction === "next" ? chosen.range.startTicks : chosen.range.endTicks);
      default:
        return placeBefore(
          direction === "next" ? this.#pane.visible.peek().startTicks : this.#pane.visible.peek().endTicks,
        );
    }
  }
}

/** Takes what is typed when one pauses, and at once when there is nothing left. */
function followTyping(typed: string, take: (text: string) => void): () => void {
  const text = typed.trim();
  if (text === "" || text === query.peek()) {
    untracked(() => take(text));
    return () => undefined;
  }
  const timer = setTimeout(() => take(text), TYPING_MS);
  return () => clearTimeout(timer);
}
