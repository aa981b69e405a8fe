/** A list of all tracks and groups in which one is found by name: hidden and empty ones, too. Enter leads to it. */

import { useMemo } from "preact/hooks";
import type { Trace } from "../state/trace";
import { type FoundNode, findable } from "../state/track-search";
import { useApp } from "./app-context";
import { Picker } from "./picker";
import { focusItem } from "./tree-focus";

function noteOf({ node }: FoundNode, hidden: ReadonlySet<string>): string {
  return hidden.has(node.key) ? "hidden" : node.isEmpty ? "empty" : node.kind === "group" ? "group" : "";
}

export function TrackFinder({ trace }: { trace: Trace }) {
  const { pane } = useApp();
  return pane.isFinderOpen.value ? <OpenFinder trace={trace} /> : null;
}

function OpenFinder({ trace }: { trace: Trace }) {
  const app = useApp();
  const { pane } = app;
  const hiddenNodes = pane.arrangement.value.hidden;
  const items = useMemo(() => {
    const hidden = new Set(findable(hiddenNodes).map(({ node }) => node.key));
    return findable(trace.roots).map((entry) => ({ ...entry, key: entry.node.key, note: noteOf(entry, hidden) }));
  }, [trace.roots, hiddenNodes]);
  return (
    <Picker
      label="Find a track"
      fieldLabel="Name of a track or group"
      placeholder="Find a track or group …"
      listLabel="Tracks and groups"
      nothing="No track or group has such a name."
      intent="find-track"
      items={items}
      onChoose={({ key }) => {
        app.tracks.reveal(key);
        focusItem(pane, key);
      }}
      onClose={() => {
        pane.isFinderOpen.value = false;
      }}
    />
  );
}
