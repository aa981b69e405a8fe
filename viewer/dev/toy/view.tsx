/** The answer in words, and the names in a list that leads into the timeline. */

import type { ToolAnswer } from "@tilescope/client";
import { useEffect } from "preact/hooks";
import { Answered } from "../../src/requests/states";
import type { PageProps } from "../../src/tools/contract";
import { useAnswer } from "../../src/tools/frame/use-answer";
import type { ToyFields } from "./fields";

export function ToyView({ context, fields, setFields, onKey }: PageProps<ToyFields, "more">) {
  const { count } = fields;
  const answered = useAnswer(context, "stats", { limit: count });
  useEffect(() => onKey(() => setFields({ count: 2 * count })), [onKey, setFields, count]);
  return (
    <Answered request={answered}>
      {(answer) => (
        <>
          <p data-toy="answer">
            {namesOf(answer)[0] ?? "Nothing"} is the busiest of {context.rangeText}.
          </p>
          <ol data-toy="names">
            {namesOf(answer).map((name) => (
              <li key={name}>{name}</li>
            ))}
          </ol>
          <button type="button" class="button is-outlined" onClick={() => context.goTo(null, 0)}>
            Show the first track
          </button>
        </>
      )}
    </Answered>
  );
}

function namesOf({ tables }: ToolAnswer): readonly string[] {
  const column = tables[0]?.columns.find(({ kind }) => kind === "name");
  return (column?.values ?? []).map(String);
}
