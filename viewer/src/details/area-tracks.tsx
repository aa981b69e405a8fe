/** Tracks of a selected area, to be ticked on and off: with those that lie between them in the timeline. */

import { useApp } from "../components/app-context";
import { formatCount, plural } from "../components/format";
import type { AreaSelection } from "../state/selection";
import { type Trace, trackPath } from "../state/trace";
import { candidateTracks } from "./candidate-tracks";

interface Listed {
  readonly span: string;
  readonly tracks: ReadonlySet<number>;
}

/** Tracks that were listed last in a pane: they stay for as long as its range is the same, also while another tab is shown. */
const listed = new WeakMap<object, Listed>();

/** So many are listed. */
const MOST_LISTED = 500;

export function AreaTracks({ trace, area }: { trace: Trace; area: AreaSelection }) {
  const { viewNavigator, pane } = useApp();
  const { startTicks, endTicks } = area.range;
  const span = `${startTicks} ${endTicks}`;
  const earlier = listed.get(pane);
  const before = earlier?.span === span ? earlier.tracks : new Set<number>();
  const shown = pane.layout.value.items.flatMap(({ kind, node }) => (kind === "track" ? [node.track.id] : []));
  const candidates = candidateTracks(shown, area.tracks, before);
  listed.set(pane, { span, tracks: new Set(candidates) });
  const choose = (tracks: ReadonlySet<number>) => viewNavigator.select({ ...area, tracks });
  const turn = (track: number) => {
    const tracks = new Set(area.tracks);
    if (!tracks.delete(track)) {
      tracks.add(track);
    }
    choose(tracks);
  };
  return (
    <fieldset class="area-tracks">
      <legend>
        {formatCount(area.tracks.size)} of {plural(candidates.length, "track")}
      </legend>
      <button
        type="button"
        class="button is-small"
        disabled={candidates.every((track) => area.tracks.has(track))}
        onClick={() => choose(new Set(candidates))}
      >
        All of them
      </button>
      <ul>
        {candidates.slice(0, MOST_LISTED).map((track) => {
          const isTicked = area.tracks.has(track);
          return (
            <li key={track}>
              <label>
                <input
                  type="checkbox"
                  checked={isTicked}
                  // An area has a track at least.
                  disabled={isTicked && area.tracks.size === 1}
                  onChange={() => turn(track)}
                />
                {trackPath(trace, track).join(" › ")}
              </label>
            </li>
          );
        })}
      </ul>
      {candidates.length > MOST_LISTED && (
        <p class="aside">and {plural(candidates.length - MOST_LISTED, "more track")}</p>
      )}
    </fieldset>
  );
}
