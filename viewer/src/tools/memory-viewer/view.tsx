/** The memory viewer: a program, how much memory it uses at each point, and which buffers are there when. */

import type { ToolAnswer } from "@tilescope/client";
import { useMemo, useRef } from "preact/hooks";
import { AnswerView } from "../../answers/answer-view";
import { Answered } from "../../requests/states";
import { hostNoun } from "../../state/host-noun";
import type { PageContext, PageProps } from "../contract";
import { Choices } from "../frame/choices";
import { ToolAnswerView } from "../frame/tool-answer";
import { useAnswer } from "../frame/use-answer";
import type { MemoryViewerFields } from "./fields";
import { LifelineChart } from "./lifeline-chart";

const TOOL = { id: "memory_viewer", title: "Memory viewer", help: "" };

/** Facts that the page shows; `tilescope ask` has all. */
const SHOWN = new Set(["peak", "padding", "parameters", "outputs", "constants", "temporary", "total", "fragmentation"]);

const SPACES = [0, 1, 2, 3, 4, 5];

export function MemoryViewerView({ context, fields, setFields }: PageProps<MemoryViewerFields>) {
  const { program, host, space, buffers, order } = fields;
  const question = useMemo(
    () => ({
      ...(program === "" ? {} : { program }),
      ...(host === "" ? {} : { host }),
      space: String(space),
      buffers,
      order,
    }),
    [program, host, space, buffers, order],
  );
  const request = useAnswer(context, TOOL.id, question);
  const lastAnswer = useRef<{ programs: readonly string[]; shown: string }>({ programs: [], shown: "" });
  if (request.state.kind === "answered") {
    const { tables, facts } = request.state.answer;
    const column = tables.find(({ id }) => id === "programs")?.columns.find(({ id }) => id === "program");
    const shown = facts.find(({ id }) => id === "program")?.value;
    lastAnswer.current = { programs: (column?.values ?? []).map(String), shown: String(shown ?? program) };
  }
  const { programs, shown } = lastAnswer.current;
  const hosts = context.trace.manifest.hosts;
  return (
    <>
      <div class="tool-bar is-flat">
        {programs.length > 0 && (
          <select
            class="bar-select"
            aria-label="Which program"
            value={shown}
            onChange={(event) => setFields({ ...fields, program: event.currentTarget.value })}
          >
            {!programs.includes(shown) && <option value={shown}>{shown}</option>}
            {programs.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        )}
        {hosts.length > 1 && (
          <select
            class="bar-select"
            aria-label="Whose programs"
            value={host}
            onChange={(event) => setFields({ ...fields, host: event.currentTarget.value })}
          >
            <option value="">All {hostNoun(hosts).many}</option>
            {hosts.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        )}
        <select
          class="bar-select"
          aria-label="Which memory space"
          value={String(space)}
          onChange={(event) => setFields({ ...fields, space: Number(event.currentTarget.value) })}
        >
          {[...SPACES, ...(SPACES.includes(space) ? [] : [space])].map((choice) => (
            <option key={choice} value={String(choice)}>
              {choice === 0 ? "Main memory (HBM)" : `Memory space ${choice}`}
            </option>
          ))}
        </select>
        <Choices
          label="Which buffers"
          choices={[
            { value: "peak", text: "At the peak" },
            { value: "all", text: "All buffers" },
          ]}
          chosen={buffers}
          onChoose={(next) => setFields({ ...fields, buffers: next })}
        />
        <Choices
          label="Order"
          choices={[
            { value: "size", text: "By size" },
            { value: "program", text: "By program order" },
          ]}
          chosen={order}
          onChoose={(next) => setFields({ ...fields, order: next })}
        />
      </div>
      <Answered request={request}>{(answer) => <Parts answer={answer} context={context} />}</Answered>
    </>
  );
}

/** The curve, below it the lifelines, and the tables. */
function Parts({ answer, context }: { answer: ToolAnswer; context: PageContext }) {
  const { tables, series, facts } = answer;
  const table = tables.find(({ id }) => id === "buffers");
  const xs = series[0]?.x.values ?? [];
  const peak = facts.find(({ id }) => id === "peak_point")?.value ?? null;
  const shown = facts.filter(({ id }) => SHOWN.has(id));
  return (
    <>
      {series.length > 0 && (
        <div class="memory-curve">
          <ToolAnswerView tool={TOOL} answer={{ ...answer, facts: shown, tables: [], notes: [] }} context={context} />
        </div>
      )}
      {table !== undefined && series.length > 0 && (
        <LifelineChart
          table={table}
          points={Number(xs[xs.length - 1] ?? 0)}
          peak={peak === null ? null : Number(peak)}
          time={context.time}
        />
      )}
      <AnswerView
        tool={TOOL}
        answer={{ ...answer, facts: series.length > 0 ? [] : shown, series: [] }}
        links={context}
        rangeText={context.rangeText}
        onMore={null}
        isOwn={true}
      />
    </>
  );
}
