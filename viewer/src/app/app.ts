/** The application: ties the state, the stage and the server together, and opens runs. */

import { effect, untracked } from "@preact/signals";
import { Api, laterByTimer, pauseFor, type Run } from "@tilescope/client";
import type { AppActions } from "../components/app-context";
import { focusedKey, followWalking } from "../components/tree-focus";
import type { Intent, LateIntent } from "../keys/table";
import { AddressKeeper } from "../state/address";
import { CatalogueLoader } from "../state/catalogue";
import { detailsView } from "../state/details";
import { afterFirstAnswers } from "../state/first-answers";
import { delayed, fate, fateOf, retries } from "../state/link";
import { LinkKeeper } from "../state/link-keeper";
import { type PageLocation, serverRoot } from "../state/location";
import { page } from "../state/page";
import { isSearchOpen, query } from "../state/query";
import { RunOpener, runView } from "../state/run";
import { RunsPoller, runs } from "../state/runs";
import { selection } from "../state/selection";
import { session } from "../state/session";
import { failure } from "../state/shell";
import { trackKey } from "../state/track-keys";
import { Guide } from "../timeline/guide";
import { LateCode } from "../timeline/late-code";
import { followPointer } from "../timeline/pointer-place";
import { Stage } from "../timeline/stage";
import { connectAnnouncements } from "./announcing";
import { type Deeds, makeDeeds } from "./deeds";
import { Growing } from "./growing";
import { Pages } from "./pages";
import { TraceShower } from "./showing";
import { TrackDeeds } from "./track-deeds";

export class App implements AppActions {
  readonly stage = new Stage();
  readonly guide = new Guide(this.stage);
  readonly catalogue = new CatalogueLoader();
  readonly #address = new AddressKeeper();
  readonly pages = new Pages(this.#address, this.guide);
  readonly tracks = new TrackDeeds(this.#address, this.guide);
  readonly link = this.#keepLink(new Api(serverRoot(location.pathname)));
  readonly #api = new Api(serverRoot(location.pathname), afterFirstAnswers(this.link.fetch), pauseFor, (questions) => {
    delayed.value = questions;
  });
  readonly #poller = new RunsPoller(
    () => this.#api.runs(),
    () => runView.peek().kind === "list",
  );
  readonly #growing = new Growing();
  readonly #opener = new RunOpener(
    this.#api,
    () => this.#poller.refresh(),
    (build, blocks) => this.#growing.blocksBuilt(build, blocks),
  );
  readonly #shower = new TraceShower(this.stage, this.guide, {
    takeWanted: (run) => this.#address.take(run),
    onSession: (current) => this.#growing.catchUp(current),
    onMissingBlocks: (blocks) => this.#opener.wantBlocks(blocks),
    onLearnt: (facts) => this.#growing.learnt(facts),
    onHeard: () => this.link.heard(),
    onStream: (isOpen) => this.link.streamChanged(isOpen),
  });
  readonly #search = new LateCode(async () => {
    const { Searching } = await import("./searching");
    return new Searching(this.stage, this.guide, this.#address);
  });
  readonly #deeds = makeDeeds(
    this.stage,
    this.guide,
    this.tracks,
    () => this.pages.toggle(),
    (direction) => this.#search.ask((search) => search.walk(direction)),
  );

  readonly #marks = new LateCode(async () => new (await import("../marks/marks")).Marks(this));
  readonly #captures = new LateCode(async () => new (await import("../capture/captures")).Captures(this, this.#api));

  start(): void {
    followPointer();
    followWalking();
    this.guide.onJump = () => this.#address.jump();
    this.stage.loadInstruments = () => this.loadMarks();
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
      const shown = runView.value;
      untracked(() => this.#shower.show(shown.kind === "open" ? shown.trace : null));
    });
    effect(() => {
      const chosen = selection.value;
      if (chosen.kind === "event") {
        focusedKey.value = trackKey(chosen.track);
      }
      untracked(() => this.#shower.follow(chosen));
    });
    effect(() => {
      const details = detailsView.value;
      if (details.kind === "ready") {
        untracked(() => this.guide.arrive(details.event, details.details));
      }
    });
    effect(() => {
      void retries.value;
      if (query.value !== "" || isSearchOpen.value) {
        this.#search.ask();
      }
    });
    connectAnnouncements();
    this.#followLink();
    this.#address.connect((to) => this.#travel(to));
    this.#opener.open(initial.run);
  }

  act(intent: Intent): void {
    if (intent in this.#deeds) {
      this.#deeds[intent as keyof Deeds]();
      return;
    }
    const failed = () => {
      failure.value = "What this key does could not be loaded: the server does not answer.";
    };
    if (intent === "show-capture" || intent === "show-monitor") {
      this.#captures.load().then((captures) => captures.act(intent), failed);
    } else {
      this.#marks.load().then((marks) => marks.act(intent as LateIntent), failed);
    }
  }

  get address(): string {
    return this.#address.now;
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
      ping: () => session.peek()?.client.ping() === true,
      reconnect: () => session.peek()?.client.reconnect(),
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
      void runView.value;
      fate.value = "same";
    });
    effect(() => {
      const list = runs.value;
      const shown = runView.peek();
      fate.value = list !== null && shown.kind === "open" ? fateOf(shown.trace.manifest, list) : "same";
    });
    effect(() => {
      if (retries.value > 0) {
        untracked(() => {
          session.peek()?.lookAgain();
          this.loadMarks().catch(() => undefined);
          const details = detailsView.peek();
          if (details.kind === "failed" && !details.failure.isFinal) {
            this.#shower.follow(selection.peek());
          }
        });
      }
    });
    look();
  }

  /** Where there is but one run and the address names none, the first list opens it. */
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
    const shown = runView.peek();
    page.value = to.page;
    if (shown.kind === "open" && shown.trace.manifest.run === to.run) {
      this.#shower.travel(shown.trace, to);
    } else {
      this.#address.expect(to);
      this.#opener.open(to.run);
    }
  }
}
