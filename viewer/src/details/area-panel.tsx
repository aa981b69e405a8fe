/** Panel of a selected time range on some tracks, with figures of its content. */

import { formatDuration } from "@tilescope/client";
import { useApp } from "../components/app-context";
import { Row } from "../components/facts";
import { formatCount, plural } from "../components/format";
import type { AreaSelection } from "../state/selection";
import { type Trace, trackPath } from "../state/trace";
import { AreaTracks } from "./area-tracks";
import { LateSpanPanel } from "./late-span-panel";
import { spanTabs } from "./span-tabs";
import { Duration, PointInTime } from "./time-figures";

/** The selected area; while one is dragged out, or an edge moved, what it would be. */
export function AreaPanel({ trace, area }: { trace: Trace; area: AreaSelection }) {
  const { pane } = useApp();
  const draft = pane.draftArea.value;
  const shown = draft === null || draft.isZoom ? area : draft.area;
  const { startTicks, endTicks } = shown.range;
  const duration = formatDuration(endTicks - startTicks, trace.manifest.time.tickPs);
  return (
    <LateSpanPanel
      trace={trace}
      span={{ ...shown, isMoving: draft !== null }}
      title={`${duration} selected on ${plural(shown.tracks.size, "track")}`}
      zoom="Zoom to it"
      tab={spanTabs(pane).areaTab}
      own={{
        title: "Tracks",
        isFirst: false,
        content: (
          <>
            <RangeFacts trace={trace} area={shown} />
            <AreaTracks trace={trace} area={shown} />
          </>
        ),
      }}
    />
  );
}

function RangeFacts({ trace, area }: { trace: Trace; area: AreaSelection }) {
  const { time } = trace.manifest;
  const { startTicks, endTicks } = area.range;
  const duration = endTicks - startTicks;
  const ids = [...area.tracks];
  const first = ids[0];
  const last = ids[ids.length - 1];
  return (
    <table class="facts" data-table="area">
      <caption>Selected range</caption>
      <tbody>
        <Row name="Duration">
          <Duration ticks={duration} time={time} />
        </Row>
        <Row name="Start">
          <PointInTime ticks={startTicks} time={time} size={duration} />
        </Row>
        <Row name="End">
          <PointInTime ticks={endTicks} time={time} size={duration} />
        </Row>
        <Row name="Tracks">{formatCount(area.tracks.size)}</Row>
        {first !== undefined && <Row name="First track">{trackPath(trace, first).join(" › ")}</Row>}
        {last !== undefined && <Row name="Last track">{trackPath(trace, last).join(" › ")}</Row>}
      </tbody>
    </table>
  );
}
