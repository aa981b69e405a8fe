/** Launches of the selected slice, with what they lie in on their threads, and calls of the host that waited for it. */

import { type EventDetails, formatDuration } from "@tilescope/client";
import type { NamedSlice, Nesting } from "../state/nesting";
import { EventLink } from "./links";

interface Props {
  readonly nesting: Nesting;
  readonly event: EventDetails;
  readonly tickPs: number;
}

export function LaunchPanel({ nesting: { launches, waits }, event, tickPs }: Props) {
  return (
    <>
      {launches.length > 0 && (
        <section>
          <h3>Launched by</h3>
          <table class="kin" data-table="launches">
            <Columns />
            <tbody>
              {launches.map(({ launch, around, frame }) => (
                <>
                  <tr key={`${launch.track}.${launch.ordinal}`}>
                    <Named event={launch} />
                    <td class="dim" title="Its start, after the start of the slice that is selected">
                      {formatDuration(launch.startTicks - event.startTicks, tickPs)}
                    </td>
                    <td title="Its duration">{formatDuration(launch.durationTicks, tickPs)}</td>
                  </tr>
                  {around !== null && <Around event={around} words="around the launch" />}
                  {frame !== null && frame.ordinal !== around?.ordinal && (
                    <Around event={frame} words="frame of Python" />
                  )}
                </>
              ))}
            </tbody>
          </table>
        </section>
      )}
      {waits.length > 0 && (
        <section>
          <h3 title="Calls that wait for devices, on threads of the process that launched this slice, and ended after it">
            Waiting when it ended
          </h3>
          <table class="kin" data-table="waits">
            <Columns />
            <tbody>
              {waits.map((wait) => (
                <tr key={`${wait.track}.${wait.ordinal}`}>
                  <Named event={wait} />
                  <td class="dim" title="Its end, after the end of the slice that is selected">
                    +{formatDuration(wait.afterTicks, tickPs)}
                  </td>
                  <td title="Its duration">{formatDuration(wait.durationTicks, tickPs)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
    </>
  );
}

function Columns() {
  return (
    <colgroup>
      <col />
      <col class="kin-offset" />
      <col class="kin-duration" />
    </colgroup>
  );
}

function Named({ event: { track, ordinal, name } }: { event: NamedSlice }) {
  return (
    <th scope="row">
      <EventLink track={track} ordinal={ordinal} name={name} title={name} />
    </th>
  );
}

/** The innermost slice around a launch, or the innermost frame. */
function Around({ event, words }: { event: NamedSlice; words: string }) {
  return (
    <tr>
      <Named event={event} />
      <td class="dim" colSpan={2}>
        {words}
      </td>
    </tr>
  );
}
