/** Collectives: a matrix of links from rank to rank, the link that one looks at, and all of the answer. */

import "./collectives.css";
import type { ToolAnswer, ToolTable } from "@tilescope/client";
import { useMemo, useState } from "preact/hooks";
import { heatColor } from "../../answers/chart-style";
import { scaleOf } from "../../answers/figures";
import type { RowOfTable } from "../../answers/links";
import { Headline } from "../../answers/notes-list";
import { BarSelect } from "../../components/bar-select";
import { formatCount } from "../../components/format";
import { Answered } from "../../requests/states";
import { pick, picked } from "../../state/part-text";
import { theme } from "../../state/settings";
import type { PageContext, PageProps } from "../contract";
import { PageHead } from "../frame/page-head";
import { ToolAnswerView } from "../frame/tool-answer";
import { useAnswer } from "../frame/use-answer";
import type { CollectivesFields } from "./fields";
import { HeatMap } from "./heat-map";
import { LinkCard } from "./link-card";
import { type Cell, type CellFigure, cellValue, FIGURES, type LinkMatrix, linkMatrix, transportsOf } from "./matrix";
import { timelineWay } from "./timeline-way";
import { Waits } from "./waits";

const TOOL = { id: "collectives", title: "Collectives", help: "" };
const TITLES: Readonly<Record<CellFigure, string>> = { bandwidth: "Bandwidth", time: "Time", size: "Bytes" };
const PS_PER_SECOND = 1e12;
const STEPS = [0, 0.25, 0.5, 0.75, 1];

export function CollectivesView({ context, fields, setFields }: PageProps<CollectivesFields>) {
  const { tracks, clocks } = fields;
  const question = useMemo(
    () => ({ ...(tracks === "" ? {} : { tracks }), ...(clocks === "recorded" ? {} : { clocks }) }),
    [tracks, clocks],
  );
  const request = useAnswer(context, TOOL.id, question);
  return (
    <>
      <PageHead context={context} fields={fields} setFields={setFields} />
      <Answered request={request}>
        {(answer) => <Shown answer={answer} context={context} fields={fields} setFields={setFields} />}
      </Answered>
    </>
  );
}

type ShownProps = Pick<PageProps<CollectivesFields>, "context" | "fields" | "setFields">;

function Shown({ answer, ...props }: ShownProps & { readonly answer: ToolAnswer }) {
  const [wanted, setWanted] = useState<RowOfTable | null>(null);
  const links = answer.tables.find(({ id }) => id === "links");
  const waits = answer.tables.find(({ id }) => id === "waits");
  const transports = useMemo(() => (links === undefined ? [] : transportsOf(links)), [links]);
  return (
    <>
      <Headline answer={answer} links={props.context} />
      {waits !== undefined && (waits.columns[0]?.values.length ?? 0) > 0 && (
        <Waits {...props} waits={waits} ranks={answer.tables.find(({ id }) => id === "ranks")} onRow={setWanted} />
      )}
      {links !== undefined && transports.length > 0 && (
        <Links {...props} links={links} total={linksIn(answer)} transports={transports} onRow={setWanted} />
      )}
      <ToolAnswerView tool={TOOL} answer={{ ...answer, headline: null }} context={props.context} wanted={wanted} />
    </>
  );
}

interface LinksProps extends ShownProps {
  readonly links: ToolTable;
  /** Links of the answer, listed or not. */
  readonly total: number;
  readonly transports: readonly string[];
  readonly onRow: (row: RowOfTable) => void;
}

function linksIn({ facts }: ToolAnswer): number {
  return Number(facts.find(({ id }) => id === "links")?.value ?? 0);
}

