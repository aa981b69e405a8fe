/** Panel of a bin: its sums, and figures of its time on its track. */

import { formatDuration, plus } from "@tilescope/client";
import { useApp } from "../components/app-context";
import { ExactValue } from "../components/exact-value";
import { Row } from "../components/facts";
import { atLeast, binTitle, busyPart, formatCount, formatPercent } from "../components/format";
import { isUnknown } from "../state/exact";
import type { BinFacts } from "../state/selection";
import { nameOf } from "../state/session";
import type { Trace } from "../state/trace";
import { LateSpanPanel } from "./late-span-panel";
import { TrackLink } from "./links";
import { spanTabs } from "./span-tabs";
import { Duration, PointInTime } from "./time-figures";

export function BinPanel({ trace, bin }: { trace: Trace; bin: BinFacts }) {
  const { pane } = useApp();
  const range = { startTicks: bin.startTicks, endTicks: plus(bin.startTicks, bin.widthTicks) };
  return (
    <LateSpanPanel
      trace={trace}
      span={{ range, tracks: new Set([bin.track]), isMoving: false }}
      title={binTitle(bin.count)}
      zoom="Zoom to see them"
      tab={spanTabs(pane).binTab}
      own={{ title: "Bin", isFirst: true, content: <BinContent trace={trace} bin={bin} /> }}
    />
  );
}

function BinContent({ trace, bin }: { trace: Trace; bin: BinFacts }) {
  const { pane } = useApp();
  const { time } = trace.manifest;
  const name = nameOf(pane, bin.name);
  const track = trace.tracks.get(bin.track);
  const lanes = track?.kind === "rollup" ? track.lanes : 1;
  const whole = `${formatDuration(bin.widthTicks, time.tickPs)}${lanes > 1 ? ` × ${lanes} rows` : ""}`;
  const part = bin.exact === null ? null : busyPart(bin.exact.busyTicks, bin.widthTicks, lanes);
  const cut = bin.exact === null ? "" : atLeast(bin.exact.busyTicks);
  return (
    <>
      <table class="facts" data-table="bin">
        <caption>
          {isUnknown(pane, bin) ? "Aggregate; its exact sums could not be fetched" : "Aggregate, exact"}
        </caption>
        <tbody>
          <tr>
            <th scope="row">Track</th>
            <td class="is-value">
              <TrackLink trace={trace} track={bin.track} />
            </td>
          </tr>
          <Row name="Events that start in it">{formatCount(bin.count)}</Row>
          <Row name="Busy" aside={part === null ? "" : `${cut}${formatPercent(part)} of ${whole}`}>
            <ExactValue bin={bin} widthCh={13}>
              {({ busyTicks }) => <Duration ticks={busyTicks} time={time} prefix={cut} />}
            </ExactValue>
          </Row>
          <tr>
            <th scope="row">Name with most busy time</th>
            <td>
              <span class="named">{name ?? "…"}</span>
              {cut === "" && <span class="aside">{formatPercent(bin.share)}</span>}
            </td>
          </tr>
          <Row name="Longest event">
            <ExactValue bin={bin} widthCh={13}>
              {({ longestTicks }) => <Duration ticks={longestTicks} time={time} />}
            </ExactValue>
          </Row>
          <Row name="Start">
            <PointInTime ticks={bin.startTicks} time={time} size={bin.widthTicks} />
          </Row>
          <Row name="End">
            <PointInTime ticks={plus(bin.startTicks, bin.widthTicks)} time={time} size={bin.widthTicks} />
          </Row>
          <Row name="Width">
            <Duration ticks={bin.widthTicks} time={time} />
          </Row>
        </tbody>
      </table>
      <details class="internals">
        <summary>Internals</summary>
        <table class="facts" data-table="internals">
          <tbody>
            <Row name="Track number">{bin.track}</Row>
            <Row name="Row">{bin.row}</Row>
            <Row name="Tile">{`level ${bin.level}, index ${bin.index}`}</Row>
            <Row name="Start" aside="ticks">
              {bin.startTicks.toString()}
            </Row>
            <Row name="Width" aside="ticks">
              {bin.widthTicks.toString()}
            </Row>
          </tbody>
        </table>
      </details>
    </>
  );
}
