/** The machine of one pane: opens its run, draws it, follows its selection, does what keys and buttons say. */

import { effect, type ReadonlySignal, untracked } from "@preact/signals";
import type { Api, Run } from "@tilescope/client";
import type { AppActions } from "../components/app-context";
import { treeFocus } from "../components/tree-focus";
import type { Intent } from "../keys/table";
import type { AddressKeeper } from "../state/address";
import type { CatalogueLoader } from "../state/catalogue";
import { LateCode } from "../state/late-code";
import { retries } from "../state/link";
import type { LinkKeeper } from "../state/link-keeper";
import type { PageLocation } from "../state/location";
import type { Pane } from "../state/pane";
import { isSearchOpen, query } from "../state/query";
import { RunOpener } from "../state/run";
import { runs } from "../state/runs";
import { failure } from "../state/shell";
import { trackKey } from "../state/track-keys";
import { Stage } from "../timeline/stage";
import { ViewNavigator } from "../timeline/view-navigator";
import { BuildGrowth } from "./build-growth";
import { type IntentHandlers, makeIntentHandlers } from "./intent-handlers";
import type { CommandPort, LateCommand } from "./late-commands";
import { Pages, type StepPanes } from "./pages";
import { TraceDisplay } from "./trace-display";
import { TrackHandlers } from "./track-handlers";

/** The page that panes are in. */
export interface PagePort extends CommandPort {
  readonly panes: CommandPort["panes"] & StepPanes;
  readonly api: Api;
  /** The first pane, with which the address begins. */
  readonly mainPane: Pane;
  readonly openPanes: ReadonlySignal<readonly Pane[]>;
  readonly link: LinkKeeper;
  readonly address: AddressKeeper;
  readonly catalogue: CatalogueLoader;
  refreshRuns(): Promise<void>;
}

/** The address, as far as a pane has a part in it. */
export interface Wishes {
  /** Tells the parts of the pane from those of the other: "" for the first. */
  readonly name: string;
  /** Takes the location of a run that is about to be shown; null: nothing is wished for. */
  take(run: string): PageLocation | null;
  /** Another run is chosen: what was wished for is dropped. */
  forget(): void;
  /** Takes up what a location has for the page as a whole. */
  takePage(to: PageLocation | null): void;
}

export class PaneApp implements AppActions {
  readonly pane: Pane;
  readonly name: string;
  readonly stage: Stage;
  readonly viewNavigator: ViewNavigator;
  readonly pages: Pages;
  readonly tracks: TrackHandlers;
  readonly catalogue: CatalogueLoader;
  readonly lateCommands: LateCode<import("./late-commands").LateCommands>;
  readonly announcements = new LateCode(() => import("./announcements"));
  readonly #page: PagePort;
  readonly #wishes: Wishes;
  readonly #opener: RunOpener;
  readonly #display: TraceDisplay;
  readonly #intentHandlers: IntentHandlers;
  readonly #search: LateCode<import("./search-controller").SearchController>;
  readonly #marks = new LateCode(async () => new (await import("../marks/marks")).Marks(this));

