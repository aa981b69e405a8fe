/** The picture of a step: its parts in a row, and a row for each stream of reduces below, on one time axis. */

import "./step-trace.css";
import { formatDuration, type ToolFact, type ToolTable } from "@tilescope/client";
import type { ComponentChildren } from "preact";
import { plotColors } from "../../answers/chart-colors";
import { seriesStyles } from "../../answers/chart-style";
import { figureText } from "../../answers/figures";
import { useForced } from "../../answers/use-forced";
import { plural } from "../../components/format";
import { theme } from "../../state/settings";
import type { PageContext } from "../contract";
import { longestGap, longestRows, type PartBar, type PartRow, partRows, shareOf, ticksOf } from "./bars";

interface Props {
  readonly parts: ToolTable;
  readonly context: PageContext;
  /** The operators with which forward starts and backward ends, as far as they are named. */
  readonly points?: readonly ToolFact[];
  /** Beside the title. */
  readonly way?: ComponentChildren;
  /** Rows of streams that are drawn, those that take longest; all unless given. */
  readonly most?: number;
}

/** Share of the picture below which a bar has no room for its name. */
const NAMED = 0.08;

/** Looks of the parts of a step, in their order, as the chart below has them; and of the reduces. */
const STEP_PARTS = ["interval", "forward_backward", "tail", "collectives"];
const TAIL = STEP_PARTS.indexOf("tail");

export function StepPicture({ parts, context, points = [], way = null, most = Number.POSITIVE_INFINITY }: Props) {
  useForced();
  const all = partRows(parts);
  const rows = longestRows(all, most);
  const figures: Figures = {
    duration: (ticks) => formatDuration(ticks, context.time.tickPs),
    share: (fraction) => {
      const { digits, unit } = figureText({ kind: "fraction", unit: "" }, fraction, context.time);
      return `${digits} ${unit}`;
    },
  };
  const { forced } = plotColors(document.documentElement, theme.value);
  const looks = seriesStyles(STEP_PARTS, theme.value, forced);
  const style = (row: number, place: number) => {
    const isTail = rows[row]!.name === "Tail" && place > 0; // the update of parameters, behind the reduces
    const look = looks[row === 0 ? place : isTail ? TAIL : STEP_PARTS.length - 1]!;
    return { background: look.fill, borderColor: look.ink, color: look.text };
  };
  return (
    <section class="step-picture" aria-label={`${parts.title}: picture`}>
      <h2>
        {parts.title}
        {way}
      </h2>
      {rows.map((row, index) => (
        <div key={row.name} class="step-picture-row">
          <span class="step-picture-name" title={row.name}>
            {row.name}
          </span>
          <ul class="step-picture-bars">
            {row.bars.map((bar, place) => (
              <li
                key={`${bar.name} ${bar.start}`}
                style={{ left: percent(bar.left), width: percent(bar.width), ...style(index, place) }}
                class={bar.width < NAMED ? "is-narrow" : ""}
                title={barText(bar, figures)}
              >
                <span class={bar.width < NAMED ? "visually-hidden" : ""}>{barText(bar, figures)}</span>
              </li>
            ))}
          </ul>
          <span class="step-picture-note">{rowNote(row, figures, index > 0)}</span>
        </div>
      ))}
      {points.length > 0 && (
        <p class="step-picture-more">
          {points.map(({ id, label, value, note }) => (
            <span key={id} class="step-picture-point">
              {label} <b>{String(value)}</b>
              {note === "" ? "" : ` (${note})`}
            </span>
          ))}
        </p>
      )}
      {rows.length < all.length && (
        <p class="step-picture-more">Not drawn here: {plural(all.length - rows.length, "row")} of shorter reduces.</p>
      )}
    </section>
  );
}

function percent(fraction: number): string {
  return `${100 * fraction}%`;
}

interface Figures {
  readonly duration: (ticks: bigint) => string;
  readonly share: (fraction: number) => string;
}

function barText({ name, duration, share }: PartBar, figures: Figures): string {
  return `${name}: ${figures.duration(duration)}${share === null ? "" : `, ${figures.share(share)}`}`;
}

/** Time of a row, its share of the step unless it is the step itself, and its longest gap. */
function rowNote(row: PartRow, { duration, share }: Figures, hasShare: boolean): string {
  const gap = longestGap(row);
  const part = hasShare ? shareOf(row) : null;
  return [
    duration(ticksOf(row)),
    ...(part === null ? [] : [share(part)]),
    ...(gap === null ? [] : [`longest gap ${duration(gap)}`]),
  ].join(", ");
}
