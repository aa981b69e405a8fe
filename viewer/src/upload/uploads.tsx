/** Uploads as the application sees them: the dialog, where to drop, and the run that comes of it. */

import type { Api } from "@tilescope/client";
import { render } from "preact";
import type { AppActions } from "../components/app-context";
import { announcement } from "../state/shell";
import { type ChosenFile, droppedFiles } from "./chosen-files";
import { UploadDialog } from "./upload-dialog";
import { UploadRun } from "./upload-run";

export class Uploads {
  readonly #app: AppActions;
  readonly #run: UploadRun;
  readonly #place = document.createElement("div");
  #hint: HTMLElement | null = null;

  constructor(app: AppActions, api: Api) {
    this.#app = app;
    this.#run = new UploadRun({
      api,
      now: () => performance.now(),
      onListed: (runs, title) => this.#listed(runs, `${title} has been sent, and is being indexed`),
      onOpened: (runs, address) => this.#listed(runs, `${address} is opened`),
      onFailed: (message) => {
        announcement.value = message;
      },
    });
    addEventListener("beforeunload", (event) => this.#run.isSending && event.preventDefault());
  }

  show(): void {
    this.#showDialog(null);
  }

  async drop(entries: readonly FileSystemEntry[]): Promise<void> {
    this.#hideHint();
    try {
      this.#showDialog(await droppedFiles(entries));
    } catch {
      this.#showDialog(null, "Part of it cannot be read: a broken link, or a file that you may not read.");
    }
  }

  #showDialog(files: readonly ChosenFile[] | null, unreadable: string | null = null): void {
    void this.#run.load(files, unreadable);
    if (this.#dialog !== null) {
      return;
    }
    // One that has been closed may still be there: the browser says so a moment later.
    render(null, this.#place);
    document.body.append(this.#place);
    render(<UploadDialog run={this.#run} onClose={() => this.#dialog ?? render(null, this.#place)} />, this.#place);
  }

  get #dialog(): HTMLDialogElement | null {
    return this.#place.querySelector<HTMLDialogElement>("dialog[open]");
  }

  /** Says where to drop, until the files are dropped or leave the page. */
  showHint(): void {
    if (this.#hint !== null) {
      return;
    }
    const hint = document.createElement("div");
    hint.className = "upload-drop";
    hint.textContent = "Drop to open";
    const leave = (event: DragEvent) => event.relatedTarget === null && this.#hideHint();
    hint.addEventListener("dragleave", leave);
    // In the top layer: a dialog may be open.
    hint.popover = "manual";
    document.body.append(hint);
    hint.showPopover();
    this.#hint = hint;
  }

  #hideHint(): void {
    this.#hint?.remove();
    this.#hint = null;
  }

  /** The run is in the list; where somebody waits for it, it is opened. */
  #listed(runs: readonly string[], message: string): void {
    announcement.value = message;
    this.#app.refreshRuns();
    const [first] = runs;
    if (first !== undefined && this.#dialog !== null) {
      this.#dialog.close();
      this.#app.openRun(first);
    }
  }
}
