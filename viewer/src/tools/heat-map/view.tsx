/** The heat map: hosts by time, coloured by how busy they are, with what is known of the chosen one beside it. */

import "./heat-map.css";
import {
  formatDuration,
  type TickRange,
  type ToolAnswer,
  type ToolColumn,
  type ToolQuestion,
  ticks,
  visibleRange,
} from "@tilescope/client";
import { useMemo, useState } from "preact/hooks";
import { figureText, isInteger } from "../../answers/figures";
import { Headline } from "../../answers/notes-list";
import { formatCount, formatPercent, plural } from "../../components/format";
import { cssColor } from "../../raster/color";
import { Answered } from "../../requests/states";
import { useRequest } from "../../requests/use-request";
import { pick, picked } from "../../state/part-text";
import { questionKey } from "../../state/question-key";
import { lastOf } from "../../state/request-state";
import { theme } from "../../state/settings";
import type { Trace } from "../../state/trace";
import type { PageContext, PageProps } from "../contract";
import { ToolAnswerView } from "../frame/tool-answer";
import { useAnswer } from "../frame/use-answer";
import { MapBar } from "./bar";
import { type HeatMapFields, placeOf, placeText } from "./fields";
import { mapPalette } from "./image";
import { type Layer, layerOf, type MapRow, partsByRow, rowsByTrack, rowTexts } from "./layer";
import { HeatMap, type MapView } from "./map";
import { figuresByRow, orderOf } from "./order";
import type { MapDrawing, Strip } from "./painter";
import { type Sorting, useSorting } from "./use-sorting";
import { partsQuestion, spanQuestion } from "./wanted";

const TOOL = { id: "heat_map", title: "Heat map", help: "" };
/** Answers that are at hand again at once when one zooms out. */
const KEPT = 8;

export function HeatMapView({ context, fields: wanted, setFields }: PageProps<HeatMapFields>) {
  const level = useMemo(() => coarsestLevel(context.trace), [context.trace]);
  const fields = level === "host" && wanted.group === "host" ? { ...wanted, group: "" as const } : wanted;
  const question = useMemo(
    () => ({ rows: "2048", columns: "1024", ...rowQuestion(level, fields) }),
    [level, fields.counted, isByChip(fields)],
  );
  const request = useAnswer(context, TOOL.id, question);
  const sorting = useSorting(context, fields.sort);
  return (
    <>
      <MapBar context={context} fields={fields} level={level} sorting={sorting} setFields={setFields} />
      <Answered request={request}>
        {(answer) => <Shown context={context} fields={fields} sorting={sorting} answer={answer} />}
      </Answered>
    </>
  );
}

/** True where rows are asked for in the order of their chips, with the places of these. */
function isByChip({ sort, group }: HeatMapFields): boolean {
  return sort === "chips" || group === "grid";
}

/** The part of all questions of the page that says which rows there are, and what counts. */
function rowQuestion(level: Layer["level"], fields: HeatMapFields): ToolQuestion {
  return {
    level,
    ...(fields.counted === "" ? {} : { counted: fields.counted }),
    ...(isByChip(fields) ? { order: "chips" } : {}),
  };
}

/** The coarsest level with several rows. */
function coarsestLevel({ groups }: Trace): Layer["level"] {
  const count = (kind: string) => [...groups.values()].filter((group) => group.kind === kind).length;
  return count("host") > 1 ? "host" : count("process") > 1 ? "process" : "track";
}

interface ShownProps {
  readonly context: PageContext;
  readonly fields: HeatMapFields;
  readonly sorting: Sorting;
  readonly answer: ToolAnswer;
}

function Shown({ answer, ...props }: ShownProps) {
  const layer = useMemo(() => layerOf(answer), [answer]);
  return (
    <>
      <Headline answer={answer} links={props.context} />
      {layer !== null && <MapCard {...props} base={layer} />}
      <ToolAnswerView tool={TOOL} answer={{ ...answer, headline: null, series: [] }} context={props.context} />
    </>
  );
}

interface MapProps extends Pick<ShownProps, "context" | "fields" | "sorting"> {
  readonly base: Layer;
}

