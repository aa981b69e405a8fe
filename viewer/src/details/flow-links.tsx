/** The flows of an event as links to the slices at their other ends. */

import type { EventDetails, EventFlows, FlowPartner } from "@tilescope/client";
import { useApp } from "../components/app-context";
import { plural } from "../components/format";
import { withKeys } from "../keys/table";
import type { ChainLoader } from "../state/flow-chain";
import { drawnTicks } from "../state/shifts";
import { type Trace, trackPath } from "../state/trace";
import { ChainPanel } from "./chain-panel";
import { EventLink } from "./links";
import { Duration } from "./time-figures";

type ListProps = { trace: Trace; details: EventDetails; flows: EventFlows; direction: "in" | "out" };

function List({ trace, details, flows, direction }: ListProps) {
  const { pane } = useApp();
  const partners = direction === "in" ? flows.in : flows.out;
  const count = direction === "in" ? flows.inCount : flows.outCount;
  if (count === 0n) {
    return null;
  }
  const { time } = trace.manifest;
  const distance = ({ track, startTicks }: FlowPartner) => {
    const delta = drawnTicks(pane, track, startTicks) - drawnTicks(pane, details.track, details.startTicks);
    return (
      <Duration
        ticks={delta}
        time={time}
        prefix={delta < 0n ? "" : "+"}
        what="Its start, after the start of this event"
      />
    );
  };
  const hint = direction === "in" ? withKeys("Go there", "flow-back") : withKeys("Go there", "flow-forward");
  return (
    <section>
      <h3>{direction === "in" ? `${plural(count, "flow")} in, from` : `${plural(count, "flow")} out, to`}</h3>
      <table class="facts" data-table={`flows-${direction}`}>
        <tbody>
          {partners.map((partner, index) => (
            // A slice may come several times: its place is its identity.
            <tr key={`${index}`}>
              <th scope="row">{distance(partner)}</th>
              <td>
                <EventLink track={partner.track} ordinal={partner.ordinal} name={partner.name} title={hint} />
                <span class="aside">
                  {" "}
                  {trackPath(trace, partner.track).join(" › ")}
                  {partner.derived && " · by correlation"}
                </span>
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
    </section>
  );
}

type Props = { trace: Trace; details: EventDetails; chains: ChainLoader };

export function FlowLinks({ trace, details, chains }: Props) {
  const { flows } = details;
  if (flows === null) {
    return <p class="aside">The run is still being indexed: flows come last.</p>;
  }
  return (
    <>
      {flows.inCount + flows.outCount > 0n && <ChainPanel trace={trace} details={details} loader={chains} />}
      <List trace={trace} details={details} flows={flows} direction="in" />
      <List trace={trace} details={details} flows={flows} direction="out" />
    </>
  );
}
