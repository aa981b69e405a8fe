/** Whose events are looked at: everything, a host, or one of its processes and devices. */

import type { Trace } from "../../state/trace";
import { placesOf } from "./places-of";

interface Props {
  readonly trace: Trace;
  /** The tracks that a question names; empty: all. */
  readonly tracks: string;
  readonly onChoose: (tracks: string) => void;
}

export function PlacePicker({ trace, tracks, onChoose }: Props) {
  const places = placesOf(trace);
  const isOther = tracks !== "" && !places.some((place) => place.tracks === tracks);
  if (places.length < 2 && !isOther) {
    return null;
  }
  return (
    <select
      class="bar-select"
      aria-label="Whose events"
      value={tracks}
      onChange={(event) => onChoose(event.currentTarget.value)}
    >
      <option value="">All hosts and devices</option>
      {isOther && <option value={tracks}>Tracks {tracks}</option>}
      {places.map(({ tracks: value, name, isInHost }) => (
        <option key={value} value={value}>
          {isInHost ? `\u2003${name}` : name}
        </option>
      ))}
    </select>
  );
}
