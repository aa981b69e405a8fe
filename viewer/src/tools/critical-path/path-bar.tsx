/** A critical path as one bar: the share of each kind, and below it each kind as a way to its pieces. */

import "./critical-path.css";
import { formatDuration } from "@tilescope/client";
import { plotColors } from "../../answers/chart-colors";
import { AreaSample } from "../../answers/chart-legend";
import { seriesStyles } from "../../answers/chart-style";
import { figureText } from "../../answers/figures";
import { useForced } from "../../answers/use-forced";
import { plural } from "../../components/format";
import { GoIcon } from "../../components/icons";
import { theme } from "../../state/settings";
import type { PageContext } from "../contract";
import type { PathPart } from "./path-parts";

interface Props {
  readonly parts: readonly PathPart[];
  readonly context: PageContext;
  /** All kinds of the path, in the order of its chart. */
  readonly kinds: readonly string[];
  /** The kind whose pieces are listed, as questions write it; empty: all. */
  readonly kind: string;
  readonly onKind: (kind: string) => void;
  /** Leads to the path in the timeline; null: it lies nowhere. */
  readonly onTimeline: (() => void) | null;
}

/** Share below which a part has no room for its name. */
const NAMED = 0.08;

export function PathBar({ parts, kinds, context, kind, onKind, onTimeline }: Props) {
  useForced();
  const { forced } = plotColors(document.documentElement, theme.value);
  const styles = seriesStyles(kinds, theme.value, forced);
  const looks = parts.map((part) => styles[kinds.indexOf(part.kind)]!);
  const shares = parts.map(({ share }) => {
    const { digits, unit } = figureText({ kind: "fraction", unit: "" }, share, context.time);
    return `${digits} ${unit}`;
  });
  return (
    <section class="path-bar" aria-label="The path by kind">
      <div class="path-bar-head">
        <h2>What the path consists of</h2>
        {onTimeline !== null && (
          <button type="button" class="button is-outlined" onClick={onTimeline}>
            Show the path in the timeline
            <GoIcon />
          </button>
        )}
      </div>
      <div class="path-bar-parts" aria-hidden="true">
        {parts.map((part, place) => (
          <div
            key={part.kind}
            class={`path-bar-part ${part.share < NAMED ? "is-narrow" : ""}`}
            style={{
              ...{ background: looks[place]!.fill, borderColor: looks[place]!.ink, color: looks[place]!.text },
              flex: `${part.share} 1 0`,
            }}
            title={`${part.title}: ${shares[place]}`}
          >
            {part.share < NAMED ? "" : `${part.title} ${shares[place]}`}
          </div>
        ))}
      </div>
      <ul class="path-bar-kinds">
        {parts.map((part, place) => (
          <li key={part.kind}>
            <button
              type="button"
              class="button is-outlined path-bar-kind"
              aria-pressed={part.kind === kind}
              title={part.kind === kind ? "Lists all pieces again" : `Lists its ${plural(part.pieces, "piece")} alone`}
              onClick={() => onKind(part.kind === kind ? "" : part.kind)}
            >
              <svg class="legend-swatch" viewBox="0 0 20 12" aria-hidden="true">
                <AreaSample style={looks[place]!} />
              </svg>
              {part.title} <b>{shares[place]}</b> {formatDuration(part.time, context.time.tickPs)}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