  constructor(pane: Pane, page: PagePort, wishes: Wishes) {
    const { address, api } = page;
    this.pane = pane;
    this.name = wishes.name;
    this.#page = page;
    this.#wishes = wishes;
    this.catalogue = page.catalogue;
    this.stage = new Stage(pane);
    this.viewNavigator = new ViewNavigator(this.stage);
    this.pages = new Pages(address, this.viewNavigator, page.panes);
    this.tracks = new TrackHandlers(address, this.viewNavigator);
    const growth = new BuildGrowth(pane);
    this.#opener = new RunOpener(
      pane,
      api,
      () => page.refreshRuns(),
      (build, blocks) => growth.blocksBuilt(build, blocks),
    );
    this.#display = new TraceDisplay(this.stage, this.viewNavigator, {
      takeWanted: (run) => wishes.take(run),
      takePage: (to) => wishes.takePage(to),
      onSession: (current) => growth.catchUp(current),
      onMissingBlocks: (blocks) => this.#opener.wantBlocks(blocks),
      onRootTileFacts: (facts) => growth.addFacts(facts),
      onHeard: () => page.link.heard(),
      onStream: (isOpen) => page.link.streamChanged(isOpen),
    });
    this.#search = new LateCode(async () => {
      const { SearchController } = await import("./search-controller");
      return new SearchController(this.stage, this.viewNavigator, address);
    });
    this.#intentHandlers = makeIntentHandlers(
      this.stage,
      this.viewNavigator,
      this.tracks,
      () => this.pages.toggle(),
      (direction) => this.#search.ask((search) => search.walk(direction)),
    );
    this.lateCommands = new LateCode(async () => {
      return new (await import("./late-commands")).LateCommands(this, page, this.#marks);
    });
  }

  start(): void {
    const { pane, stage, viewNavigator } = this;
    viewNavigator.onJump = () => this.#page.address.jump();
    stage.loadExtension = () => this.loadMarks();
    effect(() => {
      const list = runs.value;
      if (list !== null) {
        untracked(() => this.#opener.follow(list));
      }
    });
    effect(() => {
      const shown = pane.runView.value;
      untracked(() => this.#display.show(shown.kind === "open" ? shown.trace : null));
    });
    effect(() => {
      const chosen = pane.selection.value;
      if (chosen.kind === "event") {
        treeFocus(pane).focusedKey.value = trackKey(chosen.track);
      }
      untracked(() => this.#display.follow(chosen));
    });
    effect(() => {
      const details = pane.detailsView.value;
      if (details.kind === "ready") {
        untracked(() => viewNavigator.arrive(details.event, details.details));
      }
    });
    stage.late.whenHere(({ connectExact }) => {
      connectExact(pane);
      new LateCode(async () => (await import("./part-bindings")).bindParts(stage, viewNavigator)).ask();
      this.loadMarks().catch(() => {
        pane.areMarksKnown.value = true;
      });
    });
    effect(() => {
      void retries.value;
      if (query.value !== "" || isSearchOpen.value) {
        this.#search.ask();
      }
    });
    effect(() => {
      if (retries.value > 0) {
        untracked(() => this.#retry());
      }
    });
    this.announcements.ask(({ announceEvents }) => announceEvents(pane));
  }

  get mainPane(): Pane {
    return this.#page.mainPane;
  }

  get panes(): readonly Pane[] {
    return this.#page.openPanes.value;
  }

  act(intent: Intent): void {
    if (intent in this.#intentHandlers) {
      this.#intentHandlers[intent as keyof IntentHandlers]();
      return;
    }
    const load = this.lateCommands.load().then((commands) => commands.act(intent as LateCommand));
    load.catch(() => {
      failure.value = "This command could not be loaded: the server does not answer.";
    });
  }

  loadMarks(): Promise<unknown> {
    return this.#marks.load();
  }

  search(text: string): void {
    this.#search.ask((search) => search.begin(text));
  }

  /** `list`: what has just been heard of all runs. */
  openRun(id: string | null, list: readonly Run[] | null = null): void {
    this.#page.address.step(() => {
      this.#wishes.forget();
      this.#opener.open(id, list);
    });
  }

  /** Opens a run as an address has it: no step that Back undoes. */
  follow(run: string | null): void {
    this.#opener.open(run);
  }

  /** Goes to where an address leads within the run that is shown; false where that is another. */
  travel(to: PageLocation): boolean {
    const shown = this.pane.runView.peek();
    if (shown.kind !== "open" || shown.trace.manifest.run !== to.run) {
      return false;
    }
    this.#display.travel(shown.trace, to);
    return true;
  }

  retryRun(id: string): void {
    void this.#opener.retry(id);
  }

  refreshRuns(): void {
    void this.#page.refreshRuns();
  }

  tryLink(): void {
    this.#page.link.tryNow();
  }

  #retry(): void {
    this.pane.session.peek()?.lookAgain();
    this.loadMarks().catch(() => undefined);
    const details = this.pane.detailsView.peek();
    if (details.kind === "failed" && !details.failure.isFinal) {
      this.#display.follow(this.pane.selection.peek());
    }
  }
}
