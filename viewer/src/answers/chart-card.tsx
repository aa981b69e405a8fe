/** A series as a chart: legend, plot, exact figures where one points, PNG and TSV. Keys walk along x. */

import { effect, useSignal } from "@preact/signals";
import { type ToolSeries, type ToolTable, ticks } from "@tilescope/client";
import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { DownloadIcon, ResetIcon, TableIcon } from "../components/icons";
import { savePicture } from "../components/save";
import { theme } from "../state/settings";
import { plotColors } from "./chart-colors";
import { ChartData, type ChartPoint } from "./chart-data";
import { ChartLegend } from "./chart-legend";
import type { ChartOverlay } from "./chart-overlay";
import { chartPicture } from "./chart-picture";
import type { PlotColors } from "./chart-style";
import { ChartTooltip } from "./chart-tooltip";
import { ComparisonBar } from "./comparison-bar";
import { CopyButton } from "./copy-button";
import { DataTable } from "./data-table";
import type { Links, RowOfTable } from "./links";
import { isField, narrowText } from "./narrower";
import type { Plot } from "./plot";
import { SeriesPlaces } from "./series-places";
import { type PlaceSpan, StepBrush, stepWords } from "./step-brush";
import { type ComparedSteps, picked, pickHint } from "./step-comparison";
import { useShown } from "./table-choices";
import type { TableChoices } from "./table-model";
import { goToPlace } from "./timeline-places";
import { tsv } from "./tsv";
import { useForced } from "./use-forced";

interface Props {
  readonly series: ToolSeries;
  /** Tables of the same answer: their rows say where points lead. */
  readonly tables: readonly ToolTable[];
  /** Choices for the table of its figures. */
  readonly choices: TableChoices;
  /** Shows the row of a table that is about the same as a point. */
  readonly onRow: (row: RowOfTable) => void;
  readonly links: Links;
  readonly rangeText: string;
  /** Lines and a span that a page lays over the chart. */
  readonly overlay?: ChartOverlay | null;
  /** Content before the legend. */
  readonly head: ComponentChildren;
  /** Row of the answer that one points at elsewhere: it stands out here, too. */
  readonly lit?: number | null;
  /** Told of the row that one points at here. */
  readonly onLit?: (row: number) => void;
  /** A click or Enter on a point that leads nowhere: what it does, in words, and with the row of the series. */
  readonly picking?: { readonly words: string; readonly pick: (row: number) => void } | null;
}

/** The chart that is to have the focus when its next answer is there, and the place where keys go on in it. */
let refocused: { readonly series: string; readonly place: number | null } = { series: "", place: null };

