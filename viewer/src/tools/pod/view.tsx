/** The pod: where in it time goes, which cores keep the others waiting, and all of each core. */

import type { ToolAnswer, ToolTable } from "@tilescope/client";
import { useMemo, useRef, useState } from "preact/hooks";
import { AnswerView } from "../../answers/answer-view";
import type { RowOfTable } from "../../answers/links";
import { goToPlace, Places } from "../../answers/places";
import { Answered } from "../../asking/states";
import type { PageContext, PageProps } from "../contract";
import { PlacePicker } from "../frame/place-picker";
import { Incomplete } from "../frame/tool-answer";
import { useAnswer } from "../frame/use-answer";
import { CoreCard } from "./core-card";
import type { PodFields } from "./fields";
import { heatOf } from "./heat";
import { podLayout } from "./layout";
import { PodLegend } from "./legend";
import { DURATION, partGroups } from "./parts";
import { StepSlider } from "./step-slider";
import { Stragglers } from "./stragglers";
import { Topology } from "./topology";
import "./pod.css";

const TOOL = { id: "pod", title: "Pod", help: "" };

export function PodView({ context, fields, setFields }: PageProps<PodFields>) {
  const { step, colour, tracks } = fields;
  const question = useMemo(() => ({ colour, ...(tracks === "" ? {} : { tracks }) }), [colour, tracks]);
  const asked = useAnswer(context, TOOL.id, question);
  const [core, setCore] = useState("");
  const known = useRef<ToolAnswer | null>(null);
  if (asked.asking.kind === "answered") {
    known.current = asked.asking.answer;
  }
  const all = known.current;
  const cores = all?.tables.find(({ id }) => id === "cores");
  const steps = [...new Set((all?.series.find(({ id }) => id === "map")?.x.values ?? []).map(String))];
  const shown = { context, fields, core, onCore: setCore };
  return (
    <>
      <div class="tool-bar is-flat">
        <StepSlider steps={steps} step={step} onStep={(next) => setFields({ ...fields, step: next })} />
        <select
          class="bar-select"
          aria-label="What colours the map"
          value={colour}
          onChange={(event) => setFields({ ...fields, colour: event.currentTarget.value })}
        >
          <option value={DURATION}>How long steps are</option>
          {(cores === undefined ? [] : partGroups(cores)).map(({ title, parts }) => (
            <optgroup key={title} label={title}>
              {parts.map(({ id, title: of }) => (
                <option key={id} value={id}>
                  {of}
                </option>
              ))}
            </optgroup>
          ))}
        </select>
        <PlacePicker
          trace={context.trace}
          tracks={tracks}
          onChoose={(next) => setFields({ ...fields, tracks: next })}
        />
        <p class="page-of">Figures are of {step === "" ? context.rangeText : `step ${step}`}.</p>
      </div>
      {step === "" ? (
        <Answered asked={asked}>{(answer) => <Shown {...shown} answer={answer} />}</Answered>
      ) : (
        <OneStep {...shown} question={question} />
      )}
    </>
  );
}

interface ShownProps {
  readonly context: PageContext;
  readonly fields: PodFields;
  /** The core that one looks at, by name; empty: none yet. */
  readonly core: string;
  readonly onCore: (name: string) => void;
}

function OneStep({ question, ...props }: ShownProps & { readonly question: Readonly<Record<string, string>> }) {
  const { step } = props.fields;
  const asked = useAnswer(
    props.context,
    TOOL.id,
    useMemo(() => ({ ...question, steps: `${step}-${step}`, collectives: "true" }), [question, step]),
  );
  return <Answered asked={asked}>{(answer) => <Shown {...props} answer={answer} />}</Answered>;
}

function Shown({ answer, ...props }: ShownProps & { readonly answer: ToolAnswer }) {
  const [wanted, setWanted] = useState<RowOfTable | null>(null);
  const cores = answer.tables.find(({ id }) => id === "cores");
  const { context, fields } = props;
  return (
    <>
      {!answer.complete && <Incomplete />}
      {cores !== undefined && <Pod {...props} answer={answer} cores={cores} onRow={setWanted} />}
      <AnswerView
        tool={TOOL}
        answer={{ ...answer, notes: answer.notes.filter(({ severity }) => severity === "info") }}
        links={context}
        rangeText={fields.step === "" ? context.rangeText : `step ${fields.step}`}
        onMore={null}
        wanted={wanted}
      />
    </>
  );
}

interface PodProps extends ShownProps {
  readonly answer: ToolAnswer;
  readonly cores: ToolTable;
  readonly onRow: (row: RowOfTable) => void;
}

/** The map with its legend, and beside it the core that one looks at and the stragglers. */
function Pod({ context, fields, core, onCore, answer, cores, onRow }: PodProps) {
  const { colour } = fields;
  const stragglers = answer.tables.find(({ id }) => id === "stragglers");
  const layout = useMemo(() => podLayout(cores), [cores]);
  const heat = useMemo(() => heatOf(cores, colour), [cores, colour]);
  const places = useMemo(() => new Places(cores.columns), [cores]);
  const names = cores.columns.find(({ id }) => id === "core")?.values.map(String) ?? [];
  const straggling = (stragglers?.columns.find(({ id }) => id === "core")?.values ?? []).map(String);
  // What one looks at first is what stands out.
  const current = Math.max(0, names.indexOf(core === "" ? (straggling[0] ?? "") : core));
  const chosen = partGroups(cores)
    .flatMap(({ parts }) => parts)
    .find(({ id }) => id === colour);
  const title = chosen?.title ?? (colour === DURATION ? "Step time" : "Not recorded");
  const toTimeline = (row: number) => goToPlace(context, places.of(row));
  return (
    <div class="pod">
      <section class="pod-picture" aria-label="Cores where they are">
        <PodLegend
          heat={heat}
          colour={colour}
          title={title}
          time={context.time}
          hasStragglers={straggling.length > 0}
        />
        <Topology
          cores={cores}
          layout={layout}
          heat={heat}
          title={title}
          current={current}
          stragglers={new Set(straggling)}
          time={context.time}
          onCurrent={(row) => onCore(names[row] ?? "")}
          onEnter={toTimeline}
        />
      </section>
      <div class="pod-side">
        <CoreCard
          cores={cores}
          row={current}
          colour={colour}
          time={context.time}
          onTimeline={() => toTimeline(current)}
          onRow={() => onRow({ table: "cores", row: current })}
        />
        {stragglers !== undefined && (
          <Stragglers
            stragglers={stragglers}
            fact={answer.facts.find(({ id }) => id === "stragglers")}
            time={context.time}
            onCore={onCore}
          />
        )}
      </div>
    </div>
  );
}
