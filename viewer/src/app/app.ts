/** The application: ties the state, the stage and the server together, and opens runs. */

import { effect, untracked } from "@preact/signals";
import { Api, laterByTimer, pauseFor, type Run } from "@tilescope/client";
import type { AppActions } from "../components/app-context";
import { followWalking, treeFocus } from "../components/tree-focus";
import type { Intent } from "../keys/table";
import { AddressKeeper } from "../state/address";
import { CatalogueLoader } from "../state/catalogue";
import { afterFirstAnswers } from "../state/first-answers";
import { LateCode } from "../state/late-code";
import { delayed, fate, fateOf, retries } from "../state/link";
import { LinkKeeper } from "../state/link-keeper";
import { type PageLocation, serverRoot } from "../state/location";
import { page } from "../state/page";
import { makePane } from "../state/pane";
import { isSearchOpen, query } from "../state/query";
import { RunOpener } from "../state/run";
import { RunsPoller, runs } from "../state/runs";
import { failure } from "../state/shell";
import { trackKey } from "../state/track-keys";
import { followPointer } from "../timeline/pointer-place";
import { Stage } from "../timeline/stage";
import { ViewNavigator } from "../timeline/view-navigator";
import { connectAnnouncements } from "./announcements";
import { BuildGrowth } from "./build-growth";
import { type IntentHandlers, makeIntentHandlers } from "./intent-handlers";
import type { LateCommand } from "./late-commands";
import { Pages } from "./pages";
import { TraceDisplay } from "./trace-display";
import { TrackHandlers } from "./track-handlers";

