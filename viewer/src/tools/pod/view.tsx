/** The pod: where in it time goes, which cores keep the others waiting, and all of each core. */

import type { ToolAnswer, ToolTable } from "@tilescope/client";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { AnswerView, choices } from "../../answers/answer-view";
import { ChartCard } from "../../answers/chart-card";
import type { RowOfTable } from "../../answers/links";
import { Headline, NotesList } from "../../answers/notes-list";
import { goToPlace, Places } from "../../answers/timeline-places";
import { entryText, escapeField, unescapeField } from "../../base/list-text";
import { Answered } from "../../requests/states";
import { isGrowing } from "../../state/answer-values";
import { pick, picked } from "../../state/part-text";
import type { PageContext, PageProps } from "../contract";
import { Choices } from "../frame/choices";
import { inPageWords } from "../frame/page-words";
import { PlacePicker } from "../frame/place-picker";
import { besideStepChoice, candidatesOf, NotRecorded, StepChoice, StepProposal } from "../frame/step-choice";
import { Incomplete } from "../frame/tool-answer";
import { useAnswer } from "../frame/use-answer";
import { breakdownOf } from "./breakdown";
import { channelRows } from "./channel-rows";
import { Channels } from "./channels";
import { CoreCard } from "./core-card";
import type { PodFields } from "./fields";
import { heatOf } from "./heat";
import { podLayout } from "./layout";
import { PodLegend } from "./legend";
import { colourOf, DURATION, KEEPS_WAITING, partGroups } from "./parts";
import { StepSlider } from "./step-slider";
import { Stragglers } from "./stragglers";
import { Topology } from "./topology";
import "./pod.css";

const TOOL = { id: "pod", title: "Pod", help: "" };

