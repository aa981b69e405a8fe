/** An event as a screen reader says it. */

import { type EventDetails, formatDuration } from "@tilescope/client";
import { formatCount, plural } from "../components/format";
import type { Trace } from "../state/trace";

/** Name, duration, depth, start, and which of the track's events it is: all of it as the server says. */
export function eventAnnouncement(details: EventDetails, { manifest, tracks }: Trace): string {
  const { name, kind, value, durationTicks, startTicks, row, track, ordinal } = details;
  const time = (ticks: bigint) => formatDuration(ticks, manifest.time.tickPs);
  const own = tracks.get(track);
  const events = own?.events ?? 0n;
  const what = kind === "counter" ? "sample" : "event";
  const parts = [
    kind === "counter" ? `${value}` : name === "" ? "no name" : name,
    ...(kind === "slice" || kind === "async" ? [time(durationTicks), `depth ${row}`] : []),
    `at ${time(startTicks)}`,
    // While its track is built, nobody knows how many there will be.
    events > ordinal
      ? `${formatCount(ordinal + 1n)} of ${plural(events, what)}`
      : `${what} ${formatCount(ordinal + 1n)}`,
  ];
  return `${parts.join(", ")}${own === undefined || own.name === "" ? "" : ` on ${own.name}`}`;
}
