/** The chain of flows that an event is in, as a list that one walks with the keys for flows. */

import type { EventDetails } from "@tilescope/client";
import { useEffect } from "preact/hooks";
import { useApp } from "../components/app-context";
import { plural } from "../components/format";
import { keysOf } from "../keys/table";
import { type ChainEvent, type ChainLoader, chainView, type FlowChain, placeIn } from "../state/flow-chain";
import { retries } from "../state/link";
import { buildKey } from "../state/question-key";
import { lastOf } from "../state/request-state";
import { drawnTicks } from "../state/shifts";
import { type Trace, trackPath } from "../state/trace";
import { EventLink } from "./links";
import { CannotFetch, SkeletonRows } from "./notices";
import { Duration } from "./time-figures";

interface Props {
  readonly trace: Trace;
  readonly details: EventDetails;
  readonly loader: ChainLoader;
}

/** A chain of two is the flow that is listed already. */
const SHORT = 2;

/** Follows the selected event with its chain, and has its arrows drawn. */
export function ChainPanel({ trace, details, loader }: Props) {
  const app = useApp();
  const { pane } = app;
  const ordinal = Number(details.ordinal);
  const view = loader.about(trace, details.track, ordinal);
  const times = view.kind === "failed" ? retries.value : retries.peek();
  // A run that grows has other answers with each of its revisions.
  const build = buildKey(trace.manifest);
  useEffect(() => void loader.follow(trace, details.track, ordinal), [loader, build, details.track, ordinal, times]);
  useEffect(() => app.stage.loop.invalidate(), [app, chainView(pane).value]);
  switch (view.kind) {
    case "none":
    case "cancelled":
      return null;
    case "failed":
      return (
        <section>
          <h3>Chain of flows</h3>
          <CannotFetch failure={view.failure} retry={() => loader.again()} />
        </section>
      );
    default:
      break;
  }
  const chain = lastOf(view)?.answer ?? null;
  const current = chain === null ? -1 : placeIn(chain, details.track, ordinal);
  const isStale = view.kind === "waiting";
  if (chain === null || current < 0) {
    return isStale && view.patience !== "quiet" ? <SkeletonRows widths={[30, 88, 80]} /> : null;
  }
  return chain.events.length <= SHORT ? null : (
    <Chain trace={trace} chain={chain} current={current} isStale={isStale} />
  );
}

interface ChainProps {
  readonly trace: Trace;
  readonly chain: FlowChain;
  /** The place of the selected event. */
  readonly current: number;
  readonly isStale: boolean;
}

function Chain({ trace, chain, current, isStale }: ChainProps) {
  const { pages } = useApp();
  const { events, isCut } = chain;
  const here = events[current]!;
  const root = events.find(({ depth }) => depth === 0) ?? here;
  return (
    <section class={isStale ? "is-stale" : ""} aria-busy={isStale} inert={isStale}>
      <div class="section-head">
        <h3 title={`${keysOf("flow-back")} and ${keysOf("flow-forward")} walk along it`}>
          Chain of {plural(events.length, "event")}
          {isCut ? ", and it goes on" : ""} · {keysOf("flow-back")} {keysOf("flow-forward")}
        </h3>
        <button
          type="button"
          class="button is-small"
          title="The whole chain on a page of its own; V leads back"
          onClick={() =>
            pages.open({ tool: "flows", range: { kind: "run" }, texts: { event: `${root.track}.${root.ordinal}` } })
          }
        >
          Full page
        </button>
      </div>
      <table class="kin" data-table="chain">
        <colgroup>
          <col class="kin-step" />
          <col />
          <col />
          <col class="kin-offset" />
          <col class="kin-duration" />
        </colgroup>
        <tbody>
          {events.map((event, place) => (
            <tr key={`${event.track}.${event.ordinal}`} class={place === current ? "is-here" : ""}>
              <td class="is-step dim">{stepText(event, root)}</td>
              <th scope="row" aria-current={place === current ? "true" : undefined}>
                <EventLink track={event.track} ordinal={event.ordinal} name={event.name} title={event.name} />
              </th>
              <td class="is-track dim" title={trackPath(trace, event.track).join(" › ")}>
                {trackPath(trace, event.track).slice(-2).join(" › ")}
              </td>
              <td class="dim">{event === here ? null : <Offset trace={trace} event={event} here={here} />}</td>
              <td>
                <Duration ticks={event.durationTicks} time={trace.manifest.time} what="Its duration" />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function stepText(event: ChainEvent, root: ChainEvent): string {
  return event === root ? "●" : event.depth < 0 ? `← ${-event.depth}` : `→ ${event.depth}`;
}

function Offset({ trace, event, here }: { trace: Trace; event: ChainEvent; here: ChainEvent }) {
  const { pane } = useApp();
  const ticks = drawnTicks(pane, event.track, event.startTicks) - drawnTicks(pane, here.track, here.startTicks);
  return (
    <Duration
      ticks={ticks}
      time={trace.manifest.time}
      prefix={ticks < 0n ? "" : "+"}
      what="Its start, after the start of the event that is selected"
    />
  );
}
