/** Rows of tables about the selected slice, each under the name of its file. */

import type { EventDetails, ToolNote } from "@tilescope/client";
import { plural } from "../components/format";
import { Answered, sentence } from "../requests/states";
import { useTool } from "../requests/use-request";
import type { Trace } from "../state/trace";
import { ArgumentRows } from "./arguments-table";
import { tableRows } from "./table-rows";

export function TableRowsPanel({ trace, details }: { trace: Trace; details: EventDetails }) {
  const question = { track: details.track, ordinal: details.ordinal };
  const request = useTool(trace, "tables", question);
  if (request.state.kind === "failed" && request.state.failure.isUnavailable) {
    return null;
  }
  return (
    <Answered request={request}>
      {(answer) => (
        <>
          {answer.notes.map((note: ToolNote) => (
            <p class="page-note" key={note.text}>
              {sentence(note.text)}
            </p>
          ))}
          {tableRows(answer).map(({ key, file, cells, emptyCells }) => (
            <section key={key}>
              <h3>{file}</h3>
              <table class="facts" data-table="table-row">
                <tbody>
                  <ArgumentRows args={cells} />
                </tbody>
              </table>
              {emptyCells > 0 && <p class="dim">{plural(emptyCells, "more column")} without a value</p>}
            </section>
          ))}
        </>
      )}
    </Answered>
  );
}
