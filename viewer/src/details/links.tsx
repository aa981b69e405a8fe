/** Names that lead into the timeline. */

import { useApp } from "../components/app-context";
import { type Trace, trackPath } from "../state/trace";

/** The name of an event, or what stands for it. */
export function nameText(name: string): string {
  return name === "" ? "[no name]" : name;
}

interface EventLinkProps {
  readonly track: number;
  readonly ordinal: number | bigint;
  readonly name: string;
  readonly title?: string;
}

/** Selects an event and goes there, if it is out of view. */
export function EventLink({ track, ordinal, name, title }: EventLinkProps) {
  const app = useApp();
  return (
    <button type="button" class="link" title={title} onClick={() => app.viewNavigator.goTo(track, Number(ordinal))}>
      {nameText(name)}
    </button>
  );
}

/** Opens the groups around a track and scrolls to it. */
export function TrackLink({ trace, track }: { trace: Trace; track: number }) {
  const app = useApp();
  const path = trackPath(trace, track);
  return (
    <button
      type="button"
      class="link"
      title="Show this track in the timeline"
      onClick={() => app.viewNavigator.goToPlace(trace, null, track)}
    >
      {path.join(" › ")}
    </button>
  );
}
