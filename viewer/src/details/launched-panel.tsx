/** Work of devices that was launched in the selected slice: how much, how long, and each of it as a link. */

import type { EventDetails, TimeBase } from "@tilescope/client";
import { useState } from "preact/hooks";
import { formatCount, plural } from "../components/format";
import type { Nesting } from "../state/nesting";
import { EventLink } from "./links";
import { Duration } from "./time-figures";

/** Rows at first. */
const AT_FIRST = 6;

interface Props {
  readonly nesting: Nesting;
  readonly event: EventDetails;
  readonly time: TimeBase;
}

export function LaunchedPanel({ nesting: { launched, childCount }, event, time }: Props) {
  const slice = `${event.track}.${event.ordinal}`;
  const [opened, setOpened] = useState("");
  if (launched === null) {
    return (
      <p class="aside">Too many launches lie in this slice to list their work: select its range, and see Flows.</p>
    );
  }
  // Of a launch itself the flow that leaves it says the same.
  if (launched.count === 0n || childCount === 0n) {
    return null;
  }
  const { count, ticks, listed } = launched;
  const isCut = listed.length > AT_FIRST && opened !== slice;
  return (
    <section>
      <h3 title="Slices of devices whose launches lie in this slice; their durations are added up">
        Launched in it: {plural(count, "slice")},{" "}
        <Duration ticks={ticks} time={time} what="Their durations, added up" />
      </h3>
      <table class="kin" data-table="launched">
        <colgroup>
          <col />
          <col class="kin-offset" />
          <col class="kin-duration" />
        </colgroup>
        <tbody>
          {(isCut ? listed.slice(0, AT_FIRST) : listed).map((work) => (
            <tr key={`${work.track}.${work.ordinal}`}>
              <th scope="row">
                <EventLink track={work.track} ordinal={work.ordinal} name={work.name} title={work.name} />
              </th>
              <td class="dim">
                <Duration
                  ticks={work.startTicks - event.startTicks}
                  time={time}
                  prefix={work.startTicks < event.startTicks ? "" : "+"}
                  what="Its start, after the start of the slice that is selected"
                />
              </td>
              <td>
                <Duration ticks={work.durationTicks} time={time} what="Its duration" />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {isCut && (
        <button type="button" class="button is-small" onClick={() => setOpened(slice)}>
          {count === BigInt(listed.length) ? `All ${formatCount(count)}` : `The first ${formatCount(listed.length)}`}
        </button>
      )}
    </section>
  );
}
