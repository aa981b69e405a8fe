/** Whose events are looked at: everything, a host, or one of its processes and devices. */

import type { Trace } from "../../state/trace";
import { placesOf, placesTitle, type RunPlace } from "./run-places";

interface Props {
  readonly trace: Trace;
  /** The tracks that a question names; empty: all. */
  readonly tracks: string;
  readonly onChoose: (tracks: string) => void;
}

export function PlacePicker({ trace, tracks, onChoose }: Props) {
  const places = placesOf(trace);
  if (places.length < 2 && tracks === "") {
    return null;
  }
  return (
    <select
      class="bar-select"
      aria-label={placesTitle(places)}
      value={tracks}
      onChange={(event) => onChoose(event.currentTarget.value)}
    >
      <PlaceOptions places={places} tracks={tracks} />
    </select>
  );
}

/** Options for hosts and processes, with the one that an address has chosen. */
export function PlaceOptions({ places, tracks }: { readonly places: readonly RunPlace[]; readonly tracks: string }) {
  const isOther = tracks !== "" && !places.some((place) => place.tracks === tracks);
  return (
    <>
      <option value="">All {placesTitle(places).toLowerCase()}</option>
      {isOther && <option value={tracks}>Tracks {tracks}</option>}
      {places.map(({ tracks: value, name, isInHost }) => (
        <option key={value} value={value}>
          {isInHost ? `\u2003${name}` : name}
        </option>
      ))}
    </>
  );
}
