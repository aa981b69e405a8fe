/** The slices around the selected one, and those directly in it, as links. */

import type { EventDetails, TimeBase } from "@tilescope/client";
import { useEffect, useMemo, useState } from "preact/hooks";
import { useApp } from "../components/app-context";
import { formatCount, formatPercent, plural } from "../components/format";
import { keysOf } from "../keys/table";
import { retries } from "../state/link";
import {
  type ChildList,
  type ChildOrder,
  childrenBefore,
  fewerChildren,
  firstChildren,
  moreChildren,
  type Nesting,
  NestingLoader,
  nestingView,
  type Relative,
} from "../state/nesting";
import { buildKey } from "../state/question-key";
import { lastOf, type RequestState } from "../state/request-state";
import type { Trace } from "../state/trace";
import { LaunchPanel } from "./launch-panel";
import { LaunchedPanel } from "./launched-panel";
import { EventLink } from "./links";
import { CannotFetch, SkeletonRows } from "./notices";
import { Duration } from "./time-figures";

/** Slices around it that are listed at first. */
const PARENTS_AT_FIRST = 6;

/** Order of children that a person has chosen: the next slice lists its children in the same order. */
let preferred: ChildOrder = "longest";

interface NestingRequest {
  readonly state: RequestState<Nesting>;
  readonly list: ChildList;
  setList(list: ChildList): void;
  retry(): void;
}

/** Follows a slice with what the server says of its place among others. */
export function useNesting(trace: Trace, details: EventDetails): NestingRequest {
  const { pane } = useApp();
  const { track, ordinal } = details;
  const loader = useMemo(() => new NestingLoader(nestingView(pane)), []);
  const slice = `${track}.${ordinal}`;
  const [chosen, setChosen] = useState({ slice, list: firstChildren(preferred) });
  const list = chosen.slice === slice ? chosen.list : firstChildren(preferred);
  const state = loader.about(trace, details, list);
  const times = state.kind === "failed" ? retries.value : retries.peek();
  // A run that grows has other answers with each of its revisions.
  const build = buildKey(trace.manifest);
  useEffect(
    () => void loader.load(trace, details, list),
    [loader, build, slice, list.order, list.limit, list.pages.length, times],
  );
  useEffect(() => () => loader.close(), [loader]);
  return {
    state,
    list,
    setList: (next) => {
      preferred = next.order;
      setChosen({ slice, list: next });
    },
    retry: () => loader.again(),
  };
}

interface RowsProps {
  readonly slices: readonly Relative[];
  readonly event: EventDetails;
  readonly time: TimeBase;
  readonly isInside: boolean;
}

function Rows({ slices, event, time, isInside }: RowsProps) {
  const share = ({ durationTicks }: Relative) => Number(durationTicks) / Number(event.durationTicks);
  return (
    <>
      {slices.map((slice) => (
        <tr key={`${slice.track}.${slice.ordinal}`}>
          <th scope="row">
            <EventLink track={slice.track} ordinal={slice.ordinal} name={slice.name} title={slice.name} />
          </th>
          {isInside && (
            <td class="dim">
              <Duration
                ticks={slice.startTicks - event.startTicks}
                time={time}
                prefix="+"
                what="Its start, after the start of the slice around it"
              />
            </td>
          )}
          <td>
            <Duration ticks={slice.durationTicks} time={time} what="Its duration" />
          </td>
          {isInside && (
            <td title="Its share of the slice around it">
              <span class="share" style={{ "--share": `${Math.min(100, 100 * share(slice))}%` }}>
                {formatPercent(share(slice))}
              </span>
            </td>
          )}
        </tr>
      ))}
    </>
  );
}

interface AboveProps {
  readonly slices: readonly Relative[];
  /** All that there are, however many came. */
  readonly count: number;
  readonly name: string;
  readonly event: EventDetails;
  readonly time: TimeBase;
}

/** Slices above it in its stack, the nearest first: few at first. */
function Above({ slices, count, name, event, time }: AboveProps) {
  const slice = `${event.track}.${event.ordinal}`;
  const [opened, setOpened] = useState("");
  const isCut = slices.length > PARENTS_AT_FIRST && opened !== slice;
  const listed = isCut ? slices.slice(0, PARENTS_AT_FIRST) : slices;
  return (
    <>
      <table class="kin" data-table={name}>
        <colgroup>
          <col />
          <col class="kin-duration" />
        </colgroup>
        <tbody>
          <Rows slices={listed} event={event} time={time} isInside={false} />
        </tbody>
      </table>
      {isCut && (
        <button type="button" class="button is-small" onClick={() => setOpened(slice)}>
          {slices.length === count ? `All ${formatCount(count)}` : `The nearest ${formatCount(slices.length)}`}
        </button>
      )}
    </>
  );
}

