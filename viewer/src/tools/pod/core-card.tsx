/** All of one core: where it is, how long its step takes, and what that is made of; and the ways from it. */

import type { TimeBase, ToolTable } from "@tilescope/client";
import { figureText } from "../../answers/figures";
import { GoIcon, TableIcon } from "../../components/icons";
import { hostNoun } from "../../state/host-noun";
import { shareOf } from "./heat";
import { DURATION, partGroups, RECORDED_DURATION } from "./parts";

interface Props {
  readonly cores: ToolTable;
  readonly row: number;
  readonly colour: string;
  readonly time: TimeBase;
  /** Null: the run has no timeline. */
  readonly onTimeline: (() => void) | null;
  readonly onRow: () => void;
}

export function CoreCard({ cores, row, colour, time, onTimeline, onRow }: Props) {
  const value = (id: string) => cores.columns.find((column) => column.id === id)?.values[row] ?? null;
  const [duration, recorded] = [value(DURATION), value(RECORDED_DURATION)];
  const [x, y] = [value("x"), value("y")];
  const groups = partGroups(cores);
  const group = groups.find(({ parts }) => parts.some(({ id }) => id === colour)) ?? groups[0];
  const text = (kind: "ticks" | "fraction", value: string | number | null) => {
    const { digits, unit } = figureText({ kind, unit: "" }, value, time);
    return `${digits} ${unit}`.trim();
  };
  const facts: readonly (readonly [string, string | null])[] = [
    [hostNoun([String(value("host"))]).title, value("host") === null ? null : String(value("host"))],
    ["Global chip id", value("chip") === null ? null : String(value("chip"))],
    ["Place", x === null || y === null ? null : `X ${x}, Y ${y}`],
    [String(value("steps")) === "1" ? "Step" : `Mean of ${value("steps")} steps`, text("ticks", duration as string)],
    [
      String(value("recorded")) === "1" ? "Recorded step" : `Mean of ${value("recorded")} recorded steps`,
      recorded === duration ? null : text("ticks", recorded as string),
    ],
  ];
  return (
    <section class="pod-card" aria-label="Core">
      <h3>{String(value("core") ?? "")}</h3>
      <dl>
        {facts.map(([title, text]) =>
          text === null ? null : (
            <div key={title}>
              <dt>{title}</dt>
              <dd title={text}>{text}</dd>
            </div>
          ),
        )}
      </dl>
      <table class="pod-parts">
        <caption class="visually-hidden">What its step is made of</caption>
        <tbody>
          {group?.parts
            .filter(({ id }) => id === colour || isTaken(cores, id))
            .map(({ id, title }) => {
              const share = shareOf(value(id), recorded);
              return (
                <tr key={id} class={id === colour ? "is-chosen" : ""}>
                  <th scope="row">{title}</th>
                  <td class="pod-bar">
                    <span style={{ width: `${100 * (share ?? 0)}%` }} />
                  </td>
                  <td>{text("ticks", value(id) as string | null)}</td>
                  <td>{text("fraction", share)}</td>
                </tr>
              );
            })}
        </tbody>
      </table>
      <div class="pod-ways">
        {onTimeline !== null && (
          <button type="button" class="button is-outlined" onClick={onTimeline}>
            <GoIcon /> Show in the timeline
          </button>
        )}
        <button type="button" class="button is-outlined" onClick={onRow}>
          <TableIcon /> Its row
        </button>
      </div>
    </section>
  );
}

/** True if any core has it: then the card keeps its height from core to core. */
function isTaken(cores: ToolTable, part: string): boolean {
  return cores.columns.find(({ id }) => id === part)?.values.some((value) => Number(value ?? 0) > 0) === true;
}
