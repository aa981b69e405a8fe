/** The memory profile: which memory, how full it is over time, and what lies in it at the peak of the range. */

import "./memory-profile.css";
import type { ToolAnswer } from "@tilescope/client";
import { useMemo, useRef } from "preact/hooks";
import { type TrackActions, useApp } from "../../components/app-context";
import { BarSelect } from "../../components/bar-select";
import { Answered } from "../../requests/states";
import type { PageContext, PageProps } from "../contract";
import { PlacePicker } from "../frame/place-picker";
import { ToolAnswerView } from "../frame/tool-answer";
import { useAnswer } from "../frame/use-answer";
import type { MemoryProfileFields } from "./fields";

const TOOL = { id: "memory_profile", title: "Memory profile", help: "" };

/** Facts that the page shows: the others are in the table of memories. */
const SHOWN = new Set([
  "peak",
  "peak_time",
  "capacity",
  "stack",
  "heap",
  "free",
  "fragmentation",
  "lifetime_peak",
  "allocations",
  "allocated",
  "frees",
  "freed",
]);

export function MemoryProfileView({ context, fields, setFields }: PageProps<MemoryProfileFields>) {
  const app = useApp();
  const { memory, tracks } = fields;
  const question = useMemo(
    () => ({ ...(memory === "" ? {} : { memory }), ...(tracks === "" ? {} : { tracks }) }),
    [memory, tracks],
  );
  const request = useAnswer(context, TOOL.id, question);
  const memories = useRef<Memories>({ names: [], shown: "", tracks: new Map() });
  if (request.state.kind === "answered") {
    memories.current = memoriesOf(request.state.answer);
  }
  const { names, shown } = memories.current;
  const chosen = names.includes(memory) ? memory : memory === "" ? shown : memory;
  return (
    <>
      <div class="tool-bar is-flat">
        {(names.length > 0 || chosen !== "") && (
          <BarSelect
            label="Which memory"
            choices={[...(names.includes(chosen) ? [] : [chosen]), ...names].map((value) => ({
              value,
              text: `Memory ${value}`,
            }))}
            chosen={chosen}
            onChoose={(next) => setFields({ ...fields, memory: next })}
          />
        )}
        <PlacePicker
          trace={context.trace}
          tracks={tracks}
          onChoose={(next) => setFields({ ...fields, tracks: next })}
        />
        <button
          type="button"
          class="button is-outlined"
          onClick={() => {
            const counter = counterOf(memories.current.tracks.get(chosen), context);
            if (counter === null) {
              showLane(app.tracks, chosen, context);
            } else {
              context.goTo(null, counter);
            }
          }}
        >
          Draw it in the timeline
        </button>
        <p class="page-of">Figures are of {context.rangeText}.</p>
      </div>
      <Answered request={request}>
        {(answer) => <ToolAnswerView tool={TOOL} answer={withFewFacts(answer)} context={context} />}
      </Answered>
    </>
  );
}

/** The same curve beside what runs meanwhile. */
function showLane(tracks: TrackActions, memory: string, context: PageContext): void {
  context.goTo(null, null);
  void tracks.toggleToolLane(TOOL.id, `Memory ${memory}`);
}

/** The track where it is a counter, which is drawn already: memories of files beside the timeline have one. */
function counterOf(track: number | undefined, context: PageContext): number | null {
  return track !== undefined && context.trace.tracks.get(track)?.kind === "counter" ? track : null;
}

interface Memories {
  /** As the question takes them. */
  readonly names: readonly string[];
  readonly shown: string;
  /** Tracks of their peaks, by name. */
  readonly tracks: ReadonlyMap<string, number>;
}

function memoriesOf({ tables, facts }: ToolAnswer): Memories {
  const table = tables.find(({ id }) => id === "memories");
  const values = (id: string) => table?.columns.find((column) => column.id === id)?.values ?? [];
  const hosts = values("host");
  const several = new Set(hosts).size > 1;
  const names = values("memory").map((name, row) => (several ? `${hosts[row]} · ${name}` : String(name)));
  const tracks = new Map(
    values("track").flatMap((track, row) => (track === null ? [] : [[names[row]!, Number(track)] as const])),
  );
  const fact = facts.find(({ id }) => id === "memory");
  const host = fact?.note.replace(/^of /, "") ?? "";
  return { names, shown: fact === undefined ? "" : several ? `${host} · ${fact.value}` : String(fact.value), tracks };
}

function withFewFacts(answer: ToolAnswer): ToolAnswer {
  return { ...answer, facts: answer.facts.filter(({ id }) => SHOWN.has(id)) };
}
