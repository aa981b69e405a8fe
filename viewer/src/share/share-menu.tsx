/** The menu of what can be handed on: link, picture, events. */

import { signal, useSignal } from "@preact/signals";
import { render } from "preact";
import { useEffect } from "preact/hooks";
import { useApp } from "../components/app-context";
import { copyText } from "../components/clipboard";
import { CheckIcon, CopyIcon, DownloadIcon, PictureIcon, ShareIcon } from "../components/icons";
import { fileName, savePicture } from "../components/save";
import { copyLink } from "../state/address-writer";
import { serverRoot } from "../state/location";
import { page } from "../state/page";
import type { Pane } from "../state/pane";
import type { Trace } from "../state/trace";
import { ExportDialog } from "./export-dialog";
import { pictureOfView } from "./picture";

/** URL of Perfetto; null: there is none, undefined: not known yet. */
const perfettoUrl = signal<string | null | undefined>(undefined);

async function learnPerfettoUrl(): Promise<void> {
  try {
    const answer = await fetch(`${serverRoot(location.pathname)}/viewer.json`);
    const { perfetto_url: url }: { perfetto_url: string | null } = await answer.json();
    perfettoUrl.value = url;
  } catch {
    perfettoUrl.value = undefined; // asked again when the menu is opened again
  }
}

/** The dialog has a place of its own in the page: the menu goes when it comes. */
function showExport(pane: Pane, trace: Trace, isForPerfetto: boolean): void {
  const place = document.createElement("div");
  document.body.append(place);
  const close = () => {
    render(null, place);
    place.remove();
  };
  const url = perfettoUrl.peek() ?? null;
  render(
    <ExportDialog pane={pane} trace={trace} perfettoUrl={url} isForPerfetto={isForPerfetto} onClose={close} />,
    place,
  );
}

interface EntryProps {
  readonly icon: preact.ComponentChild;
  readonly name: string;
  readonly note: string;
  readonly isBad?: boolean;
  readonly isDisabled?: boolean;
  readonly onClick: () => void;
}

function Entry({ icon, name, note, isBad = false, isDisabled = false, onClick }: EntryProps) {
  return (
    <button
      type="button"
      class="menu-item share-item"
      role="menuitem"
      aria-disabled={isDisabled}
      onClick={() => isDisabled || onClick()}
    >
      <span>{icon}</span>
      <span class="menu-name">{name}</span>
      <span class={isBad ? "menu-note is-bad" : "menu-note"}>{note}</span>
    </button>
  );
}

export function ShareItems({ trace, close }: { trace: Trace; close: () => void }) {
  const app = useApp();
  const { pane } = app;
  const link = useSignal<"idle" | "copied" | "failed">("idle");
  const problem = useSignal("");
  useEffect(() => {
    if (perfettoUrl.peek() === undefined) {
      void learnPerfettoUrl();
    }
  }, []);
  const copy = async () => {
    try {
      await copyLink(app.mainPane, copyText);
      link.value = "copied";
    } catch {
      link.value = "failed";
    }
  };
  const savePng = async () => {
    const { picture } = app.stage;
    try {
      if (picture === null) {
        throw new Error("nothing has been drawn yet");
      }
      await savePicture(pictureOfView(pane, trace, picture), fileName(trace.manifest.name));
      close();
    } catch (error) {
      problem.value = error instanceof Error ? error.message : String(error);
    }
  };
  const open = (isForPerfetto: boolean) => {
    close();
    showExport(pane, trace, isForPerfetto);
  };
  const isGrowing = trace.manifest.state === "indexing";
  const later = "When the run is indexed";
  const url = perfettoUrl.value;
  return (
    <>
      <Entry
        icon={link.value === "copied" ? <CheckIcon /> : <CopyIcon />}
        name={link.value === "copied" ? "Link copied" : "Copy link"}
        note={
          link.value === "failed"
            ? "The browser does not allow it"
            : "To this view, for anyone who can reach this server"
        }
        isBad={link.value === "failed"}
        onClick={copy}
      />
      {page.value.tool === null && (
        <Entry
          icon={<PictureIcon />}
          name="Save picture"
          note={problem.value || "What you see, as PNG, with names, axis and legend"}
          isBad={problem.value !== ""}
          onClick={savePng}
        />
      )}
      <Entry
        icon={<DownloadIcon />}
        name="Export events …"
        note={isGrowing ? later : "As trace-event JSON, for other viewers"}
        isDisabled={isGrowing}
        onClick={() => open(false)}
      />
      {typeof url === "string" && (
        <Entry
          icon={<ShareIcon />}
          name="Open in Perfetto …"
          note={isGrowing ? later : `${new URL(url, location.href).host}, in a window beside this one`}
          isDisabled={isGrowing}
          onClick={() => open(true)}
        />
      )}
    </>
  );
}
