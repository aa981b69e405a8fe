/** Slices that were picked one by one: how long they take together, and from when to when. */

import { useApp } from "../components/app-context";
import { Row } from "../components/facts";
import { formatCount, formatPercent } from "../components/format";
import { CloseIcon } from "../components/icons";
import type { Pane } from "../state/pane";
import { type Picked, type PickedSums, pickedSlices, sumsOf } from "../state/picked-slices";
import { NOTHING } from "../state/selection";
import { type Trace, trackPath } from "../state/trace";
import { Head } from "./head";
import { EventLink } from "./links";
import { Duration, PointInTime } from "./time-figures";

/** Takes one of them from the selection. */
function leaveOut(pane: Pane, events: readonly Picked[], removed: Picked): void {
  const left = events.filter((event) => event !== removed).map(({ track, ordinal }) => ({ track, ordinal }));
  const [first] = left;
  pane.selection.value =
    first === undefined ? NOTHING : left.length === 1 ? { kind: "event", ...first } : { kind: "several", events: left };
}

function Sums({ sums, count, trace }: { sums: PickedSums | null; count: number; trace: Trace }) {
  const { time } = trace.manifest;
  const duration = (ticks: bigint) => <Duration ticks={ticks} time={time} />;
  const point = (ticks: bigint) => <PointInTime ticks={ticks} time={time} size={sums?.shortestTicks ?? 0n} />;
  if (sums === null) {
    return (
      <Row name="Sum">
        <span class="pending" style={{ width: "13ch" }}>
          <span class="visually-hidden">…</span>
        </span>
      </Row>
    );
  }
  const spanTicks = sums.endTicks - sums.startTicks;
  return (
    <>
      <Row
        name="Sum"
        aside={spanTicks === 0n ? "" : `${formatPercent(Number(sums.sumTicks) / Number(spanTicks))} of the span`}
      >
        {duration(sums.sumTicks)}
      </Row>
      <Row name="Mean">{duration(sums.sumTicks / BigInt(count))}</Row>
      <Row name="Shortest">{duration(sums.shortestTicks)}</Row>
      <Row name="Longest">{duration(sums.longestTicks)}</Row>
      <Row name="Span">{duration(spanTicks)}</Row>
      <Row name="From">{point(sums.startTicks)}</Row>
      <Row name="To">{point(sums.endTicks)}</Row>
    </>
  );
}

function textOf(events: readonly Picked[], trace: Trace): string {
  const rows = events.flatMap(({ details }) =>
    details === null
      ? []
      : [
          [
            details.name,
            trackPath(trace, details.track).join(" › "),
            `${details.startTicks}`,
            `${details.durationTicks}`,
          ],
        ],
  );
  return [["name", "track", "start_ticks", "duration_ticks"], ...rows]
    .map((row) => row.map((cell) => cell.replace(/[\t\r\n]+/g, " ")).join("\t"))
    .join("\n");
}

export function PickedSlicesPanel({ trace }: { trace: Trace }) {
  const app = useApp();
  const { pane } = app;
  const events = pickedSlices(pane).value;
  const sums = sumsOf(events, pane.shifts.value);
  const failed = events.find(({ message }) => message !== "");
  const { time } = trace.manifest;
  return (
    <>
      <Head
        title={`${formatCount(events.length)} events selected`}
        zoom="Zoom to them"
        copy={() => textOf(events, trace)}
      />
      <div class="drawer-body">
        <section>
          <table class="facts" data-table="several">
            <tbody>
              <Row name="Count">{formatCount(events.length)}</Row>
              <Sums sums={sums} count={events.length} trace={trace} />
            </tbody>
          </table>
          {failed !== undefined && (
            <p class="drawer-hint" role="alert">
              Not all of them could be fetched: {failed.message}{" "}
              <button
                type="button"
                class="link"
                onClick={() => {
                  const chosen = pane.selection.peek();
                  if (chosen.kind === "several") {
                    app.viewNavigator.select({ ...chosen });
                  }
                }}
              >
                Try again
              </button>
            </p>
          )}
        </section>
        <section>
          <table class="kin" data-table="picked">
            <colgroup>
              <col />
              <col class="kin-duration" />
              <col class="kin-out" />
            </colgroup>
            <tbody>
              {events.map((event) => (
                <tr key={`${event.track}.${event.ordinal}`}>
                  <th scope="row">
                    <EventLink
                      track={event.track}
                      ordinal={event.ordinal}
                      name={event.details?.name ?? "…"}
                      title={trackPath(trace, event.track).join(" › ")}
                    />
                  </th>
                  <td>
                    {event.details === null ? (
                      "…"
                    ) : (
                      <Duration ticks={event.details.durationTicks} time={time} what="Its duration" />
                    )}
                  </td>
                  <td>
                    <button
                      type="button"
                      class="button is-icon is-quiet"
                      title="Remove it from the selection"
                      aria-label={`Remove ${event.details?.name ?? "it"} from the selection`}
                      onClick={() => leaveOut(pane, events, event)}
                    >
                      <CloseIcon />
                    </button>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      </div>
    </>
  );
}
