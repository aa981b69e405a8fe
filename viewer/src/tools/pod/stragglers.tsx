/** The cores that keep the others waiting, with the figures that tell. */

import type { TimeBase, ToolFact, ToolTable } from "@tilescope/client";
import { figureText } from "../../answers/figures";

interface Props {
  readonly stragglers: ToolTable;
  /** The answer's count of them, which says why it is not known. */
  readonly fact: ToolFact | undefined;
  readonly time: TimeBase;
  readonly onCore: (name: string) => void;
}

const MOST_SHOWN = 8;

export function Stragglers({ stragglers, fact, time, onCore }: Props) {
  const column = (id: string) => stragglers.columns.find((candidate) => candidate.id === id)?.values ?? [];
  const cores = column("core");
  const text = (kind: "ticks" | "fraction", value: string | number | boolean | null | undefined) => {
    const { digits, unit } = figureText({ kind, unit: "" }, value ?? null, time);
    return `${digits} ${unit}`.trim();
  };
  const none = fact?.value === null ? `Unknown: ${fact.note}.` : "None: no core takes longer than usual.";
  return (
    <section class="pod-stragglers" aria-label="Cores that keep others waiting">
      <h3>Stragglers</h3>
      {cores.length === 0 ? (
        <p class="page-note">{none}</p>
      ) : (
        <table>
          <thead>
            <tr>
              <th scope="col">Core</th>
              <th scope="col">Longer for</th>
              <th scope="col">Share</th>
              <th scope="col">Usual</th>
              <th scope="col">Longer by</th>
              <th scope="col">z</th>
            </tr>
          </thead>
          <tbody>
            {cores.slice(0, MOST_SHOWN).map((core, k) => (
              <tr key={`${core} ${column("cause")[k]}`}>
                <td>
                  <button type="button" class="pod-link" title={String(core)} onClick={() => onCore(String(core))}>
                    {String(core)}
                  </button>
                </td>
                <td>{String(column("cause")[k])}</td>
                <td>{text("fraction", column("share")[k])}</td>
                <td>{text("fraction", column("median")[k])}</td>
                <td>{text("ticks", column("extra")[k])}</td>
                <td>{Number(column("score")[k]).toFixed(1)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {cores.length > MOST_SHOWN && <p class="page-note">{cores.length - MOST_SHOWN} more are in the table below.</p>}
    </section>
  );
}
