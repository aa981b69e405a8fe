/** The flows of an event as links to the slices at their other ends. */

import { type EventDetails, type FlowPartner, formatDuration } from "@tilescope/client";
import { withKeys } from "../keys/table";
import { type Trace, trackPath } from "../state/trace";
import { useApp } from "./app-context";
import { plural } from "./format";

function List({ trace, details, direction }: { trace: Trace; details: EventDetails; direction: "in" | "out" }) {
  const app = useApp();
  const partners = direction === "in" ? details.flows.in : details.flows.out;
  const count = direction === "in" ? details.flows.inCount : details.flows.outCount;
  if (count === 0n) {
    return null;
  }
  const { tickPs } = trace.manifest.time;
  const caption = direction === "in" ? `${plural(count, "flow")} from` : `${plural(count, "flow")} to`;
  const distance = ({ startTicks }: FlowPartner) => {
    const delta = startTicks - details.startTicks;
    return `${delta < 0n ? "" : "+"}${formatDuration(delta, tickPs)}`;
  };
  const hint = direction === "in" ? withKeys("Go there", "flow-back") : withKeys("Go there", "flow-forward");
  return (
    <table class="facts" data-table={`flows-${direction}`}>
      <caption>{caption}</caption>
      <tbody>
        {partners.map((partner, index) => (
          // A slice may come several times: its place is its identity.
          <tr key={`${index}`}>
            <th scope="row">{distance(partner)}</th>
            <td>
              <button
                type="button"
                class="link"
                title={hint}
                onClick={() => app.guide.goTo(partner.track, Number(partner.ordinal))}
              >
                {partner.name === "" ? "[no name]" : partner.name}
              </button>
              <span class="aside"> {trackPath(trace, partner.track).join(" › ")}</span>
            </td>
          </tr>
        ))}
        {count > BigInt(partners.length) && (
          <tr>
            <th scope="row" />
            <td class="aside">and {plural(count - BigInt(partners.length), "more flow")}</td>
          </tr>
        )}
      </tbody>
    </table>
  );
}

export function FlowLinks({ trace, details }: { trace: Trace; details: EventDetails }) {
  const { inCount, outCount } = details.flows;
  if (inCount === 0n && outCount === 0n) {
    return null;
  }
  return (
    <div>
      <List trace={trace} details={details} direction="in" />
      <List trace={trace} details={details} direction="out" />
    </div>
  );
}
