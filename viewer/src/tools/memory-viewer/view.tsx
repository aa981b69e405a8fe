/** The memory viewer: a program, how much memory it uses at each point, and which buffers are there when. */

import "./memory-viewer.css";
import { computed, type ReadonlySignal, useSignal } from "@preact/signals";
import type { ToolAnswer, ToolTable } from "@tilescope/client";
import { useMemo, useRef } from "preact/hooks";
import { AnswerView, choices } from "../../answers/answer-view";
import { ChartCard } from "../../answers/chart-card";
import { systemColors } from "../../answers/chart-colors";
import type { ChartSpan } from "../../answers/chart-overlay";
import { seriesStyle } from "../../answers/chart-style";
import { FactCards, MissingFacts } from "../../answers/facts-cards";
import { exactText, figureText } from "../../answers/figures";
import type { RowOfTable } from "../../answers/links";
import { Headline } from "../../answers/notes-list";
import { useForced } from "../../answers/use-forced";
import { BarSelect } from "../../components/bar-select";
import { formatCount } from "../../components/format";
import { ResetIcon } from "../../components/icons";
import { Answered } from "../../requests/states";
import { hostNoun } from "../../state/host-noun";
import { pick, picked } from "../../state/part-text";
import { theme } from "../../state/settings";
import type { PageContext, PageProps } from "../contract";
import { Choices } from "../frame/choices";
import { useAnswer } from "../frame/use-answer";
import { type BufferBar, type BufferBars, bufferBars, HUES } from "./buffer-bars";
import { BufferCard } from "./buffer-card";
import { BufferStrip } from "./buffer-strip";
import type { MemoryViewerFields } from "./fields";
import { PlanBar } from "./plan-bar";

const TOOL = { id: "memory_viewer", title: "Memory viewer", help: "" };

/** Facts that the page shows; `tilescope ask` has all. */
const SHOWN = [
  ...["peak", "capacity", "share", "static", "live", "allocations", "operators", "peak_unpadded", "padding"],
  ...["parameters", "outputs", "temporary", "total", "fragmentation"],
];

/** More are narrower than a pixel: those that remain are one bar. */
const MOST_BUFFERS = 5000;

/** Facts that are lines across the curve. */
const RULES = [
  ["forward_start", "Forward starts"],
  ["backward_end", "Backward ends"],
] as const;

const SPACES = [0, 1, 2, 3, 4, 5];

export function MemoryViewerView({ context, fields, setFields: setOwnFields }: PageProps<MemoryViewerFields>) {
  const setFields = (next: MemoryViewerFields) => {
    setOwnFields(next);
    pick(""); // a buffer of other figures
  };
  const { program, host, space, buffers, point, firstPoint, lastPoint } = fields;
  const question = useMemo(
    () => ({
      ...(program === "" ? {} : { program }),
      ...(host === "" ? {} : { host }),
      space: String(space),
      buffers,
      ...(point === null ? {} : { point: String(point) }),
      ...(firstPoint === null ? {} : { first_point: String(firstPoint) }),
      ...(lastPoint === null ? {} : { last_point: String(lastPoint) }),
      limit: MOST_BUFFERS,
    }),
    [program, host, space, buffers, point, firstPoint, lastPoint],
  );
  const request = useAnswer(context, TOOL.id, question);
  const lastAnswer = useRef<{ programs: readonly string[]; shown: string; isPlan: boolean }>({
    programs: [],
    shown: "",
    isPlan: false,
  });
  if (request.state.kind === "answered") {
    const { tables, facts } = request.state.answer;
    const column = tables.find(({ id }) => id === "programs")?.columns.find(({ id }) => id === "program");
    const shown = facts.find(({ id }) => id === "program")?.value;
    lastAnswer.current = {
      programs: (column?.values ?? []).map(String),
      shown: String(shown ?? program),
      isPlan: isPlan(tables),
    };
  }
  const { programs, shown } = lastAnswer.current;
  const hosts = context.trace.manifest.hosts;
  return (
    <>
      <div class="tool-bar is-flat">
        {programs.length > 0 && (
          <BarSelect
            label="Which program"
            choices={[...(programs.includes(shown) ? [] : [shown]), ...programs].map((value) => ({
              value,
              text: value,
            }))}
            chosen={shown}
            onChoose={(next) => setFields({ ...fields, program: next, point: null, firstPoint: null, lastPoint: null })}
          />
        )}
        {hosts.length > 1 && (
          <BarSelect
            label="Whose programs"
            choices={["", ...hosts].map((value) => ({ value, text: value || `All ${hostNoun(hosts).many}` }))}
            chosen={host}
            onChoose={(next) => setFields({ ...fields, host: next, point: null, firstPoint: null, lastPoint: null })}
          />
        )}
        {!lastAnswer.current.isPlan && (
          <BarSelect
            label="Memory space"
            choices={[...SPACES, ...(SPACES.includes(space) ? [] : [space])].map((choice) => ({
              value: String(choice),
              text: choice === 0 ? "Main memory (HBM)" : `Memory space ${choice}`,
            }))}
            chosen={String(space)}
            onChoose={(next) => setFields({ ...fields, space: Number(next) })}
          />
        )}
        <Choices
          label="Which buffers"
          choices={[
            { value: "peak", text: "At the peak" },
            { value: "all", text: "All buffers" },
          ]}
          chosen={buffers}
          onChoose={(next) => setFields({ ...fields, buffers: next, point: null })}
        />
        {point !== null && (
          <button type="button" class="button is-outlined" onClick={() => setFields({ ...fields, point: null })}>
            <ResetIcon />
            Point {point}: back to the peak
          </button>
        )}
      </div>
      <Answered request={request}>
        {(answer) => (
          <Parts answer={answer} context={context} plan={isPlan(answer.tables) ? { fields, setFields } : null} />
        )}
      </Answered>
    </>
  );
}

