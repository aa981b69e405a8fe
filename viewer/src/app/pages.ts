/** Leads from page to page, and from pages into the timeline: each step is one that Back undoes. */

import type { TickRange } from "@tilescope/client";
import type { PageActions } from "../components/app-context";
import type { AddressKeeper } from "../state/address";
import { lastPage, type PagePlace, type PageRange, type PageTexts, page, sharedTexts } from "../state/page";
import type { Pane } from "../state/pane";
import { pageParts } from "../state/parts";
import { searchFor } from "../state/query";
import { announcement, failure } from "../state/shell";
import { allTracks } from "../state/trace";
import type { ViewNavigator } from "../timeline/view-navigator";

/** The two timelines, loaded late. */
export interface StepPanes {
  load(): Promise<{
    showSteps(first: bigint, second: bigint, stepName: string, toTimeline: () => void): Promise<void>;
  }>;
}

export class Pages implements PageActions {
  readonly #address: AddressKeeper;
  readonly #pane: Pane;
  readonly #viewNavigator: ViewNavigator;
  readonly #panes: StepPanes;

  constructor(address: AddressKeeper, viewNavigator: ViewNavigator, panes: StepPanes) {
    this.#panes = panes;
    this.#address = address;
    this.#viewNavigator = viewNavigator;
    this.#pane = viewNavigator.pane;
  }

  show(tool: string | null): void {
    const shown = page.peek();
    if (tool !== shown.tool) {
      this.#address.step(() => this.#switchTo(tool, {}));
    }
  }

  open({ tool, range, texts }: PagePlace): void {
    this.#address.step(() => {
      this.#switchTo(tool, texts);
      page.value = { ...page.peek(), range };
    });
  }

  /** From a page to the timeline, or back to the page that was shown last. */
  toggle(): void {
    const last = lastPage.peek();
    if (page.peek().tool !== null) {
      this.show(null);
    } else if (last !== null) {
      this.#address.step(() => this.#switchTo(last.tool, last.texts));
    } else {
      announcement.value = "No page has been shown yet";
    }
  }

  setRange(range: PageRange): void {
    this.#address.step(() => {
      page.value = { ...page.peek(), range };
    });
  }

  setTexts(texts: PageTexts): void {
    this.#address.step(() => {
      page.value = { ...page.peek(), texts };
    });
  }

  select(range: TickRange): void {
    const shown = this.#pane.runView.peek();
    if (shown.kind === "open") {
      this.#pane.selection.value = { kind: "area", range, tracks: allTracks(shown.trace) };
    }
  }

  goTo(span: TickRange | null, track: number | null, query = ""): void {
    const shown = this.#pane.runView.peek();
    if (shown.kind !== "open") {
      return;
    }
    this.#address.step(() => {
      this.#switchTo(null, {});
      this.#viewNavigator.goToPlace(shown.trace, this.#drawn(track, span), track);
      if (query !== "") {
        searchFor(query);
      }
    });
  }

  showSteps(first: bigint, second: bigint): void {
    const { step_name: stepName = "" } = sharedTexts(page.peek().texts);
    const toTimeline = () => this.#switchTo(null, {});
    const shown = this.#panes.load().then((panes) => panes.showSteps(first, second, stepName, toTimeline));
    shown.catch((error: unknown) => {
      failure.value = `The steps cannot be shown: ${error instanceof Error ? error.message : String(error)}`;
    });
  }

  goToEvent(track: number, ordinal: number, span: TickRange | null = null): void {
    this.#address.step(() => {
      this.#switchTo(null, {});
      this.#viewNavigator.goTo(track, ordinal, this.#drawn(track, span));
      this.#pane.isDrawerOpen.value = true;
    });
  }

  /** A span of an answer as it is drawn on a track. */
  #drawn(track: number | null, span: TickRange | null): TickRange | null {
    return span && (this.#pane.shifts.peek()?.range(track ?? -1, span) ?? span);
  }

  #switchTo(tool: string | null, texts: PageTexts): void {
    const before = page.peek();
    if (before.tool !== null) {
      lastPage.value = before;
    }
    // The way back from the timeline, whose address has no fields, keeps what steps are called as well.
    const { texts: earlier } = before.tool === null ? (lastPage.peek() ?? before) : before;
    // What is picked, and the tabs, are of their page.
    const { at: _picked, tabs: _tabs, ...others } = pageParts.peek();
    pageParts.value = others;
    page.value = { ...before, tool, texts: tool === null ? texts : { ...sharedTexts(earlier), ...texts } };
  }
}
