/** The menu of a track or group is loaded when it is first opened. */

import type { Trace } from "../state/trace";
import { useApp } from "./app-context";
import { treeFocus } from "./tree-focus";
import { useLoaded } from "./use-loaded";

const loadMenu = async () => (await import("./track-menu")).TrackMenu;

function LoadedMenu({ trace }: { trace: Trace }) {
  const TrackMenu = useLoaded("track-menu", loadMenu);
  return TrackMenu.kind === "ready" ? <TrackMenu.value trace={trace} /> : null;
}

export function LateTrackMenu({ trace }: { trace: Trace }) {
  const { pane } = useApp();
  return treeFocus(pane).openTrackMenu.value === null ? null : <LoadedMenu trace={trace} />;
}