export class App implements AppActions {
  readonly pane = makePane();
  readonly stage = new Stage(this.pane);
  readonly viewNavigator = new ViewNavigator(this.stage);
  readonly catalogue = new CatalogueLoader();
  readonly #address = new AddressKeeper(this.pane);
  readonly pages = new Pages(this.#address, this.viewNavigator);
  readonly tracks = new TrackHandlers(this.#address, this.viewNavigator);
  readonly link = this.#keepLink(new Api(serverRoot(location.pathname)));
  readonly #api = new Api(serverRoot(location.pathname), afterFirstAnswers(this.link.fetch), pauseFor, (questions) => {
    delayed.value = questions;
  });
  readonly #poller = new RunsPoller(
    () => this.#api.runs(),
    () => this.pane.runView.peek().kind === "list",
  );
  readonly #growth = new BuildGrowth(this.pane);
  readonly #opener = new RunOpener(
    this.pane,
    this.#api,
    () => this.#poller.refresh(),
    (build, blocks) => this.#growth.blocksBuilt(build, blocks),
  );
  readonly #display = new TraceDisplay(this.stage, this.viewNavigator, {
    takeWanted: (run) => this.#address.take(run),
    onSession: (current) => this.#growth.catchUp(current),
    onMissingBlocks: (blocks) => this.#opener.wantBlocks(blocks),
    onRootTileFacts: (facts) => this.#growth.addFacts(facts),
    onHeard: () => this.link.heard(),
    onStream: (isOpen) => this.link.streamChanged(isOpen),
  });
  readonly #search = new LateCode(async () => {
    const { SearchController } = await import("./search-controller");
    return new SearchController(this.stage, this.viewNavigator, this.#address);
  });
  readonly #intentHandlers = makeIntentHandlers(
    this.stage,
    this.viewNavigator,
    this.tracks,
    () => this.pages.toggle(),
    (direction) => this.#search.ask((search) => search.walk(direction)),
  );

  readonly #marks = new LateCode(async () => new (await import("../marks/marks")).Marks(this));
  readonly #lateCommands = new LateCode(async () => {
    return new (await import("./late-commands")).LateCommands(this, this.#api, this.#marks);
  });

  readonly #partBindings = new LateCode(async () =>
    (await import("./part-bindings")).bindParts(this.stage, this.viewNavigator),
  );

  start(): void {
    followPointer();
    followWalking();
    this.viewNavigator.onJump = () => this.#address.jump();
    this.stage.loadExtension = () => this.loadMarks();
    const { initial } = this.#address;
    page.value = initial.page;
    effect(() => {
      const list = runs.value;
      if (list !== null) {
        untracked(() => this.#opener.follow(list));
      }
    });
    this.#openTheOnlyRun(initial);
    effect(() => {
      const shown = this.pane.runView.value;
      untracked(() => this.#display.show(shown.kind === "open" ? shown.trace : null));
    });
    effect(() => {
      const chosen = this.pane.selection.value;
      if (chosen.kind === "event") {
        treeFocus(this.pane).focusedKey.value = trackKey(chosen.track);
      }
      untracked(() => this.#display.follow(chosen));
    });
    effect(() => {
      const details = this.pane.detailsView.value;
      if (details.kind === "ready") {
        untracked(() => this.viewNavigator.arrive(details.event, details.details));
      }
    });
    this.stage.late.whenHere(() => {
      this.#partBindings.ask();
      this.loadMarks().catch(() => {
        this.pane.areMarksKnown.value = true;
      });
    });
    effect(() => {
      void retries.value;
      if (query.value !== "" || isSearchOpen.value) {
        this.#search.ask();
      }
    });
    connectAnnouncements(this.pane);
    setTimeout(() => this.#lateCommands.ask(), 500); // then files may be dropped; the first picture comes before
    this.#followLink();
    this.#address.connect((to) => this.#travel(to));
    this.#opener.open(initial.run);
  }

  act(intent: Intent): void {
    if (intent in this.#intentHandlers) {
      this.#intentHandlers[intent as keyof IntentHandlers]();
      return;
    }
    const load = this.#lateCommands.load().then((commands) => commands.act(intent as LateCommand));
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
    this.#address.step(() => {
      this.#address.forget();
      this.#opener.open(id, list);
    });
  }

  retryRun(id: string): void {
    void this.#opener.retry(id);
  }

  refreshRuns(): void {
    void this.#poller.refresh();
  }

  tryLink(): void {
    this.link.tryNow();
  }

  #keepLink(api: Api): LinkKeeper {
    return new LinkKeeper({
      health: (abort) => api.health(abort),
      ping: () => this.pane.session.peek()?.client.ping() === true,
      reconnect: () => this.pane.session.peek()?.client.reconnect(),
      checkRuns: () => this.refreshRuns(),
      fetch: (input, init) => fetch(input, init),
      now: () => performance.now(),
      later: laterByTimer,
    });
  }

  /** Tells the keeper of the link what happens to it, and does again what failed when the server is back. */
  #followLink(): void {
    const look = () => this.link.watch(document.visibilityState === "visible");
    document.addEventListener("visibilitychange", look);
    addEventListener("online", () => this.link.tryNow());
    addEventListener("offline", () => this.link.suspect());
    effect(() => {
      void this.pane.runView.value;
      fate.value = "same";
    });
    effect(() => {
      const list = runs.value;
      const shown = this.pane.runView.peek();
      fate.value = list !== null && shown.kind === "open" ? fateOf(shown.trace.manifest, list) : "same";
    });
    effect(() => {
      if (retries.value > 0) {
        untracked(() => {
          this.pane.session.peek()?.lookAgain();
          this.loadMarks().catch(() => undefined);
          const details = this.pane.detailsView.peek();
          if (details.kind === "failed" && !details.failure.isFinal) {
            this.#display.follow(this.pane.selection.peek());
          }
        });
      }
    });
    look();
  }

  /** Opens the run of the first list, if it is the only one and the address names none. */
  #openTheOnlyRun(initial: PageLocation): void {
    let isFirst = initial.run === null;
    effect(() => {
      const list = runs.value;
      if (list === null || !isFirst) {
        return;
      }
      isFirst = false;
      const [only, ...others] = list;
      if (only !== undefined && others.length === 0) {
        untracked(() => this.openRun(only.id, list));
      }
    });
  }

  /** To where Back and Forward lead: within the run that is shown, nothing is loaded anew. */
  #travel(to: PageLocation): void {
    const shown = this.pane.runView.peek();
    page.value = to.page;
    if (shown.kind === "open" && shown.trace.manifest.run === to.run) {
      this.#display.travel(shown.trace, to);
    } else {
      this.#address.expect(to);
      this.#opener.open(to.run);
    }
  }
}