function Links({ context, fields, setFields, links, total, transports, onRow }: LinksProps) {
  const { figure } = fields;
  const listed = links.columns[0]?.values.length ?? 0;
  const transport = transports.includes(fields.transport) ? fields.transport : transports[0]!;
  const matrix = useMemo(() => linkMatrix(links, transport, figure), [links, transport, figure]);
  const chosen = Number(picked.value || Number.NaN);
  const current = matrix.cells[chosen] === undefined ? firstCell(matrix, figure) : chosen;
  const text = useMemo(() => cellText(matrix, figure, context), [matrix, figure, context]);
  const title = ({ row, column }: Cell) =>
    matrix.rowTitle === "From"
      ? `${matrix.rows[row]} → ${matrix.columns[column]}`
      : `${matrix.columns[column]}, recorded by rank ${matrix.rows[row]}`;
  const cell = matrix.cells[current];
  const showRow = (place: number) => {
    pick(String(place));
    onRow({ table: "links", row: matrix.cells[place]!.links[0]! });
  };
  return (
    <section class="link-matrix" aria-label="Matrix of links">
      <div class="link-matrix-head">
        <h2>Links by</h2>
        <BarSelect
          label="Transport"
          choices={transports.map((value) => ({ value, text: value === "" ? "unnamed transport" : value }))}
          chosen={transport}
          onChoose={(next) => setFields({ ...fields, transport: next })}
        />
        <BarSelect
          label="Colour of the matrix"
          choices={FIGURES.map((value) => ({ value, text: TITLES[value] }))}
          chosen={figure}
          onChoose={(next) => setFields({ ...fields, figure: next })}
        />
        <Legend matrix={matrix} figure={figure} text={text} />
        {total > listed && (
          <span class="page-of">
            {formatCount(listed)} of {formatCount(total)} links: those that take most time
          </span>
        )}
      </div>
      <div class="link-matrix-body">
        <HeatMap
          title={`${TITLES[figure]} of links by ${transport}`}
          noun="links"
          matrix={matrix}
          current={current}
          onCurrent={(place) => pick(String(place))}
          onChoose={showRow}
          figureText={text}
          spokenText={(spoken) => `${title(spoken)}: ${text(spoken)}`}
        />
        {cell !== undefined && (
          <LinkCard
            links={links}
            cell={cell}
            title={title(cell)}
            time={context.time}
            onRow={() => showRow(current)}
            onTimeline={timelineWay(links, cell, context)}
          />
        )}
      </div>
    </section>
  );
}

interface LegendProps {
  readonly matrix: LinkMatrix;
  readonly figure: CellFigure;
  readonly text: (cell: Cell) => string;
}

function Legend({ matrix, figure, text }: LegendProps) {
  const between = matrix.cells.filter(({ part }) => part !== null);
  if (between.length < 2) {
    return null;
  }
  const sorted = [...between].sort((a, b) => cellValue(a, figure) - cellValue(b, figure));
  return (
    <p class="link-legend">
      <span>{text(sorted[0]!)}</span>
      <svg width="80" height="12" aria-hidden="true">
        {STEPS.map((step) => (
          <rect key={step} x={64 * step} width="16" height="12" fill={heatColor(step, theme.value)} />
        ))}
      </svg>
      <span>{text(sorted[sorted.length - 1]!)}</span>
      {matrix.cells.length > between.length && (
        <span class="link-worth">Copies within a rank, and what took no time, have no colour.</span>
      )}
    </p>
  );
}

/** The link that one looks at first: the slowest, or else that with most time or bytes. */
function firstCell({ cells }: LinkMatrix, figure: CellFigure): number {
  const sign = figure === "bandwidth" ? 1 : -1;
  let first = 0;
  cells.forEach(({ part }, place) => {
    const other = cells[first]!.part;
    if (part !== null && (other === null || sign * part < sign * other)) {
      first = place;
    }
  });
  return first;
}

/** Figures of cells in the unit that the greatest has. */
function cellText({ cells }: LinkMatrix, figure: CellFigure, { time }: PageContext): (cell: Cell) => string {
  const kinds = { bandwidth: "rate", time: "ticks", size: "bytes" } as const;
  const perSecond = PS_PER_SECOND / time.tickPs;
  const number = (cell: Cell) => cellValue(cell, figure) * (figure === "bandwidth" ? perSecond : 1);
  const measured = { kind: kinds[figure], unit: figure === "bandwidth" ? "B/s" : "" };
  const scale = scaleOf(measured, cells.map(number), time);
  return (cell) => {
    if (figure === "bandwidth" && cell.time === 0n) {
      return "–";
    }
    const value = figure === "bandwidth" ? number(cell) : String(figure === "time" ? cell.time : cell.size);
    return `${scale.text(value)} ${scale.unit}`.trim();
  };
}
