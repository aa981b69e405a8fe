/** What a selected time range is. */

import { formatDuration, formatExactDuration, formatTime } from "@tilescope/client";
import { Row } from "../components/facts";
import { formatCount } from "../components/format";
import type { AreaSelection } from "../state/selection";
import { type Trace, trackPath } from "../state/trace";
import { Head } from "./head";

export function AreaPanel({ trace, area }: { trace: Trace; area: AreaSelection }) {
  const { time } = trace.manifest;
  const { startTicks, endTicks } = area.range;
  const ids = [...area.tracks];
  const first = ids[0];
  const last = ids[ids.length - 1];
  return (
    <>
      <Head title={`${formatDuration(endTicks - startTicks, time.tickPs)} selected`} zoom="Zoom to it" />
      <div class="drawer-body is-plain">
        <table class="facts" data-table="area">
          <caption>Selected range</caption>
          <tbody>
            <Row name="Duration" aside={`${endTicks - startTicks} ticks`}>
              {formatExactDuration(endTicks - startTicks, time.tickPs)}
            </Row>
            <Row name="Start">{formatTime(startTicks, time, "relative")}</Row>
            <Row name="End">{formatTime(endTicks, time, "relative")}</Row>
            <Row name="Tracks">{formatCount(area.tracks.size)}</Row>
            {first !== undefined && <Row name="First track">{trackPath(trace, first).join(" › ")}</Row>}
            {last !== undefined && <Row name="Last track">{trackPath(trace, last).join(" › ")}</Row>}
          </tbody>
        </table>
      </div>
    </>
  );
}