/** True of a plan by the order of execution, which has operators. */
function isPlan(tables: readonly ToolTable[]): boolean {
  return tables.some(({ id }) => id === "operators");
}

interface PlanFields {
  readonly fields: MemoryViewerFields;
  readonly setFields: (fields: MemoryViewerFields) => void;
}

interface PartsProps {
  readonly answer: ToolAnswer;
  readonly context: PageContext;
  readonly plan: PlanFields | null;
}

/** The curve with the lifeline of a buffer, below it all buffers at the peak, and the tables. */
function Parts({ answer, context, plan }: PartsProps) {
  const { tables, series, facts } = answer;
  const table = tables.find(({ id }) => id === "buffers");
  const shown = SHOWN.flatMap((id) => facts.filter((fact) => fact.id === id));
  const wanted = useSignal<RowOfTable | null>(null);
  const size = table?.columns[0]?.values.length ?? 0;
  const pointed = useMemo(
    () =>
      computed(() => {
        const row = Number(picked.value || Number.NaN);
        return Number.isInteger(row) && row >= 0 && row < size ? row : null;
      }),
    [size],
  );
  return (
    <>
      <Headline answer={answer} links={context} />
      <FactCards tool={TOOL.id} facts={shown} time={context.time} />
      <MissingFacts facts={shown} />
      {table !== undefined && (
        <Pictures
          answer={answer}
          table={table}
          context={context}
          plan={plan}
          pointed={pointed}
          onChoose={(row) => {
            wanted.value = { table: "buffers", row };
          }}
        />
      )}
      <AnswerView
        tool={TOOL}
        answer={{ ...answer, headline: null, facts: [], series: series.slice(1) }}
        links={context}
        rangeText={context.rangeText}
        onMore={null}
        wanted={wanted.value}
        onPointed={({ table: id, row }) => {
          if (id === "buffers") {
            pick(String(row));
          }
        }}
      />
    </>
  );
}

interface PicturesProps {
  readonly answer: ToolAnswer;
  readonly table: ToolTable;
  readonly context: PageContext;
  readonly plan: PlanFields | null;
  /** Row of the table; null: the largest buffer. */
  readonly pointed: ReadonlySignal<number | null>;
  readonly onChoose: (row: number) => void;
}