function Parents({ nesting, event, time }: { nesting: Nesting; event: EventDetails; time: TimeBase }) {
  const { parents, callers, depth } = nesting;
  return (
    <section>
      <h3 title={`What runs above it when it starts, the nearest first; ${keysOf("parent-slice")} selects that`}>
        {depth === 0 ? "No slice around it" : `${plural(depth, "slice")} around it`}
      </h3>
      {depth > 0 && <Above slices={parents} count={depth} name="parents" event={event} time={time} />}
      {callers.length > 0 && (
        <>
          <h3 title="Frames of Python that called the outermost one around it, by their ids, on this thread or others; the nearest first">
            Called from
          </h3>
          <Above slices={callers} count={callers.length} name="callers" event={event} time={time} />
        </>
      )}
    </section>
  );
}

function OrderSwitch({ list, setList }: { list: ChildList; setList: (list: ChildList) => void }) {
  const orders: readonly (readonly [ChildOrder, string])[] = [
    ["longest", "Longest"],
    ["time", "By time"],
  ];
  return (
    <span class="order-switch">
      {orders.map(([order, label]) => (
        <button
          key={order}
          type="button"
          class="button is-small"
          aria-pressed={list.order === order}
          onClick={() => setList(firstChildren(order))}
        >
          {label}
        </button>
      ))}
    </span>
  );
}

function Pager({ nesting, setList }: { nesting: Nesting; setList: (list: ChildList) => void }) {
  const { list } = nesting;
  const more = moreChildren(nesting);
  const fewer = fewerChildren(list);
  if (more === null && fewer === null) {
    return null;
  }
  const first = childrenBefore(list) + 1;
  const last = first + nesting.children.length - 1;
  const total = formatCount(nesting.childCount);
  return (
    <div class="pager">
      <span>
        {list.order === "longest"
          ? `The longest ${formatCount(nesting.children.length)} of ${total}`
          : `${formatCount(first)} to ${formatCount(last)} of ${total}`}
      </span>
      {fewer !== null && (
        <button type="button" class="button is-small" onClick={() => setList(fewer)}>
          Before
        </button>
      )}
      {more !== null && (
        <button type="button" class="button is-small" onClick={() => setList(more)}>
          {list.order === "longest" ? "More" : "After"}
        </button>
      )}
    </div>
  );
}

function Children({
  nesting,
  event,
  time,
  request,
}: {
  nesting: Nesting;
  event: EventDetails;
  time: TimeBase;
  request: NestingRequest;
}) {
  const { childCount, children } = nesting;
  return (
    <section>
      <div class="section-head">
        <h3 title={`${keysOf("child-slice")} selects the first`}>
          {childCount === 0n ? "No slice in it" : `${plural(childCount, "slice")} directly in it`}
        </h3>
        {childCount > 1n && <OrderSwitch list={request.list} setList={request.setList} />}
      </div>
      {childCount > 0n && (
        <table class="kin" data-table="children">
          <colgroup>
            <col />
            <col class="kin-offset" />
            <col class="kin-duration" />
            <col class="kin-share" />
          </colgroup>
          <tbody>
            <Rows slices={children} event={event} time={time} isInside={true} />
          </tbody>
        </table>
      )}
      <Pager nesting={nesting} setList={request.setList} />
    </section>
  );
}

/** All of it, or what stands in its place until it is there. What was there before is dimmed meanwhile. */
export function NestingPanel({
  trace,
  details,
  request,
}: {
  trace: Trace;
  details: EventDetails;
  request: NestingRequest;
}) {
  const { state } = request;
  const { time } = trace.manifest;
  if (state.kind === "failed") {
    return (
      <section>
        <h3>Slices around it and in it</h3>
        <CannotFetch failure={state.failure} retry={request.retry} />
      </section>
    );
  }
  const nesting = lastOf(state)?.answer ?? null;
  if (nesting === null) {
    return state.kind === "waiting" && state.patience !== "quiet" ? (
      <SkeletonRows widths={[38, 92, 84, 60, 74]} />
    ) : null;
  }
  const isStale = state.kind === "waiting";
  if (nesting.depth === 0 && nesting.childCount === 0n && nesting.callers.length === 0) {
    return (
      <div class={isStale ? "is-stale" : ""} aria-busy={isStale} inert={isStale}>
        <LaunchPanel nesting={nesting} event={details} time={time} trace={trace} />
        <section>
          <h3>No slice around it or in it</h3>
        </section>
      </div>
    );
  }
  return (
    <div class={isStale ? "is-stale" : ""} aria-busy={isStale} inert={isStale}>
      <LaunchPanel nesting={nesting} event={details} time={time} trace={trace} />
      <LaunchedPanel nesting={nesting} event={details} time={time} />
      <Parents nesting={nesting} event={details} time={time} />
      <Children nesting={nesting} event={details} time={time} request={request} />
    </div>
  );
}