function MapCard({ context, fields, sorting, base }: MapProps) {
  const { trace } = context;
  const rowOfTrack = useMemo(() => rowFinder(trace, base), [trace, base]);
  const { column, problem } = sorting;
  const figures = useMemo(
    () => (column === null ? null : figuresByRow(sorting.tables, column, rowOfTrack)),
    [column, rowOfTrack],
  );
  const texts = useMemo(() => rowTexts(base.rows), [base]);
  const { sort, least, group, filter } = fields;
  const { rows: order, bands } = useMemo(
    () => orderOf(base.rows, { sort, least, group, filter }, figures),
    [base, sort, least, group, filter, figures],
  );
  const bounds = useMemo(() => spanOfLayer(base), [base]);
  const [view, setView] = useState<{ readonly shown: MapView; readonly heightPx: number } | null>(null);
  const place = placeOf(picked.value);
  const chosen = order.findIndex((row) => texts[row] === place.chosen);
  // A place in the address is taken once, and when the rows are others: after that the map has it, and the address follows.
  const firstPlace = useMemo(
    () => ({ span: place.span ?? bounds, rows: place.rows ?? { from: 0, to: order.length } }),
    [bounds, order],
  );
  const more = useFiner(context, fields, base, order, view);
  const layers = useMemo(
    () => layersOf(base, order, more, rowOfTrack),
    [base, order, more.time, more.parts, rowOfTrack],
  );
  const names = useMemo(() => order.map((row) => base.rows[row]!), [base, order]);
  const onView = (shown: MapView, heightPx: number) => {
    setView({ shown, heightPx });
    const span = spanOfView(shown);
    const isAll = shown.rows.from <= 0 && shown.rows.to >= order.length;
    const isWhole = span.startTicks <= bounds.startTicks && span.endTicks >= bounds.endTicks;
    keepPlace({ span: isWhole ? null : span, rows: isAll ? null : shown.rows });
  };
  const choose = (row: number) => keepPlace({ chosen: texts[order[row]!] ?? "" });
  const enter = (row: number, span: TickRange, part: number) => {
    const parts = layers.find(({ isParts }) => isParts);
    const strip = parts?.strips.find(({ from }) => from === row);
    const fine = strip?.rows[Math.min(strip.rows.length - 1, Math.floor(part * strip.rows.length))];
    const track = fine === undefined ? names[row]!.track : parts!.layer.rows[fine]!.track;
    context.goTo(span, track);
  };
  const level = { host: "hosts", process: "processes", track: "tracks" }[base.level];
  return (
    <section class="heat-map-page" aria-label="Heat map">
      <div class="heat-map-head">
        <MapLegend hasLate={base.late.some((part) => part > 0)} />
        <span class="page-of">
          {order.length === base.rows.length
            ? `${formatCount(order.length)} ${level}`
            : `${formatCount(order.length)} of ${formatCount(base.rows.length)} ${level}`}
          {bands.length > 0 ? `, in ${plural(bands.length, "group")}` : ""}
          {base.together > 1 ? `, up to ${formatCount(base.together)} in a row` : ""}. Ctrl + wheel zooms, a drag zooms
          to what it frames, a double click leads to the timeline.
        </span>
        {problem !== null && (
          <span class="page-of" role="status">
            In the order of the timeline: {problem}.
          </span>
        )}
      </div>
      {order.length === 0 ? (
        <p class="page-note">No row has a name with “{fields.filter}”.</p>
      ) : (
        <HeatMap
          layers={layers}
          names={names}
          bands={bands}
          chosen={chosen}
          bounds={bounds}
          base={context.time}
          place={firstPlace}
          label={`Heat map of ${order.length} ${level}. Up and down choose a row, left and right move in time, + and - zoom, with shift in one direction alone; Home shows all, Enter leads to the timeline.`}
          onView={onView}
          onChoose={choose}
          onEnter={enter}
        />
      )}
      <p class="heat-map-row" role="status">
        {chosen < 0 ? (
          ""
        ) : (
          <RowFacts
            row={names[chosen]!}
            place={chosen + 1}
            group={bands.findLast(({ from }) => from <= chosen)?.name ?? ""}
            column={column}
            figure={figures?.get(order[chosen]!) ?? null}
            context={context}
          />
        )}
      </p>
    </section>
  );
}

/** Figures of the chosen row, with the way to the timeline. */
function RowFacts({
  row,
  place,
  group,
  column,
  figure,
  context,
}: {
  readonly row: MapRow;
  readonly place: number;
  readonly group: string;
  readonly column: ToolColumn | null;
  readonly figure: number | null;
  readonly context: PageContext;
}) {
  return (
    <>
      <strong>{row.name}</strong>
      <span>
        row {formatCount(place)}
        {group === "" ? "" : ` (${group})`}, busy {formatPercent(row.share)} of the time
        {row.lateTicks > 0n ? `, behind the others for ${formatDuration(row.lateTicks, context.time.tickPs)}` : ""}
        {column === null ? "" : `, ${column.title}: ${figureWords(column, figure, context)}`}
      </span>
      <button
        type="button"
        class="button"
        onClick={() => {
          const { span } = placeOf(picked.peek());
          context.goTo(span, row.track);
        }}
      >
        Show in the timeline
      </button>
    </>
  );
}

function figureWords(column: ToolColumn, figure: number | null, { time }: PageContext): string {
  const value = figure !== null && isInteger(column.kind) ? BigInt(Math.round(figure)).toString() : figure;
  const { digits, unit } = figureText(column, value, time);
  return unit === "" ? digits : `${digits} ${unit}`;
}