export function PodView({ context, fields, setFields }: PageProps<PodFields>) {
  const { step, colour, tracks, stepName } = fields;
  const question = useMemo(
    () => ({
      ...(colour === "" ? {} : { colour }),
      ...(tracks === "" ? {} : { tracks }),
      ...(stepName === "" ? {} : { step_name: stepName }),
    }),
    [colour, tracks, stepName],
  );
  const request = useAnswer(context, TOOL.id, question);
  const lastAnswer = useRef<ToolAnswer | null>(null);
  if (request.state.kind === "answered") {
    lastAnswer.current = request.state.answer;
  }
  const all = lastAnswer.current;
  const candidates = useMemo(() => (all === null ? [] : candidatesOf(all)), [all]);
  const choose = (next: string) => setFields({ ...fields, step: "", stepName: next });
  const { steps: marked, empty: isSaved } = context.trace.manifest;
  const cores = all?.tables.find(({ id }) => id === "cores");
  const steps = [...new Set((all?.series.find(({ id }) => id === "map")?.x.values ?? []).map(String))];
  const { core, link } = subjectOf(picked.value);
  const shown = {
    ...{ context, fields, core, link },
    onCore: (next: string) => pick(subjectText({ core: next, link })),
    onLink: (next: LinkChoice) => pick(subjectText({ core, link: next })),
  };
  return (
    <>
      <div class="tool-bar is-flat">
        <StepSlider steps={steps} step={step} onStep={(next) => setFields({ ...fields, step: next })} />
        <select
          class="bar-select"
          aria-label="Colour of the map"
          value={colourOf(cores, colour)}
          onChange={(event) => setFields({ ...fields, colour: event.currentTarget.value })}
        >
          <option value={KEEPS_WAITING}>{TITLES.get(KEEPS_WAITING)}</option>
          <option value={DURATION}>Step time</option>
          {(cores === undefined ? [] : partGroups(cores)).map(({ title, parts }) => (
            <optgroup key={title} label={title}>
              {parts.map(({ id, title: partTitle }) => (
                <option key={id} value={id}>
                  {partTitle}
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
        {!isSaved && (marked === null || stepName !== "") && (
          <StepChoice stepName={stepName} candidates={candidates} time={context.time} onChoose={choose} />
        )}
        <p class="page-of">Figures are of {step === "" ? context.rangeText : `step ${step}`}.</p>
      </div>
      <StepProposal candidates={candidates} time={context.time} onChoose={choose} />
      {step === "" ? (
        <Answered
          request={request}
          words={inPageWords}
          isEmpty={hasNoCores}
          empty={(answer) => <NotRecorded {...answer} />}
        >
          {(answer) => <Shown {...shown} question={question} answer={besideStepChoice(answer)} />}
        </Answered>
      ) : (
        <OneStep {...shown} question={question} />
      )}
    </>
  );
}

function hasNoCores({ tables }: ToolAnswer): boolean {
  return !tables.some(({ id }) => id === "cores");
}

/** Subject beside the map: cores, or channels between them; all of these or one, and the row. */
interface LinkChoice {
  readonly side: "core" | "channels";
  readonly channel: string;
  readonly row: number;
}

const NO_LINK: LinkChoice = { side: "core", channel: "", row: 0 };

interface Subject {
  readonly core: string;
  readonly link: LinkChoice;
}

/** `core`, or `core;channel,row` while channels are shown. */
function subjectText({ core, link }: Subject): string {
  return link.side === "core"
    ? escapeField(core)
    : `${escapeField(core)};${entryText([escapeField(link.channel), String(link.row)])}`;
}

function subjectOf(text: string): Subject {
  const [core = "", link] = text.split(";");
  const [channel = "", row = ""] = (link ?? "").split(",").map(unescapeField);
  const isRow = /^\d{1,9}$/.test(row);
  return {
    core: unescapeField(core),
    link: link === undefined ? NO_LINK : { side: "channels", channel, row: isRow ? Number(row) : 0 },
  };
}

/** Figures that are no part of a step. */
const TITLES: ReadonlyMap<string, string> = new Map([
  [DURATION, "Step time"],
  [KEEPS_WAITING, "Keeps others waiting"],
]);

/** Parts of steps of cores that send to each other. */
const SENDING: ReadonlySet<string> = new Set(["tpu_send", "tpu_recv", "tpu_collectives"]);

interface ShownProps {
  readonly context: PageContext;
  readonly fields: PodFields;
  /** The core that one looks at, by name; empty: none yet. */
  readonly core: string;
  readonly onCore: (name: string) => void;
  readonly link: LinkChoice;
  readonly onLink: (link: LinkChoice) => void;
  /** Question of the page. */
  readonly question: Readonly<Record<string, string>>;
}

function OneStep({ question, ...props }: ShownProps) {
  const { step } = props.fields;
  const ofStep = useMemo(() => ({ ...question, steps: `${step}-${step}`, collectives: "true" }), [question, step]);
  const request = useAnswer(props.context, TOOL.id, ofStep);
  return (
    <Answered request={request} words={inPageWords}>
      {(answer) => <Shown {...props} question={ofStep} answer={besideStepChoice(answer)} />}
    </Answered>
  );
}

function Shown({ answer, ...props }: ShownProps & { readonly answer: ToolAnswer }) {
  const [wanted, setWanted] = useState<RowOfTable | null>(null);
  const [fetched, setFetched] = useState<AskedChannels | null>(null);
  const cores = answer.tables.find(({ id }) => id === "cores");
  const listed = answer.tables.find(({ id }) => id === "channels");
  const sends = cores?.columns.some(({ id, values }) => SENDING.has(id) && values.some((value) => Number(value) > 0));
  // Those of another question may still be there.
  const channels = listed ?? (sends === true && fetched?.question === props.question ? fetched.table : null);
  const { context, fields } = props;
  // Those with a place are about stragglers, which are listed beside the map.
  const warnings = answer.notes.filter(({ severity, startTicks }) => severity !== "info" && startTicks === null);
  return (
    <>
      {isGrowing(answer) && <Incomplete />}
      <Headline answer={answer} links={context} />
      <NotesList label="Findings" notes={warnings} links={context} />
      {listed === undefined && sends === true && <AskChannels {...props} onTable={setFetched} />}
      {cores !== undefined && <Pod {...props} answer={answer} cores={cores} channels={channels} onRow={setWanted} />}
      {cores !== undefined && <StepBreakdown {...props} cores={cores} onRow={setWanted} />}
      <AnswerView
        tool={TOOL}
        answer={{
          ...answer,
          tables: listed === undefined && channels !== null ? [...answer.tables, channels] : answer.tables,
          headline: null,
          notes: answer.notes.filter(({ severity }) => severity === "info"),
        }}
        links={context}
        rangeText={fields.step === "" ? context.rangeText : `step ${fields.step}`}
        onMore={null}
        wanted={wanted}
      />
    </>
  );
}

/** A bar for each core: pointing at it shows the core beside the map, and the map's core stands out in it. */
function StepBreakdown({
  context,
  fields,
  core,
  onCore,
  cores,
  onRow,
}: ShownProps & { readonly cores: ToolTable; readonly onRow: (row: RowOfTable) => void }) {
  const breakdown = useMemo(() => breakdownOf(cores), [cores]);
  if (breakdown === null) {
    return null;
  }
  const names = cores.columns.find(({ id }) => id === "core")?.values.map(String) ?? [];
  const row = names.indexOf(core);
  const bar = breakdown.rows.findIndex((members) => members.includes(row));
  return (
    <div class="answer pod-breakdown">
      <ChartCard
        head={<h2 class="tab-title">{breakdown.series.title}</h2>}
        series={breakdown.series}
        tables={[cores]}
        choices={choices(TOOL.id, "chart breakdown")}
        onRow={onRow}
        links={context}
        rangeText={fields.step === "" ? context.rangeText : `step ${fields.step}`}
        lit={bar < 0 ? null : bar}
        onLit={(lit) => {
          const members = breakdown.rows[lit] ?? [];
          if (!members.includes(row)) {
            onCore(names[members[0] ?? -1] ?? core);
          }
        }}
      />
    </div>
  );
}

interface AskedChannels {
  readonly question: ShownProps["question"];
  readonly table: ToolTable | null;
}

/** Asks for the channels behind the rest of the page: they take longer. */
function AskChannels({ context, question, onTable }: ShownProps & { onTable: (channels: AskedChannels) => void }) {
  const request = useAnswer(
    context,
    TOOL.id,
    useMemo(() => ({ ...question, collectives: "false", channels: "true" }), [question]),
  );
  const { state } = request;
  const table = state.kind === "answered" ? state.answer.tables.find(({ id }) => id === "channels") : undefined;
  useEffect(() => onTable({ question, table: table ?? null }), [question, table, onTable]);
  return state.kind === "failed" ? <p class="page-note">The channels could not be loaded.</p> : null;
}

interface PodProps extends ShownProps {
  readonly answer: ToolAnswer;
  readonly cores: ToolTable;
  /** Null: there are none, or not yet. */
  readonly channels: ToolTable | null;
  readonly onRow: (row: RowOfTable) => void;
}

/** The map with its legend, and beside it the core that one looks at and the stragglers. */
function Pod({ context, fields, core, onCore, link, onLink, answer, cores, channels, onRow }: PodProps) {
  const colour = colourOf(cores, fields.colour);
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
  const title = chosen?.title ?? TITLES.get(colour) ?? "Not recorded";
  const links = useMemo(() => (channels === null ? [] : channelRows(channels)), [channels]);
  const isOfChannels = link.side === "channels" && channels !== null;
  const ofChannel = links.filter(({ channel }) => link.channel === "" || channel === link.channel);
  const shownRow = isOfChannels ? (ofChannel.find(({ row }) => row === link.row) ?? ofChannel[0]) : undefined;
  const [from, to] = [names.indexOf(shownRow?.source ?? ""), names.indexOf(shownRow?.destination ?? "")];
  const toTimeline = (row: number) => goToPlace(context, places.placeOf(row));
  return (
    <div class="pod">
      <section class="pod-picture" aria-label="Map of the cores">
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
          transfer={from < 0 || to < 0 ? null : { from, to }}
          onCurrent={(row) => onCore(names[row] ?? "")}
          onEnter={toTimeline}
        />
      </section>
      <div class="pod-side">
        {channels !== null && links.length > 0 && (
          <Choices
            label="Figures beside the map"
            choices={[
              { value: "core", text: "Core" },
              { value: "channels", text: `${links.length} channels` },
            ]}
            chosen={link.side}
            onChoose={(side) => onLink({ ...link, side })}
          />
        )}
        {isOfChannels ? (
          <Channels
            table={channels}
            cores={cores}
            context={context}
            channel={link.channel}
            onChannel={(channel) => onLink({ ...link, channel })}
            current={shownRow?.row ?? -1}
            onCurrent={(row) => onLink({ ...link, row })}
          />
        ) : (
          <>
            <CoreCard
              cores={cores}
              row={current}
              colour={colour}
              time={context.time}
              onTimeline={places.placeOf(current) === null ? null : () => toTimeline(current)}
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
          </>
        )}
      </div>
    </div>
  );
}