export function ChartCard({
  series,
  tables,
  choices,
  onRow,
  links,
  rangeText,
  overlay = null,
  head,
  lit = null,
  onLit,
  picking = null,
}: Props) {
  const data = useMemo(() => new ChartData(series, links), [series, links]);
  const places = useMemo(() => new SeriesPlaces(series, tables), [series, tables]);
  const asTable = useMemo(() => tableOf(series), [series]);
  useShown(choices);
  const { hasTable } = choices;
  const { steps = null, narrower = null } = links;
  const brush = useMemo(() => (steps === null ? null : StepBrush.forSeries(series, data)), [steps, series, data]);
  const comparison = brush === null ? null : (links.comparison ?? null);
  const compared = comparison?.compared ?? null;
  const brushed = useSignal<PlaceSpan | null>(null);
  /** Place where keys were last, and go on when the chart is drawn anew. */
  const resting = useRef<number | null>(null);
  /** Place where choosing by keys began. */
  const anchor = useRef<number | null>(null);
  const hidden = useSignal<ReadonlySet<number>>(new Set());
  const pointed = useSignal<ChartPoint | null>(null);
  const problem = useSignal("");
  const colors = useSignal<PlotColors | null>(null);
  const holder = useRef<HTMLDivElement>(null);
  const plot = useRef<Plot | null>(null);
  const isForced = useForced();
  const isShown = (y: number) => !hidden.peek().has(y);
  const report = useRef(onLit);
  report.current = onLit;
  const litPlace = useRef<number | null>(null);
  litPlace.current = lit === null ? null : data.rows.indexOf(lit);
  useEffect(() => plot.current?.light(litPlace.current), [lit, data]);

  useEffect(() => {
    const element = holder.current;
    if (element === null || data.isEmpty || hasTable.value) {
      return;
    }
    let isGone = false;
    colors.value = plotColors(element, theme.value);
    if (refocused.series === series.id && document.activeElement !== element && element.closest("[inert]") === null) {
      resting.current = refocused.place;
      refocused = { series: "", place: null };
      if (document.activeElement === document.body) {
        element.focus();
      }
    }
    import("./plot").then(
      (module) => {
        if (!isGone) {
          plot.current = new module.Plot(element, {
            data,
            time: links.time,
            colors: colors.peek()!,
            brush,
            compared: letters(brush, compared),
            overlay,
            isShown,
            onBrush: (places, isDone) => {
              brushed.value = places;
              if (isDone) {
                choose();
              }
            },
            onPoint: (place, row, leftPx) => {
              pointed.value = place === null ? null : { place, row, leftPx, widthPx: element.clientWidth };
              if (place !== null) {
                report.current?.(data.rows[place]!);
              }
            },
          });
          plot.current.light(litPlace.current);
          // Its scales are there with the next frame.
          requestAnimationFrame(() => {
            if (!isGone && document.activeElement === element && resting.current !== null) {
              plot.current?.point(resting.current);
            }
          });
        }
      },
      () => {
        problem.value = "The chart could not be loaded. Its figures can be copied.";
      },
    );
    return () => {
      isGone = true;
      plot.current?.destroy();
      plot.current = null;
      pointed.value = null;
      brushed.value = null;
    };
  }, [data, links, theme.value, isForced.value, hasTable.value, overlay]);

  useEffect(
    () =>
      effect(() => {
        if (overlay !== null) {
          overlay.span.value;
          plot.current?.redraw();
        }
      }),
    [overlay],
  );

  const toggle = (y: number, isOnly: boolean) => {
    const others = data.ys.map((_, index) => index).filter((index) => index !== y);
    const next = new Set(isOnly ? others : hidden.value);
    if (!isOnly && !next.delete(y)) {
      next.add(y);
    }
    hidden.value = next.size === data.ys.length ? new Set() : next;
    plot.current?.update();
  };
  const refocusAt = (place: number | null) => {
    refocused = { series: series.id, place };
  };
  const placeOf = (place: number) => places.placeOf(data.rows[place]!);
  const narrowAt = (place: number) => narrowText(narrower, series.x, data.rows[place]!);
  const leadsAt = (place: number) => narrowAt(place) !== null || placeOf(place) !== null;
  const go = (place: number) => {
    const text = narrowAt(place);
    const target = placeOf(place);
    if (text !== null) {
      narrower!.ask(series.x.id, text);
    } else if (target !== null) {
      goToPlace(links, target);
    } else if (data.xKind === "time") {
      const start = data.zero + BigInt(data.xs[place]!);
      const next = data.xs[place + 1] ?? data.xs[place]! + data.gap;
      links.goTo({ startTicks: ticks(start), endTicks: ticks(data.zero + BigInt(next)) }, null);
    }
  };
  const stepAt = (place: number) => brush?.steps({ first: place, last: place })?.first ?? null;
  /** A click on a column, or Enter: compares its step, or else leads to the timeline. */
  const act = (place: number) => {
    const step = comparison === null ? null : stepAt(place);
    if (comparison !== null && step !== null) {
      resting.current = place;
      comparison.compare(picked(compared, step));
    } else if (picking !== null) {
      picking.pick(data.rows[place]!);
    } else {
      go(place);
    }
  };
  const choose = () => {
    const chosen = brush === null || brushed.value === null ? null : brush.steps(brushed.value);
    if (chosen !== null) {
      steps?.choose(chosen);
    }
  };
  /** Chooses the places from where keys began to this one; without one none. */
  const extend = (from: number | null, to: number) => {
    anchor.current = from;
    brushed.value = from === null ? null : { first: Math.min(from, to), last: Math.max(from, to) };
    plot.current?.choose(brushed.value);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const { stops } = data;
    const end = stops.length - 1;
    const index = stops.indexOf(pointed.value?.place ?? resting.current ?? -1);
    const place = index < 0 ? null : index;
    const steps: Readonly<Record<string, number>> = {
      ArrowRight: (place ?? -1) + 1,
      ArrowLeft: (place ?? end + 1) - 1,
      PageDown: (place ?? 0) + Math.ceil(end / 10),
      PageUp: (place ?? end) - Math.ceil(end / 10),
      Home: 0,
      End: end,
    };
    const to = steps[event.key];
    if (to !== undefined) {
      const target = stops[Math.max(0, Math.min(end, to))]!;
      const from =
        brush !== null && event.shiftKey ? (anchor.current ?? (place === null ? target : stops[place]!)) : null;
      resting.current = target;
      plot.current?.point(target);
      extend(from, target);
    } else if (event.key === "Enter" && brushed.value !== null) {
      refocusAt(null);
      choose();
    } else if (event.key === "Enter" && place !== null) {
      if (comparison !== null) {
        refocusAt(stops[place]!);
      }
      act(stops[place]!);
    } else if (event.key === "Escape" && brushed.value !== null) {
      extend(null, 0);
    } else if (event.key === "Escape" && comparison !== null && compared !== null) {
      refocusAt(place === null ? null : stops[place]!);
      comparison.compare(null);
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  };
  const copy = (isRaw: boolean) => {
    const ys = data.ys.filter((_, y) => isShown(y)).map(({ column }) => column);
    return tsv([series.x, ...ys], data.rows, links.time, { isRaw });
  };
  const save = () => {
    if (plot.current !== null && colors.value !== null) {
      void savePicture(chartPicture(plot.current.canvas, data, colors.value, rangeText, isShown), series.id);
    }
  };
  if (data.isEmpty) {
    return (
      <>
        {head}
        <p class="answer-empty">There is nothing to draw in {rangeText}.</p>
      </>
    );
  }
  const pointedPlace = pointed.value === null ? null : placeOf(pointed.value.place);
  const chosen = brush === null || brushed.value === null ? null : brush.steps(brushed.value);
  const hint = (place: number) => {
    const step = comparison === null ? null : stepAt(place);
    if (brush === null || chosen !== null) {
      const only = chosen === null && narrowAt(place) !== null;
      return only
        ? `Click: only this ${series.x.title.toLowerCase()}`
        : chosen === null
          ? ""
          : sentence(stepWords(chosen));
    }
    return step === null ? hintOf(pointedPlace !== null) : `${pickHint(compared, step)} · drag: choose steps`;
  };
  const leads = data.xKind === "time" || data.stops.some((place) => placeOf(place) !== null);
  const enterWords =
    comparison !== null
      ? ", Enter compares a step, Escape none"
      : picking !== null
        ? `, Enter ${picking.words}`
        : isField(narrower, series.x)
          ? `, Enter shows only this ${series.x.title.toLowerCase()}`
          : leads
            ? ", Enter leads to the timeline"
            : "";
  return (
    <section class="chart-card" aria-label={`${series.title}: chart`} data-series={series.id}>
      <div class="chart-head">
        {head}
        <ChartLegend data={data} hidden={hidden.value} colors={colors.value} onToggle={toggle} />
        {brush !== null && steps !== null && steps.chosen !== null && (
          <button
            type="button"
            class="button is-outlined"
            title={`Only ${stepWords(steps.chosen)} ${steps.chosen.first === steps.chosen.last ? "is" : "are"} looked at: look at the whole run again`}
            onClick={() => {
              refocusAt(null);
              steps.clear();
            }}
          >
            <ResetIcon />
            Whole run
          </button>
        )}
        <button
          type="button"
          class="button is-quiet"
          aria-pressed={hasTable.value}
          title="The figures of the chart as a table"
          onClick={() => {
            hasTable.value = !hasTable.value;
          }}
        >
          <TableIcon />
          Table
        </button>
        {!hasTable.value && (
          <button type="button" class="button is-quiet" title="Saves the chart as a picture" onClick={save}>
            <DownloadIcon />
            PNG
          </button>
        )}
        <CopyButton label="Copy as TSV" title="Copies the series that are shown, with exact values" text={copy} />
      </div>
      {comparison !== null && brush !== null && (
        <ComparisonBar
          compared={compared}
          durationOf={(step) => {
            const place = brush.placeOf(step);
            return place === null ? "" : data.yText(0, place);
          }}
          wayTo={(step) => {
            const place = brush.placeOf(step);
            const target = place === null ? null : placeOf(place);
            return target === null ? null : () => goToPlace(links, target);
          }}
          showBoth={links.showSteps ?? null}
          onClear={() => {
            refocusAt(null);
            comparison.compare(null);
          }}
        />
      )}
      {hasTable.value && (
        <div class="chart-table">
          <DataTable
            table={asTable}
            links={links}
            choices={choices}
            head={null}
            onMore={null}
            placeOf={(row) => places.placeOf(row)}
          />
        </div>
      )}
      {/* biome-ignore lint/a11y/useSemanticElements: there is no element for an interactive picture. */}
      <div
        class={`chart-plot is-${series.kind}${pointed.value === null || (comparison === null && picking === null && !leadsAt(pointed.value.place)) ? "" : " leads"}`}
        ref={holder}
        hidden={hasTable.value}
        role="group"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: its arrow keys walk from figure to figure.
        tabIndex={0}
        aria-label={`${series.title}: chart of ${data.ys.map((column) => column.title).join(", ")} over ${data.x.title}. Arrow keys say the figures${enterWords}${brush === null ? "" : "; with Shift they choose steps, which Enter looks at"}.`}
        onKeyDown={onKeyDown}
        onClick={() => {
          const place = pointed.value?.place ?? null;
          const row = place === null || series.kind !== "points" ? null : places.rowOf(data.rows[place]!);
          if (row !== null) {
            onRow(row);
          } else if (place !== null && (comparison !== null || picking !== null || leadsAt(place))) {
            act(place);
          }
        }}
        onDblClick={() => {
          if (
            comparison === null &&
            pointed.value !== null &&
            (series.kind === "points" || !leadsAt(pointed.value.place))
          ) {
            go(pointed.value.place);
          }
        }}
        onBlur={() => {
          pointed.value = null;
          resting.current = null;
          extend(null, 0);
        }}
      >
        {pointed.value !== null && (
          <ChartTooltip
            data={data}
            pointed={pointed.value}
            isShown={isShown}
            colors={colors.value}
            hint={hint(pointed.value.place)}
          />
        )}
      </div>
      <span class="visually-hidden" role="status">
        {pointed.value === null ? "" : spokenText(data, pointed.value, isShown)}
        {chosen === null
          ? ""
          : `. Chosen: ${stepWords(chosen)}; Enter looks at ${chosen.first === chosen.last ? "it" : "them"}`}
      </span>
      {problem.value !== "" && <p class="answer-empty">{problem.value}</p>}
    </section>
  );
}

/** The letters of the steps that are compared, by their places. */
function letters(brush: StepBrush | null, compared: ComparedSteps | null): ReadonlyMap<number, string> {
  const sides = [[compared?.first, "A"] as const, [compared?.second, "B"] as const];
  return new Map(
    sides.flatMap(([step, letter]) => {
      const place = step === null || step === undefined ? null : (brush?.placeOf(step) ?? null);
      return place === null ? [] : [[place, letter] as const];
    }),
  );
}

/** The figures of a chart, a row for each place. */
function tableOf({ id, title, x, ys, lines, labels }: ToolSeries): ToolTable {
  const columns = [...(labels === null ? [] : [labels]), x, ...ys, ...lines];
  return {
    id: `chart-${id}`,
    title,
    parent: null,
    nested: [],
    opens: [],
    columns,
    totals: null,
    rest: null,
    more: null,
  };
}

/** Hint of what a pointer can do on a chart of steps. */
function hintOf(leads: boolean): string {
  return leads ? "Click: in the timeline · drag: choose steps" : "Drag to choose steps";
}

function sentence(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function spokenText(data: ChartData, { place }: ChartPoint, isShown: (y: number) => boolean): string {
  const isSaid = (y: number) => isShown(y) && (data.series.kind !== "points" || data.has(y, place));
  const figures = data.ys.flatMap(({ title }, y) => (isSaid(y) ? [`${title} ${data.yText(y, place)}`] : []));
  const total = data.totalText(place, isShown);
  const all = [...(total === null ? [] : [`in all ${total}`]), ...figures.slice(0, 8)];
  return `${data.placeText(place)}: ${all.join(", ")}`;
}
