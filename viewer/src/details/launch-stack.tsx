/** The stack of a launch: all operators and frames around it, asked for when somebody opens it. */

import { useEffect, useMemo, useState } from "preact/hooks";
import { plural } from "../components/format";
import { firstChildren, type NamedSlice, type Nesting, NestingLoader } from "../state/nesting";
import { buildKey } from "../state/question-key";
import { lastOf } from "../state/request-state";
import type { Trace } from "../state/trace";
import { EventLink } from "./links";
import { CannotFetch, SkeletonRows } from "./notices";

const LIST = firstChildren("time");

function stackText({ depth, callers }: Nesting): string {
  const around = `${plural(depth, "slice")} around the launch`;
  return callers.length === 0 ? around : `${around}, and ${plural(callers.length, "caller")} of these`;
}

export function LaunchStack({ launch, trace }: { readonly launch: NamedSlice; readonly trace: Trace }) {
  const loader = useMemo(() => new NestingLoader(), []);
  const [isOpen, setOpen] = useState(false);
  const { track, ordinal } = launch;
  const slice = useMemo(() => ({ track, ordinal: BigInt(ordinal) }), [track, ordinal]);
  const build = buildKey(trace.manifest);
  useEffect(() => void (isOpen && loader.load(trace, slice, LIST)), [loader, isOpen, build, slice]);
  useEffect(() => () => loader.close(), [loader]);
  const state = loader.about(trace, slice, LIST);
  const nesting = lastOf(state)?.answer ?? null;
  return (
    <>
      <button type="button" class="button is-small" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        Stack of the launch
      </button>
      {isOpen && state.kind === "failed" && <CannotFetch failure={state.failure} retry={() => loader.again()} />}
      {isOpen && state.kind !== "failed" && nesting === null && <SkeletonRows widths={[80, 60]} />}
      {isOpen && nesting !== null && (
        <table class="kin" data-table="stack" aria-label={stackText(nesting)}>
          <tbody>
            {[...nesting.parents, ...nesting.callers].map(({ track, ordinal, name }, place) => (
              <tr key={place}>
                <th scope="row">
                  <EventLink track={track} ordinal={ordinal} name={name} title={name} />
                </th>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </>
  );
}
