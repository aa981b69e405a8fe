/** By what events are summed up: what the server's tool offers. */

import { useAsked } from "../asking/use-asked";
import type { Trace } from "../state/trace";
import { chosenGroups } from "./span-tabs";

export function GroupChoice({ trace }: { trace: Trace }) {
  const { api, manifest } = trace;
  const asked = useAsked(`${manifest.run} ${manifest.build}`, (signal) => api.toolFields("stats", signal));
  const { asking } = asked;
  const by = asking.kind === "answered" ? asking.answer.find(({ name }) => name === "by") : undefined;
  const offered = by?.schema.enum ?? [];
  const choices = offered.includes(chosenGroups.value) ? offered : [chosenGroups.value, ...offered];
  return (
    <label class="group-choice">
      by
      <select
        value={chosenGroups.value}
        onChange={(event) => {
          chosenGroups.value = event.currentTarget.value;
        }}
      >
        {choices.map((choice) => (
          <option key={choice} value={choice}>
            {choice}
          </option>
        ))}
      </select>
    </label>
  );
}
