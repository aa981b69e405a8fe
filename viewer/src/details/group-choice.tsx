/** By what events are summed up, in one or two levels: what the server's tool offers. */

import type { Signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { useApp } from "../components/app-context";
import { useRequest } from "../requests/use-request";
import type { Trace } from "../state/trace";
import { dropUnknownGroups, groupsQuestion, spanTabs } from "./span-tabs";

const NOT_KNOWN: readonly string[] = [];

export function GroupChoice({ trace }: { trace: Trace }) {
  const { pane } = useApp();
  const request = useRequest("stats", (signal) => trace.api.toolFields("stats", signal));
  const { state } = request;
  const by = state.kind === "answered" ? state.answer.find(({ name }) => name === "by") : undefined;
  const offered = by?.schema.enum ?? NOT_KNOWN;
  const first = spanTabs(pane).chosenGroups.value;
  const { then = "", argument } = groupsQuestion(spanTabs(pane));
  useEffect(() => {
    if (offered.length > 0) {
      dropUnknownGroups(spanTabs(pane), offered);
    }
  }, [offered, first, then]);
  const failed = state.kind === "failed" ? `Other groups could not be loaded: ${state.failure.message}` : undefined;
  const retry = () => state.kind === "failed" && request.again();
  return (
    <div class="group-choice">
      <span aria-hidden="true">by</span>
      <Choice
        label="Sum up by"
        chosen={spanTabs(pane).chosenGroups}
        value={first}
        offered={offered}
        failed={failed}
        retry={retry}
      />
      <span aria-hidden="true">then</span>
      <Choice
        label="Then by"
        chosen={spanTabs(pane).chosenSecond}
        value={then}
        offered={["", ...offered.filter((choice) => choice !== first)]}
        failed={failed}
        retry={retry}
      />
      {argument !== undefined && (
        <input
          type="text"
          aria-label="Argument"
          placeholder="Name of the argument"
          value={spanTabs(pane).chosenArgument.value}
          onChange={(event) => {
            spanTabs(pane).chosenArgument.value = event.currentTarget.value.trim();
          }}
        />
      )}
    </div>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly chosen: Signal<string>;
  readonly value: string;
  readonly offered: readonly string[];
  readonly failed: string | undefined;
  readonly retry: () => void;
}

function Choice({ label, chosen, value, offered, failed, retry }: ChoiceProps) {
  const choices = offered.includes(value) ? offered : [value, ...offered];
  return (
    <select
      aria-label={label}
      title={failed}
      onFocus={retry}
      value={value}
      onChange={(event) => {
        chosen.value = event.currentTarget.value;
      }}
    >
      {choices.map((choice) => (
        <option key={choice} value={choice}>
          {choice === "" ? "–" : choice}
        </option>
      ))}
    </select>
  );
}
