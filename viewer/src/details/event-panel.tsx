/** Panel of one event: a slice, an instant, a sample of a counter. */

import type { EventDetails } from "@tilescope/client";
import { useApp } from "../components/app-context";
import { detailsTsv } from "../components/copy";
import { Row, WallClockRow } from "../components/facts";
import { flagsText } from "../components/flags";
import { formatPercent } from "../components/format";
import type { ChainLoader } from "../state/flow-chain";
import { nestingOf, nestingView } from "../state/nesting";
import { drawnTicks, hostOf, ORIGIN_WORDS, shiftOfHost } from "../state/shifts";
import { type Trace, trackPath } from "../state/trace";
import { sortArgs } from "./arguments";
import { ArgumentRows, ArgumentsTable, StackList } from "./arguments-table";
import { FlowLinks } from "./flow-links";
import { Head } from "./head";
import { nameText, TrackLink } from "./links";
import { NestingPanel, useNesting } from "./nesting-panel";
import { RankPanel } from "./rank-panel";
import { mayHaveTables } from "./table-rows";
import { TableRowsPanel } from "./table-rows-panel";
import { Duration, PointInTime } from "./time-figures";

interface PanelProps {
  readonly trace: Trace;
  readonly details: EventDetails;
}

/** The time that was recorded, of an event that is drawn at another one, and the shift between the two. */
function ShiftRows({ trace, details }: PanelProps) {
  const { pane } = useApp();
  const { time } = trace.manifest;
  const { track, startTicks, durationTicks } = details;
  const host = hostOf(trace, trace.tracks.get(track)?.group ?? -1);
  if (pane.shifts.value === null || host === null) {
    return null;
  }
  const { shiftTicks, origin } = shiftOfHost(pane, host.id);
  return shiftTicks === 0n ? null : (
    <>
      <Row name="Recorded">
        <PointInTime ticks={startTicks} time={time} size={durationTicks} />
      </Row>
      <Row name="Shift of clock" aside={ORIGIN_WORDS[origin]}>
        <Duration ticks={shiftTicks} time={time} prefix={shiftTicks < 0n ? "" : "+"} />
      </Row>
    </>
  );
}

/** Self time of a slice that nests; for others it is not defined. */
function SelfRow({ trace, details }: PanelProps) {
  const { pane } = useApp();
  const view = nestingView(pane).value;
  const { durationTicks } = details;
  if (view.kind === "failed") {
    return (
      <Row name="Self time">
        <span class="dim">unknown</span>
      </Row>
    );
  }
  const nesting = nestingOf(view, trace, details);
  if (nesting === null) {
    return (
      <Row name="Self time">
        <span class="pending" style={{ width: "13ch" }}>
          <span class="visually-hidden">…</span>
        </span>
      </Row>
    );
  }
  const { selfTicks } = nesting;
  const part = durationTicks === 0n ? "" : formatPercent(Number(selfTicks) / Number(durationTicks));
  return (
    <Row name="Self time" aside={part}>
      <Duration ticks={selfTicks} time={trace.manifest.time} />
    </Row>
  );
}

function Facts({ trace, details }: PanelProps) {
  const { pane } = useApp();
  const { time } = trace.manifest;
  const { durationTicks } = details;
  const startTicks = drawnTicks(pane, details.track, details.startTicks);
  const isSpan = details.kind === "slice" || details.kind === "async";
  return (
    <table class="facts" data-table="event">
      <tbody>
        {isSpan && (
          <Row name="Duration">
            <Duration ticks={durationTicks} time={time} />
          </Row>
        )}
        <Row name={isSpan ? "Start" : "Time"}>
          <PointInTime ticks={startTicks} time={time} size={durationTicks} />
        </Row>
        <ShiftRows trace={trace} details={details} />
        {details.kind === "slice" && <SelfRow trace={trace} details={details} />}
        {details.category !== "" && <Row name="Category">{details.category}</Row>}
        <tr>
          <th scope="row">Track</th>
          <td class="is-value">
            <TrackLink trace={trace} track={details.track} />
          </td>
        </tr>
        {details.value !== null && <Row name="Value">{String(details.value)}</Row>}
        {isSpan && (
          <>
            <Row name="End">
              <PointInTime ticks={startTicks + durationTicks} time={time} size={durationTicks} />
            </Row>
            {details.kind === "slice" && <Row name="Depth">{details.row}</Row>}
          </>
        )}
        <WallClockRow timeTicks={startTicks} manifest={trace.manifest} />
        {details.flags.length > 0 && <Row name="Flags">{flagsText(details.flags)}</Row>}
      </tbody>
    </table>
  );
}

/** Times are those that were recorded. */
function Internals({ details, args }: { details: EventDetails; args: ReturnType<typeof sortArgs>["internals"] }) {
  const { startTicks, durationTicks } = details;
  return (
    <details class="internals">
      <summary>Internals</summary>
      <table class="facts" data-table="internals">
        <tbody>
          <Row name="Track number">{details.track}</Row>
          <Row name="Ordinal">{details.ordinal.toString()}</Row>
          <Row name="Row">{details.row}</Row>
          <Row name="Start" aside="ticks">
            {startTicks.toString()}
          </Row>
          <Row name="Duration" aside="ticks">
            {durationTicks.toString()}
          </Row>
          <Row name="End" aside="ticks">
            {(startTicks + durationTicks).toString()}
          </Row>
        </tbody>
      </table>
      {args.length > 0 && (
        <table class="facts" data-table="internal-arguments">
          <tbody>
            <ArgumentRows args={args} />
          </tbody>
        </table>
      )}
    </details>
  );
}

/** Keeps what the server says of a slice's place for as long as it is shown. */
function SliceNesting({ trace, details }: PanelProps) {
  return <NestingPanel trace={trace} details={details} request={useNesting(trace, details)} />;
}

export function EventPanel({ trace, details, chains }: PanelProps & { chains: ChainLoader }) {
  const { pane } = useApp();
  const { time } = trace.manifest;
  const { shown, stacks, internals } = sortArgs(details);
  const isNested = details.kind === "slice";
  return (
    <>
      <Head
        key={`${details.track}.${details.ordinal}`}
        title={nameText(details.name)}
        name={details.name}
        zoom="Zoom to it"
        copy={() => {
          const shiftTicks = pane.shifts.peek()?.later(details.track);
          return detailsTsv(details, trackPath(trace, details.track), time, shiftTicks);
        }}
      />
      <div class={isNested ? "drawer-body" : "drawer-body is-plain"}>
        <div class="drawer-facts">
          <Facts trace={trace} details={details} />
          <Internals details={details} args={internals} />
          {details.kind === "async" && <RankPanel trace={trace} details={details} />}
          {!isNested && <FlowLinks trace={trace} details={details} chains={chains} />}
        </div>
        {isNested && (
          <div>
            <RankPanel trace={trace} details={details} />
            <SliceNesting trace={trace} details={details} />
            <FlowLinks trace={trace} details={details} chains={chains} />
          </div>
        )}
        <div class="drawer-args">
          {stacks.map((stack, k) => (
            <StackList key={`${details.track}.${details.ordinal} ${k}`} stack={stack} />
          ))}
          <ArgumentsTable key={`${details.track}.${details.ordinal}`} args={shown} />
          {isNested && mayHaveTables(trace.manifest.format) && <TableRowsPanel trace={trace} details={details} />}
        </div>
      </div>
    </>
  );
}
