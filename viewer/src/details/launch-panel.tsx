/** Launches of the selected slice, with what they lie in on their threads, and calls of the host that waited for it. */

import type { EventDetails, TimeBase } from "@tilescope/client";
import { Fragment } from "preact";
import type { NamedSlice, Nesting } from "../state/nesting";
import type { Trace } from "../state/trace";
import { LaunchStack } from "./launch-stack";
import { EventLink } from "./links";
import { Duration } from "./time-figures";

interface Props {
  readonly nesting: Nesting;
  readonly event: EventDetails;
  readonly time: TimeBase;
  readonly trace: Trace;
}

export function LaunchPanel({ nesting: { launches, waits, notes }, event, time, trace }: Props) {
  return (
    <>
      {launches.length > 0 && (
        <section>
          <h3>Launched by</h3>
          <table class="kin" data-table="launches">
            <Columns />
            <tbody>
              {launches.map(({ launch, around, frame }) => (
                <Fragment key={`${launch.track}.${launch.ordinal}`}>
                  <tr>
                    <Named event={launch} />
                    <td class="dim">
                      <Duration
                        ticks={launch.startTicks - event.startTicks}
                        time={time}
                        what="Its start, after the start of the slice that is selected"
                      />
                    </td>
                    <td>
                      <Duration ticks={launch.durationTicks} time={time} what="Its duration" />
                    </td>
                  </tr>
                  {around !== null && <Around event={around} words="around the launch" />}
                  {frame !== null && frame.ordinal !== around?.ordinal && <Around event={frame} words="Python frame" />}
                </Fragment>
              ))}
            </tbody>
          </table>
          <LaunchStack key={`${event.track}.${event.ordinal}`} launch={launches[0]!.launch} trace={trace} />
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
                  <td class="dim">
                    <Duration
                      ticks={wait.afterTicks}
                      time={time}
                      prefix="+"
                      what="Its end, after the end of the slice that is selected"
                    />
                  </td>
                  <td>
                    <Duration ticks={wait.durationTicks} time={time} what="Its duration" />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
      {notes.map((text) => (
        <p key={text} class="aside">
          {text}
        </p>
      ))}
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