function Pictures({ answer, table, context, plan, pointed, onChoose }: PicturesProps) {
  const { series, facts, tables } = answer;
  const [curve] = series;
  const { time } = context;
  const fact = (id: string) => facts.find((candidate) => candidate.id === id)?.value ?? null;
  const atPoint = plan === null || plan.fields.point === null ? null : plan.fields.point;
  const where = atPoint === null ? "at the peak" : `at point ${atPoint}`;
  // Of a plan what stays is far more than tensors are.
  const peakBytes = Number(fact(plan === null ? "peak" : "live") ?? 0);
  const bars = useMemo(() => bufferBars(table, peakBytes, atPoint !== null), [table, peakBytes, atPoint]);
  const lit = useSignal<number | null>(null);
  const row = useMemo(() => computed(() => pointed.value ?? bars.bySize[0]?.row ?? null), [pointed, bars]);
  const isForced = useForced();
  /** The span of a buffer in the curve, in the colour of its bars. */
  const lifeline = (buffer: number): ChartSpan => {
    const value = (id: string) => Number(table.columns.find((column) => column.id === id)?.values[buffer] ?? 0);
    const forced = isForced.value ? systemColors(document.body) : null;
    const { fill, line } = seriesStyle(hueOf(bars, buffer) ?? HUES - 1, HUES, theme.value, forced);
    return { from: value("first"), to: Math.max(value("first"), value("last")), size: value("size"), fill, line };
  };
  const overlay = useMemo(() => {
    const point = fact("peak_point");
    const rules = point === null ? [] : [{ x: Number(point), title: `Peak, point ${point}` }];
    for (const [id, title] of RULES) {
      const x = fact(id);
      rules.push(...(x === null ? [] : [{ x: Number(x), title }]));
    }
    if (atPoint !== null) {
      rules.push({ x: atPoint, title: "" }); // the bar above says which
    }
    return { rules, span: computed(() => (row.value === null ? null : lifeline(row.value))) };
  }, [table, bars, row, atPoint]);
  const size = table.columns.find(({ id }) => id === "size")!;
  const inBytes = (bytes: number) => {
    const { digits, unit } = figureText({ kind: "bytes", unit: "" }, String(bytes), time);
    return `${digits} ${unit}`;
  };
  const others = bars.otherBytes > 0 ? `smaller buffers: ${inBytes(bars.otherBytes)}` : "";
  const spokenText = ({ name, row: bar, first, last }: BufferBar) =>
    `${name}, ${exactText(size, size.values[bar] ?? null, time)}, point ${first} to ${last}`;
  const strip = {
    end: bars.end,
    others,
    pointed: row,
    onPoint: (next: number) => {
      pick(String(next));
    },
    onChoose,
    spokenText,
  };
  return (
    <>
      {curve !== undefined && (
        <div class="answer memory-curve">
          <ChartCard
            series={curve}
            tables={tables}
            choices={choices(TOOL.id, `chart ${curve.id}`)}
            onRow={() => {}}
            links={context}
            rangeText={context.rangeText}
            overlay={overlay}
            head={<h2 class="memory-title">{curve.title}</h2>}
            onLit={(next) => {
              lit.value = next;
            }}
            picking={
              plan === null
                ? null
                : {
                    words: "lists the tensors that live then",
                    pick: (next) => plan.setFields({ ...plan.fields, point: Number(curve.x.values[next]) }),
                  }
            }
          />
          {plan !== null && <PlanBar answer={answer} plan={plan} lit={lit.value} time={time} />}
        </div>
      )}
      {bars.bySize.length > 0 && (
        <section class="buffer-pictures" aria-label="Charts of buffers">
          <BufferStrip
            {...strip}
            title="By size"
            note={`${buffersText(bars.bySize.length)} ${where}, as wide as they are large${plan === null ? "; hatched: padding" : ""}${others === "" ? "" : `; at the right ${others}`}`}
            bars={bars.bySize}
          />
          <BufferStrip
            {...strip}
            title="By program order"
            note="those that are made first, and stay longest, at the left"
            bars={bars.byProgram}
          />
          {row.value !== null && <BufferCard table={table} row={row.value} hue={hueOf(bars, row.value)} time={time} />}
        </section>
      )}
    </>
  );
}

function buffersText(count: number): string {
  return count === 1 ? "1 buffer" : `${formatCount(count)} buffers`;
}

function hueOf(bars: BufferBars, row: number): number | null {
  return bars.bySize.find((bar) => bar.row === row)?.hue ?? null;
}
