/** Commands that are carried out by code of their own, which is loaded when it is first asked for; and the drop of files on the page. */

import type { Api } from "@tilescope/client";
import type { AppActions } from "../components/app-context";
import type { FileIntent, Intent, JobIntent, LateIntent, PaneIntent, RegionIntent } from "../keys/table";
import { LateCode } from "../state/late-code";

export type LateCommand = LateIntent | PaneIntent | JobIntent | FileIntent | RegionIntent;

const PANE_INTENTS: readonly Intent[] = ["split-beside", "split-below", "close-second", "other-pane", "link-panes"];

function isOfPanes(intent: Intent): intent is PaneIntent {
  return PANE_INTENTS.includes(intent);
}

/** The part of the page that carries out commands. */
export interface CommandPort {
  readonly api: Api;
  readonly panes: { load(): Promise<{ act(intent: PaneIntent): void }> };
}

export class LateCommands {
  readonly #panes: CommandPort["panes"];
  readonly #marks: LateCode<import("../marks/marks").Marks>;
  readonly #captures: LateCode<import("../capture/captures").Captures>;
  readonly #uploads: LateCode<import("../upload/uploads").Uploads>;

  constructor(app: AppActions, { api, panes }: CommandPort, marks: LateCode<import("../marks/marks").Marks>) {
    this.#marks = marks;
    this.#captures = new LateCode(async () => new (await import("../capture/captures")).Captures(app, api));
    this.#uploads = new LateCode(async () => new (await import("../upload/uploads")).Uploads(app, api));
    this.#panes = panes;
  }

  async act(intent: LateCommand): Promise<void> {
    if (intent === "open-file") {
      (await this.#uploads.load()).show();
    } else if (intent === "show-capture" || intent === "show-monitor") {
      (await this.#captures.load()).act(intent);
    } else if (intent === "next-region" || intent === "previous-region") {
      (await import("./regions")).toRegion(intent);
    } else if (isOfPanes(intent)) {
      (await this.#panes.load()).act(intent);
    } else {
      (await this.#marks.load()).act(intent);
    }
  }

  /** Files are taken anywhere on the page, rather than shown by the browser in its place. */
  listenToDrops(): void {
    for (const kind of ["dragenter", "dragover", "drop"] as const) {
      addEventListener(kind, (event) => {
        const carried = event.dataTransfer;
        if (!carried?.types.includes("Files")) {
          return;
        }
        event.preventDefault();
        if (kind === "drop") {
          // A browser forgets them when the event is over.
          const entries = [...carried.items].map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
          this.#uploads.ask((uploads) => void uploads.drop(entries));
        } else if (kind === "dragenter") {
          this.#uploads.ask((uploads) => uploads.showHint());
        }
      });
    }
  }
}
