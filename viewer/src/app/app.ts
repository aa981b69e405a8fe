/** The application: the page with its address, its server and its panes. */

import { computed, effect, signal, untracked } from "@preact/signals";
import { Api, type Fetch, laterByTimer, pauseFor } from "@tilescope/client";
import { followWalking } from "../components/tree-focus";
import { AddressKeeper } from "../state/address";
import { CatalogueLoader } from "../state/catalogue";
import { afterFirstAnswers } from "../state/first-answers";
import { LateCode } from "../state/late-code";
import { delayed, fate, fateOf } from "../state/link";
import { LinkKeeper } from "../state/link-keeper";
import { type PageLocation, serverRoot } from "../state/location";
import { page } from "../state/page";
import { makePane } from "../state/pane";
import { pageParts } from "../state/parts";
import { hasRun } from "../state/run";
import { RunsPoller, runs } from "../state/runs";
import { siteArchive } from "../state/site-archive";
import { followPointer } from "../timeline/pointer-place";
import { type PagePort, PaneApp } from "./pane-app";
import type { Panes } from "./panes";
import { takePage } from "./trace-display";

/** Sends requests to the server; where there is none, they are answered from an archive. */
const FETCH: Fetch =
  siteArchive === null
    ? (input, init) => fetch(input, init)
    : async (input, init) => (await import("../state/archive-fetch")).archiveFetch(input, init);

export class App implements PagePort {
  readonly mainPane = makePane();
  readonly address = new AddressKeeper(this.mainPane);
  readonly catalogue = new CatalogueLoader();
  readonly link = this.#keepLink(new Api(serverRoot(location.pathname), FETCH));
  readonly api = new Api(serverRoot(location.pathname), afterFirstAnswers(this.link.fetch), pauseFor, (questions) => {
    delayed.value = questions;
  });
  readonly #poller = new RunsPoller(
    () => this.api.runs(),
    () => this.first.pane.runView.peek().kind === "list",
  );
  /** Opens and closes the second pane, and keeps the two in step. */
  readonly panes: LateCode<Panes> = new LateCode(async () => new (await import("./panes")).Panes(this));
  readonly first = new PaneApp(this.mainPane, this, {
    name: "",
    take: (run) => this.address.take(run),
    forget: () => this.address.forget(),
    takePage,
  });
  /** Null while there is one pane. */
  readonly second = signal<PaneApp | null>(null);
  /** The pane that had the focus last. */
  readonly focused = signal<PaneApp>(this.first);
  readonly openPanes = computed(() => [this.mainPane, ...(this.second.value === null ? [] : [this.second.value.pane])]);
  /** The pane that keys, the bars of the page and pages of tools are for; a page of a tool has to have a run. */
  readonly active = computed(() => {
    const second = this.second.value;
    const isMeant = second !== null && this.focused.value === second;
    return isMeant && (page.value.tool === null || hasRun(second.pane.runView.value)) ? second : this.first;
  });

  start(): void {
    followPointer();
    followWalking();
    const { initial } = this.address;
    page.value = initial.page;
    this.first.start();
    this.#openTheOnlyRun(initial);
    effect(() => {
      if ((pageParts.value.second ?? pageParts.value.pane) !== undefined) {
        this.panes.ask();
      }
    });
    this.first.announcements.ask(({ connectTitle }) => connectTitle(() => this.active.value.pane));
    setTimeout(() => this.first.lateCommands.ask((late) => late.listenToDrops()), 500); // the first picture comes before
    this.#followLink();
    this.address.connect((to) => this.#travel(to));
    this.first.follow(initial.run);
  }

  refreshRuns(): Promise<void> {
    return this.#poller.refresh();
  }

  #keepLink(api: Api): LinkKeeper {
    const sessions = () => [this.first, this.second.peek()].flatMap((each) => each?.pane.session.peek() ?? []);
    return new LinkKeeper({
      health: (abort) => api.health(abort),
      ping: () => sessions().some(({ client }) => client.ping()),
      reconnect: () => {
        for (const { client } of sessions()) {
          client.reconnect();
        }
      },
      checkRuns: () => void this.refreshRuns(),
      fetch: FETCH,
      now: () => performance.now(),
      later: laterByTimer,
    });
  }

  /** Tells the keeper of the link what happens to it. */
  #followLink(): void {
    const { runView } = this.first.pane;
    const look = () => this.link.watch(document.visibilityState === "visible");
    document.addEventListener("visibilitychange", look);
    addEventListener("online", () => this.link.tryNow());
    addEventListener("offline", () => this.link.suspect());
    effect(() => {
      void runView.value;
      fate.value = "same";
    });
    effect(() => {
      const list = runs.value;
      const shown = runView.peek();
      fate.value = list !== null && shown.kind === "open" ? fateOf(shown.trace.manifest, list) : "same";
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
        untracked(() => this.first.openRun(only.id, list));
      }
    });
  }

  /** To where Back and Forward lead: within the run that is shown, nothing is loaded anew. */
  #travel(to: PageLocation): void {
    page.value = to.page;
    if (!this.first.travel(to)) {
      this.address.expect(to);
      this.first.follow(to.run);
    }
  }
}
