/** Captures and the monitor, as the application sees them: shown when asked for, in places of their own. */

import { type Api, type Capture, fetchCaptures } from "@tilescope/client";
import { render, type VNode } from "preact";
import type { AppActions } from "../components/app-context";
import type { JobIntent } from "../keys/table";
import { announcement } from "../state/shell";
import { CaptureDialog } from "./capture-dialog";
import { CaptureRun } from "./capture-run";
import { addressesOf, rememberedForm } from "./form";
import { MonitorPanel } from "./monitor-panel";
import { MonitorRun } from "./monitor-run";
import { outcomeOf } from "./words";

/** A place in the page that is there while something is shown in it. */
class Place {
  #element: HTMLElement | null = null;

  get element(): HTMLElement | null {
    return this.#element;
  }

  show(content: VNode): void {
    if (this.#element === null) {
      this.#element = document.createElement("div");
      document.body.append(this.#element);
    }
    render(content, this.#element);
  }

  clear(): void {
    if (this.#element !== null) {
      render(null, this.#element);
      this.#element.remove();
      this.#element = null;
    }
  }
}

export class Captures {
  readonly #app: AppActions;
  readonly #api: Api;
  readonly #run: CaptureRun;
  readonly #monitor: MonitorRun;
  #dialogPlace = new Place();
  readonly #panelPlace = new Place();

  constructor(app: AppActions, api: Api) {
    this.#app = app;
    this.#api = api;
    this.#run = new CaptureRun({ api, now: () => performance.now(), onOver: (capture) => this.#over(capture) });
    this.#monitor = new MonitorRun(api);
  }

  act(intent: JobIntent): void {
    if (intent === "show-capture") {
      this.#showDialog();
    } else if (this.#panelPlace.element !== null) {
      this.#stopMonitor();
    } else {
      void this.#askWhich();
    }
  }

  #showDialog(): void {
    if (this.#openDialog !== null) {
      return;
    }
    // One that has been closed may still be there: the browser says so a moment later.
    this.#dialogPlace.clear();
    const place = new Place();
    this.#dialogPlace = place;
    place.show(
      <CaptureDialog
        run={this.#run}
        onOpen={(id) => this.#app.openRun(id)}
        onMonitor={(host) => this.#showMonitor([], host)}
        onClose={() => place.clear()}
      />,
    );
  }

  get #openDialog(): HTMLDialogElement | null {
    return this.#dialogPlace.element?.querySelector<HTMLDialogElement>("dialog[open]") ?? null;
  }

  /** The job that was captured or monitored last, or one that the operator has named. */
  async #askWhich(): Promise<void> {
    const { addresses, targets } = rememberedForm();
    const named = await fetchCaptures(this.#api).then(
      (room) => room.targets.map(({ name }) => name),
      () => [],
    );
    const hosts = [this.#monitor.host.peek(), ...targets, ...addressesOf(addresses), ...named];
    this.#showMonitor([...new Set(hosts.filter((host) => host !== ""))], null);
  }

  /** `host`: the one that is meant; null: asks for it. */
  #showMonitor(hosts: readonly string[], host: string | null): void {
    if (host === null) {
      this.#monitor.ask();
    } else {
      this.#monitor.begin(host);
    }
    this.#panelPlace.show(
      <MonitorPanel
        run={this.#monitor}
        hosts={hosts}
        onCapture={() => this.#showDialog()}
        onStop={() => this.#stopMonitor()}
      />,
    );
  }

  #stopMonitor(): void {
    this.#panelPlace.clear();
  }

  /** The run is in the list at once; where somebody waits for it, it is opened. */
  #over(capture: Capture): void {
    announcement.value = outcomeOf(capture);
    this.#app.refreshRuns();
    const dialog = this.#openDialog;
    if (capture.state === "captured" && capture.run !== null && dialog !== null) {
      dialog.close();
      this.#app.openRun(capture.run);
    }
  }
}
