/** Actions of the application for components, which see nothing else of it. */

import type { TickRange } from "@tilescope/client";
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Intent } from "../keys/table";
import type { CatalogueLoader } from "../state/catalogue";
import type { DerivedLane } from "../state/lanes";
import type { PagePlace, PageRange, PageTexts } from "../state/page";
import type { Pane } from "../state/pane";
import type { Stage } from "../timeline/stage";
import type { ViewNavigator } from "../timeline/view-navigator";

/** From page to page; each is a step that Back undoes, except for `select`. */
export interface PageActions {
  /** Shows a page by its id; null is the timeline. */
  show(tool: string | null): void;
  /** Shows a page of a range, with fields of its own. */
  open(place: PagePlace): void;
  setRange(range: PageRange): void;
  setTexts(texts: PageTexts): void;
  /** Leads to the timeline: to a span, to a track, or to both; what a query finds is lit there. */
  goTo(span: TickRange | null, track: number | null, query?: string): void;
  /** Leads to the timeline with this event selected, and to a span of time around it. */
  goToEvent(track: number, ordinal: number, span?: TickRange | null): void;
  /** Leads to the timeline with two steps of the run in two panes, their starts at one place. */
  showSteps(first: bigint, second: bigint): void;
  /** Selects a span of all tracks, and stays where one is. */
  select(span: TickRange): void;
}

/** Actions on a track or group, by its key. */
export interface TrackActions {
  togglePinned(key: string): void;
  hide(key: string): void;
  show(keys: readonly string[]): void;
  /** To the place before a sibling; null: behind all of them. */
  moveBefore(key: string, before: string | null): void;
  move(key: string, direction: "up" | "down"): void;
  resetOrder(): void;
  toggleEmpty(): void;
  /** Draws derived lanes with their tracks; takes them away where all of them are drawn. */
  toggleLanes(lanes: readonly DerivedLane[]): void;
  /** Draws lanes with their outermost rows, so many of them. */
  drawRows(lanes: readonly DerivedLane[], rows: number): void;
  /** Draws a lane of a tool, by its title or else the first; without a title, takes away those that are drawn. */
  toggleToolLane(tool: string, title?: string): Promise<void>;
  /** Selects its first or last event. */
  jump(key: string, end: "first" | "last"): void;
  /** Selects all of it, in the time of the selected range or else of the run: the details say what it is made of. */
  lookInto(key: string): void;
  /** Scrolls to it, also where it is hidden. */
  reveal(key: string): void;
  /** Keys of its siblings and itself, from top to bottom. */
  siblings(key: string): readonly string[];
  /** The name of the group that a track is in. */
  homeOf(key: string): string;
}

export interface AppActions {
  /** State of its timeline. */
  readonly pane: Pane;
  /** The first pane of the page: an address begins with it. */
  readonly mainPane: Pane;
  /** The open panes, the first before the second. */
  readonly panes: readonly Pane[];
  /** End of its labels beside another timeline: "of the second timeline", or "". */
  readonly name: string;
  /** Takes the view to events, ranges and what is selected. */
  readonly viewNavigator: ViewNavigator;
  /** Draws the timeline. */
  readonly stage: Stage;
  readonly pages: PageActions;
  readonly tracks: TrackActions;
  /** Tools of the server. */
  readonly catalogue: CatalogueLoader;
  /** Searches for something: a step that Back undoes. */
  search(text: string): void;
  openRun(id: string | null): void;
  retryRun(id: string): void;
  refreshRuns(): void;
  /** Tries at once to reach a server that is away. */
  tryLink(): void;
  /** Loads marks, and what else of the timeline comes after its first picture. */
  loadMarks(): Promise<unknown>;
  /** Does what a key would do. */
  act(intent: Intent): void;
}

const AppContext = createContext<AppActions | null>(null);

export const AppProvider = AppContext.Provider;

export function useApp(): AppActions {
  const app = useContext(AppContext);
  if (app === null) {
    throw new Error("used outside of the application");
  }
  return app;
}
