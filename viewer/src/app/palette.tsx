/** The command palette: commands and pages, found by name. A command does what the key beside it does. */

import { useEffect, useMemo } from "preact/hooks";
import { type AppActions, useApp } from "../components/app-context";
import { goToTypedPlace } from "../components/go-to-place";
import { Picker } from "../components/picker";
import { type Catalogue, catalogue } from "../state/catalogue";
import { colorBy } from "../state/coloring";
import { announcement, isPaletteOpen } from "../state/shell";
import { withoutPointer } from "../timeline/pointer-place";
import { type Command, commands, placeCommand } from "./commands";

const RETRY_MS = 3000;

export function Palette() {
  const app = useApp();
  const { pane } = app;
  const shown = pane.runView.value;
  const trace = shown.kind === "open" ? shown.trace : null;
  const tools = catalogue.value;
  // As things stand when it is opened, or when more pages are known.
  const items = useMemo(() => commands(pane, trace), [trace, tools]);
  useEffect(() => {
    if (trace !== null) {
      app.catalogue.look(trace);
    }
  }, [app, trace]);
  // A failure that may pass, as of a server that is busy, passes while somebody looks.
  useEffect(() => {
    if (trace === null || tools.kind !== "failed" || tools.failure.isFinal) {
      return;
    }
    const timer = setTimeout(() => app.catalogue.want(trace), RETRY_MS);
    return () => clearTimeout(timer);
  }, [app, trace, tools]);
  return (
    <Picker
      label="Commands"
      fieldLabel="Command"
      placeholder="Command, page, or a place: 450 ms, step 7 …"
      listLabel="Commands and pages"
      nothing="No command or page has this name."
      lacking={trace === null ? null : lackingPages(tools)}
      intent="show-palette"
      items={items}
      typed={(text) => (trace === null ? null : placeCommand(pane, text, trace))}
      onChoose={({ does }: Command) => {
        // When the dialog is gone, so that it does not keep the focus; what lies behind it was not pointed at.
        requestAnimationFrame(() => withoutPointer(() => run(app, does)));
      }}
      onClose={() => {
        isPaletteOpen.value = false;
      }}
    />
  );
}

function run(app: AppActions, does: Command["does"]): void {
  if ("intent" in does) {
    app.act(does.intent);
  } else if ("colorBy" in does) {
    colorBy.value = does.colorBy;
    announcement.value = `Colours show the ${does.colorBy === "meaning" ? "kind of work" : does.colorBy}`;
  } else if ("place" in does) {
    void goToTypedPlace(app, does.trace, does.place);
  } else {
    app.pages.show(does.page);
  }
}

/** Reason why the pages of the server's tools are not in the list; null: they are. */
function lackingPages(tools: Catalogue): string | null {
  switch (tools.kind) {
    case "ready":
      return null;
    case "failed":
      return `Pages are missing, as the list of tools could not be loaded: ${tools.failure.message}`;
    default:
      return "Loading the list of pages …";
  }
}