function MapLegend({ hasLate }: { readonly hasLate: boolean }) {
  const palette = mapPalette(theme.value);
  return (
    <p class="heat-map-legend">
      <span>idle</span>
      <svg width="80" height="12" aria-hidden="true">
        {[0, 25, 50, 75, 100].map((part, k) => (
          <rect key={part} x={16 * k} width="16" height="12" fill={cssColor(palette.busy[part]!)} />
        ))}
      </svg>
      <span>busy</span>
      {hasLate && (
        <>
          <svg width="16" height="12" aria-hidden="true">
            <rect width="16" height="12" fill={cssColor(palette.late[100]!)} />
          </svg>
          <span>behind the others</span>
        </>
      )}
    </p>
  );
}

function keepPlace(change: Partial<ReturnType<typeof placeOf>>): void {
  pick(placeText({ ...placeOf(picked.peek()), ...change }));
}

function spanOfLayer({ startTicks, columnTicks, columns }: Layer): TickRange {
  return { startTicks, endTicks: ticks(startTicks + columnTicks * BigInt(columns)) };
}

function spanOfView({ time }: MapView): TickRange {
  const { startTicks, endTicks } = visibleRange(time);
  return { startTicks: ticks(startTicks < 0n ? 0n : startTicks), endTicks };
}

type RowFinder = (track: number) => number | undefined;

/** Finds the row that a track is in: by itself, or by the rollup of a group around it, from the inside out. */
function rowFinder({ tracks, groups }: Trace, { rows }: Layer): RowFinder {
  const rowOfTrack = rowsByTrack(rows);
  return (track) => {
    let row = rowOfTrack.get(track);
    let group = groups.get(tracks.get(track)?.group ?? -1);
    while (row === undefined && group !== undefined) {
      row = rowOfTrack.get(group.rollup ?? -1);
      group = group.parent === null ? undefined : groups.get(group.parent);
    }
    return row;
  };
}

interface Finer {
  readonly time: Layer | null;
  readonly parts: Layer | null;
}

/** Layers that the view needs beside the whole map; those of the last view until these have come. */
function useFiner(
  context: PageContext,
  fields: HeatMapFields,
  base: Layer,
  order: readonly number[],
  view: { readonly shown: MapView; readonly heightPx: number } | null,
): Finer {
  const scope = rowQuestion(base.level, fields);
  const processes = useMemo(() => processesOf(context.trace, base), [context.trace, base]);
  const span = view === null ? null : spanOfView(view.shown);
  const time = view === null || span === null ? null : spanQuestion(base, span, view.shown.time.widthPx);
  const parts =
    view === null || span === null
      ? null
      : partsQuestion(base, order, view.shown.rows, span, view.heightPx, (row) => processes[row] ?? 1);
  return {
    time: useLayer(context, scope, time === null ? null : { ...scope, ...time }),
    parts: useLayer(context, scope, parts === null ? null : { ...scope, ...parts }),
  };
}

/** The layer of an answer; until it has come that of the question before. Null without a question: nothing is asked. */
function useLayer({ trace }: PageContext, scope: ToolQuestion, question: ToolQuestion | null): Layer | null {
  const scopeKey = questionKey(trace.manifest, TOOL.id, scope);
  const key = question === null ? "" : questionKey(trace.manifest, TOOL.id, question);
  const ask = async (signal: AbortSignal) => ({
    scopeKey,
    layer: question === null ? null : layerOf(await trace.api.ask(TOOL.id, question, signal)),
  });
  const last = lastOf(useRequest(key, ask, true, KEPT).state);
  return question !== null && last?.answer.scopeKey === scopeKey ? last.answer.layer : null;
}

/** Processes with devices or threads that each row has, at most as many as it has lanes. */
function processesOf({ tracks, groups }: Trace, base: Layer): readonly number[] {
  const counts = new Map<number, number>();
  for (const { kind, parent } of groups.values()) {
    if (kind === "process" && parent !== null) {
      counts.set(parent, (counts.get(parent) ?? 0) + 1);
    }
  }
  return base.rows.map(({ track, lanes }) => Math.min(lanes, counts.get(tracks.get(track)?.group ?? -1) ?? 1));
}

/** Layers as they are drawn: the whole map, then the time in view more finely, then the parts of rows. */
function layersOf(
  base: Layer,
  order: readonly number[],
  { time, parts }: Finer,
  rowOfTrack: RowFinder,
): MapDrawing["layers"] {
  const whole: readonly Strip[] = [{ from: 0, to: order.length, rows: order }];
  const layers: { layer: Layer; strips: readonly Strip[]; isParts: boolean }[] = [
    { layer: base, strips: whole, isParts: false },
  ];
  if (time !== null && time.rows.length === base.rows.length) {
    layers.push({ layer: time, strips: whole, isParts: false });
  }
  if (parts !== null) {
    const byRow = partsByRow(parts.rows, rowOfTrack);
    const strips = order.flatMap((row, k) => {
      const rows = byRow.get(row);
      return rows === undefined ? [] : [{ from: k, to: k + 1, rows }];
    });
    layers.push({ layer: parts, strips, isParts: true });
  }
  return layers;
}
