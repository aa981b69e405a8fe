/** By what events are summed up: what the server's tool offers. */

import { useRequest } from "../requests/use-request";
import type { Trace } from "../state/trace";
import { chosenArgument, chosenGroups } from "./span-tabs";

export function GroupChoice({ trace }: { trace: Trace }) {
  const request = useRequest("stats", (signal) => trace.api.toolFields("stats", signal));
  const { state } = request;
  const by = state.kind === "answered" ? state.answer.find(({ name }) => name === "by") : undefined;
  const offered = by?.schema.enum ?? [];
  const choices = offered.includes(chosenGroups.value) ? offered : [chosenGroups.value, ...offered];
  return (
    <div class="group-choice">
      <span aria-hidden="true">by</span>
      <select
        aria-label="Sum up by"
        title={state.kind === "failed" ? `Other groups could not be loaded: ${state.failure.message}` : undefined}
        onFocus={() => state.kind === "failed" && request.again()}
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
      {chosenGroups.value === "argument" && (
        <input
          type="text"
          aria-label="Argument"
          placeholder="Name of the argument"
          value={chosenArgument.value}
          onChange={(event) => {
            chosenArgument.value = event.currentTarget.value.trim();
          }}
        />
      )}
    </div>
  );
}
